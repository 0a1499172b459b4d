//! Options with their values read: by their kinds, with fio's defaults of units, and with a warning where a value is not what
//! it looks like.

use super::codes;
use super::number::{Misreading, Number, last_of_several, size, time};
use super::options::{self, Opt, ValueKind};
use super::reading::{Section, Setting, is_blank};
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};

/// An option that was given.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Assigned {
    pub opt: &'static Opt,
    /// Its name in fio's results.
    pub shown: &'static str,
    /// Its value as it was written, variables replaced; empty where there was none.
    pub text: String,
    pub value: Value,
    pub span: Span,
    /// What `k` stands for in it.
    pub kb: u64,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(Number),
    /// Of reads, writes and trims.
    Triple([i64; 3]),
    /// The smallest and the largest of reads, writes and trims.
    Ranges([(i64, i64); 3]),
    Switch(bool),
    Word(&'static str),
    Text,
}

impl Value {
    /// The value where another stands above it: of operations that it does not name, that stays.
    pub fn over(&self, above: Option<&Value>) -> Value {
        match (self, above) {
            (Value::Triple(own), Some(Value::Triple(above))) => {
                let each = own.iter().zip(above);
                let mut each = each.map(|(own, above)| if *own == ABSENT { *above } else { *own });
                Value::Triple(std::array::from_fn(|_| each.next().unwrap_or(ABSENT)))
            }
            _ => self.clone(),
        }
    }
}

/// What a section says, in its order.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    pub assigned: Vec<Assigned>,
    /// Options that nobody knows.
    pub unknown: Vec<(String, Span)>,
    /// What `k` stands for from here on.
    pub kb: u64,
}

/// Name under which fio's results have `randrepeat=` where it was written so.
const ALL_REPEAT: &str = "allrandrepeat";

/// Values that ask for nothing.
const OFF: [&str; 6] = ["0", "none", "inline", "complete", "0%", "off"];

impl Assigned {
    /// Whether it asks for nothing: `flow=0`.
    pub fn is_off(&self) -> bool {
        match &self.value {
            Value::Switch(on) => !on,
            Value::Number(number) => number.value == 0,
            Value::Triple(each) => each.iter().all(|n| [0, ABSENT].contains(n)),
            Value::Ranges(_) => false,
            Value::Word(_) | Value::Text => OFF.contains(&self.text.trim_start()),
        }
    }
}

/// Reads the options of a section; `kb` is what `k` stands for above it.
pub(super) fn read(section: &Section, kb: u64, report: &mut Report) -> Read {
    // fio sorts kb_base before all else, so that it counts wherever it stands.
    let own = section.settings.iter().rev().find(|s| s.name == "kb_base");
    let kb = match own.and_then(|s| s.value.as_deref()) {
        Some("1000") => 1000,
        Some("1024") => 1024,
        _ => kb,
    };
    let mut read = Read {
        kb,
        ..Read::default()
    };
    for setting in &section.settings {
        if options::COMMAND_LINE.contains(&setting.name.as_str()) {
            report.add(
                Diagnostic::warning(
                    codes::COMMAND_LINE,
                    format!("`{}` belongs on fio's command line", setting.name),
                )
                .at(
                    setting.span,
                    "fio refuses it in a file; here it is left out",
                ),
            );
            continue;
        }
        match options::find(&setting.name) {
            None => read.unknown.push((setting.name.clone(), setting.span)),
            Some(opt) => read.assigned.extend(assigned(opt, setting, kb, report)),
        }
    }
    read
}

fn assigned(
    opt: &'static Opt,
    setting: &Setting,
    kb: u64,
    report: &mut Report,
) -> Option<Assigned> {
    let text = setting.value.clone().unwrap_or_default();
    if let Some(why) = blurred(opt, &text) {
        report.add(
            Diagnostic::error(
                codes::VALUE,
                format!(
                    "`{}` names a file in a way that is easily misread",
                    setting.name
                ),
            )
            .at(setting.span, why)
            .help("remove it, or give the file another name"),
        );
        return None;
    }
    let text = match BLANK_BEFORE.contains(&opt.name) {
        true => text.trim_matches(is_blank),
        false => text.trim_end_matches(is_blank),
    };
    let text = text.to_string();
    let is_empty = text.is_empty() && !matches!(opt.kind, ValueKind::Flag);
    // Where logs go, and what reports an error, need no value.
    if is_empty && !(opt.kind == ValueKind::Text && setting.value.is_none()) {
        report.add(
            Diagnostic::error(codes::NO_VALUE, format!("`{}` has no value", setting.name))
                .at(setting.span, "")
                .help(format!("write {}=VALUE, or leave it out", setting.name)),
        );
        return None;
    }
    let mut reader = Reader {
        opt,
        text: &text,
        span: setting.span,
        kb,
        report,
    };
    let value = reader.value()?;
    Some(Assigned {
        opt,
        // The other name of an option is one of its own in fio.
        shown: match setting.name == ALL_REPEAT {
            true => ALL_REPEAT,
            false => opt.name,
        },
        value,
        text,
        span: setting.span,
        kb,
    })
}

/// Options that name files and folders. What stands at the ends of their values belongs to the names.
const NAMING: [&str; 11] = [
    "directory",
    "filename_format",
    "opendir",
    "read_iolog",
    "replay_redirect",
    "uri",
    "write_bw_log",
    "write_hist_log",
    "write_iolog",
    "write_iops_log",
    "write_lat_log",
];

/// Options whose text fio reads behind a blank as it reads it without one.
const BLANK_BEFORE: [&str; 15] = [
    "bssplit",
    "cpus_allowed",
    "comm",
    "description",
    "exec_postrun",
    "exec_prerun",
    "filename",
    "latency_percentile",
    "log_compression_cpus",
    "name",
    "numa_cpu_nodes",
    "percentile_list",
    "verify_async_cpus",
    "zone_reset_frequency",
    "zone_reset_threshold",
];
/// Options whose readers have a number in their text.
const OF_NUMBERS: [&str; 3] = ["filesize", "max_latency", "startdelay"];
/// Options that take one number, of which fio reads the last where several stand there; all others take the first.
const LAST: [&str; 9] = [
    "buffer_compress_percentage",
    "dedupe_percentage",
    "io_size",
    "offset",
    "offset_increment",
    "rwmixread",
    "rwmixwrite",
    "size",
    "zoneskip",
];

/// The way in which fio reads a name as another than it looks.
fn blurred(opt: &Opt, text: &str) -> Option<&'static str> {
    match opt.name {
        "filename" if text.contains([';', '#']) => Some("fio drops what follows a ; or a #"),
        "filename"
            if text
                .trim_matches(is_blank)
                .ends_with(|c: char| c.is_ascii_control()) =>
        {
            Some("fio drops the control character at its end")
        }
        name if NAMING.contains(&name) && text.trim_matches(is_blank) != text => {
            Some("fio takes the blank at its end for part of the name")
        }
        _ => None,
    }
}

struct Reader<'a> {
    opt: &'static Opt,
    text: &'a str,
    span: Span,
    kb: u64,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Value> {
        match self.opt.kind {
            ValueKind::Int => {
                let number = self.whole(self.text)?;
                match ["iodepth", "numjobs"].contains(&self.opt.name) && number.value < 1 {
                    true => self.wrong("1 or more"),
                    false => Some(Value::Number(number)),
                }
            }
            ValueKind::Extent => Some(Value::Number(self.number(self.text)?)),
            ValueKind::Triple => Some(Value::Triple(self.triple(self.text)?)),
            ValueKind::Range => self.ranges(),
            ValueKind::Time(unit) => {
                let number = time(self.text, unit);
                Some(Value::Number(self.judged(number, self.text)?))
            }
            ValueKind::Bool => match self.text.trim_start() {
                "0" => Some(Value::Switch(false)),
                text if text.parse::<i64>().is_ok() => Some(Value::Switch(true)),
                _ => self.wrong("a number: 1 for yes, 0 for no"),
            },
            ValueKind::Flag => match self.text.trim_start() {
                "0" => Some(Value::Switch(false)),
                text if text.is_empty() || text.parse::<i64>().is_ok() => Some(Value::Switch(true)),
                _ => self.wrong("nothing, or 0 or 1"),
            },
            ValueKind::Word(_) if self.text.starts_with(is_blank) => self.blank_before(),
            ValueKind::Word(words) => {
                let end = self.text.find([',', ':']).unwrap_or(self.text.len());
                let word = &self.text[..end];
                match words.iter().find(|w| **w == word) {
                    Some(word) => Some(Value::Word(word)),
                    None => self.wrong(&format!("one of {}", words.join(", "))),
                }
            }
            ValueKind::Text => self.of_text(),
        }
    }

    /// A text, which its own reader looks at.
    fn of_text(&mut self) -> Option<Value> {
        let name = self.opt.name;
        let of_sizes: Vec<&str> = match (name, self.text.starts_with(is_blank)) {
            // Of the blanks before its sizes fio drops the first one's.
            ("bssplit", _) => self.text.split([',', ':']).collect(),
            (_, false) => Vec::new(),
            (name, true) if OF_NUMBERS.contains(&name) => vec![self.text],
            _ => return self.blank_before(),
        };
        for text in of_sizes {
            let size = text.split('/').next().unwrap_or_default();
            if let Some((least, _)) = size.split_once('-').filter(|_| name == "bssplit") {
                let message =
                    format!("`{size}` in bssplit= is {least}: it takes sizes, and no ranges");
                let complaint = Diagnostic::warning(codes::UNIT, message).at(self.span, "");
                self.report
                    .add(complaint.help("name each size with its share, as 36k/40:60k/40"));
            }
            match name {
                _ if !size.starts_with(is_blank) => None,
                "startdelay" => self.judged(time(size, 1_000_000), size),
                "max_latency" => self.judged(time(size, 1), size),
                _ => self.number(size),
            };
        }
        Some(Value::Text)
    }

    /// Refuses a word behind a blank: fio takes the blank for a part of it.
    fn blank_before<T>(&mut self) -> Option<T> {
        let name = self.opt.name;
        let bare = self.text.trim_start_matches(is_blank);
        self.report.add(
            Diagnostic::error(
                codes::VALUE,
                format!("`{name}={}` cannot be read", self.text),
            )
            .at(
                self.span,
                "fio takes the blank behind `=` for a part of the value",
            )
            .help(format!("write {name}={bare}")),
        );
        None
    }

    fn unread(&self, wanted: &str) -> Diagnostic {
        Diagnostic::error(
            codes::VALUE,
            format!("`{}={}` cannot be read", self.opt.name, self.text),
        )
        .at(self.span, format!("{} takes {wanted}", self.opt.name))
    }

    fn wrong<T>(&mut self, wanted: &str) -> Option<T> {
        let complaint = self.unread(wanted);
        self.report.add(complaint);
        None
    }

    fn judged(&mut self, number: Option<Number>, text: &str) -> Option<Number> {
        let Some(number) = number else {
            return self.wrong("a number");
        };
        if let Some(misreading) = &number.misreading {
            let complaint = misread(self.opt, text, &number, misreading, self.kb).at(self.span, "");
            self.report.add(complaint);
        }
        Some(number)
    }

    fn number(&mut self, text: &str) -> Option<Number> {
        let several = LAST
            .contains(&self.opt.name)
            .then(|| last_of_several(text, self.kb));
        let number = several.flatten().or_else(|| size(text, self.kb));
        self.judged(number, text)
    }

    /// A number that is neither a percentage nor of zones.
    fn whole(&mut self, text: &str) -> Option<Number> {
        let number = self.number(text)?;
        if number.percent || number.zones {
            let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
            let complaint = self.unread("a plain number").help(format!(
                "write {}={digits}: fio takes what stands here for a number below 0",
                self.opt.name
            ));
            self.report.add(complaint);
            return None;
        }
        Some(number)
    }

    /// One for each operation: a comma, else a colon, else a dash between them. The last value is that of those behind it, too, unless a
    /// separator ends the text; what is missing otherwise is not said.
    fn triple(&mut self, text: &str) -> Option<[i64; 3]> {
        let inside = |c: &char| text.get(1..).is_some_and(|t| t.contains(*c));
        let separator = match text.contains(',') {
            true => Some(','),
            false => [':', '-'].into_iter().find(inside),
        };
        let parts: Vec<&str> = match separator {
            // A sign is no separator.
            Some(_) if text.starts_with(['-', '(']) => vec![text],
            Some(separator) => text.split(separator).collect(),
            None => vec![text],
        };
        if parts.len() > 3 || parts.iter().all(|part| part.trim().is_empty()) {
            return self.wrong("one to three values: of reads, writes and trims");
        }
        let mut out: Vec<i64> = Vec::new();
        for part in parts {
            out.push(match part.trim().is_empty() {
                true => ABSENT,
                false => self.whole(part)?.value,
            });
        }
        let last = *out.last()?;
        if let ("bs", [reads, writes], Some('-' | ':')) = (self.opt.name, &out[..], separator) {
            let complaint = Diagnostic::warning(
                codes::UNIT,
                format!("`bs={text}` is {reads} for reads and {writes} for writes"),
            )
            .at(self.span, "two sizes, and none between them")
            .help(format!(
                "for sizes between them write bsrange={0}; for these two bs={1}",
                text.replace(':', "-"),
                text.replace(['-', ':'], ",")
            ));
            self.report.add(complaint);
        }
        out.resize(3, last);
        Some([out[0], out[1], out[2]])
    }

    /// One for each operation; where a text between commas is empty, nothing is said of it.
    fn ranges(&mut self) -> Option<Value> {
        let mut out: Vec<(i64, i64)> = Vec::new();
        for part in self.text.split(',') {
            if part.trim().is_empty() {
                out.push((ABSENT, ABSENT));
                continue;
            }
            let Some((from, to)) = part.split_once(['-', ':']) else {
                return self.wrong("a smallest and a largest size, as 4k-64k");
            };
            let (from, to) = (self.whole(from)?.value, self.whole(to)?.value);
            out.push((from.min(to), from.max(to)));
        }
        let last = *out.last()?;
        if out.len() > 3 || out.iter().all(|range| range.0 == ABSENT) {
            return self.wrong("one to three ranges: of reads, writes and trims");
        }
        out.resize(3, last);
        Some(Value::Ranges([out[0], out[1], out[2]]))
    }
}

/// A place of a triple that says nothing.
pub(super) const ABSENT: i64 = i64::MIN;

/// The warning of a value that fio reads otherwise than it looks.
fn misread(opt: &Opt, text: &str, number: &Number, misreading: &Misreading, kb: u64) -> Diagnostic {
    let name = opt.name;
    let reads = match opt.kind {
        ValueKind::Time(_) => {
            plimsoll_plan::Nanos((number.value.max(0) as u64).saturating_mul(1000)).to_string()
        }
        _ => number.value.to_string(),
    };
    let message = match misreading {
        Misreading::Fraction { .. } => {
            format!("fio drops the fraction of `{text}` and what stands behind it")
        }
        Misreading::Swapped { factor, .. } => format!(
            "fio takes the unit of `{text}` for {factor}: with kb_base={kb} it swaps kb and KiB"
        ),
        Misreading::Unknown { suffix, .. } => {
            format!("fio knows no unit `{}`, and leaves it out", suffix.trim())
        }
        Misreading::Blank { .. } => {
            "fio reads no unit of a number that has a blank before it".to_string()
        }
        Misreading::Several { .. } => {
            format!("`{name}` takes one number, and fio the last of several")
        }
    };
    let code = match misreading {
        Misreading::Fraction { .. } => codes::FRACTION,
        _ => codes::UNIT,
    };
    let diagnostic = Diagnostic::warning(code, format!("`{name}={text}` is {reads}"))
        .note(message)
        .note("it is taken as fio takes it");
    let instead = match misreading {
        Misreading::Fraction { instead }
        | Misreading::Swapped { instead, .. }
        | Misreading::Blank { instead }
        | Misreading::Several { instead } => Some(instead.clone()),
        Misreading::Unknown { instead, .. } => instead.clone(),
    };
    match instead {
        Some(instead) => diagnostic.help(format!("if you meant otherwise, write {name}={instead}")),
        None => diagnostic.help("leave the unit out, or use one that fio knows"),
    }
}
