//! Routes of the shelf: the page for each path.

use crate::follow::{Follow, Followed};
use crate::index::{Index, Listed};
use crate::page::list::{List, ROWS};
use crate::page::{self, problem};
use crate::search::Search;
use crate::shelf::Shelf;
use crate::trend::{self, Trend};
use plimsoll_http::{Answers, Policy, Request, Response, text};
use plimsoll_live::{OPEN_METRICS, Source, stop};
use plimsoll_record::compare::{Terms, compare};
use plimsoll_record::{Record, RecordError};
use plimsoll_report::html;
use std::path::PathBuf;
use std::time::Duration;

const HTML: &str = "text/html; charset=utf-8";
/// Time that a list waits for new records to be read.
const PATIENCE: Duration = Duration::from_millis(400);
/// Records that are compared at once.
const COMPARED: usize = 200;
/// Words that a field offers.
const OFFERED: usize = 100;

/// The pages of a shelf.
pub(crate) struct Pages {
    shelf: Shelf,
    /// The runs that go on, for whoever scrapes them.
    followed: Followed,
    /// True where runs may be stopped.
    control: bool,
}

impl Answers for Pages {
    fn answer(&self, request: &Request) -> Response {
        let path: Vec<&str> = request.path.split('/').skip(1).collect();
        if request.method != "GET" {
            let stopped = match (request.method.as_str(), path.as_slice()) {
                ("POST", ["live", id, "stop"]) => self.stop(id),
                _ => Err(Refusal {
                    status: "405 Method Not Allowed",
                    message: "The pages are only read: ask with GET.".to_owned(),
                }),
            };
            return stopped.unwrap_or_else(|refusal| problem(refusal.status, &refusal.message));
        }
        let answer = match path.as_slice() {
            [""] => self.list(request),
            ["page.css"] => return text("text/css; charset=utf-8", page::style()),
            ["live.js"] => {
                return text(
                    "text/javascript; charset=utf-8",
                    page::live::SCRIPT.to_owned(),
                );
            }
            ["record", id] => self.report(id),
            ["live", id] => self.live(id),
            ["live", id, "events"] => self.events(id),
            ["compare"] => self.compare(request),
            ["trend"] => self.trend(request),
            ["metrics"] => self.metrics(),
            _ => Err(Refusal::nothing()),
        };
        answer.unwrap_or_else(|refusal| problem(refusal.status, &refusal.message))
    }
}

/// Reason why there is no page.
struct Refusal {
    status: &'static str,
    message: String,
}

impl Refusal {
    fn nothing() -> Self {
        Refusal {
            status: "404 Not Found",
            message: "There is nothing here. The record may have been moved or removed.".to_owned(),
        }
    }

    fn asked(message: &str) -> Self {
        Refusal {
            status: "400 Bad Request",
            message: message.to_owned(),
        }
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Refusal {
            status: "500 Internal Server Error",
            message: format!(
                "The index fails: {error}. Start plimsoll serve again; what it knows is made anew."
            ),
        }
    }
}

impl From<RecordError> for Refusal {
    fn from(error: RecordError) -> Self {
        Refusal {
            status: "422 Unprocessable Content",
            message: format!("{error}."),
        }
    }
}

type Answer = Result<Response, Refusal>;

impl Pages {
    /// Pages of a shelf.
    pub(crate) fn of(shelf: Shelf, control: bool) -> Self {
        Pages {
            shelf,
            followed: Followed::default(),
            control,
        }
    }

    /// Stops a run at the end of its interval, and goes back to its page.
    fn stop(&self, id: &str) -> Answer {
        if !self.control {
            return Err(Refusal {
                status: "403 Forbidden",
                message: "Runs are not stopped from here: start plimsoll serve with --control."
                    .to_owned(),
            });
        }
        let place = self.place(&self.find(id)?)?;
        stop(&place).map_err(|why| Refusal {
            status: "409 Conflict",
            message: format!("Nothing was stopped: {why}."),
        })?;
        Ok(Response::see_other(format!("/live/{id}")))
    }

    /// The runs that go on, as metrics.
    fn metrics(&self) -> Answer {
        self.shelf.renew(PATIENCE);
        let unfinished = Search {
            verdict: "unfinished".to_owned(),
            ..Search::default()
        };
        let (rows, _) = self.shelf.ask(|index| index.list(&unfinished, 0, ROWS))?;
        let places = rows.iter().filter_map(|row| self.shelf.place(&row.path));
        Ok(text(OPEN_METRICS, self.followed.metrics(places)))
    }

    fn list(&self, request: &Request) -> Answer {
        let state = self.shelf.renew(PATIENCE);
        let search = Search::of(request);
        let number = value(request, "page").and_then(|n| n.parse::<u16>().ok());
        let number = usize::from(number.unwrap_or(0));
        let (rows, all) = self
            .shelf
            .ask(|index| index.list(&search, number * ROWS, ROWS))?;
        let words = |column| {
            self.shelf
                .ask(|index: &Index| index.words_of(column, OFFERED))
        };
        let list = List {
            folder: self.shelf.folder(),
            search: &search,
            state: &state,
            rows: &rows,
            all,
            number,
            methods: &words("method")?,
            tags: &words("tag")?,
        };
        Ok(list.page())
    }

    fn report(&self, id: &str) -> Answer {
        let record = self.open(&self.find(id)?)?;
        match html::render(&record) {
            Ok(page) => Ok(of_itself(page)),
            Err(html::HtmlError::Record(error)) => Err(error.into()),
            Err(error) => Err(Refusal {
                status: "500 Internal Server Error",
                message: format!("{error}."),
            }),
        }
    }

    fn live(&self, id: &str) -> Answer {
        let source = self.follow(id)?;
        Ok(page::live::of(source.live(), id, self.control))
    }

    fn events(&self, id: &str) -> Answer {
        let source = self.follow(id)?;
        Ok(Response::events(Follow::of(source, id.to_owned())))
    }

    fn follow(&self, id: &str) -> Result<Source, Refusal> {
        let place = self.place(&self.find(id)?)?;
        Ok(Source::open(&place)?)
    }

    fn compare(&self, request: &Request) -> Answer {
        let side = |side: &str| -> Vec<String> {
            let pairs = request.pairs().into_iter();
            pairs
                .filter(|(name, _)| name == side)
                .map(|(_, id)| id)
                .collect()
        };
        let (a, b) = (side("a"), side("b"));
        if a.is_empty() || b.is_empty() {
            return Err(Refusal::asked(
                "Tick at least one record as A, before the change, and one as B, after it.",
            ));
        }
        if a.len() + b.len() > COMPARED {
            return Err(Refusal::asked(
                "These are too many records for one comparison; tick 200 at most.",
            ));
        }
        let open = |ids: &[String]| -> Result<Vec<Record>, Refusal> {
            ids.iter().map(|id| self.open(&self.find(id)?)).collect()
        };
        let comparison = compare(&open(&a)?, &open(&b)?, &Terms::default())?;
        Ok(of_itself(html::comparison::page(&comparison)))
    }

    fn trend(&self, request: &Request) -> Answer {
        let of = |name| value(request, name).unwrap_or_default();
        let (test, step, metric) = (of("test"), of("step"), of("metric"));
        self.shelf.renew(PATIENCE);
        let runs = self.shelf.ask(|index| index.runs_of(&test, trend::MOST))?;
        let trend = Trend::of(&runs, &step, &metric);
        Ok(page::trend::of(&test, &runs, trend.as_ref()))
    }

    fn find(&self, id: &str) -> Result<Listed, Refusal> {
        let found = self.shelf.ask(|index| index.find(id))?;
        found.ok_or_else(Refusal::nothing)
    }

    fn open(&self, listed: &Listed) -> Result<Record, Refusal> {
        Ok(Record::open(&self.place(listed)?)?)
    }

    /// Path of a record; a refusal where there is no regular file any more, so that nothing else is opened.
    fn place(&self, listed: &Listed) -> Result<PathBuf, Refusal> {
        self.shelf.place(&listed.path).ok_or_else(Refusal::nothing)
    }
}

/// A page that brings its own policy.
fn of_itself(page: String) -> Response {
    text(HTML, page).with_policy(Policy::InPage)
}

fn value(request: &Request, name: &str) -> Option<String> {
    let found = request.pairs().into_iter().find(|(n, _)| n == name);
    found.map(|(_, value)| value)
}
