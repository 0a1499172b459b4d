//! The shelf: the index of a folder, and the thread that keeps it true.

use crate::Unreadable;
use crate::index::{Index, Listed};
use crate::item::{self, Item};
use crate::scan::{self, Seen, scan};
use plimsoll_record::Record;
use plimsoll_report::catalogue::Entry;
use rusqlite::Error as Sql;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Most records that are read before the index takes them in,
const BATCH: usize = 64;
/// and most time for that.
const BATCH_TIME: Duration = Duration::from_millis(200);

/// A folder's records.
#[derive(Clone)]
pub(crate) struct Shelf(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    index: Mutex<Index>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

/// Progress of the reader.
#[derive(Debug, Clone, Default)]
struct Progress {
    /// Looks that were asked for, and the last one that was done.
    asked: u64,
    done: u64,
    /// Records that are there and not read yet.
    unread: usize,
    /// Error with which the folder cannot be read.
    trouble: Option<String>,
    ended: bool,
}

/// State of the index: how much of the folder it knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Records that are not read yet.
    pub unread: usize,
    /// True where the folder is still being looked through.
    pub looking: bool,
    /// Error with which the folder cannot be read.
    pub trouble: Option<String>,
}

/// The thread that reads records; it ends when this is dropped.
pub(crate) struct Reader {
    shelf: Shelf,
    thread: Option<JoinHandle<()>>,
}

impl Shelf {
    /// The shelf of a folder, with its index in a folder of caches.
    pub(crate) fn open(folder: &Path, cache: Option<&Path>) -> Result<Self, Sql> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let index = Index::open(
            cache
                .and_then(|cache| index_file(cache, &folder))
                .as_deref(),
        )?;
        Ok(Shelf(Arc::new(Inner {
            folder,
            index: Mutex::new(index),
            progress: Mutex::default(),
            changed: Condvar::new(),
        })))
    }

    /// Begins to read.
    pub(crate) fn start_reader(&self) -> std::io::Result<Reader> {
        let shelf = self.clone();
        let thread = Builder::new()
            .name("shelf".to_owned())
            .stack_size(8 << 20)
            .spawn(move || shelf.keep_reading())?;
        Ok(Reader {
            shelf: self.clone(),
            thread: Some(thread),
        })
    }

    /// Looks at the folder again, and waits at most `patience` for new records to be read.
    pub(crate) fn renew(&self, patience: Duration) -> State {
        let mut progress = self.progress();
        progress.asked += 1;
        let mine = progress.asked;
        self.0.changed.notify_all();
        let behind = |p: &mut Progress| p.done < mine && !p.ended;
        let waited = self
            .0
            .changed
            .wait_timeout_while(progress, patience, behind);
        let (progress, _) = waited.unwrap_or_else(PoisonError::into_inner);
        State {
            unread: progress.unread,
            looking: progress.done < mine,
            trouble: progress.trouble.clone(),
        }
    }

    /// Asks the index.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&Index) -> Result<T, Sql>) -> Result<T, Sql> {
        question(&self.index())
    }

    /// Path of a record; `None` where no regular file is there any more, or a folder on the way has become a link.
    pub(crate) fn place(&self, below: &Path) -> Option<PathBuf> {
        let place = self.0.folder.join(below);
        scan::stamp(&place)?;
        let real = place.canonicalize().ok()?;
        (real == place).then_some(place)
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.0.folder
    }

    fn keep_reading(&self) {
        loop {
            let progress = self.progress();
            let idle = |p: &mut Progress| p.done >= p.asked && !p.ended;
            let woken = self.0.changed.wait_while(progress, idle);
            let progress = woken.unwrap_or_else(PoisonError::into_inner);
            let (asked, ended) = (progress.asked, progress.ended);
            drop(progress);
            if ended {
                return;
            }
            let trouble = self.pass().err();
            let mut progress = self.progress();
            (progress.done, progress.trouble) = (asked, trouble);
            progress.unread = 0;
            self.0.changed.notify_all();
        }
    }

    /// Reads what is new or has changed, and forgets what is gone.
    fn pass(&self) -> Result<(), String> {
        let folder = &self.0.folder;
        let seen =
            scan(folder).map_err(|e| format!("{} cannot be read: {e}", item::shown(folder)))?;
        let mut known = self.ask(Index::stamps).map_err(|e| e.to_string())?;
        let mut stale: Vec<Seen> = seen;
        stale.retain(|seen| {
            known
                .remove(&seen.path)
                .is_none_or(|stamp| stamp != seen.stamp)
        });
        scan::newest_first(folder, &mut stale);
        let gone: Vec<PathBuf> = known
            .into_keys()
            .filter(|path| self.place(path).is_none())
            .collect();
        self.index().forget(&gone).map_err(|e| e.to_string())?;
        self.read(&stale)
    }

    /// Records that lie in the folder itself, and those that cannot be read, each with its reason. What the index knows of one that has
    /// not changed is not read again.
    pub(crate) fn here(&self) -> Result<(Vec<Entry>, Vec<Unreadable>), String> {
        let folder = &self.0.folder;
        let seen = scan::here(folder).map_err(|e| e.to_string())?;
        let known = self.ask(Index::stamps).map_err(|e| e.to_string())?;
        let is_link = |seen: &&Seen| seen.stamp.is_empty();
        let is_stale = |seen: &&Seen| known.get(&seen.path) != Some(&seen.stamp) && !is_link(seen);
        let stale: Vec<Seen> = seen.iter().filter(is_stale).cloned().collect();
        self.read(&stale)?;
        let (mut entries, mut unread) = (Vec::new(), Vec::new());
        for one in &seen {
            let found = match is_link(&one) {
                // The index knows of none, for nobody is to be served what lies elsewhere.
                true => item(&folder.join(&one.path)).map(|item| Entry {
                    record: one.path.clone(),
                    ..item.entry
                }),
                false => self
                    .ask(|index| index.find(&item::id(&one.path)))
                    .map_err(|e| e.to_string())?
                    .map_or_else(|| Err("it is gone".to_owned()), Listed::entry),
            };
            match found {
                Ok(entry) => entries.push(entry),
                Err(error) => unread.push((one.path.clone(), error)),
            }
        }
        entries.sort_by(|a, b| a.started.cmp(&b.started));
        Ok((entries, unread))
    }

    /// Reads these records into the index.
    fn read(&self, mut rest: &[Seen]) -> Result<(), String> {
        let folder = &self.0.folder;
        while !rest.is_empty() && !self.progress().ended {
            self.progress().unread = rest.len();
            let (begun, mut read) = (Instant::now(), Vec::new());
            while let [first, others @ ..] = rest
                && read.len() < BATCH
                && begun.elapsed() < BATCH_TIME
            {
                read.push((first.clone(), item(&folder.join(&first.path))));
                rest = others;
            }
            self.index().put(&read).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.0.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0
            .progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.shelf.progress().ended = true;
        self.shelf.0.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // One that panicked has nothing to say any more.
            let _ = thread.join();
        }
    }
}

/// Item of a record. A panic while it is read makes that record alone unreadable.
fn item(path: &Path) -> Result<Item, String> {
    let read = std::panic::catch_unwind(|| {
        let record = Record::open(path)?;
        Item::of(&record)
    });
    match read {
        Ok(read) => read.map_err(|e| e.to_string()),
        Err(_) => Err("reading it failed in a way that is a fault of plimsoll's".to_owned()),
    }
}

/// The index of a folder, in a folder that nobody else may look into; `None` where there can be none.
fn index_file(cache: &Path, folder: &Path) -> Option<PathBuf> {
    let own = cache.join("plimsoll");
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&own);
    made.ok()?;
    let id = item::id(folder);
    // The index is opened through no link.
    let own = own.canonicalize().ok()?;
    Some(own.join(format!("shelf-{id}.sqlite")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Search;
    use plimsoll_evidence::{Environment, EnvironmentTarget};
    use plimsoll_record::{Recorder, RunStatus};

    /// A record of a run that ended at once.
    fn write(path: &Path, title: &str, target: &str) {
        let environment = Environment {
            targets: vec![EnvironmentTarget {
                location: target.to_owned(),
                ..Default::default()
            }],
            ..Default::default()
        };
        let plan = serde_json::json!({ "title": title }).to_string();
        let recorder = Recorder::create(path, &environment, &plan).unwrap();
        recorder.finish(RunStatus::Completed).unwrap();
    }

    fn found(shelf: &Shelf, search: &Search) -> Vec<String> {
        let (rows, all) = shelf.ask(|index| index.list(search, 0, 1000)).unwrap();
        assert_eq!(rows.len(), all);
        rows.into_iter()
            .map(|r| r.path.display().to_string())
            .collect()
    }

    fn all(shelf: &Shelf) -> Vec<String> {
        let mut found = found(shelf, &Search::default());
        found.sort();
        found
    }

    #[test]
    fn the_index_follows_the_folder_and_reads_nothing_twice() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(place("old/older")).unwrap();
        write(&place("a.plim"), "", "/dev/a");
        write(&place("old/older/b.plim"), "", "/dev/b");
        write(&place("other.db"), "", "/dev/c");
        let shelf = Shelf::open(folder.path(), Some(cache.path())).unwrap();
        shelf.pass().unwrap();
        assert_eq!(all(&shelf), ["a.plim", "old/older/b.plim"]);
        // What has its stamp is not read again: what the index says of it now stays.
        let seen = |name: &str| Seen {
            path: name.into(),
            stamp: scan::stamp(&place(name)).unwrap(),
        };
        let mark = (seen("a.plim"), Err("not read again".to_owned()));
        shelf.index().put(&[mark]).unwrap();
        drop(shelf);
        let shelf = Shelf::open(folder.path(), Some(cache.path())).unwrap();
        shelf.pass().unwrap();
        let error = |shelf: &Shelf| {
            shelf
                .ask(|i| i.find(&item::id(Path::new("a.plim"))))
                .unwrap()
                .unwrap()
                .error
        };
        assert_eq!(error(&shelf).as_deref(), Some("not read again"));
        // Written anew, moved and gone.
        std::fs::remove_file(place("a.plim")).unwrap();
        write(&place("a.plim"), "new", "/dev/a");
        std::fs::rename(place("old/older/b.plim"), place("old/c.plim")).unwrap();
        shelf.pass().unwrap();
        assert_eq!(error(&shelf), None);
        assert_eq!(all(&shelf), ["a.plim", "old/c.plim"]);
        // A change that took its time back is one.
        let file = std::fs::File::options()
            .append(true)
            .open(place("a.plim"))
            .unwrap();
        let before = (seen("a.plim"), file.metadata().unwrap().modified().unwrap());
        file.set_modified(before.1 + Duration::from_secs(1))
            .unwrap();
        file.set_modified(before.1).unwrap();
        assert_ne!(seen("a.plim"), before.0);
    }

    #[test]
    fn a_list_of_the_folder_reads_nothing_twice_and_needs_no_place_to_write() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir(place("below")).unwrap();
        write(&place("a.plim"), "", "first");
        write(&place("below/b.plim"), "", "/dev/b");
        std::os::unix::fs::symlink("below/b.plim", place("link.plim")).unwrap();
        std::fs::write(place("odd.plim"), "no record").unwrap();
        let listed = |cache: Option<&Path>| {
            let (entries, unread) = crate::records_in(folder.path(), cache).unwrap();
            let told = |e: &Entry| (e.record.clone(), e.targets.join(", "));
            let told: Vec<_> = entries.iter().map(told).collect();
            (
                told,
                unread.into_iter().map(|(path, _)| path).collect::<Vec<_>>(),
            )
        };
        let all = |title: &str| {
            let read = vec![
                (place("a.plim"), title.to_owned()),
                (place("link.plim"), "/dev/b".to_owned()),
            ];
            (read, vec![place("odd.plim")])
        };
        assert_eq!(listed(None), all("first"));
        assert_eq!(listed(Some(Path::new("/proc/none"))), all("first"));
        assert_eq!(listed(Some(cache.path())), all("first"));
        // What the index says now is believed until the file changes.
        let file = index_file(cache.path(), &folder.path().canonicalize().unwrap()).unwrap();
        let db = rusqlite::Connection::open(&file).unwrap();
        db.execute("UPDATE records SET targets = 'of the index'", [])
            .unwrap();
        let served: i64 = db
            .query_row("SELECT count(*) FROM records", [], |r| r.get(0))
            .unwrap();
        assert_eq!(served, 2, "no link, and nothing from below");
        drop(db);
        assert_eq!(listed(Some(cache.path())), all("of the index"));
        std::fs::remove_file(place("a.plim")).unwrap();
        write(&place("a.plim"), "", "second");
        assert_eq!(listed(Some(cache.path())), all("second"));
        std::fs::write(&file, "not a database").unwrap();
        assert_eq!(listed(Some(cache.path())), all("second"));
    }

    #[test]
    fn an_index_of_another_version_is_made_anew() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(&folder.path().join("a.plim"), "", "/dev/a");
        let shelf = Shelf::open(folder.path(), Some(cache.path())).unwrap();
        shelf.pass().unwrap();
        drop(shelf);
        let file = index_file(cache.path(), &folder.path().canonicalize().unwrap()).unwrap();
        let known = |file: &Path| Index::open(Some(file)).unwrap().stamps().unwrap().len();
        assert_eq!(known(&file), 1);
        let db = rusqlite::Connection::open(&file).unwrap();
        db.pragma_update(None, "user_version", 1).unwrap();
        drop(db);
        assert_eq!(known(&file), 0);
    }

    #[test]
    fn a_cache_behind_a_link_holds_the_index() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(cache.path().join("real")).unwrap();
        let link = cache.path().join("link");
        std::os::unix::fs::symlink("real", &link).unwrap();
        let shelf = Shelf::open(folder.path(), Some(&link)).unwrap();
        shelf.pass().unwrap();
        let made = std::fs::read_dir(cache.path().join("real/plimsoll")).unwrap();
        assert_eq!(made.count(), 1);
    }

    #[test]
    fn a_folder_that_became_a_link_is_not_followed() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        for place in [&inner, elsewhere.path()] {
            write(&place.join("a.plim"), "", "/dev/a");
        }
        let shelf = Shelf::open(folder.path(), None).unwrap();
        shelf.pass().unwrap();
        assert_eq!(all(&shelf), ["inner/a.plim"]);
        assert!(shelf.place(Path::new("inner/a.plim")).is_some());
        std::fs::rename(&inner, folder.path().join(".away")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &inner).unwrap();
        assert_eq!(shelf.place(Path::new("inner/a.plim")), None);
        shelf.pass().unwrap();
        assert_eq!(all(&shelf), [""; 0]);
    }

    #[test]
    fn links_and_hidden_folders_are_passed_over() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(&elsewhere.path().join("secret.plim"), "", "/dev/a");
        std::fs::create_dir(folder.path().join(".hidden")).unwrap();
        write(&folder.path().join(".hidden/x.plim"), "", "/dev/a");
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).unwrap();
        let file = elsewhere.path().join("secret.plim");
        std::os::unix::fs::symlink(file, folder.path().join("secret.plim")).unwrap();
        let shelf = Shelf::open(folder.path(), None).unwrap();
        shelf.pass().unwrap();
        assert_eq!(all(&shelf), [""; 0]);
    }

    #[test]
    fn what_is_no_index_of_ours_is_left_as_it_is() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(&folder.path().join("a.plim"), "", "/dev/a");
        let file = index_file(cache.path(), &folder.path().canonicalize().unwrap()).unwrap();
        for content in [&b"not a database, and somebody's"[..], b""] {
            std::fs::write(&file, content).unwrap();
            let shelf = Shelf::open(folder.path(), Some(cache.path())).unwrap();
            shelf.pass().unwrap();
            assert_eq!(all(&shelf), ["a.plim"]);
            let is_as_it_was = std::fs::read(&file).unwrap() == content;
            // An empty file is nobody's, and becomes the index.
            assert_eq!(is_as_it_was, !content.is_empty());
        }
    }

    #[test]
    fn ten_thousand_records_are_found_by_what_is_known_of_them() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("one.plim"), "Night 100%_", "/dev/sda");
        let item = item(&folder.path().join("one.plim")).unwrap();
        let shelf = Shelf::open(folder.path(), None).unwrap();
        let many: Vec<_> = (0..10_000)
            .map(|n| {
                let mut item = item.clone();
                item.started_unix_ns += n;
                item.test = "Night 100%_".to_owned();
                item.entry.tag = Some(format!("t{n}'; DROP TABLE records; --"));
                item.entry.findings = vec![format!("PL{:03}", n % 300)];
                let path = format!("{n}.plim").into();
                (
                    Seen {
                        path,
                        stamp: String::new(),
                    },
                    Ok(item),
                )
            })
            .collect();
        shelf.index().put(&many).unwrap();
        let by = |change: &dyn Fn(&mut Search)| {
            let mut search = Search::default();
            change(&mut search);
            shelf.ask(|index| index.list(&search, 0, 100)).unwrap()
        };
        let (rows, all) = by(&|_| {});
        assert_eq!((rows.len(), all), (100, 10_000));
        assert_eq!(rows[0].path, Path::new("9999.plim"));
        assert_eq!(by(&|s| s.tag = "T77'".into()).1, 1);
        assert_eq!(by(&|s| s.finding = "pl007".into()).1, 34);
        assert_eq!(by(&|s| s.finding = "pl00".into()).1, 0);
        assert_eq!(by(&|s| s.words = "night SDA t9999'".into()).1, 1);
        assert_eq!(by(&|s| s.words = "100%_".into()).1, 10_000);
        assert_eq!(by(&|s| s.target = "%".into()).1, 0);
        assert_eq!(by(&|s| s.verdict = "sound".into()).1, 10_000);
        assert_eq!(by(&|s| s.verdict = "x' OR 1 --".into()).1, 0);
    }
}
