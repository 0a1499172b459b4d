//! The end of what a command writes, however much that is.

/// Number of bytes that are shown of it.
const SHOWN: usize = 1 << 20;

/// The last MiB of what was written.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
    /// Number of bytes before those.
    left_out: u64,
}

impl Tail {
    /// More was written.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Not with each of them, so that it costs little.
        if self.bytes.len() >= 2 * SHOWN {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let out = self.bytes.len().saturating_sub(SHOWN);
        self.bytes.drain(..out);
        self.left_out += out as u64;
    }

    /// The end, behind a line that says how much is left out.
    pub fn text(&mut self) -> String {
        self.cut();
        let text = String::from_utf8_lossy(&self.bytes);
        match self.left_out {
            0 => text.into_owned(),
            bytes => format!("[the first {bytes} bytes are left out]\n{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_the_end_is_kept_and_the_rest_is_counted() {
        let mut tail = Tail::default();
        for _ in 0..50 {
            tail.add(&[b'x'; 100_000]);
        }
        tail.add(b"end");
        let text = tail.text();
        let left_out = 5_000_003 - SHOWN;
        let first = format!("[the first {left_out} bytes are left out]\n");
        assert!(text.starts_with(&first) && text.ends_with("xend"));
        assert_eq!(text.len(), first.len() + SHOWN);
    }

    #[test]
    fn what_is_short_is_whole() {
        let mut tail = Tail::default();
        tail.add(b"a\n");
        tail.add(&[0xff]);
        assert_eq!(tail.text(), "a\n\u{fffd}");
    }
}
