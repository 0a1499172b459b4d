//! `[target.NAME]`.

use super::given::{Given, Part, Wrong};
use super::keys::{Key, TARGET};
use super::report::Report;
use super::shape::word;
use super::words::{count, size, unit};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Caching, Durability, Location, Origins, Target};
use std::path::PathBuf;
use toml::de::DeTable;

/// A target with the defaults of the table of keys.
pub fn plain(name: &str, location: Location) -> Target {
    let mut target = Target {
        name: name.to_string(),
        location,
        size: None,
        offset: Default::default(),
        align: None,
        caching: Caching::default(),
        durability: Durability::default(),
        origins: Origins::default(),
    };
    for key in &TARGET {
        if let Some(default) = key.default {
            // The tests read every default.
            let _ = set(&mut target, key, &Given::from_text(Part::of(default)));
        }
    }
    target
}

/// Reads one target; complains and returns nothing where it has no path.
pub fn read(
    report: &mut Report<'_>,
    name: &str,
    table: &DeTable<'_>,
    at: std::ops::Range<usize>,
) -> Option<Target> {
    let mut location = None;
    let mut had_path = false;
    let entries = report.entries("a target", table, &[&TARGET]);
    let mut target = plain(name, Location::Path(PathBuf::new()));
    for entry in entries {
        target
            .origins
            .note(entry.key.name, report.span(entry.value.span()));
        if entry.key.name == "path" {
            had_path = true;
            let texts = report.texts(entry)?;
            location = report.accept(entry, locate(&texts));
        } else if let Some(given) = report.one(entry) {
            let result = set(&mut target, entry.key, &given);
            report.accept(entry, result);
        }
    }
    if !had_path {
        let span = report.span(at);
        report.push(
            Diagnostic::error("missing-key", format!("target `{name}` has no path"))
                .at(span, "this target")
                .help("add path = \"/dev/…\", a file, \"lab:PERSONA\", or \"null:64GiB\""),
        );
    }
    target.location = location?;
    Some(target)
}

/// What one or several paths are.
pub fn locate(paths: &[Part]) -> Result<Location, Wrong> {
    match paths {
        [] => Err(Wrong {
            message: "the list of paths is empty".to_string(),
            remedy: Some("name a file or a device".to_string()),
            span: None,
            patch: None,
        }),
        [one] => Location::parse(&one.text).map_err(|e| Wrong::new(one, e.to_string())),
        several => {
            let mut joined = Vec::new();
            for part in several {
                match Location::parse(&part.text).map_err(|e| Wrong::new(part, e.to_string()))? {
                    Location::Path(path) => joined.push(path),
                    _ => {
                        return Err(Wrong::new(
                            part,
                            "only files and devices can be joined end to end",
                        )
                        .remedy("give null: and lab: a target of their own"));
                    }
                }
            }
            Ok(Location::Concat(joined))
        }
    }
}

/// Reads one of the keys other than the path.
pub fn set(target: &mut Target, key: &Key, given: &Given) -> Result<(), Wrong> {
    given.check(key.form)?;
    match key.name {
        "size" => target.size = Some(size(word(given)?)?),
        "offset" => target.offset = unit(word(given)?)?,
        "align" => target.align = Some(size(word(given)?)?),
        "caching" => {
            target.caching = match word(given)?.text.as_str() {
                "buffered" => Caching::Buffered,
                _ => Caching::Direct,
            }
        }
        "durability" => {
            target.durability = match given.single() {
                Some((_, every)) => Durability::FsyncEvery(count(every, 1)?),
                None => match word(given)?.text.as_str() {
                    "dsync" => Durability::Dsync,
                    "sync" => Durability::Sync,
                    "fsync_at_end" => Durability::FsyncAtEnd,
                    _ => Durability::None,
                },
            }
        }
        other => {
            return Err(Wrong::new(
                &given.whole,
                format!("`{other}` says nothing of a target"),
            ));
        }
    }
    Ok(())
}
