//! A real nats-server on the controller's side, plain or with TLS, and a client of another make.

use crate::certificates::Folder;
use crate::ground::{CONTROL, Ground, write};
use crate::host::{Host, program, tools};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Port that it listens on.
const PORT: &str = "4222";

/// A server; it ends with this.
pub struct Nats<'g> {
    ground: &'g Ground,
    program: PathBuf,
    server: Child,
}

impl<'g> Nats<'g> {
    /// With the certificate and key of a folder, or without TLS. `None` where there is no nats-server, which is said.
    pub fn serve(ground: &'g Ground, tls: Option<&Folder>) -> Option<Self> {
        let Some(program) = nats_server() else {
            plimsoll_skipped::skipped!("there is no nats-server here");
            return None;
        };
        let mut config = format!("listen: \"{CONTROL}:{PORT}\"\n");
        if let Some(folder) = tls {
            let file = |name: &str| folder.file(name).display().to_string();
            let (certificate, key) = (file("server-cert.pem"), file("server-key.pem"));
            config += &format!("tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }}\n");
        }
        write(&ground.folder().join("nats.conf"), &config);
        let server = start(ground, &program);
        Some(Nats {
            ground,
            program,
            server,
        })
    }

    /// Ends it at once, as a crash does.
    pub fn kill(&mut self) {
        // One that has ended already needs no end.
        let _ = (self.server.kill(), self.server.wait());
    }

    /// Begins it anew at the same address. It has forgotten everything.
    pub fn restart(&mut self) {
        self.kill();
        self.server = start(self.ground, &self.program);
    }
}

impl Drop for Nats<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The one on PATH, or the one that `scripts/tools` has built.
fn nats_server() -> Option<PathBuf> {
    let built = tools().join("nats-server");
    program("nats-server").or_else(|| built.is_file().then_some(built))
}

/// Starts it, and waits until it says that it is ready.
fn start(ground: &Ground, program: &Path) -> Child {
    let log = ground.folder().join("nats.log");
    let out = std::fs::File::create(&log).expect("a file");
    let mut command = ground.command(program);
    command.arg("-c").arg(ground.folder().join("nats.conf"));
    command.stdout(Stdio::null()).stderr(out);
    let mut server = command.spawn().expect("it starts");
    for _ in 0..200 {
        let printed = std::fs::read_to_string(&log).unwrap_or_default();
        if printed.contains("Server is ready") {
            return server;
        }
        if let Ok(Some(status)) = server.try_wait() {
            panic!("nats-server: {status}: {printed}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nats-server does not say that it is ready");
}

/// A client on a host; `trusts` has the certificates that it trusts, where it wants TLS.
pub fn client(host: &Host, trusts: Option<&Folder>, words: &[&str]) -> Command {
    // In the host's own folder: where the checkout is, the host may have another one.
    write(&host.path("/root/client.py"), include_str!("client.py"));
    let ca = match trusts {
        Some(folder) => {
            std::fs::copy(folder.file("ca-cert.pem"), host.path("/root/ca.pem")).expect("a file");
            "/root/ca.pem"
        }
        None => "-",
    };
    let mut command = host.command("python3");
    command.args(["/root/client.py", CONTROL, PORT, ca]);
    command.args(words);
    command
}
