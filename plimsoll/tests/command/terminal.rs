//! What reaches a terminal orders nothing of it, whatever names hold.

use crate::place::{Done, QUICK, TestFolder, holds, typed};

/// A name that would clear the screen, set its title, forge a line, and turn what follows round.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\r\nerror: forged\u{9b}31m\u{202e}\u{2066}\u{7f}";

/// The same in TOML, between double quotes.
const IN_TOML: &str = r"x\u001b[2J\u001b]0;t\u0007\r\nerror: forged\u009b31m\u202e\u2066\u007f";

/// Nothing but text and its lines, and each of them ours.
#[track_caller]
fn harmless(done: &Done) {
    for text in [&done.out, &done.err] {
        let odd = |c: &char| {
            c.is_control() && !matches!(c, '\n' | '\t')
                || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let found: Vec<char> = text.chars().filter(odd).collect();
        assert!(found.is_empty(), "{found:?} in {done:#?}");
        let forged = text.lines().any(|line| line.starts_with("error: forged"));
        assert!(!forged, "{done:#?}");
    }
}

fn definition(place: &TestFolder) {
    let text = format!(
        "title = \"{IN_TOML}\"\n[target.\"{IN_TOML}\"]\npath = \"null:1g\"\n\
         [workload.\"{IN_TOML}\"]\nread = 100\n\
         [[run]]\nname = \"{IN_TOML}\"\nload = [\"1000\", \"2000\"]\nfor = \"200ms\"\nwarmup = \"0s\"\ninterval = \"100ms\"\n"
    );
    place.text("a.toml", &text);
}

#[test]
fn names_of_a_definition_are_escaped_wherever_they_are_printed() {
    let place = TestFolder::new();
    definition(&place);
    for words in [
        &["run", "a.toml", "--record", "a.plim"][..],
        &["run", "a.toml", "--no-record", "--json"],
        &["run", "a.toml", "--no-record", "--dry-run"],
        &["plan", "a.toml"],
        &["plan", "a.toml", "--json"],
        // What follows holds the names in a record.
        &["show", "a.plim"],
        &["show", "--intervals", "a.plim"],
        &["show", "--json", "a.plim"],
        &["compare", "a.plim", "--", "a.plim"],
        &["compare", "--json", "a.plim", "--", "a.plim"],
    ] {
        let done = place.plimsoll(words).ok();
        harmless(&done);
        let printed = format!("{}{}", done.out, done.err);
        // In JSON it is what serde and we make of it; in text it is readable.
        let shown = match printed.contains("\\u001b[2J") {
            true => "\\u202e",
            false => "x\\x1b[2J\\x1b]0;t\\x07\\r\\nerror: forged\\x9b31m\\u{202e}",
        };
        assert!(printed.contains(shown), "{done:#?}");
    }
    let json = place.plimsoll("show --json a.plim").ok().json();
    let name = json["steps"][0]["name"].as_str().expect("a name");
    assert!(name.starts_with(HOSTILE), "{name:?}");
}

#[test]
fn curves_are_told_without_orders() {
    let place = TestFolder::new();
    let text = format!(
        "[target.\"{IN_TOML}\"]\npath = \"lab:scale-out-flash-8?size=64m\"\n[workload.\"{IN_TOML}\"]\nread = 100\n\
         [[run]]\nname = \"{IN_TOML}\"\nload = \"curve\"\npercents = [10, 50, 100]\nfor = \"10s\"\nwarmup = \"1s\"\n"
    );
    place.text("a.toml", &text);
    let done = place.plimsoll("run a.toml --record a.plim").ok();
    harmless(&done);
    done.says(&["Curve of x\\x1b[2J"]);
    harmless(&place.plimsoll("show a.plim").ok());
}

#[test]
fn errors_and_excerpts_are_told_without_orders() {
    let place = TestFolder::new();
    place.text(
        "bad.toml",
        &format!("[target.t]\npath = \"null:1g\"\n\"{IN_TOML}\" = 1\n"),
    );
    place.text(
        "raw.toml",
        "[target.t]\npath = \"null:1g\"\n# \u{1b}[2J \u{9b}31m\u{202e}\nsize = \u{7f}\n",
    );
    place.text(
        "bad.parm",
        "sd=sd1,lun=null:1g,si\u{1b}[2Jze=1\u{9b}\u{202e}\n",
    );
    place.text(
        "twice.toml",
        &format!("[target.\"{IN_TOML}\"]\npath = \"null:1g\"\n[workload.\"{IN_TOML}\"]\nread = 101\ntarget = \"{IN_TOML}\"\n[[run]]\nload = \"max\"\ndepth = 0\n"),
    );
    for words in [
        &["run", "bad.toml"][..],
        &["plan", "raw.toml"],
        &["plan", "twice.toml"],
        &["vdbench", "-f", "bad.parm"],
        &["run", HOSTILE],
        &["run", &format!("./{HOSTILE}")],
        &["show", HOSTILE],
        &["run", "null:1g", "--destroy", HOSTILE],
        &[
            "run",
            "null:1g",
            "--html",
            HOSTILE,
            "--no-record",
            "--for",
            "200ms",
            "--warmup",
            "0s",
        ],
        &["run", &format!("nbd://127.0.0.1:9/{HOSTILE}")],
    ] {
        let done = place.plimsoll(words);
        assert_ne!(done.code, Some(0), "{done:#?}");
        assert!(!done.err.contains("panicked"), "{done:#?}");
        let odd = |c: char| {
            c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{202e}' | '\u{2066}')
        };
        assert!(
            !done.err.contains(odd) && !done.out.contains(odd),
            "{done:#?}"
        );
    }
}

#[test]
fn vdbenchs_console_and_pages_are_told_without_orders() {
    let place = TestFolder::new();
    // Vdbench's own lexer ends a word at white space.
    let name = "x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{2066}\u{7f}";
    let text = format!(
        "* {name}<script>document.title='ran'</script>\nsd=sd{name},lun=null:1g,size=1g\nwd=wd{name},sd=sd{name},xfersize=4k,rdpct=100\n\
         rd=rd{name},wd=wd{name},iorate=100,elapsed=2,interval=1\n"
    );
    place.text("a.parm", &text);
    for words in [
        &["vdbench", "-f", "a.parm", "-s"][..],
        &["vdbench", "-f", "a.parm", "-o", "out"],
    ] {
        let done = place.plimsoll(words).ok();
        harmless(&done);
        done.says(&["RD=rdx\\x1b[2J"]);
    }
    let mut pages = 0;
    for entry in std::fs::read_dir(place.path("out")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "html") {
            continue;
        }
        pages += 1;
        let page = std::fs::read_to_string(&path).expect("text");
        let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
        assert!(!page.contains(odd), "{}", path.display());
        assert!(!page.contains("<script"), "{}", path.display());
    }
    assert!(pages > 10, "{pages}");
    let parameters = place.path("out/parmfile.html");
    if let Some(page) = crate::browser::after_its_scripts(&parameters) {
        holds!(page, "<title>Vdbench parameter files</title>");
    }
}

#[test]
fn harmless_names_are_shown_as_they_are() {
    let place = TestFolder::new();
    let words = typed("run null:1g --rate 100 --record \"größe & 'x'.plim\"");
    let done = place.plimsoll(&[&words[..], &QUICK].concat()).ok();
    done.says(&["record größe & 'x'.plim"]);
}
