// The page of a run that goes on: what the server sends takes the place of what is shown.
"use strict";

const shown = document.getElementById("live");
const events = new EventSource(`${location.pathname}/events`);
events.addEventListener("now", (event) => {
  shown.innerHTML = event.data;
});
events.addEventListener("end", () => events.close());
events.addEventListener("open", () => shown.classList.remove("lost"));
events.addEventListener("error", () => shown.classList.add("lost"));
