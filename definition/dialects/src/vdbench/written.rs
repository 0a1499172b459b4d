//! Parameter files for the real Vdbench, which never sees the user's: a definition in Vdbench's own words, written from what was read of it.
//!
//! Includes, substitution, words of the command line and what stands behind a `+` are resolved. Each parameter stands in the place in
//! which it stood, in its full spelling, and its values as they were read.

use super::Parsed;
use super::keyword::Beside;
use super::object::Field;
use super::parameter::Item;
use super::section::Section;
use plimsoll_diagnostic::{Diagnostic, Span};
use std::path::Path;

/// A parameter file for the real Vdbench.
#[derive(Debug)]
pub struct Written {
    /// All of it.
    pub text: String,
    /// Warnings of what of the original is not in it.
    pub left_out: Vec<Diagnostic>,
}

/// The code of these complaints.
const CODE: &str = "beside";

/// Parameters whose values are names of files.
const FILES: [&str; 2] = ["lun", "pattern"];

/// Writes what was read; names of files that are not whole begin in the folder `here`.
///
/// # Errors
/// What Vdbench would do more than its I/O on the targets, and what cannot be written so that it is read as it was.
pub(super) fn of(parsed: &Parsed, here: &Path) -> Result<Written, Vec<Diagnostic>> {
    let mut errors = remote(parsed);
    let mut out = Written {
        text: String::new(),
        left_out: Vec::new(),
    };
    for (section, field) in &parsed.written {
        let name = field.keyword.name;
        match field.keyword.beside {
            Beside::Written => match parameter(field, section.opener() == Some(name), here) {
                Ok(text) => {
                    let begins = *section == Section::General || section.opener() == Some(name);
                    out.text.push_str(match (out.text.is_empty(), begins) {
                        (true, _) => "",
                        (_, true) => "\n",
                        (_, false) => ",",
                    });
                    out.text.push_str(&text);
                }
                Err(complaint) => errors.push(*complaint),
            },
            Beside::LeftOut => out.left_out.push(
                Diagnostic::warning(CODE, format!("Vdbench runs without `{name}=`"))
                    .at(field.span, "it changes none of the I/O on the targets"),
            ),
            Beside::Refused(why) => errors.push(complaint(
                format!("`{name}=` cannot be used beside Vdbench: {why}"),
                field.span,
            )),
        }
    }
    out.text.push('\n');
    errors.dedup();
    match errors.is_empty() {
        true => Ok(out),
        false => Err(errors),
    }
}

/// A parameter in full.
fn parameter(field: &Field, opens: bool, here: &Path) -> Result<String, Box<Diagnostic>> {
    let name = field.keyword.name;
    let mut items = Vec::new();
    for item in &field.value.items {
        let text = match FILES.contains(&name) {
            true => file(&item.text, here),
            // Vdbench's own files are called by it.
            false if opens && !is_plain(&item.text.replace('/', "\"")) => None,
            false => value(item),
        };
        items.push(text.ok_or_else(|| {
            let what = format!(
                "`{name}={}` cannot be written so that Vdbench reads it the same way",
                item.text.escape_default()
            );
            Box::new(complaint(what, item.span))
        })?);
    }
    let items = items.join(",");
    Ok(match field.value.list {
        true => format!("{name}=({items})"),
        false => format!("{name}={items}"),
    })
}

/// Whether a name is the same for Vdbench, Java and the shell to which Vdbench hands it (`ls -l NAME`), whatever language the user has.
pub fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || "_./:%+-@~".contains(c))
}

/// The name of a file, from the root on; `*` in it is the number of a copy (`count=`).
fn file(text: &str, here: &Path) -> Option<String> {
    let whole = here.join(text);
    let text = whole.to_str()?;
    is_plain(&text.replace('*', "")).then(|| text.to_string())
}

/// A value; a dash that no quotes protected stands for a range, and one that they did does not.
fn value(item: &Item) -> Option<String> {
    let text = &item.text;
    let has_dash = text.get(1..).is_some_and(|rest| rest.contains('-'));
    let is_bare = !text.is_empty() && is_plain(&text.replace('*', ""));
    match (is_bare, item.dash) {
        (true, Some(_)) => Some(text.clone()),
        (true, None) if !has_dash => Some(text.clone()),
        (false, Some(_)) => None,
        _ => quoted(text),
    }
}

/// A text in quotes. Java reads what is not ASCII by the language of who runs it, and Vdbench puts something else in the place of `$x`
/// and `!x`.
pub fn quoted(text: &str) -> Option<String> {
    let odd = |c: char| !(c.is_ascii_graphic() || c == ' ') || "\"$!".contains(c);
    (!text.contains(odd)).then(|| format!("\"{text}\""))
}

/// Hosts that are not this one.
fn remote(parsed: &Parsed) -> Vec<Diagnostic> {
    let definition = &parsed.definition;
    // A label is the address where no system= gives one.
    let several = definition.hosts.iter().skip(1);
    let default = definition.default_host.iter();
    let default = default.filter(|h| h.origins.of("system").is_some());
    let remote = definition.hosts.iter().chain(default);
    let found = several.chain(remote.filter(|h| !h.is_local())).map(|host| {
        let what = format!(
            "hd={} is another host: both tools run on this one here",
            host.label
        );
        complaint(what, host.origins.of("system").unwrap_or(host.span))
    });
    let mut found: Vec<Diagnostic> = found.collect();
    found.dedup();
    found
}

fn complaint(what: String, span: Span) -> Diagnostic {
    Diagnostic::error(CODE, what)
        .at(span, "written here")
        .help("leave it out for this comparison")
}

#[cfg(test)]
mod tests {
    use crate::vdbench::{Input, parse};
    use std::path::Path;

    /// What is written of a definition, or what is said against it.
    fn written(input: &Input) -> Result<(String, usize), Vec<String>> {
        let parsed = parse(input).unwrap_or_else(|refused| panic!("{refused}"));
        let written = parsed.written(Path::new("/here"));
        written
            .map(|w| (w.text, w.left_out.len()))
            .map_err(|found| found.into_iter().map(|d| d.message).collect())
    }

    fn with(before: &str) -> Input {
        let text = format!(
            "{before}\nsd=sd1,lun=x,size=1m\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=max,elapsed=4,interval=1\n"
        );
        Input::text("a.parm", text)
    }

    #[test]
    fn what_starts_programs_or_reaches_other_hosts_is_named() {
        for (before, told) in [
            ("hd=default,vdbench=/somewhere,jvms=1", "vdbench="),
            ("hd=default,shell=ssh", "shell="),
            ("hd=one,system=10.0.0.7", "another host"),
            ("hd=one.example.org", "another host"),
            (
                "hd=a,system=localhost\nhd=b,system=localhost",
                "another host",
            ),
            ("startcmd=\"echo $output\"", "startcmd="),
            ("startcmd=\"echo \u{e9}\"", "startcmd="),
            (
                "sd=sd0,lun=\"/tmp/x;touch y\",size=1m",
                "lun=/tmp/x;touch y",
            ),
            ("sd=../sd0,lun=/tmp/x,size=1m", "sd=../sd0"),
            ("sd=sd0,lun=\"/tmp/x y\",size=1m", "lun=/tmp/x y"),
            ("sd=sd0,lun=/tmp/\u{e9},size=1m", "lun="),
        ] {
            let all = written(&with(before)).expect_err(before);
            assert!(all.iter().any(|m| m.contains(told)), "{before}: {all:?}");
        }
    }

    #[test]
    fn what_is_written_is_what_was_read_and_nothing_else() {
        let rest = "sd=sd1,lun=/here/x,size=1m\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=max,elapsed=4,interval=1\n";
        for (before, own, left_out) in [
            ("", "", 0),
            ("hd=default,jvms=2", "hd=default,jvms=2\n", 0),
            ("timeout=(60,/tmp/script)\ndebug=25\nmisc=x", "", 3),
            (
                "comp=2 of all\n* debug=1\nformatsds=yes",
                "compratio=2\nformatsds=yes\n",
                0,
            ),
            (
                "startcmd=(\"a -b, c\",log)",
                "startcmd=(\"a -b, c\",log)\n",
                0,
            ),
        ] {
            let expected = (format!("{own}{rest}"), left_out);
            assert_eq!(written(&with(before)), Ok(expected), "{before}");
        }
        let text = "sd=default,size=$size,threads=2\nsd=s-1,lun=\"/tmp/a-b\"\nsd=s2,lun=b-c,\n  threads=3\nwd=wd1,sd=s*,xf=(4k,50,8k,50)\nrd=rd1,wd=wd*,io=100,el=2,in=1\n";
        let mut input = Input::text("a.parm", text);
        input.words = vec![("size".to_string(), "4m".to_string())];
        input.appended = vec!["forthreads=(1-4,d)".to_string()];
        let (own, _) = written(&input).expect("it is written");
        assert_eq!(
            own,
            "sd=default,size=4m,threads=2\nsd=s-1,lun=/tmp/a-b\nsd=s2,lun=/here/b-c,threads=3\nwd=wd1,sd=s*,xfersize=(4k,50,8k,50)\n\
             rd=rd1,wd=wd*,iorate=100,elapsed=2,interval=1,forthreads=(1-4,d)\n"
        );
    }
}
