//! Against other people's servers: nbdkit and qemu-nbd, where they are installed.

use super::content::all_written_once;
use super::hand::*;
use super::relay::{After, by_way_of, cutting};
use super::run::*;
use plimsoll_engine::backend::Action;
use plimsoll_engine::backend::choose::{BackendKind, Host};
use plimsoll_engine::worker::FailureKind;
use plimsoll_plan::*;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take until it listens; a busy machine needs seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that ends with this.
pub struct Server {
    pub child: Child,
    _folder: tempfile::TempDir,
    pub uri: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file of 2 MiB for a server, with the folder that it lies in.
pub fn two_mebibytes() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = folder.path().join("disk");
    let file = std::fs::File::create(&disk).expect("a file");
    file.set_len(2 * MIB).expect("sized");
    (folder, disk.display().to_string())
}

/// Starts a program that is to listen on a socket; `{socket}` and `{disk}` in its arguments are filled in, and the disk
/// is a file of so many bytes. `None`, said, where it is not installed.
pub fn serve(program: &str, arguments: &[&str], export: &str, bytes: u64) -> Option<Server> {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let file = std::fs::File::create(folder.path().join("disk")).expect("a file");
    file.set_len(bytes).expect("sized");
    let filled = arguments.iter().map(|a| {
        a.replace("{socket}", &at("socket"))
            .replace("{disk}", &at("disk"))
    });
    let child = Command::new(program)
        .args(filled)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = child else {
        plimsoll_skipped::skipped!("{program} is not installed");
        return None;
    };
    let mut server = Server {
        child,
        uri: format!("nbd+unix:///{export}?socket={}", at("socket")),
        _folder: folder,
    };
    let socket = server._folder.path().join("socket");
    let started = Instant::now();
    // The file is there a moment before anyone listens on it.
    while UnixStream::connect(&socket).is_err() {
        if let Some(status) = server.child.try_wait().expect("waited for") {
            plimsoll_skipped::skipped!(
                "{program} does not serve here with {arguments:?}: {status}"
            );
            return None;
        }
        assert!(started.elapsed() < PATIENCE, "{program} does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
    Some(server)
}

fn nbdkit(arguments: &[&str]) -> Option<Server> {
    let all = [&["-f", "-U", "{socket}"], arguments].concat();
    serve("nbdkit", &all, "", 0)
}

/// The same on a port of this host.
fn nbdkit_over_tcp(arguments: &[&str]) -> Option<(Server, u16)> {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let child = Command::new("nbdkit")
        .args(["-f", "-p", &port.to_string()])
        .args(arguments)
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = child else {
        plimsoll_skipped::skipped!("nbdkit is not installed");
        return None;
    };
    let server = Server {
        child,
        _folder: tempfile::tempdir().expect("a folder"),
        uri: format!("nbd://127.0.0.1:{port}"),
    };
    let started = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed() < PATIENCE, "it does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
    Some((server, port))
}

pub fn lun(servers: &[&Server]) -> Target {
    let uris: Vec<&str> = servers.iter().map(|s| s.uri.as_str()).collect();
    Target {
        name: "lun".into(),
        location: Location::parse(&uris.join(",")).expect("an address"),
        ..target(std::path::Path::new("lun"))
    }
}

/// The backend that the target gets.
fn kind(run: &Run) -> BackendKind {
    let choice = Host::probe().choose(&run.open()[0], None);
    choice.expect("chosen").kind
}

#[test]
fn nbdkits_memory_takes_writes_and_gives_them_back() {
    let Some(server) = nbdkit(&["memory", "4m"]) else {
        return;
    };
    let mut run = Run::new(
        BackendKind::Nbd,
        vec![lun(&[&server])],
        WRITES,
        every_block_once(),
    )
    .ios(1024);
    run.targets[0].durability = Durability::FsyncEvery(100);
    assert_eq!(kind(&run), BackendKind::Nbd);
    let done = run.go();
    assert!(done.is_clean(), "{done:?}");
    let read = Run::new(BackendKind::Nbd, vec![lun(&[&server])], READS, one_pass()).go();
    assert!(read.is_clean() && read.stats.bytes() == 4 * MIB, "{read:?}");
    let trimmed = Run::new(BackendKind::Nbd, vec![lun(&[&server])], TRIMS, one_pass()).go();
    assert!(trimmed.is_clean(), "{trimmed:?}");
}

#[test]
fn two_addresses_of_one_nbdkit_are_two_paths_over_tcp() {
    let Some((_server, port)) = nbdkit_over_tcp(&["memory", "4m"]) else {
        return;
    };
    let location = format!("nbd://127.0.0.1:{port}/a,nbd://localhost:{port}/b");
    let target = Target {
        location: Location::parse(&location).expect("addresses"),
        ..target(std::path::Path::new("lun"))
    };
    let done = Run::new(BackendKind::Nbd, vec![target.clone()], WRITES, one_pass()).go();
    assert!(done.is_clean(), "{done:?}");
    let mut run = Run::new(BackendKind::Nbd, vec![target], READS, one_pass());
    run.step.streams[0].size = SizeSpec::Fixed(Bytes(MIB / 2));
    let done = run.go();
    assert!(done.is_clean() && done.stats.bytes() == 4 * MIB, "{done:?}");
    let paths = &done.outcome.volumes[0].paths;
    assert!(paths.iter().all(|p| p.ios > 0), "{paths:?}");
}

#[test]
fn nbdkits_errors_are_the_volumes() {
    let Some(server) = nbdkit(&[
        "--filter=error",
        "memory",
        "4m",
        "error-pread=EIO",
        "error-pread-rate=0%",
    ]) else {
        return;
    };
    let Some(bad) = nbdkit(&[
        "--filter=error",
        "memory",
        "4m",
        "error-pwrite=ENOSPC",
        "error-pwrite-rate=100%",
    ]) else {
        return;
    };
    let good = Run::new(BackendKind::Nbd, vec![lun(&[&server])], READS, one_pass()).go();
    assert!(good.is_clean(), "{good:?}");
    let done = Run::new(BackendKind::Nbd, vec![lun(&[&bad])], WRITES, one_pass()).go();
    assert!(done.outcome.too_many_errors, "{done:?}");
    assert_eq!(done.failures[0].kind, FailureKind::Errno(libc::ENOSPC));
}

#[test]
fn nbdkits_delays_are_service_times() {
    let Some(server) = nbdkit(&["--filter=delay", "memory", "4m", "rdelay=20ms"]) else {
        return;
    };
    let done = Run::new(
        BackendKind::Nbd,
        vec![lun(&[&server])],
        READS,
        every_block_once(),
    )
    .ios(64)
    .go();
    assert!(done.is_clean(), "{done:?}");
    let read = &done.stats.streams[0].ops[0];
    let least = read.service.min_ns();
    assert!(least >= Some(20_000_000), "{least:?}");
}

/// From here on the server is reached by a relay, which kills it when it has been sent a part of what the run writes. It works
/// as long as the folder lives.
fn dying(server: &mut Server) -> tempfile::TempDir {
    /// More than handshakes and looks at the volume take, and less than half of 512 writes.
    const SENT: After = After::Sent(300_000);
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("s");
    let (uri, itself) = by_way_of(server, &socket);
    let pid = Pid::from_child(&server.child);
    cutting(itself, socket, SENT, move || {
        kill_process(pid, Signal::KILL).expect("killed");
    });
    server.uri = uri;
    folder
}

/// Writes by way of two servers of one disk, of which the first dies underway.
pub fn a_death_is_a_pulled_path(dies: &mut Server, lives: &Server, disk: &Path) {
    let _relay = dying(dies);
    let mut volume = lun(&[dies, lives]);
    // By turns, so that each is sent what it dies of, however quick the other is.
    if let Location::Nbd(nbd) = &mut volume.location {
        nbd.selector = Selector::RoundRobin;
    }
    let done = Run::new(BackendKind::Nbd, vec![volume], WRITES, every_block_once())
        .ios(512)
        .go();
    assert!(done.is_clean(), "{done:?}");
    let data = std::fs::read(disk).expect("reads");
    all_written_once(&data, done.stats.ios() / 2);
    let volume = &done.outcome.volumes[0];
    assert_eq!(volume.events[0].path, 0);
    assert!(volume.paths[1].ios > 0);
}

#[test]
fn a_killed_nbdkit_is_a_pulled_path() {
    let (_folder, disk) = two_mebibytes();
    let one = nbdkit(&["file", &disk]);
    let other = nbdkit(&["file", &disk]);
    let (Some(mut one), Some(other)) = (one, other) else {
        return;
    };
    a_death_is_a_pulled_path(&mut one, &other, Path::new(&disk));
}

/// A volume with an impatient deadline.
fn hasty(servers: &[&Server]) -> Target {
    let mut target = lun(servers);
    if let Location::Nbd(nbd) = &mut target.location {
        nbd.path_deadline = Some(Nanos(500_000_000));
        nbd.selector = Selector::RoundRobin;
    }
    target
}

#[test]
fn an_nbdkit_that_is_stopped_past_the_deadline_costs_no_write() {
    let Some(server) = nbdkit(&["memory", "4m"]) else {
        return;
    };
    let mut hand = ByHand::on(hasty(&[&server]), 16);
    let mut buffers = vec![vec![0; 4096]; 16];
    let signal = |signal| {
        let pid = Pid::from_child(&server.child);
        kill_process(pid, signal).expect("signalled");
    };
    for round in 1..4 {
        buffers.iter_mut().for_each(|b| b.fill(round));
        signal(Signal::STOP);
        send(&mut hand.backend, Action::Write, &mut buffers);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(700));
                signal(Signal::CONT);
            });
            let done = finish(&mut hand.backend, 16);
            assert!(done.iter().all(|result| *result == 4096), "{done:?}");
        });
        buffers.iter_mut().for_each(|b| b.fill(0));
        all(&mut hand.backend, Action::Read, &mut buffers);
        assert!(buffers.iter().flatten().all(|b| *b == round));
    }
}

#[test]
fn a_write_to_a_killed_nbdkit_over_tcp_is_known_to_be_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = folder.path().join("disk");
    std::fs::write(&disk, [0; 1 << 20]).expect("a file");
    let name = disk.display().to_string();
    let slow = nbdkit_over_tcp(&["--filter=delay", "file", &name, "wdelay=20"]);
    let (Some((mut slow, _)), Some(other)) = (slow, nbdkit(&["file", &name])) else {
        return;
    };
    let mut target = hasty(&[&slow, &other]);
    if let Location::Nbd(nbd) = &mut target.location {
        nbd.path_deadline = Some(Nanos::secs(10));
    }
    let mut hand = ByHand::on(target, 2);
    let mut buffers = vec![vec![7; 4096]; 2];
    send(&mut hand.backend, Action::Write, &mut buffers);
    slow.child.kill().expect("killed");
    assert_eq!(finish(&mut hand.backend, 2), [4096, 4096]);
    let report = hand.report();
    assert_eq!((report.unconfirmed, report.paths[0].moved), (0, 1));
    let data = std::fs::read(&disk).expect("reads");
    assert!(data[..8192].iter().all(|b| *b == 7));
}

#[test]
fn qemu_nbd_serves_one_connection_and_several() {
    for (shared, wanted) in [("1", BackendKind::NbdAlone), ("8", BackendKind::Nbd)] {
        let arguments = [
            "-k", "{socket}", "-t", "-x", "lun", "-f", "raw", "-e", shared, "{disk}",
        ];
        let Some(server) = serve("qemu-nbd", &arguments, "lun", 2 * MIB) else {
            return;
        };
        let run = Run::new(wanted, vec![lun(&[&server])], WRITES, every_block_once()).ios(512);
        assert_eq!(kind(&run), wanted, "-e {shared}");
        let done = run.go();
        assert!(done.is_clean(), "-e {shared}: {done:?}");
        let read = Run::new(wanted, vec![lun(&[&server])], READS, one_pass()).go();
        assert!(read.is_clean() && read.stats.bytes() == 2 * MIB, "{read:?}");
    }
}
