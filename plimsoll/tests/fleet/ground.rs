//! Three hosts and a controller's side, joined by a switch whose links can be cut.

use crate::host::{Host, program};
use crate::space::Space;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// Hosts of a ground.
pub const HOSTS: usize = 3;

/// Address of the controller.
pub const CONTROL: &str = "10.93.0.1";

/// All of it; it goes with this. The addresses are the same in each, and no ground sees another.
pub struct Ground {
    // Before the folder, so that nobody uses that any more.
    hosts: Vec<Host>,
    control: Space,
    switch: Space,
    folder: tempfile::TempDir,
}

impl Ground {
    /// `None` where this machine lends none, which is said.
    pub fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            plimsoll_skipped::skipped!("hosts of their own need root");
            return None;
        }
        let tools = [
            "ip",
            "setpriv",
            "unshare",
            "nsenter",
            "ssh",
            "ssh-keygen",
            "python3",
        ];
        for tool in tools {
            if program(tool).is_none() {
                plimsoll_skipped::skipped!("{tool} is not installed");
                return None;
            }
        }
        let Some(sshd) = program("sshd") else {
            plimsoll_skipped::skipped!("there is no sshd here");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (switch, control) = match joined() {
            Ok(made) => made,
            Err(reason) => {
                println!("{reason}");
                plimsoll_skipped::skipped!(
                    "name spaces of networks, mounts and processes cannot be made here"
                );
                return None;
            }
        };
        keygen(&folder.path().join("key"));
        let mut ground = Ground {
            hosts: Vec::new(),
            control,
            switch,
            folder,
        };
        for n in 1..=HOSTS {
            let host = Host::new(n, ground.folder.path(), &ground.switch, &sshd);
            ground
                .hosts
                .push(host.expect("a host like the controller's side"));
        }
        ground.know_the_hosts();
        (0..HOSTS).for_each(|n| ground.answers(n));
        Some(ground)
    }

    /// Host `n`, from 0.
    pub fn host(&self, n: usize) -> &Host {
        &self.hosts[n]
    }

    /// Folder of the controller's side.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A program on the controller's side, where `ssh host2` reaches host 2.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.control.command(program);
        let path = std::env::var("PATH").unwrap_or_default();
        let own = self.folder.path().join("bin");
        command.env("PATH", format!("{}:{path}", own.display()));
        command
    }

    /// Runs `ssh` with these words on the controller's side.
    pub fn ssh(&self, words: &[&str]) -> Output {
        self.command("ssh").args(words).output().expect("it runs")
    }

    /// Nothing goes to host `n` any more, nor comes from it. Nobody is told.
    pub fn cut(&self, n: usize) {
        let port = &self.hosts[n].port;
        self.switch
            .ip(&format!("link set {port} nomaster"))
            .expect("a link");
    }

    /// The link is back.
    pub fn mend(&self, n: usize) {
        let port = &self.hosts[n].port;
        self.switch
            .ip(&format!("link set {port} master switch"))
            .expect("a link");
    }

    /// A client that knows the hosts by their names and keys, and has the one key that they let in.
    fn know_the_hosts(&self) {
        let at = |name: &str| self.folder.path().join(name);
        let mut config = format!(
            "IdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\nGlobalKnownHostsFile none\n\
             StrictHostKeyChecking yes\nBatchMode yes\nConnectTimeout 5\nUser root\n",
            at("key").display(),
            at("known_hosts").display()
        );
        let mut known = String::new();
        for host in &self.hosts {
            config += &format!("Host {}\nHostName {}\n", host.name, host.address);
            known += &format!("{} {}", host.address, host.public_key);
        }
        write(&at("config"), &config);
        write(&at("known_hosts"), &known);
        // ssh asks the system for a user's home, and no variable: so its file is named to it.
        let real = program("ssh").expect("looked for");
        let shim = format!(
            "#!/bin/sh\nexec {} -F {} \"$@\"\n",
            real.display(),
            at("config").display()
        );
        std::fs::create_dir(at("bin")).expect("a folder");
        write(&at("bin/ssh"), &shim);
        mode(&at("bin/ssh"), 0o755);
    }

    /// Waits until a host lets us in.
    fn answers(&self, n: usize) {
        let mut last = String::new();
        for _ in 0..100 {
            let output = self.ssh(&[&self.hosts[n].name, "true"]);
            if output.status.success() {
                return;
            }
            last = String::from_utf8_lossy(&output.stderr).into_owned();
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("sshd does not let us in: {last}{}", self.hosts[n].log());
    }
}

/// The switch, and the controller's side with a link to it.
fn joined() -> Result<(Space, Space), String> {
    let switch = Space::of_network()?;
    switch.ip("link add switch type bridge")?;
    switch.ip("link set switch up")?;
    let control = Space::of_network()?;
    link(&switch, &control, "control", CONTROL)?;
    Ok((switch, control))
}

/// A link between the switch's port of a name and somebody's `eth0`.
pub fn link(switch: &Space, end: &Space, port: &str, address: &str) -> Result<(), String> {
    switch.ip(&format!(
        "link add {port} type veth peer name eth0 netns {}",
        end.pid()
    ))?;
    switch.ip(&format!("link set {port} master switch up"))?;
    end.ip(&format!("addr add {address}/24 dev eth0"))?;
    end.ip("link set eth0 up")
}

/// Makes a key pair without a password; hands back the public line.
pub fn keygen(path: &Path) -> String {
    let mut command = Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f"]);
    let output = command.arg(path).output().expect("ssh-keygen runs");
    assert!(output.status.success(), "{output:?}");
    let public = PathBuf::from(format!("{}.pub", path.display()));
    std::fs::read_to_string(public).expect("a key")
}

/// Writes a file.
pub fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

/// Sets a file's permissions.
pub fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, permissions).expect("permissions");
}
