//! Texts that nobody means well with: each is read, planned and printed again, or refused with an error; none takes long.

use plimsoll_dialects::diskspd::flag::FLAGS;
use plimsoll_dialects::diskspd::{self, Parsed, Refusal};
use proptest::prelude::*;

fn look(result: Result<Parsed, Box<Refusal>>) {
    match result {
        Ok(parsed) => {
            if let Err(found) = parsed.plan() {
                assert!(found.iter().any(|d| d.is_error()));
            }
            parsed.text();
            let again = diskspd::parse_text("again", &parsed.xml(0), &[]);
            assert!(again.is_ok(), "{}", parsed.xml(0));
        }
        Err(refusal) => {
            assert!(refusal.diagnostics.iter().any(|d| d.is_error()));
            assert!(!refusal.to_string().is_empty());
        }
    }
}

fn command(words: &[String]) {
    // A profile would read files.
    if !words.iter().any(|w| w.starts_with("-X")) {
        look(diskspd::parse_command(words));
    }
}

const PROFILE: &str = "<Profile><TimeSpans><TimeSpan><Duration>3</Duration><Targets><Target><Path>*1</Path>\
    <BlockSize>8192</BlockSize><Random>4096</Random><RandomRatio>20</RandomRatio><Distribution><Percent>\
    <Range IO=\"90\">10</Range></Percent></Distribution><Throughput unit=\"IOPS\">6</Throughput>\
    <WriteBufferContent><Pattern>random</Pattern><RandomDataSource><SizeInBytes>10485760</SizeInBytes>\
    </RandomDataSource></WriteBufferContent><ThreadTargets><ThreadTarget><Thread>1</Thread></ThreadTarget>\
    </ThreadTargets></Target></Targets><Affinity><AffinityGroupAssignment Group=\"0\" Processor=\"1\"/></Affinity>\
    </TimeSpan></TimeSpans></Profile>";

/// One of DiskSPD's letters with anything behind it.
fn flag() -> impl Strategy<Value = String> {
    let letters: Vec<char> = FLAGS.iter().filter_map(|f| f.name.chars().next()).collect();
    let value = prop_oneof![
        "[0-9]{0,20}[KMGTbix]?".prop_map(String::from),
        "(pct|abs|s|d|i|p|g|h|u|,|:|/|[0-9]){0,8}".prop_map(String::from),
        any::<String>(),
    ];
    (prop::sample::select(letters), value).prop_map(|(letter, value)| format!("-{letter}{value}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_command_line_is_read_or_refused(flags in prop::collection::vec(flag(), 0..8), target in "[a-z#*:./0-9]{0,6}") {
        let words: Vec<String> = flags.into_iter().chain([target]).collect();
        command(&words);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), from in 0usize..PROFILE.len(), to in 0usize..PROFILE.len()) {
        let paths = ["data".to_string()];
        look(diskspd::parse_text("any", &text, &paths));
        // A profile of which a part is something else.
        let (from, to) = (from.min(to), from.max(to));
        let changed = format!("{}{text}{}", &PROFILE[..from], &PROFILE[to..]);
        look(diskspd::parse_text("changed", &changed, &paths));
    }

    #[test]
    fn any_numbers_in_a_profile_are_planned_or_refused(numbers in prop::collection::vec(any::<u64>(), 12), small: bool) {
        let mut numbers = numbers.into_iter().map(|n| if small { n % 200 } else { n });
        let parts: Vec<&str> = PROFILE.split(|c: char| c.is_ascii_digit()).filter(|p| !p.is_empty()).collect();
        let changed = parts.join("\u{0}").replace('\u{0}', "#");
        let text: String = changed
            .chars()
            .map(|c| match c {
                '#' => numbers.next().unwrap_or(1).to_string(),
                c => c.to_string(),
            })
            .collect();
        look(diskspd::parse_text("numbers", &text, &["data".to_string()]));
    }
}

#[test]
fn what_is_far_too_much_is_refused_at_once() {
    for line in [
        "-t4097 data",
        "-t4096 -o100 -p data",
        "-F2000000000 -o2000000000 data",
        "-t2000000000 -o2000000000 -g2000000000 -r data",
        "-b4294967295 -r data",
        "-B18446744073709551615:1 data",
        "-s18446744073709551615 -T18446744073709551615 -t2 -b4K data",
        "-s -b4K -B18446744073709547520 -t2 -T4K data",
        "-d2147483647 -W2147483647 -D1 data",
    ] {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        command(&words);
    }
    let many: Vec<String> = (0..10_000).map(|n| format!("target{n}")).collect();
    command(&many);
    let target = "<Target><Path>a</Path><IOPriority>1</IOPriority></Target>";
    let text = format!(
        "<Profile><TimeSpans><TimeSpan><Targets>{}</Targets></TimeSpan></TimeSpans></Profile>",
        target.repeat(10_000)
    );
    look(diskspd::parse_text("many", &text, &[]));
    let range = "<Range IO=\"0\">1</Range>".repeat(10_000);
    let text = PROFILE.replace("<Range IO=\"90\">10</Range>", &range);
    look(diskspd::parse_text("ranges", &text, &["a".to_string()]));
    look(diskspd::parse_text(
        "deep",
        &"<Profile>".repeat(100_000),
        &[],
    ));
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    look(diskspd::parse_text(
        "deep",
        &PROFILE.replace("<Profile>", &format!("<Profile>{deep}")),
        &[],
    ));
}
