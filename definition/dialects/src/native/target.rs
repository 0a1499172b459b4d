//! `[target.NAME]`.

use super::given::{Given, Part, Wrong};
use super::host;
use super::keys::{Key, TARGET};
use super::report::Report;
use super::shape::block;
use super::words::{count, percent, size, time, unit, word};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    Bytes, Caching, Durability, FileSizes, Location, MetricsUrlError, Nanos, NbdTarget, NbdUri,
    NumberedNames, Origins, Selector, Target, Tree, TreePart,
};
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
        stripe: None,
        as_made: false,
        caching: Caching::default(),
        durability: Durability::default(),
        more_openings: Vec::new(),
        shared: false,
        split: false,
        hosts: Vec::new(),
        metrics: Default::default(),
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
    hosts: &[String],
) -> Option<Target> {
    let mut location = None;
    let mut had_path = false;
    let mut ways = Ways::default();
    let mut sizes = None;
    let entries = report.entries("a target", table, &[&TARGET]);
    let mut target = plain(name, Location::Path(PathBuf::new()));
    for entry in entries {
        let span = report.span(entry.value.span());
        target.origins.note(entry.key.name, span);
        match entry.key.name {
            "path" | "paths" | "tree" if had_path => {
                report.push(
                    Diagnostic::error(
                        "both-paths",
                        format!("target `{name}` has two of `path`, `paths` and `tree`"),
                    )
                    .at(span, "the second of them")
                    .help("`path` is one place, or several joined; `paths` are several ways to one volume; `tree` is directories and files"),
                );
                return None;
            }
            "path" | "paths" => {
                had_path = true;
                let texts = report.texts(entry)?;
                let found = match entry.key.name {
                    "path" => locate(&texts),
                    _ => ways_to_one(&texts),
                };
                location = report.accept(entry, found);
            }
            "tree" => {
                had_path = true;
                let given = report.one(entry)?;
                let read = tree(entry.key, &given, None);
                location = report.accept(entry, read);
            }
            "file_size" => {
                let given = report.one(entry)?;
                sizes = report.accept(entry, file_sizes(entry.key, &given));
            }
            "hosts" => target.hosts = host::named(report, entry, hosts),
            key => {
                let Some(given) = report.one(entry) else {
                    continue;
                };
                let result = match Ways::KEYS.contains(&key) {
                    true => ways.set(entry.key, &given),
                    false => set(&mut target, entry.key, &given),
                };
                report.accept(entry, result);
            }
        }
    }
    if !had_path {
        let span = report.span(at);
        report.push(
            Diagnostic::error("missing-key", format!("target `{name}` has no path"))
                .at(span, "this target")
                .help("add path = \"/dev/…\", a file, \"nbd://…\", \"lab:PERSONA\", or \"null:64GiB\""),
        );
    }
    target.location = location?;
    if let Some(sizes) = sizes {
        match &mut target.location {
            Location::Tree(tree) => tree.sizes = sizes,
            _ => {
                let said = Diagnostic::error(
                    "not-a-tree",
                    format!("`file_size` is for trees, and target `{name}` is none"),
                );
                let span = target.origins.of("file_size");
                report.push(match span {
                    Some(span) => said
                        .at(span, "given here")
                        .help("write `size`, or a tree = { … }"),
                    None => said,
                });
            }
        }
    }
    if let Err(key) = ways.apply(&mut target.location) {
        let said = Diagnostic::error(
            "not-nbd",
            format!("`{key}` is for NBD, and target `{name}` is not"),
        )
        .help(format!("leave `{key}` out"));
        report.push(match target.origins.of(key) {
            Some(span) => said.at(span, "given here"),
            None => said,
        });
    }
    Some(target)
}

/// `{ root = "/mnt/t", depth = 2, width = 10, files = 100, levels = "all" }`; `below` is the root where it stands elsewhere.
pub(super) fn tree(key: &Key, given: &Given, below: Option<&Part>) -> Result<Location, Wrong> {
    given.check(key.form)?;
    let number = |name, least: u32| given.get(name).map_or(Ok(least), |part| count(part, 1));
    let root = match (below, given.get("root")) {
        (Some(_), Some(root)) => {
            return Err(Wrong::new(root, "the root is the target").remedy("leave `root` out"));
        }
        (None, None) => {
            return Err(
                Wrong::new(&given.whole, "the tree has no root").remedy("add root = \"DIRECTORY\"")
            );
        }
        (Some(root), None) | (None, Some(root)) => root,
    };
    let on_all_levels = match given.get("levels") {
        None => false,
        Some(part) => match part.text.as_str() {
            "all" => true,
            "last" => false,
            other => {
                return Err(Wrong::new(part, format!("`{other}` are no levels"))
                    .remedy("known are last and all"));
            }
        },
    };
    let names = given.get("names").map(names).transpose()?;
    let idle = ["depth", "levels", "total", "working_set"].into_iter();
    let both = given.get("width").and(Some("files"));
    let mut idle = idle
        .chain(both)
        .filter_map(|key| Some((key, given.get(key)?)));
    if let (Some(_), Some((key, part))) = (&names, idle.next()) {
        return Err(Wrong::new(part, format!("numbered names have no `{key}`"))
            .remedy("write `files` alone, or `width` alone for directories"));
    }
    let width = number("width", 1)?;
    let (depth, width, files) = match (&names, given.get("width")) {
        (None, _) => (number("depth", 1)?, width, number("files", 10)?),
        (Some(_), None) => (0, 0, number("files", 10)?),
        (Some(_), Some(_)) => (1, width, 0),
    };
    Ok(Location::Tree(Box::new(Tree {
        root: PathBuf::from(&root.text),
        depth,
        width,
        files: files.into(),
        on_all_levels,
        names,
        sizes: FileSizes::Fixed(FILE_BYTES),
        part: TreePart {
            total: given.get("total").map(size).transpose()?,
            working_set: given.get("working_set").map(size).transpose()?,
            dealt: None,
            present: given.get("present").map(present).transpose()?,
        },
    })))
}

/// A whole percentage of a tree's files, all of them at most.
fn present(part: &Part) -> Result<u32, Wrong> {
    let share = percent(part)?;
    match share.fract() == 0.0 {
        true => Ok(share as u32),
        false => Err(
            Wrong::new(part, format!("`{}` is no whole percentage", part.text))
                .remedy("write one from 0% to 100%"),
        ),
    }
}

fn names(part: &Part) -> Result<NumberedNames, Wrong> {
    NumberedNames::of(&part.text).ok_or_else(|| {
        Wrong::new(part, format!("`{}` are no numbered names", part.text))
            .remedy("write a name with one `*` in the place of its number, and without a folder")
    })
}

/// Size of a tree's files where none is given.
const FILE_BYTES: Bytes = Bytes(4096);

pub(super) fn file_sizes(key: &Key, given: &Given) -> Result<FileSizes, Wrong> {
    given.check(key.form)?;
    match given.single() {
        Some((name, value)) if name.text == "around" => size(value).map(FileSizes::Around),
        _ => block(given).map(FileSizes::from),
    }
}

/// What is said of the ways to a volume.
#[derive(Default)]
struct Ways {
    selector: Option<Selector>,
    deadline: Option<Nanos>,
    no_path_retry: Option<Nanos>,
}

impl Ways {
    const KEYS: [&str; 3] = ["selector", "path_deadline", "no_path_retry"];

    fn set(&mut self, key: &Key, given: &Given) -> Result<(), Wrong> {
        given.check(key.form)?;
        let part = word(given)?;
        match key.name {
            "selector" => {
                let named = Selector::NAMES.iter().find(|(n, _)| *n == part.text);
                self.selector = named.map(|(_, s)| *s);
            }
            "path_deadline" => self.deadline = Some(time(part)?),
            _ => self.no_path_retry = Some(unit(part)?),
        }
        Ok(())
    }

    /// Puts them where they belong; of what is no NBD target, the first key that says something of its ways.
    fn apply(&self, location: &mut Location) -> Result<(), &'static str> {
        if let Location::Nbd(nbd) = location {
            nbd.selector = self.selector.unwrap_or(nbd.selector);
            nbd.path_deadline = self.deadline.or(nbd.path_deadline);
            nbd.no_path_retry = self.no_path_retry.unwrap_or(nbd.no_path_retry);
            return Ok(());
        }
        let given = [
            self.selector.is_some(),
            self.deadline.is_some(),
            self.no_path_retry.is_some(),
        ];
        match given.iter().position(|g| *g) {
            Some(at) => Err(Ways::KEYS[at]),
            None => Ok(()),
        }
    }
}

/// Several ways to one volume.
fn ways_to_one(paths: &[Part]) -> Result<Location, Wrong> {
    let mut found: Vec<NbdUri> = Vec::new();
    for part in paths {
        let uri = part.text.parse();
        found.push(uri.map_err(|e: plimsoll_plan::NbdError| Wrong::new(part, e.to_string()))?);
    }
    let wrong = |message: String| Wrong {
        message,
        remedy: Some("name each way to the volume once, as nbd://HOST:PORT/EXPORT".to_string()),
        span: None,
        patch: None,
    };
    if found.is_empty() {
        return Err(wrong("the list of paths is empty".to_string()));
    }
    let target = NbdTarget::new(found).map_err(|e| wrong(e.to_string()))?;
    Ok(Location::Nbd(target))
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
            let mut joined = Location::Concat(Vec::new());
            for (at, part) in several.iter().enumerate() {
                let one =
                    Location::parse(&part.text).map_err(|e| Wrong::new(part, e.to_string()))?;
                let is_taken = match (&mut joined, &one) {
                    (Location::Concat(paths), Location::Path(path)) => {
                        paths.push(path.clone());
                        true
                    }
                    (Location::Lab(first), Location::Lab(column)) => first.take_column(column),
                    _ => false,
                };
                match (is_taken, &one) {
                    (true, _) => {}
                    (false, Location::Lab(_)) if at == 0 => joined = one,
                    _ => {
                        return Err(Wrong::new(
                            part,
                            "only files and devices can be joined end to end, and LUNs of one simulated array be striped",
                        )
                        .remedy("give null: and nbd: targets of their own, and LUNs of one stripe the same scale and size; several ways to one NBD volume go into `paths`"));
                    }
                }
            }
            Ok(joined)
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
        "stripe" => target.stripe = Some(size(word(given)?)?),
        "made" => target.as_made = word(given)?.text == "zeros",
        "caching" => target.caching = caching(given)?,
        "durability" => target.durability = durability(given)?,
        "shared" => {
            let said = word(given)?.text.as_str();
            (target.shared, target.split) = (said != "false", said == "split");
        }
        "metrics" => {
            let part = word(given)?;
            let url = part.text.parse();
            let wrong = |e: MetricsUrlError| Wrong::new(part, e.to_string());
            target.metrics.url = Some(url.map_err(wrong)?);
        }
        "metrics_map" => target.metrics.map = Some(PathBuf::from(&word(given)?.text)),
        other => {
            return Err(Wrong::new(
                &given.whole,
                format!("`{other}` says nothing of a target"),
            ));
        }
    }
    Ok(())
}

/// Reads `caching`.
pub(super) fn caching(given: &Given) -> Result<Caching, Wrong> {
    Ok(match word(given)?.text.as_str() {
        "buffered" => Caching::Buffered,
        _ => Caching::Direct,
    })
}

/// Reads `durability`.
pub(super) fn durability(given: &Given) -> Result<Durability, Wrong> {
    Ok(match given.single() {
        Some((name, every)) if name.text == "fdatasync_every" => {
            Durability::FdatasyncEvery(count(every, 1)?)
        }
        Some((_, every)) => Durability::FsyncEvery(count(every, 1)?),
        None => match word(given)?.text.as_str() {
            "dsync" => Durability::Dsync,
            "sync" => Durability::Sync,
            "fsync_at_end" => Durability::FsyncAtEnd,
            "fsync_at_close" => Durability::FsyncAtClose,
            _ => Durability::None,
        },
    })
}
