//! The examples, the documentation and the schema agree with the language.

use plimsoll_dialects::native::{self, keys, reference, schema};
use plimsoll_plan::describe;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn examples() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = ["examples", "examples/tour"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(root().join(folder)).expect("the folder is there"))
        .map(|e| e.expect("it can be listed").path())
        .collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    paths
}

/// Every ```toml block of the pages on the language.
fn documented() -> Vec<String> {
    let blocks = |page: &str| -> Vec<String> {
        let page = text(&root().join("docs").join(page));
        let blocks = page.split("```toml\n").skip(1);
        blocks
            .map(|b| b.split("```").next().unwrap_or_default().to_string())
            .collect()
    };
    ["definition.md", "trees.md", "nbd.md"]
        .into_iter()
        .flat_map(blocks)
        .collect()
}

/// Compares a file with what it should be, or writes it when PLIMSOLL_UPDATE is set.
fn same(path: &Path, expected: &str) {
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(path, expected).expect("it can be written");
    }
    assert!(
        text(path) == expected,
        "{} is not what the source says; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-dialects",
        path.display()
    );
}

#[test]
fn every_example_is_a_plan() {
    let found = examples();
    assert!(found.len() >= 5, "{found:?}");
    for path in found {
        let native = native::parse_bytes(&path.display().to_string(), text(&path).as_bytes());
        native.unwrap_or_else(|failure| panic!("{failure}"));
    }
}

#[test]
fn every_block_of_the_documentation_is_a_plan() {
    let blocks = documented();
    assert!(blocks.len() >= 15, "only {} blocks", blocks.len());
    for block in blocks {
        native::parse("docs", &block).unwrap_or_else(|failure| panic!("{block}\n{failure}"));
    }
}

#[test]
fn the_schema_in_the_documentation_is_the_languages() {
    let made = serde_json::to_string_pretty(&schema::schema()).expect("a schema is JSON") + "\n";
    same(&root().join("docs/definition.schema.json"), &made);
}

#[test]
fn the_keys_in_the_documentation_are_the_languages() {
    let path = root().join("docs/definition-reference.md");
    let page = text(&path);
    let (before, rest) = page.split_once("<!-- keys -->\n").expect("the part begins");
    let (_, after) = rest.split_once("<!-- /keys -->").expect("the part ends");
    let made = format!(
        "{before}<!-- keys -->\n\n{}<!-- /keys -->{after}",
        reference::reference()
    );
    same(&path, &made);
}

#[test]
fn the_schema_accepts_what_the_language_accepts() {
    let validator = jsonschema::validator_for(&schema::schema()).expect("the schema is one");
    for block in examples().iter().map(|p| text(p)).chain(documented()) {
        let value: serde_json::Value = toml::from_str(&block).expect("it is TOML");
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| format!("{}: {e}", e.instance_path))
            .collect();
        assert!(errors.is_empty(), "{block}\n{errors:#?}");
    }
}

#[test]
fn the_schema_refuses_unknown_keys_and_wrong_types() {
    let validator = jsonschema::validator_for(&schema::schema()).expect("the schema is one");
    let start = "[target.d]\npath = \"f\"\n[workload.w]\n[[run]]\n";
    for wrong in [
        "wramup = 5",
        "for = true",
        "access = \"randm\"",
        "hits = { raed = 5 }",
        "arrival = [\"even\"]",
    ] {
        let value: serde_json::Value =
            toml::from_str(&format!("{start}{wrong}\n")).expect("it is TOML");
        assert!(!validator.is_valid(&value), "{wrong}");
    }
}

#[test]
fn every_default_is_a_value_of_its_key() {
    let target = keys::TARGET.iter().map(|k| (k, "target"));
    let workload = keys::SHAPE.iter().map(|k| (k, "workload"));
    let run = keys::RUN.iter().map(|k| (k, "run"));
    for (key, place) in target.chain(workload).chain(run) {
        let Some(default) = key.default else { continue };
        let value = match key.list {
            keys::List::Many => format!("[{default}]"),
            _ => format!("\"{default}\""),
        };
        let line = |here| {
            if place == here {
                format!("{} = {value}\n", key.name)
            } else {
                String::new()
            }
        };
        // Points are of curves alone.
        let load = match key.name {
            "percents" => "load = \"curve\"\n",
            _ => "",
        };
        let written = format!(
            "[target.d]\npath = \"null:1g\"\n{}[workload.w]\n{}[[run]]\n{load}{}",
            line("target"),
            line("workload"),
            line("run")
        );
        let plain = format!("[target.d]\npath = \"null:1g\"\n[workload.w]\n[[run]]\n{load}");
        let read = |text: &str| {
            native::parse("x", text)
                .unwrap_or_else(|f| panic!("{f}"))
                .plan
        };
        assert_eq!(
            describe(&read(&written)),
            describe(&read(&plain)),
            "{}",
            key.name
        );
    }
}

#[test]
fn a_plan_is_described_step_by_step() {
    let described = |name: &str| {
        let path = root().join("examples").join(name);
        let native = native::parse(name, &text(&path)).unwrap_or_else(|f| panic!("{f}"));
        describe(&native.plan).text()
    };
    insta::assert_snapshot!("curve", described("curve.toml"));
    insta::assert_snapshot!("mixed", described("mixed.toml"));
    insta::assert_snapshot!("rate", described("rate.toml"));
}

#[test]
fn a_description_is_plain_data() {
    let plan = native::parse("x", &documented()[0])
        .unwrap_or_else(|f| panic!("{f}"))
        .plan;
    let description = describe(&plan);
    let json = serde_json::to_string(&description).expect("it can be written");
    assert_eq!(
        serde_json::from_str::<plimsoll_plan::Description>(&json).expect("it can be read"),
        description
    );
}

#[test]
fn bytes_to_be_written_are_estimated_from_rates_and_limits() {
    let written = |path: &str, keys: &str| {
        let text = format!(
            "[target.d]\npath = \"{path}\"\nsize = \"1g\"\n[workload.w]\nread = 0\n[[run]]\nwarmup = \"0s\"\nfor = \"10s\"\n{keys}\n"
        );
        let plan = native::parse("x", &text)
            .unwrap_or_else(|f| panic!("{f}"))
            .plan;
        describe(&plan).steps[0].writes.clone()
    };
    assert_eq!(written("f", "load = 1000"), "about 39.1 MiB");
    assert_eq!(
        written("f", "load = { schedule = \"2k:1s 0.001:1s\" }"),
        "about 39.1 MiB"
    );
    assert_eq!(written("f", "load = 1000\nread = 75"), "about 9.77 MiB");
    assert_eq!(written("f", "load = \"max\""), "as it goes");
    assert_eq!(
        written("f", "limits = { written = \"1m\" }"),
        "at most 1 MiB"
    );
    assert_eq!(written("f", "load = 1000\nread = 100"), "nothing");
    assert_eq!(written("null:1g", "load = 1000"), "nothing");
}
