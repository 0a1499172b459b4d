//! Storage definitions.

use super::{OpenFlags, Reduction, Reference, open_flags, references};
use crate::vdbench::codes;
use crate::vdbench::number::{Number, Unit};
use crate::vdbench::object::{Field, Object};
use crate::vdbench::reader::Reader;
use crate::vdbench::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::Origins;

/// A file or a device.
#[derive(Debug, Clone)]
pub struct Storage {
    /// Its name.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// Its files or devices: one, or one for each host.
    pub luns: Vec<Lun>,
    /// The hosts that use it; empty: all.
    pub hosts: Vec<Reference>,
    /// Bytes of it to use.
    pub size: Option<u64>,
    /// Most I/Os in flight.
    pub threads: u32,
    /// The part of it that is used.
    pub range: Option<StorageRange>,
    /// Bytes added to every address.
    pub offset: u64,
    /// Addresses are multiples of this.
    pub align: Option<u64>,
    /// Bytes of the area for hits.
    pub hit_area: u64,
    /// How it is opened.
    pub open_flags: Option<OpenFlags>,
    /// How its data reduces.
    pub reduction: Reduction,
    /// Parameters that need a look before a run.
    pub origins: Origins,
}

/// A file or device on one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lun {
    /// The host that knows it by this name; `None`: every host.
    pub host: Option<String>,
    /// The path.
    pub path: String,
    /// Where it was written.
    pub span: Span,
}

/// A part of a storage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StorageRange {
    /// Percent of its size; `to` up to 200 wraps.
    Percent(f64, f64),
    /// Bytes.
    Bytes(u64, u64),
}

/// `(lo,hi)`: percent where both are small, bytes otherwise.
pub(crate) fn range(reader: &mut Reader, field: &Field) -> Option<StorageRange> {
    let numbers = reader.numbers_of(field, Unit::Plain)?;
    let [Number { value: lo, .. }, Number { value: hi, .. }] = numbers[..] else {
        reader.refuse(field, "(low,high), in percent or in bytes");
        return None;
    };
    if lo >= hi || hi > 1e18 {
        reader.refuse(field, "a low end below the high end");
        return None;
    }
    Some(match hi <= 200.0 {
        true => StorageRange::Percent(lo, hi),
        false => StorageRange::Bytes(lo as u64, hi as u64),
    })
}

/// Reads one `sd=`; `count=` makes several of it.
pub(crate) fn read(object: &Object, report: &mut Report) -> Result<Vec<Storage>, Stop> {
    let mut reader = Reader::new(&object.fields, report);
    let luns = luns(&object.fields);
    let mut hosts = Vec::new();
    let paired = luns.iter().any(|l| l.host.is_some());
    if let Some(field) = reader.any(&["host", "hd"]).filter(|_| !paired) {
        hosts = references(&field.value, reader.report);
    }
    if let Some(lun) = luns.iter().find(|l| luns.len() > 1 && l.host.is_none()) {
        reader.report.add(
            Diagnostic::error(codes::REQUIRED, "one of several luns has no host")
                .at(lun.span, "which host knows the storage by this name?")
                .help("write host=a,lun=x,host=b,lun=y"),
        );
    }
    let range_field = reader.field("range");
    let range = range_field.and_then(|f| range(&mut reader, f));
    let storage = Storage {
        name: object.name.clone(),
        span: object.span,
        luns,
        hosts,
        size: reader.divided("size", 512.0).map(|v| v as u64),
        threads: reader
            .divided("threads", 1.0)
            .map_or(8, |v| v.min(1e6) as u32),
        range,
        offset: multiple_of_sector(&mut reader, "offset").unwrap_or(0),
        align: multiple_of_sector(&mut reader, "align"),
        hit_area: reader.whole("hitarea", 0).unwrap_or(1 << 20),
        open_flags: open_flags::read(&mut reader),
        reduction: Reduction::read(&mut reader),
        origins: reader.origins(),
    };
    if storage.name.eq_ignore_ascii_case("concat") {
        reader.report.add(
            Diagnostic::error(codes::NAME, "an sd may not be called `concat`").at(
                object.span,
                "Vdbench's own name for storage that is joined end to end",
            ),
        );
    }
    if storage.luns.is_empty() {
        reader.report.add(
            Diagnostic::error(codes::REQUIRED, format!("sd={} has no lun", storage.name))
                .at(object.span, "needs lun=")
                .help(format!("write sd={},lun=FILE_OR_DEVICE", storage.name)),
        );
    }
    match reader.field("count") {
        Some(field) => counted(storage, field, &mut reader),
        None => Ok(vec![storage]),
    }
}

/// `host=a,lun=x,host=b,lun=y`, or one `lun=`.
fn luns(fields: &[Field]) -> Vec<Lun> {
    let mut out: Vec<Lun> = Vec::new();
    let mut host: Option<String> = None;
    let pairs = fields.iter().filter(|f| f.keyword.name == "lun").count() > 1;
    for field in fields {
        match field.keyword.name {
            "host" | "hd" => host = Some(field.value.text().to_string()),
            "lun" => out.push(Lun {
                host: host.take().filter(|_| pairs),
                path: field.value.text().to_string(),
                span: field.value.span,
            }),
            _ => {}
        }
    }
    out
}

fn multiple_of_sector(reader: &mut Reader, name: &str) -> Option<u64> {
    let value = reader.whole(name, 0)?;
    if value % 512 != 0
        && let Some(field) = reader.field(name)
    {
        reader.refuse(field, "a multiple of 512");
        return None;
    }
    Some(value)
}

/// `count=(start,n)`: numbers appended to the name, and to the lun or put in for its `*` or `%d`.
fn counted(storage: Storage, field: &Field, reader: &mut Reader) -> Result<Vec<Storage>, Stop> {
    let numbers = super::counted(field, reader)?;
    let numbered = numbers.map(|n| {
        let mut one = storage.clone();
        one.name = format!("{}{n}", storage.name);
        for lun in &mut one.luns {
            lun.path = numbered(&lun.path, n);
        }
        one
    });
    Ok(numbered.collect())
}

fn numbered(path: &str, n: u64) -> String {
    if let Some((before, after)) = path.split_once('*') {
        return format!("{before}{n}{after}");
    }
    // %d, %3d, %03d
    if let Some(at) = path.find('%') {
        let rest = &path[at + 1..];
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        if rest[digits..].starts_with('d') {
            let width: usize = rest[..digits].parse().unwrap_or(0).min(20);
            let number = match rest.starts_with('0') {
                true => format!("{n:0width$}"),
                false => format!("{n:width$}"),
            };
            return format!("{}{number}{}", &path[..at], &rest[digits + 1..]);
        }
    }
    format!("{path}{n}")
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn count_numbers_a_lun_at_its_mark_or_at_its_end() {
        assert_eq!(numbered("/dev/sd", 3), "/dev/sd3");
        assert_eq!(numbered("/f/*/x", 3), "/f/3/x");
        assert_eq!(numbered("/f/%03d.bin", 3), "/f/003.bin");
        assert_eq!(numbered("/f/100%x", 3), "/f/100%x3");
    }
}
