//! What is said of slips, and how it is shown.

use super::{read, run};
use plimsoll_dialects::native;

/// What is said of a definition that cannot be used.
fn complaint(text: &str) -> String {
    match native::parse("test.toml", text) {
        Ok(native) => panic!("it was accepted: {:?}", native.plan),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn what_is_in_no_run_gets_a_warning() {
    let native = read(
        "[target.a]\npath = \"null:1g\"\n[target.b]\npath = \"null:1g\"\n\
         [workload.w]\ntargets = \"a\"\n[workload.v]\n[[run]]\nworkloads = \"w\"\n",
    );
    let said: Vec<&str> = native.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(
        said,
        ["workload `v` is in no run", "target `b` is in no run"]
    );
    assert_eq!(read(&run("")).warnings, []);
}

#[test]
fn a_misspelt_key_is_shown_with_its_correction() {
    insta::assert_snapshot!(complaint(&run("wramup = \"5s\"")));
}

#[test]
fn a_wrong_type_says_what_was_expected() {
    insta::assert_snapshot!(complaint(&run("for = true\nload = { rate = 5 }")));
}

#[test]
fn a_wrong_word_inside_a_value_is_underlined_alone() {
    insta::assert_snapshot!(complaint(&run(
        "block = [\"4k\", \"8x\"]\ndistribution = { zpif = 1.1 }"
    )));
}

#[test]
fn an_unknown_name_shows_the_nearest() {
    insta::assert_snapshot!(complaint(&run("workloads = [\"oltpp\"]")));
}

#[test]
fn text_that_is_no_toml_shows_where_it_stops_being_so() {
    insta::assert_snapshot!(complaint("[target.disk\npath = 1\n"));
}

#[test]
fn a_plan_that_makes_no_sense_is_shown_where_it_was_written() {
    insta::assert_snapshot!(complaint(
        "[target.disk]\npath = \"./f\"\nsize = \"1m\"\n[workload.w]\nblock = \"1000\"\nhits = { read = 5, area = \"2m\" }\n[[run]]\nfor = \"1s\"\ninterval = \"2s\"\n"
    ));
}

#[test]
fn other_slips_each_get_an_error_that_names_the_remedy() {
    for (text, expected) in [
        ("", "add"),
        (
            "[target.disk]\nsize = \"1g\"\n[workload.w]\n[[run]]\n",
            "has no path",
        ),
        ("sd=sd1,lun=/dev/x\n", "Vdbench parameter file"),
        ("target = 5", "`target` is a table"),
        (&run("load = 0"), "a rate of 0 asks for nothing"),
        (&run("load = \"curv\""), "`curve` is near"),
        (&run("load = \"50%\""), "there is no step before this"),
        (&run("load = []"), "the list is empty"),
        (&run("depth = 0"), "at least 1"),
        (&run("depth = { dsik = 3 }"), "defined are disk"),
        (&run("for = \"0s\""), "a time of 0"),
        (&run("read = 80\ntrim = 30"), "at most 100"),
        (
            &run("access = \"sequential\"\ndistribution = \"zipf=1.1\""),
            "no random addresses",
        ),
        (&run("range = \"20%-10%\""), "end after the start"),
        (&run("block = { 4k = 50, 8k = 40 }"), "sum to 90"),
        (&run("block = \"4k-5k\""), "give a step"),
        (&run("slo = \"p99\""), "p99=2ms"),
        (&run("workers = 64"), "at most 32 workers"),
        (
            &run("name = \"a\"\n[[run]]\nname = \"a\""),
            "two runs have the name",
        ),
        (&run("workloads = []"), "has no workload"),
        (
            "[target.d]\npath = \"nbds+vsock://2\"\n[workload.w]\n[[run]]\n",
            "needs AF_VSOCK",
        ),
        (
            "[target.d]\npaths = [\"nbd://a/x\", \"./file\"]\n[workload.w]\n[[run]]\n",
            "`./file` is no NBD address",
        ),
        (
            "[target.d]\npath = [\"nbd://a/x\", \"nbd://b/x\"]\n[workload.w]\n[[run]]\n",
            "several ways to one NBD volume go into `paths`",
        ),
        (
            "[target.d]\npath = \"null:1g\"\nselector = \"round-robin\"\n[workload.w]\n[[run]]\n",
            "`selector` is for NBD",
        ),
        (
            "[target.d]\npath = \"lab:fast?scal=2\"\n[workload.w]\n[[run]]\n",
            "did you mean `scale`?",
        ),
        (
            "[target.d]\npath = \"null:1g\"\n[workload.w]\nread = [1, 2]\n[[run]]\n",
            "loops stand in a [[run]]",
        ),
        (
            "[target.d]\npath = \"null:1g\"\n[workload.w]\nshare = 1\n[workload.v]\n[[run]]\n",
            "or none of them",
        ),
        (
            "[target.d]\npath = \"null:1g\"\n[workload.w]\npriority = 1\n[[run]]\n",
            "add rate",
        ),
    ] {
        let said = complaint(text);
        assert!(said.contains(expected), "{text}\n---\n{said}");
    }
}

#[test]
fn what_only_a_curve_has_is_refused_without_one() {
    for line in [
        "slo = [\"p99=2ms\"]",
        "percents = [10, 50]",
        "stop_service = \"2ms\"",
    ] {
        let text = complaint(&run(line));
        assert!(text.contains("but no curve"), "{text}");
        assert!(text.contains("load = \"curve\""), "{text}");
    }
}
