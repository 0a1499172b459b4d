//! Other languages: what they call the same things, and English for it.

/// Phrases, the longer before what they contain. Of letters that are written without blanks, parts of words.
const PHRASES: &[(&str, &str)] = &[
    ("シーケンシャルリード", "sequential read"),
    ("シーケンシャルライト", "sequential write"),
    ("ランダムリード", "random read"),
    ("ランダムライト", "random write"),
    ("レイテンシ", "latency"),
    ("マイクロ秒", "us"),
    ("ミリ秒", "ms"),
    ("スループット", "bandwidth"),
    ("スレッド", "threads"),
    ("キュー深度", "depth"),
    ("キュー深さ", "depth"),
    ("ノード", "nodes"),
    ("最大", "up to"),
    ("随机读", "random read"),
    ("随机写", "random write"),
    ("顺序读", "sequential read"),
    ("顺序写", "sequential write"),
    ("平均", "average"),
    ("时延", "latency"),
    ("延迟", "latency"),
    ("毫秒", "ms"),
    ("低至", "~"),
    ("微秒", "us"),
    ("队列深度", "depth"),
    ("线程", "threads"),
    ("单节点", "per node"),
    ("每节点", "per node"),
    ("节点", "nodes"),
    ("秒", "s"),
    ("평균", "average"),
    ("지연시간", "latency"),
    ("최대", "up to"),
    ("읽기", "read"),
    ("쓰기", "write"),
    ("d'IOPS", "IOPS"),
    ("d’IOPS", "IOPS"),
    ("pro Knoten", "per node"),
    ("pro Host", "per host"),
    ("pro Server", "per server"),
    ("pro LUN", "per LUN"),
    ("pro VM", "per VM"),
    ("pro Platte", "per disk"),
];

/// Words of languages that are written with blanks, and short words of tools.
const WORDS: &[(&str, &str)] = &[
    ("millionen", "million"),
    ("mio", "million"),
    ("млн", "million"),
    ("milliarden", "billion"),
    ("mrd", "billion"),
    ("tausend", "thousand"),
    ("tsd", "thousand"),
    ("тыс", "thousand"),
    ("latenz", "latency"),
    ("latenzzeit", "latency"),
    ("latence", "latency"),
    ("latencia", "latency"),
    ("latencies", "latency"),
    ("задержка", "latency"),
    ("задержке", "latency"),
    ("мс", "ms"),
    ("мкс", "us"),
    ("глубина", "queue"),
    ("очереди", "depth"),
    ("bei", "at"),
    ("при", "at"),
    ("avec", "with"),
    ("con", "with"),
    ("mit", "with"),
    ("und", "and"),
    ("knoten", "nodes"),
    ("lesen", "read"),
    ("schreiben", "write"),
    ("blöcken", "blocks"),
    ("blöcke", "blocks"),
    ("durchsatz", "bandwidth"),
    ("mittlere", "average"),
    ("mittlerer", "average"),
    ("durchschnittlich", "average"),
    ("gleichzeitige", "outstanding"),
    ("ausstehenden", "outstanding"),
    ("rlat", "read latency"),
    ("wlat", "write latency"),
    ("krandomread", "k random read"),
    ("krandomwrite", "k random write"),
    ("mseqread", "m seq read"),
    ("mseqwrite", "m seq write"),
    ("kseqread", "k seq read"),
    ("kseqwrite", "k seq write"),
];

/// The text with `a million` and `half a million` as numbers. Other fractions stay words, of which no number is made.
fn with_fractions(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is = |at: usize, word: &str| {
        let found = words.get(at);
        found.is_some_and(|found| found.eq_ignore_ascii_case(word))
    };
    let number = |at: usize| {
        let is_one = is(at, "a") && (is(at + 1, "million") || is(at + 1, "billion"));
        let is_more = is(at + 2, "and");
        match at.checked_sub(1) {
            _ if !is_one || is_more => None,
            Some(before) if is(before, "half") => Some("0.5"),
            Some(before) if is(before, "of") => None,
            _ => Some("1"),
        }
    };
    let kept = (0..words.len()).filter_map(|at| match number(at + 1) {
        Some("0.5") => None,
        _ => Some(number(at).unwrap_or(words[at])),
    });
    kept.collect::<Vec<_>>().join(" ")
}

/// The text with its known foreign words in English; all others stay.
pub(super) fn in_english(text: &str) -> String {
    let mut all = with_fractions(text);
    for (foreign, english) in PHRASES {
        if all.contains(foreign) {
            all = all.replace(foreign, &format!(" {english} "));
        }
    }
    let mut translated = String::with_capacity(all.len());
    let mut rest = &all[..];
    while let Some(first) = rest.chars().next() {
        let is_letter = first.is_alphabetic();
        let end = rest
            .find(|c: char| c.is_alphabetic() != is_letter)
            .unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        let lower = part.to_lowercase();
        let known = WORDS.iter().find(|(foreign, _)| *foreign == lower);
        translated += known.map_or(part, |(_, english)| english);
        rest = behind;
    }
    translated
}
