//! A record keeps what it was read from, and the page shows it.

use crate::place::{TestFolder, typed};
use plimsoll_record::Record;

fn texts(place: &TestFolder, record: &str) -> Vec<(String, String)> {
    let record = Record::open(&place.path(record)).expect("a record");
    let texts = record.definition_texts().expect("texts");
    texts.into_iter().map(|t| (t.name, t.text)).collect()
}

#[test]
fn of_a_definition_the_text_is_kept_with_what_the_command_line_changed() {
    let place = TestFolder::new();
    let job = "# a comment that no plan has\n[target.a]\npath = \"null:1g\"\n[workload.w]\n[[run]]\nfor = \"300ms\"\n\
               warmup = \"0s\"\ninterval = \"100ms\"\n";
    place.text("job.toml", job);
    let words = typed("run job.toml --set workload.w.block=8k --record r.plim");
    place.plimsoll(&words).ok();
    let kept = texts(&place, "r.plim");
    assert_eq!(kept[0], ("job.toml".to_string(), job.to_string()));
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1].0, "command line");
    assert!(kept[1].1.contains("8k"), "{kept:?}");
    if let Some((_, data)) = place.page("r.plim") {
        assert!(data.to_string().contains("# a comment that no plan has"));
    }
}

#[test]
fn of_a_vdbench_file_all_that_it_includes_is_kept() {
    let place = TestFolder::new();
    let sds = "* the storage\nsd=sd1,lun=null:1g,threads=2\n";
    let job = "include=sds.parm\nwd=wd1,sd=sd1,rdpct=100\nrd=rd1,wd=wd1,iorate=$rate,elapsed=2,interval=1\n";
    place.text("sds.parm", sds);
    place.text("job.parm", job);
    let words = ["vdbench", "-f", "job.parm", "-o", "out", "rate=100"];
    place.plimsoll(&words).ok();
    place.plimsoll("run job.parm rate=100 --record r.plim").ok();
    for record in ["out/record.plim", "r.plim"] {
        let kept = texts(&place, record);
        for text in [job, sds] {
            assert!(kept.iter().any(|(_, t)| t == text), "{kept:?}");
        }
    }
}

#[test]
fn of_flags_there_is_no_text() {
    let place = TestFolder::new();
    place.quick("run null:1g --record r.plim").ok();
    assert_eq!(texts(&place, "r.plim"), []);
}
