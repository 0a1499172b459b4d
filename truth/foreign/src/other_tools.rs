//! Other tools' output in the text of a result: it is not judged with it, and that is said.

use crate::format::elbencho;
use crate::model::{ForeignResult, InputPlace, Remark, Tool};
use crate::text;

/// Mark of a tool: true where a line is one that it prints.
type Mark = fn(&str) -> bool;

/// Marks of lines that only one tool prints, and no command, page or prose about it.
const MARKS: [(Tool, Mark); 4] = [
    (Tool::Fio, |line| {
        line.contains(": (groupid=") && line.contains("err=")
    }),
    (Tool::Vdbench, |line| line.contains(" Starting RD=")),
    (Tool::DiskSpd, |line| {
        line.trim_start().starts_with("Results for timespan ")
    }),
    (Tool::Elbencho, elbencho::is_one),
];

/// Names each other tool whose output a text has, by its first line.
pub fn remark(result: &mut ForeignResult, text: &str) {
    for (tool, is_mark) in MARKS.iter().filter(|(tool, _)| *tool != result.tool) {
        let Some((line, _)) = text::lines(text).find(|(_, line)| is_mark(line)) else {
            continue;
        };
        let name = tool.name();
        result.remarks.push(Remark {
            at: InputPlace { source: 0, line },
            text: format!(
                "here is output of {name}, too: it is not judged with this; give it alone"
            ),
        });
    }
}
