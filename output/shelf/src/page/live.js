// The page of a run that goes on: what the server sends takes the place of what is shown.
"use strict";

const shown = document.getElementById("live");
const events = new EventSource(`${location.pathname}/events`);
events.addEventListener("now", (event) => {
  // What somebody has unfolded stays so.
  const unfolded = shown.querySelector("details[open]") !== null;
  shown.innerHTML = event.data;
  if (unfolded) shown.querySelector("details")?.setAttribute("open", "");
});
events.addEventListener("end", () => {
  events.close();
  document.querySelector("form.stop")?.remove();
});
events.addEventListener("open", () => shown.classList.remove("lost"));
events.addEventListener("error", () => shown.classList.add("lost"));
