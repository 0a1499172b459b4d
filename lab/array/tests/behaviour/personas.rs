//! Persona files: what users copy and change.

use plimsoll_array::persona::BUILT_IN;
use plimsoll_array::{Array, Io, Persona, Status};

#[test]
fn every_built_in_persona_can_be_built_at_its_scale_and_answers() {
    for (name, _) in BUILT_IN {
        let persona = Persona::named(name).unwrap();
        assert_eq!(persona.name, name);
        let mut array = Array::new(&persona, persona.scale, 1).unwrap();
        assert_eq!(
            array.submit(0, &Io::read(0, 0, 4096)).status,
            Status::Done,
            "{name}"
        );
    }
}

#[test]
fn every_parameter_has_a_comment_that_says_where_it_is_from() {
    for (name, text) in BUILT_IN {
        // A comment above holds for the lines under it, up to the next one, a table or an empty line.
        let (mut above, mut commenting) = (String::new(), false);
        for line in text.lines().skip_while(|l| !l.starts_with("[luns]")) {
            let is_comment = line.starts_with('#');
            if (is_comment && !commenting) || line.is_empty() || line.starts_with('[') {
                above.clear();
            }
            commenting = is_comment;
            if is_comment {
                above.push_str(line);
            }
            if line.starts_with(|c: char| c.is_ascii_lowercase()) {
                let own = line.split_once('#').map_or("", |(_, comment)| comment);
                let said = format!("{above}{own}").to_lowercase();
                let sources = ["published", "computed", "assumed"];
                assert!(sources.iter().any(|s| said.contains(s)), "{name}: {line}");
            }
        }
    }
}

#[test]
fn a_mistake_is_shown_with_its_place_and_its_remedy() {
    let file = include_str!("../../personas/single-ssd.toml");
    let complaint = |from: &str, to: &str| {
        assert!(file.contains(from), "{from}");
        Persona::parse(&file.replace(from, to))
            .unwrap_err()
            .to_string()
    };
    let line = |key: &str| 1 + file.lines().position(|l| l.starts_with(key)).unwrap();
    assert_eq!(
        complaint("buffer_pages =", "bufer_pages ="),
        format!(
            "line {}, column 1: unknown name `bufer_pages`; did you mean `buffer_pages`?",
            line("buffer_pages")
        )
    );
    assert_eq!(
        complaint("dies = 64", "dies = 0"),
        format!(
            "line {}, column 1: `flash.dies` must be at least 1; correct it",
            line("dies")
        )
    );
    let missing = complaint("scale = 16.0", "");
    assert!(
        missing.contains("`scale` is missing; add `scale = "),
        "{missing}"
    );
    let typed = complaint("gib = 256.0", "gib = \"256 GiB\"");
    assert!(
        typed.starts_with(&format!("line {}, column 7: invalid type", line("gib"))),
        "{typed}"
    );
}

#[test]
fn names_that_are_not_there_are_answered_with_those_that_are() {
    let said = |name| Persona::named(name).unwrap_err().to_string();
    assert!(said("single-sdd").contains("did you mean `single-ssd`?"));
    assert!(said("toaster").contains("scale-out-flash-8"));
    assert!(said("scale-out-flash-8@v9").contains("v3_0"));
}

#[test]
fn a_revision_halves_the_latencies() {
    let new = Persona::named("scale-out-flash-8@v3_0").unwrap();
    let old = Persona::named("scale-out-flash-8").unwrap();
    assert_eq!(new.latency.read_us * 2.0, old.latency.read_us);
    assert!(new.reduction.compression && !old.reduction.compression);
}

#[test]
fn igroups_and_exports_are_in_the_file_or_else_everyone_sees_everything() {
    let open = Persona::named("scale-out-flash-8").unwrap();
    let masking = open.masking().unwrap();
    assert_eq!(masking.exports().len(), open.luns.count as usize);
    assert_eq!(masking.ports()[7], "port7");
    let file = include_str!("../../personas/single-ssd.toml");
    let with = |rest: &str| Persona::parse(&format!("{file}\n{rest}"));
    let nothing = with("[[igroups]]\nname = \"web\"\ninitiators = [\"10.0.0.0/8\"]\n").unwrap();
    assert_eq!(nothing.masking().unwrap().igroups().len(), 2);
    let place = |rest: &str| {
        let error = with(rest).unwrap_err().to_string();
        let lines = file.lines().count() + 2;
        let place = error.strip_prefix(&format!("line {lines}, column 3: "));
        place.expect(&error).to_owned()
    };
    assert_eq!(
        place("[[exports]]\nlun = 0\nigroup = \"web\"\n"),
        "there is no igroup \"web\"; correct it"
    );
    assert!(place("[[exports]]\nlun = 3\n").starts_with("there is no LUN 3"));
    assert!(place("[[igroups]]\nname = \"all\"\ninitiators = []\n").contains("stays so"));
    let initiator = with("[[igroups]]\nname = \"a\"\ninitiators = [\"host7\"]\n").unwrap_err();
    assert!(
        initiator.to_string().contains("\"host7\" is no initiator"),
        "{initiator}"
    );
}
