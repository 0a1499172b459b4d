//! How command lines and profiles are read, and what is said of those that cannot be.

use plimsoll_dialects::diskspd::{self, model::Format};

fn read(line: &str) -> Result<diskspd::Parsed, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
    diskspd::parse_command(&words).map_err(|refusal| refusal.to_string())
}

fn refused(line: &str) -> String {
    read(line).expect_err(line)
}

#[test]
fn slips_on_the_command_line_are_named_with_what_was_meant() {
    for (line, words) in [
        ("", "no target"),
        ("-r -b4K", "no target"),
        ("-k data", "no flag `-k`"),
        ("--block=4k data", "-bSIZE"),
        ("-b 4k -r data", "a value is joined to its flag"),
        ("-b 4k", "a size has to be joined"),
        ("-b4x data", "`x` is no unit"),
        ("-b0 data", "0 bytes"),
        ("-b4294967295 data", "smaller than 4 GiB"),
        ("-ex data", "none of DiskSPD's events"),
        ("-edisk data", "none of DiskSPD's events"),
        ("-y data", "-ys, -yf"),
        ("-yx data", "-ys, -yf"),
        ("-o data", "a number has to be joined"),
        ("-o0 data", "1 at least"),
        ("-t-3 data", "1 at least"),
        ("-w101 data", "0 to 100"),
        ("-w data", "has to be joined"),
        ("-rs0 data", "1 to 100"),
        ("-r0 data", "alignment of 0"),
        ("-r -s data", "another order"),
        ("-s -r data", "another order"),
        ("-s -rs20 data", "another order"),
        ("-r4K -r8K data", "a second time"),
        ("-s -s data", "a second time"),
        ("-B1M:1M -f4M data", "a second time"),
        ("-B1M -B2M data", "a second time"),
        ("-B4M -f2M data", "ends at 2097152"),
        ("-fx data", "hints are r, s and t"),
        ("-g10 -x data", "-g"),
        ("-gx data", "bytes per millisecond"),
        ("-i5 data", "need each other"),
        ("-t4 -F4 data", "exclude each other"),
        ("-n -a0 data", "exclude each other"),
        ("-si -T4k -t2 data", "-si and -T"),
        ("-T64k data", "only one"),
        ("-r -T64k -t2 data", "-T is for I/Os in order"),
        ("-r -p data", "-p is for I/Os in order"),
        ("-rdpct10/10 data", "random I/Os"),
        ("-r -rdpct60/10:60/10 data", "more than 100"),
        ("-r -rdpct10/10:80/80:5/10 data", "5 % of the I/Os are left"),
        ("-Z2k -b4K -w100 data", "smaller than a block"),
        ("-Nv data", "needs mapped"),
        ("-Rjson data", "text or xml"),
        ("-z1x data", "32 bits"),
        ("-I4 data", "1, 2 and 3"),
        ("-a0, data", "no CPU"),
        ("*1", "template `*1`"),
        ("-Xmissing.xml -b4K", "cannot stand beside a profile"),
        ("-Xmissing.xml", "missing.xml cannot be read"),
        ("-X", "joined to -X"),
    ] {
        let message = refused(line);
        assert!(message.contains(words), "{line}: {message}");
    }
}

#[test]
fn what_stands_behind_a_number_is_said() {
    let parsed = read("-t4x -r data").expect("DiskSPD takes it");
    assert_eq!(parsed.profile.spans[0].targets[0].threads, 4);
    assert!(
        parsed.warnings[0].message.contains("ignores `x`"),
        "{:?}",
        parsed.warnings
    );
}

#[test]
fn a_block_is_the_unit_of_sizes_wherever_it_stands() {
    for line in ["-b4K -r -B10b data", "-B10b -r -b4K data"] {
        let parsed = read(line).expect(line);
        assert_eq!(parsed.profile.spans[0].targets[0].base, 40960, "{line}");
    }
}

const SPAN: &str = "<TimeSpan><Targets><Target><Path>*1</Path></Target></Targets></TimeSpan>";

fn profile(inside: &str) -> String {
    format!("<Profile>\n  <TimeSpans>\n{SPAN}\n  </TimeSpans>\n{inside}\n</Profile>")
}

#[test]
fn beside_a_profile_stand_times_and_the_paths_of_its_templates() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.xml");
    std::fs::write(&path, profile("<ResultFormat>xml</ResultFormat>")).expect("written");
    let x = format!("-X{}", path.display());
    let parsed = read(&format!("-d60 -W3 {x} first.bin")).expect("it reads");
    let span = &parsed.profile.spans[0];
    assert_eq!((span.duration_s, span.warmup_s), (60, 3));
    assert_eq!(span.targets[0].path, "first.bin");
    assert_eq!(parsed.profile.format, Format::Xml);
    let parsed = read(&format!("{x} -Rtext first.bin")).expect("it reads");
    assert_eq!(parsed.profile.format, Format::Text);
    assert!(refused(&x).contains("has no path"));
    assert!(
        read(&format!("{x} -Rp")).is_ok(),
        "a template may be printed"
    );
    assert!(refused(&format!("{x} a b")).contains("`b` takes no template's place"));
}

#[test]
fn a_profile_s_slips_have_their_lines() {
    let of = |text: &str| match diskspd::parse_text("p.xml", text, &[]) {
        Err(refusal) => refusal.to_string(),
        Ok(parsed) => format!("{:?}", parsed.warnings),
    };
    let target = |inside: &str| {
        format!(
            "<Profile>\n<TimeSpans>\n<TimeSpan>\n<Targets>\n<Target>\n<Path>data</Path>\n{inside}\n</Target>\n\
             </Targets>\n</TimeSpan>\n</TimeSpans>\n</Profile>"
        )
    };
    for (inside, words) in [
        ("<BlockSize>64K</BlockSize>", "p.xml:7"),
        ("<WriteRatio>101</WriteRatio>", "0 to 100"),
        ("<Random>4096</Random><Random>8192</Random>", "there twice"),
        (
            "<StrideSize>4096</StrideSize><RandomRatio>5</RandomRatio>",
            "in order",
        ),
        (
            "<WriteBufferContent></WriteBufferContent>",
            "needs a <Pattern>",
        ),
        ("<Throughput unit=\"MBPS\">5</Throughput>", "IOPS, BPMS"),
        (
            "<Random>4096</Random><Distribution></Distribution>",
            "<Percent> or <Absolute>",
        ),
        ("<IOPriority>9</IOPriority>", "1, 2 and 3"),
        ("<BlockSize>0</BlockSize>", "0 bytes"),
    ] {
        let message = of(&target(inside));
        assert!(message.contains(words), "{inside}: {message}");
    }
    for (text, words) in [
        ("", "no XML"),
        ("<Profile>", "no XML"),
        ("<Results/>", "it is a result"),
        ("<Job/>", "no profile"),
        ("<Profile></Profile>", "needs a <TimeSpans>"),
        (
            "<!DOCTYPE x [<!ENTITY a 'b'>]><Profile>&a;</Profile>",
            "no XML",
        ),
    ] {
        let message = of(text);
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn elements_of_newer_versions_are_left_out_with_a_warning() {
    let text = profile("<IoRing>true</IoRing>");
    let parsed = diskspd::parse_text("p.xml", &text, &["data".to_string()]).expect("it reads");
    assert!(
        parsed.warnings[0].message.contains("<IoRing>"),
        "{:?}",
        parsed.warnings
    );
    let slip = text.replace("IoRing", "Verbos");
    let parsed = diskspd::parse_text("p.xml", &slip, &["data".to_string()]).expect("it reads");
    assert!(
        parsed.warnings[0]
            .help
            .as_deref()
            .unwrap_or("")
            .contains("<Verbose>")
    );
}
