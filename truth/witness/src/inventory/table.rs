//! The inventory as text.

use super::{Content, Device, Write};
use crate::block::NameSource;
use plimsoll_printable::{Printable, printable};
use std::fmt::Write as _;

const COLUMNS: [&str; 6] = [
    "DEVICE",
    "SIZE",
    "KIND",
    "MODEL",
    "NAME FOR --destroy",
    "STATE",
];
/// A model or a name longer than this is cut in the table; the JSON has it whole.
const CELL_CHARS: usize = 44;

/// A line for each device; below it, indented, what it is made of, its paths, and whether writing would be refused.
pub fn table(devices: &[Device]) -> String {
    if devices.is_empty() {
        return "no block devices to be seen here\n".to_string();
    }
    let shown = |cell: String| printable(&cell).into_owned();
    let rows: Vec<[String; 6]> = devices.iter().map(|d| row(d).map(shown)).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(COLUMNS[column].len())
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    push_row(&mut text, &COLUMNS.map(str::to_string), &widths);
    for (device, row) in devices.iter().zip(&rows) {
        push_row(&mut text, row, &widths);
        for line in details(device) {
            let _ = writeln!(text, "    {}", Printable(&line));
        }
    }
    text
}

fn push_row(text: &mut String, row: &[String; 6], widths: &[usize; 6]) {
    let mut line = String::new();
    for (index, (cell, width)) in row.iter().zip(widths).enumerate() {
        let _ = match index {
            1 => write!(line, "{cell:>width$}  "),
            _ => write!(line, "{cell:<width$}  "),
        };
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

fn row(device: &Device) -> [String; 6] {
    let layer = &device.stack[0];
    [
        device.path.display().to_string(),
        size(layer.size_bytes),
        layer.kind.clone(),
        cut(layer.model.as_deref().unwrap_or("-")),
        cut(device.names.first().map_or("-", |name| &name.text)),
        state(device),
    ]
}

fn state(device: &Device) -> String {
    let content = match &device.content {
        Content::Empty => "empty".to_string(),
        Content::Blank => "blank".to_string(),
        Content::Tests => "test data".to_string(),
        Content::Signatures { of } => of.join(", "),
        Content::Data { .. } => "data".to_string(),
        Content::Unreadable { why } => format!("unreadable: {why}"),
    };
    let in_use = if device.uses.is_empty() {
        ""
    } else {
        "in use, "
    };
    let read_only = if device.read_only { "read-only, " } else { "" };
    format!("{in_use}{read_only}{content}")
}

fn details(device: &Device) -> Vec<String> {
    let mut lines = Vec::new();
    if device.stack.len() > 1 {
        let below: Vec<String> = device.stack[1..]
            .iter()
            .map(|layer| format!("{} ({})", layer.name, layer.kind))
            .collect();
        lines.push(format!("on: {}", below.join(", ")));
    }
    if !device.paths.is_empty() {
        let paths: Vec<String> = device
            .paths
            .iter()
            .map(|path| format!("{} {}", path.name, path.state))
            .collect();
        lines.push(format!("paths: {}", paths.join(", ")));
    }
    lines.push(match &device.write {
        Write::Allowed => "writing: allowed, it is blank".to_string(),
        Write::Destroy { name, why } => format!("writing: only with --destroy '{name}': {why}"),
        Write::Refused { why } => format!("writing: refused: {why}"),
    });
    if let Some(name) = device
        .names
        .first()
        .filter(|name| name.source == NameSource::Kernel)
    {
        lines.push(format!(
            "name: {} is the kernel's; nothing that outlives a reboot is known",
            name.text
        ));
    }
    lines
}

fn cut(text: &str) -> String {
    if text.chars().count() <= CELL_CHARS {
        return text.to_string();
    }
    let start: String = text.chars().take(CELL_CHARS - 1).collect();
    format!("{start}…")
}

/// Three digits and a binary unit.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = match value {
        _ if unit == 0 => 0,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(512), "512 B");
        assert_eq!(size(1 << 30), "1.00 GiB");
        assert_eq!(size(1000 << 20), "0.98 GiB");
        assert_eq!(size(256 << 30), "256 GiB");
    }

    #[test]
    fn an_empty_inventory_says_so() {
        assert_eq!(table(&[]), "no block devices to be seen here\n");
    }
}
