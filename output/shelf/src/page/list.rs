//! The shelf itself: a search, and a row for each record.

use super::{address, page, text, time, word};
use crate::index::Listed;
use crate::item;
use crate::search::{Search, VERDICTS};
use crate::shelf::State;
use plimsoll_http::Response;
use std::fmt::Write;
use std::path::Path;

/// Records on a page.
pub(crate) const ROWS: usize = 100;

/// A page of the list.
pub(crate) struct List<'a> {
    pub folder: &'a Path,
    pub search: &'a Search,
    pub state: &'a State,
    pub rows: &'a [Listed],
    /// All that were found.
    pub all: usize,
    /// The number of this page, from 0.
    pub number: usize,
    pub methods: &'a [String],
    pub tags: &'a [String],
}

impl List<'_> {
    /// The page.
    pub(crate) fn page(&self) -> Response {
        let mut body = format!(
            "<h1>{}</h1>\n<p class=\"folder\">below {}</p>\n",
            text(&self.headline()),
            word(&item::shown(self.folder))
        );
        for note in self.notes() {
            let _ = writeln!(body, "<p class=\"flag\">{}</p>", text(&note));
        }
        body += &self.form();
        if !self.rows.is_empty() {
            let rows: String = self.rows.iter().map(row).collect();
            let _ = write!(
                body,
                "<form action=\"/compare\">\n<div class=\"acts\"><button>Compare A with B</button>\
                 <span>Tick the records before a change as A and those after it as B.</span></div>\n\
                 <table class=\"shelf\"><thead><tr><th>A</th><th>B</th><th>started</th><th>test</th><th>answer</th></tr></thead>\
                 <tbody>\n{rows}</tbody></table>\n</form>\n"
            );
        }
        body += &self.turning();
        // Until all is read, the page looks again by itself.
        let again = match self.state.looking {
            true => "<meta http-equiv=\"refresh\" content=\"2\">\n",
            false => "",
        };
        page("Records", again, &body)
    }

    fn headline(&self) -> String {
        let searched = !self.search.pairs().is_empty();
        match (self.all, searched) {
            (0, true) => "No record is like that.".to_owned(),
            (0, false) => "No records yet.".to_owned(),
            (1, _) => "One record".to_owned(),
            (n, _) => format!("{} records", plimsoll_printable::human::count(n as u64)),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.state.trouble.clone().into_iter().collect();
        match self.state.unread {
            0 if self.state.looking => {
                notes.push("The folder is still being looked through.".to_owned())
            }
            0 => {}
            1 => notes.push("One more record is being read.".to_owned()),
            n => notes.push(format!(
                "{} more are being read; they come by themselves.",
                plimsoll_printable::human::count(n as u64)
            )),
        }
        notes
    }

    fn form(&self) -> String {
        let search = self.search;
        let field = |name: &str, label: &str, kind: &str, value: &str, list: &str| {
            format!(
                "<label>{label}<input name=\"{name}\" type=\"{kind}\" value=\"{}\"{list}></label>\n",
                text(value)
            )
        };
        let mut form = String::from("<form class=\"search\" action=\"/\">\n");
        form += &field("q", "any word", "search", &search.words, "");
        form += &field("target", "target", "search", &search.target, "");
        form += &field(
            "workload",
            "method or workload",
            "search",
            &search.workload,
            " list=\"methods\"",
        );
        form += &field("tag", "tag", "search", &search.tag, " list=\"tags\"");
        form += "<label>verdict<select name=\"verdict\"><option value=\"\">any</option>";
        for (value, label) in VERDICTS {
            let chosen = if search.verdict == value {
                " selected"
            } else {
                ""
            };
            let _ = write!(form, "<option value=\"{value}\"{chosen}>{label}</option>");
        }
        form += "</select></label>\n";
        form += &field(
            "finding",
            "finding, as PL130",
            "search",
            &search.finding,
            "",
        );
        form += &field("from", "from (UTC)", "date", &search.from, "");
        form += &field("to", "to (UTC)", "date", &search.to, "");
        form += "<div class=\"acts\"><button>Search</button>";
        if !search.pairs().is_empty() {
            form += "<a href=\"/\">All records</a>";
        }
        form += "</div>\n";
        for (name, words) in [("methods", self.methods), ("tags", self.tags)] {
            let options: String = words
                .iter()
                .map(|w| format!("<option value=\"{}\">", word(w)))
                .collect();
            let _ = writeln!(form, "<datalist id=\"{name}\">{options}</datalist>");
        }
        form + "</form>\n"
    }

    /// The way to newer and older records.
    fn turning(&self) -> String {
        let link = |number: usize, words: &str| {
            let (number, mut pairs) = (number.to_string(), self.search.pairs());
            pairs.push(("page", &number));
            format!("<a href=\"{}\">{words}</a>", text(&address("/", &pairs)))
        };
        let mut links = Vec::new();
        if self.number > 0 {
            links.push(link(self.number - 1, "newer"));
        }
        if (self.number + 1) * ROWS < self.all {
            links.push(link(self.number + 1, "older"));
        }
        match links.is_empty() {
            true => String::new(),
            false => format!("<p class=\"acts\">{}</p>\n", links.join(" ")),
        }
    }
}

fn row(listed: &Listed) -> String {
    let path = word(&item::shown(&listed.path));
    if let Some(error) = &listed.error {
        return format!(
            "<tr class=\"unread\"><td></td><td></td><td></td><td class=\"what\">{path}</td><td class=\"answer\">{}</td></tr>\n",
            word(error)
        );
    }
    let id = &listed.id;
    let place = address(&format!("/record/{id}"), &[]);
    let mut what = format!(
        "<a class=\"test\" href=\"{place}\">{}</a>",
        word(&listed.test)
    );
    if let Some(tag) = listed.tag.as_deref().filter(|t| !t.is_empty()) {
        let link = text(&address("/", &[("tag", tag)]));
        let _ = write!(what, " <a class=\"tag\" href=\"{link}\">{}</a>", word(tag));
    }
    let targets = listed.targets.replace('\n', ", ");
    let mut small = vec![path];
    if listed.title.is_some() {
        small.push(word(&listed.method));
        small.push(word(&targets));
    }
    small.push(word(&listed.workload));
    small.extend(
        listed
            .note
            .as_deref()
            .map(|note| format!("“{}”", word(note))),
    );
    small.retain(|part| !part.is_empty());
    let trend = text(&address("/trend", &[("test", &listed.test)]));
    let _ = write!(
        what,
        "<div class=\"small\">{} · <a href=\"{trend}\">over time</a>{}</div>",
        small.join(" · "),
        match listed.status.as_str() {
            "unfinished" => format!(" · <a class=\"now\" href=\"/live/{id}\">as it goes on</a>"),
            _ => String::new(),
        }
    );
    let class = match (listed.status.as_str(), listed.worst) {
        (_, 3) => "invalid",
        (_, 2) => "suspect",
        ("completed", _) => "sound",
        _ => "cut",
    };
    format!(
        "<tr class=\"{class}\"><td><input type=\"checkbox\" name=\"a\" value=\"{id}\" aria-label=\"A\"></td>\
         <td><input type=\"checkbox\" name=\"b\" value=\"{id}\" aria-label=\"B\"></td>\
         <td class=\"when\">{}</td><td class=\"what\">{what}</td>\
         <td class=\"answer\">{}<div class=\"small\">{}{}</div></td></tr>\n",
        text(&time(&listed.started)),
        word(&listed.answer),
        match listed.status.as_str() {
            "completed" => String::new(),
            other => format!("<b>{}</b> · ", word(other)),
        },
        word(&listed.trust)
    )
}
