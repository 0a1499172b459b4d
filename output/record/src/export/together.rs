//! The same CSV of several records as one, with a column for the record.

use super::ExportError;
use std::io::Write;
use std::path::Path;

/// The header of the first record, against which the others' are held.
#[derive(Debug, Default)]
pub struct Together(Option<Vec<u8>>);

impl Together {
    /// Writes a record's CSV, each row behind the record's path.
    ///
    /// # Errors
    /// Another record has other columns, or the output cannot be written.
    pub fn add(
        &mut self,
        record: &Path,
        csv: &[u8],
        out: &mut dyn Write,
    ) -> Result<(), ExportError> {
        let mut rows = rows(csv);
        let Some(header) = rows.next() else {
            return Ok(());
        };
        match &self.0 {
            None => {
                out.write_all(b"record,")?;
                out.write_all(header)?;
                self.0 = Some(header.to_vec());
            }
            Some(first) if first == header => {}
            Some(_) => return Err(ExportError::OtherColumns(record.to_path_buf())),
        }
        let name = record.display().to_string().replace('"', "\"\"");
        for row in rows {
            write!(out, "\"{name}\",")?;
            out.write_all(row)?;
        }
        Ok(())
    }
}

/// The rows with their line ends; a line break inside quotes ends none.
fn rows(csv: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    csv.split_inclusive(move |byte| {
        quoted ^= *byte == b'"';
        *byte == b'\n' && !quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_record_and_line_breaks_in_quotes_end_none() {
        let (mut all, mut out) = (Together::default(), Vec::new());
        let first = b"step,name\n1,\"a\nb\"\n";
        all.add(Path::new("a\".plim"), first, &mut out).unwrap();
        all.add(Path::new("b.plim"), b"step,name\n2,c\n", &mut out)
            .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "record,step,name\n\"a\"\".plim\",1,\"a\nb\"\n\"b.plim\",2,c\n"
        );
        let other = all.add(Path::new("c.plim"), b"step\n", &mut Vec::new());
        assert!(matches!(other, Err(ExportError::OtherColumns(_))));
    }
}
