//! Nothing that is given to the native reader makes it panic, or keeps it busy.

use plimsoll_dialects::native;
use proptest::prelude::*;
use std::fmt::Write;

/// Words that the language knows, with bars between them, so that random texts get past its first check.
const WORDS: &str = "[target.a]|[workload.b]|[[run]]|path|size|block|load|hits|range|access|distribution|content|depth|for|slo|=|=|=|\n|\n|\
\"null:1g\"|\"4k\"|\"curve\"|\"50%\"|{ read = 75 }|{ zipf = 1.1 }|[1, 2]|[\"4k\", \"8k\"]|0|-1|1e400|\"\"|\"=\"|\",\"|\
\"é-%\"|{ schedule = \"1:1 2\" }|99999999999999999999|\"10%-\"";

proptest! {
    #[test]
    fn what_is_typed_beside_a_definition_never_ends_the_program(set in "[a-z.=\"'\\[\\]{},0-9é\n ]{0,24}", value in "\\PC{0,12}") {
        let text = "title = \"é\"\n[target.a]\npath = \"null:1g\"\n[workload.w]\n[[run]]\n";
        let flags = native::DirectFlags {
            typed: vec![
                ("--block", value.clone()),
                ("--depth", set.clone()),
                ("--slo", value.clone()),
            ],
            ..native::DirectFlags::default()
        };
        let sets = vec![set, format!("workload.w.{value}"), format!("run.block={value}")];
        let overrides = native::Overrides { sets, flags };
        let _ = native::parse_with("x", text, &overrides).map_err(|f| f.to_string());
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        let _ = native::parse("x", &text).map_err(|f| f.to_string());
    }

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = native::parse_bytes("x", &bytes).map_err(|f| f.to_string());
    }

    #[test]
    fn any_words_of_the_language_are_answered(words in proptest::collection::vec(proptest::sample::select(WORDS.split('|').collect::<Vec<_>>()), 0..40)) {
        let _ = native::parse("x", &words.join(" ")).map_err(|f| f.to_string());
    }

    #[test]
    fn any_value_of_any_key_is_answered(
        key in prop::sample::select(native::keys::SHAPE.iter().chain(&native::keys::RUN).map(|k| k.name).collect::<Vec<_>>()),
        value in "[\"{\\[]?[a-z0-9=,:%. é-]{0,20}[\"}\\]]?",
    ) {
        let text = format!("[target.a]\npath = \"null:1g\"\n[workload.b]\n[[run]]\n{key} = {value}\n");
        let _ = native::parse("x", &text).map_err(|f| f.to_string());
        let quoted = text.replace(&value, &format!("\"{}\"", value.replace(['"', '\\'], "")));
        let _ = native::parse("x", &quoted).map_err(|f| f.to_string());
    }
}

/// The answer: not too long for a screen, and an error.
fn refused(text: &[u8]) -> String {
    let failure = native::parse_bytes("big.toml", text).expect_err("it is no definition");
    let message = failure.to_string();
    assert!(message.len() < 40_000, "{} bytes", message.len());
    message
}

#[test]
fn ten_megabytes_of_one_line_get_one_error() {
    let message = refused(&vec![b'x'; 10 << 20]);
    assert_eq!(message.matches("error[").count(), 1, "{message}");
}

#[test]
fn megabytes_of_unknown_keys_get_a_screenful_and_more_than_four_are_not_read() {
    let mut text = String::new();
    for i in 0..200_000 {
        writeln!(text, "key{i} = {i}").expect("a string takes it");
    }
    let message = refused(text.as_bytes());
    assert!(
        message.contains("more complaints are not shown"),
        "{message}"
    );
    let message = refused(text.repeat(3).as_bytes());
    assert!(
        message.contains("larger than a definition may be"),
        "{message}"
    );
}

#[test]
fn binary_garbage_gets_one_error() {
    let bytes: Vec<u8> = (0..10u32 << 20)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let message = refused(&bytes);
    assert!(message.contains("is not a text file"), "{message}");
    let zeros = refused(&vec![0; 1 << 20]);
    assert!(zeros.contains("is this the right file?"), "{zeros}");
}

#[test]
fn deep_nesting_gets_one_error() {
    refused(("x = ".to_string() + &"[".repeat(100_000)).as_bytes());
}

#[test]
fn loops_without_end_are_refused() {
    let list = (1..=100)
        .map(|i| i.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let text = format!(
        "[target.a]\npath = \"null:1g\"\n[workload.b]\n[[run]]\nread = [{list}]\ndepth = [{list}]\nload = [{list}]\n"
    );
    let message = refused(text.as_bytes());
    assert!(message.contains("make 1000000 steps"), "{message}");
}
