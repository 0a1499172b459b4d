//! The languages in which a definition may be written.

use std::fmt;
use std::str::FromStr;

/// A language of definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Our own, in TOML.
    Native,
    /// Parameter files of Vdbench.
    Vdbench,
    /// Job files of fio.
    Fio,
    /// Profiles of DiskSPD, in XML.
    DiskSpd,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 4] = [
        Dialect::Native,
        Dialect::Vdbench,
        Dialect::Fio,
        Dialect::DiskSpd,
    ];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Native => "toml",
            Dialect::Vdbench => "vdbench",
            Dialect::Fio => "fio",
            Dialect::DiskSpd => "diskspd",
        }
    }

    /// What a file in it is, for a sentence: "it is …".
    pub fn what(self) -> &'static str {
        match self {
            Dialect::Native => "a definition",
            Dialect::Vdbench => "a Vdbench parameter file",
            Dialect::Fio => "a fio job file",
            Dialect::DiskSpd => "a DiskSPD profile",
        }
    }

    /// What files in it are usually called: the ends of their names. DiskSPD's are XML, which many things are.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Dialect::Native => &["toml"],
            Dialect::Vdbench => &["parm", "vdb", "vdbench", "param", "parmfile"],
            Dialect::Fio => &["fio"],
            Dialect::DiskSpd => &[],
        }
    }

    /// The dialect that a file's name says; a persona's file in `lab:./my.toml` is none of a definition.
    pub fn by_name(name: &str) -> Option<Dialect> {
        if name.starts_with("lab:") {
            return None;
        }
        let ending = std::path::Path::new(name).extension()?.to_str()?;
        let named = |d: &Dialect| d.endings().iter().any(|e| e.eq_ignore_ascii_case(ending));
        Dialect::ALL.into_iter().find(named)
    }

    /// The dialect of a tool's command line, whose first word calls the tool.
    pub fn by_program(word: &str) -> Option<Dialect> {
        let name = program_name(word);
        let tools = [Dialect::Vdbench, Dialect::Fio, Dialect::DiskSpd];
        tools.into_iter().find(|d| d.name() == name)
    }
}

/// The name of a program by the word that calls it: without its folder, without `.exe` or `.bat`, in any case.
pub fn program_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.to_ascii_lowercase();
    let bare = name.strip_suffix(".exe").or(name.strip_suffix(".bat"));
    bare.unwrap_or(&name).to_string()
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Dialect::ALL.into_iter().find(|d| d.name() == text);
        found.ok_or_else(|| {
            let names: Vec<&str> = Dialect::ALL.iter().map(|d| d.name()).collect();
            format!("`{text}` is no dialect; there are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_its_dialect_by_its_end() {
        let cases = [
            ("a/b.FIO", Some(Dialect::Fio)),
            ("oltp.toml", Some(Dialect::Native)),
            ("lab:./my.toml", None),
            ("x.parmfile", Some(Dialect::Vdbench)),
            ("profile.xml", None),
            ("fio", None),
        ];
        for (name, expected) in cases {
            assert_eq!(Dialect::by_name(name), expected, "{name}");
        }
    }

    #[test]
    fn a_program_is_known_by_its_path_and_with_windows_ending() {
        for (word, expected) in [
            ("fio", Some(Dialect::Fio)),
            ("/usr/bin/fio", Some(Dialect::Fio)),
            ("DiskSpd.exe", Some(Dialect::DiskSpd)),
            (r"C:\tools\amd64\diskspd.exe", Some(Dialect::DiskSpd)),
            (r".\vdbench.bat", Some(Dialect::Vdbench)),
            ("toml", None),
            ("fio-3.33", None),
            ("/mnt/fio/a", None),
        ] {
            assert_eq!(Dialect::by_program(word), expected, "{word}");
        }
    }

    #[test]
    fn every_name_is_read_back() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name().parse(), Ok(dialect));
        }
        assert!("ini".parse::<Dialect>().unwrap_err().contains("diskspd"));
    }
}
