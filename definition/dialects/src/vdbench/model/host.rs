//! Host definitions.

use crate::vdbench::codes;
use crate::vdbench::object::Object;
use crate::vdbench::reader::Reader;
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::Origins;

/// A host that runs workloads.
#[derive(Debug, Clone)]
pub struct Host {
    /// Its label.
    pub label: String,
    /// Its address; the label where none is given.
    pub system: String,
    /// Who runs there, where the file says.
    pub user: Option<String>,
    /// How it is reached, where the file says: `rsh`, `ssh` or `vdbench`.
    pub shell: Option<String>,
    /// Java processes, where the file says.
    pub jvms: Option<u64>,
    /// How many stand-ins of it there are (`_cl0`, `_cl1`…).
    pub clients: Option<u64>,
    /// Where its label is.
    pub span: Span,
    /// Where each parameter was written.
    pub origins: Origins,
}

impl Host {
    /// True for the host that this program runs on.
    pub fn is_local(&self) -> bool {
        matches!(
            self.system.as_str(),
            "localhost" | "127.0.0.1" | "::1" | "[::1]"
        )
    }
}

pub(crate) fn read(object: &Object, report: &mut Report) -> Host {
    let mut reader = Reader::new(&object.fields, report);
    let system = reader.text("system").unwrap_or(&object.name).to_string();
    if let Some(field) = reader.field("system") {
        let placeholder = system.contains(['[', ']', '<', '>', '{', '}', '(', ')', ' ', '/']);
        let address_v6 = system.starts_with('[') && system.ends_with(']') && system.contains(':');
        if placeholder && !address_v6 {
            reader.report.add(
                Diagnostic::error(codes::NAME, format!("`{system}` is not the name of a host"))
                    .at(field.value.span, "expected a host name or an address")
                    .help("write the host's real name, or localhost"),
            );
        }
    }
    Host {
        label: object.name.clone(),
        system,
        user: reader.text("user").map(str::to_string),
        shell: reader.text("shell").map(str::to_string),
        jvms: reader.whole("jvms", 1),
        clients: reader.whole("clients", 1),
        span: object.span,
        origins: reader.origins(),
    }
}
