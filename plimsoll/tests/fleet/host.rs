//! One host: name spaces of its own, its own files where people write, its own name and keys, and a real sshd.

use crate::ground::{keygen, link, mode, write};
use crate::space::Space;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Folders that each host has for itself. The rest it shares with the machine, and so finds the programs there.
const OWN: [&str; 4] = ["/root", "/run", "/var/tmp", "/tmp"];

/// A host; all that runs on it ends with this.
pub struct Host {
    /// `host1`…
    pub name: String,
    /// Address at which the others reach it.
    pub address: String,
    /// The switch's end of its link.
    pub port: String,
    /// sshd's.
    pub public_key: String,
    folder: PathBuf,
    sshd: Child,
    // After what runs in it.
    space: Space,
}

impl Host {
    /// Host `n` of a ground, with the switch's link to it.
    pub fn new(n: usize, ground: &Path, switch: &Space, sshd: &Path) -> Result<Self, String> {
        let (name, address) = (format!("host{n}"), format!("10.93.0.{}", 10 + n));
        let folder = ground.join(&name);
        for own in OWN {
            std::fs::create_dir_all(folder.join(&own[1..])).expect("a folder");
        }
        let public_key = prepare(&folder, ground, &address);
        let space = Space::of_host(&script(&name, &folder))?;
        link(switch, &space, &name, &address)?;
        let log = std::fs::File::create(folder.join("sshd.log")).expect("a file");
        let mut command = space.command(sshd);
        command.args(["-D", "-e", "-f", "/root/sshd_config"]);
        command.stdout(Stdio::null()).stderr(log);
        let sshd = command.spawn().map_err(|e| e.to_string())?;
        Ok(Host {
            port: name.clone(),
            name,
            address,
            public_key,
            folder,
            sshd,
            space,
        })
    }

    /// Path for us of a file in the host's own folders.
    pub fn path(&self, inside: &str) -> PathBuf {
        let own = OWN.iter().any(|own| Path::new(inside).starts_with(own));
        assert!(own, "{inside} is no path of the host's own");
        self.folder.join(inside.trim_start_matches('/'))
    }

    /// A program on the host.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        self.space.command(program)
    }

    /// Log of sshd.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("sshd.log")).unwrap_or_default()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = (self.sshd.kill(), self.sshd.wait());
    }
}

/// Keys and configuration, as the host sees them in `/root`. Hands back its public key.
fn prepare(folder: &Path, ground: &Path, address: &str) -> String {
    let root = folder.join("root");
    mode(&root, 0o700);
    let public_key = keygen(&root.join("host_key"));
    std::fs::copy(ground.join("key.pub"), root.join("authorized_keys")).expect("a key");
    mode(&root.join("authorized_keys"), 0o600);
    let config = format!(
        "ListenAddress {address}\nHostKey /root/host_key\nAuthorizedKeysFile /root/authorized_keys\n\
         PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         UsePAM no\nUseDNS no\nPidFile none\nSubsystem sftp internal-sftp\n"
    );
    write(&root.join("sshd_config"), &config);
    // The machine's own root may be locked, and sshd's user may be missing.
    write(
        &folder.join("passwd"),
        "root:x:0:0:root:/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/bin/false\n",
    );
    write(&folder.join("shadow"), "root:*:19000:0:99999:7:::\n");
    mode(&folder.join("shadow"), 0o600);
    let run = folder.join("run/sshd");
    std::fs::create_dir(&run).expect("a folder");
    mode(&run, 0o755);
    mode(&folder.join("tmp"), 0o1777);
    public_key
}

/// Script that makes a host of new name spaces. Sources are named from the host's folder: what comes last may hide the way there.
fn script(name: &str, folder: &Path) -> String {
    let at = folder.display();
    let mut script = format!(
        "mount --make-rprivate /\nhostname {name}\ncd '{at}'\n\
         mount -c --bind passwd /etc/passwd\nmount -c --bind shadow /etc/shadow\n"
    );
    for own in OWN {
        script += &format!("mount -c --rbind {} {own}\n", &own[1..]);
    }
    script
}

/// A program by its name, where root's programs are too.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/sbin"]);
    let mut found = folders.map(|folder| Path::new(folder).join(name));
    found.find(|path| path.is_file())
}

/// Folder into which `scripts/tools` puts what it builds: beside the folder that the program was built into.
pub fn tools() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_plimsoll"));
    let target = built.ancestors().nth(2).expect("target/debug/plimsoll");
    target.join("tools")
}
