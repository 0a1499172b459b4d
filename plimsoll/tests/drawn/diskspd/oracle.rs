//! What DiskSPD 2.2 takes of a command line, and what it makes of it, written down anew from its documentation and its parser.

/// Settings that a command line asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub block: u64,
    pub base: u64,
    pub max: u64,
    /// Alignment or stride; `None` where nothing says it.
    pub align: Option<u64>,
    pub random: u64,
    pub interlocked: bool,
    pub size: Option<u64>,
    pub times: [u64; 3],
    pub threads: u64,
    pub depth: u64,
    pub all_threads: u64,
    pub all_depth: u64,
    pub writes: u64,
    pub limit: Option<(u64, bool)>,
    pub burst: u64,
    pub think: u64,
    pub apart: u64,
    pub parallel: bool,
    pub routines: bool,
    pub unpinned: bool,
    pub cpus: usize,
    pub uncached: Option<Cached>,
    pub through: bool,
    pub mapped: bool,
    pub flushed: bool,
    pub zero: bool,
    pub source: Option<u64>,
    /// Ranges of addresses, true where they are in bytes, each with its share of the I/Os.
    pub ranges: Option<(bool, Vec<(u64, u64)>)>,
    /// Nothing is run.
    pub only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cached {
    Yes,
    No,
    NotHere,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            block: 65536,
            times: [5, 10, 0],
            threads: 1,
            depth: 2,
            base: 0,
            max: 0,
            align: None,
            random: 0,
            interlocked: false,
            size: None,
            all_threads: 0,
            all_depth: 0,
            writes: 0,
            limit: None,
            burst: 0,
            think: 0,
            apart: 0,
            parallel: false,
            routines: false,
            unpinned: false,
            cpus: 0,
            uncached: None,
            through: false,
            mapped: false,
            flushed: false,
            zero: false,
            source: None,
            ranges: None,
            only: false,
        }
    }
}

/// Digits, and what follows them.
fn digits(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// A number as C's atoi has it.
fn atoi(text: &str) -> i64 {
    let (sign, digits_of) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    digits(digits_of).map_or(0, |(n, _)| sign * n as i64)
}

fn above_0(text: &str) -> Option<u64> {
    u64::try_from(atoi(text)).ok().filter(|n| *n > 0)
}

impl Settings {
    fn size_and_rest<'t>(&self, text: &'t str) -> Option<(u64, &'t str)> {
        let (n, rest) = digits(text)?;
        let unit = match rest.bytes().next().map(|b| b.to_ascii_lowercase()) {
            Some(b'k') => 1 << 10,
            Some(b'm') => 1 << 20,
            Some(b'g') => 1 << 30,
            Some(b't') => 1 << 40,
            Some(b'b') => self.block,
            _ => return Some((n, rest)),
        };
        Some((n.checked_mul(unit)?, &rest[1..]))
    }

    fn size_of(&self, text: &str) -> Option<u64> {
        self.size_and_rest(text)
            .filter(|(_, rest)| rest.is_empty())
            .map(|(n, _)| n)
    }

    /// The flags that are looked for in all words before the others are read.
    fn first(&mut self, letter: char, text: &str) -> Option<()> {
        match letter {
            'b' => self.block = self.size_of(text).filter(|n| *n < u64::from(u32::MAX))?,
            'W' => self.times[0] = u64::try_from(atoi(text)).ok()?,
            'd' => self.times[1] = u64::try_from(atoi(text)).ok()?,
            'C' => self.times[2] = u64::try_from(atoi(text)).ok()?,
            'R' => {
                let form = text.strip_prefix('p');
                self.only |= form.is_some();
                let is_known = matches!(form.unwrap_or(text), "text" | "xml");
                (is_known || form == Some("")).then_some(())?;
            }
            'v' => matches!(text, "" | "s").then_some(())?,
            'z' => text.bytes().all(|b| b.is_ascii_digit()).then_some(())?,
            _ => {}
        }
        Some(())
    }

    fn second(&mut self, letter: char, text: &str, seen: &mut Seen) -> Option<()> {
        match letter {
            ':' | 'b' | 'C' | 'd' | 'D' | 'l' | 'L' | 'P' | 'R' | 'v' | 'W' | 'z' => {}
            'a' => self.cpus += cpus(text)?,
            'B' => self.bounds(text, seen)?,
            'c' => self.size = Some(self.size_of(text)?),
            'e' => {
                let events = "PROCESS THREAD IMAGE_LOAD DISK_IO MEMORY_PAGE_FAULTS MEMORY_HARD_FAULTS NETWORK REGISTRY";
                let is = text.starts_with(['p', 'q', 's', 'c'])
                    || events.split(' ').any(|event| event == text);
                is.then_some(())?;
            }
            'f' if text.starts_with(|c: char| c.is_ascii_digit()) => {
                (!std::mem::replace(&mut seen.max, true)).then_some(())?;
                self.max = self.size_of(text)?;
            }
            'f' => (!text.is_empty() && text.chars().all(|c| "rst".contains(c))).then_some(())?,
            'F' => self.all_threads = above_0(text)?,
            'g' => {
                let is_iops = text.ends_with('i');
                (is_iops || text.ends_with(|c: char| c.is_ascii_digit())).then_some(())?;
                self.limit = Some((above_0(text)?, is_iops));
            }
            'h' => self.cache("h", seen, true)?,
            'S' if text.is_empty() => self.cache("u", seen, false)?,
            'S' => self.cache(text, seen, false)?,
            'i' => self.burst = above_0(text)?,
            'j' => self.think = above_0(text)?,
            'I' => (1..4).contains(&atoi(text)).then_some(())?,
            'n' => self.unpinned = true,
            'N' => {
                matches!(text, "v" | "n" | "i").then_some(())?;
                self.flushed = true;
            }
            'o' => self.depth = above_0(text)?,
            'O' => self.all_depth = above_0(text)?,
            'p' => self.parallel = true,
            'r' => self.random_order(text)?,
            's' => self.order(text)?,
            't' => self.threads = above_0(text)?,
            'T' => self.apart = self.size_of(text).filter(|n| *n > 0)?,
            'w' => {
                let n = u64::try_from(atoi(text))
                    .ok()
                    .filter(|n| *n <= 100 && !text.is_empty())?;
                self.writes = n;
            }
            'x' => self.routines = true,
            'y' => text.starts_with(['s', 'f', 'r', 'p', 'e']).then_some(())?,
            'Z' => match text {
                "" => self.zero = true,
                "r" => {}
                _ => self.source = Some(self.size_of(text.split(',').next()?).filter(|n| *n > 0)?),
            },
            _ => return None,
        }
        Some(())
    }

    fn bounds(&mut self, text: &str, seen: &mut Seen) -> Option<()> {
        (!std::mem::replace(&mut seen.base, true)).then_some(())?;
        let (base, rest) = self.size_and_rest(text)?;
        self.base = base;
        if rest.is_empty() {
            return Some(());
        }
        let length = self.size_of(rest.strip_prefix(':')?)?;
        (!std::mem::replace(&mut seen.max, true)).then_some(())?;
        self.max = base.checked_add(length)?;
        Some(())
    }

    fn cache(&mut self, letters: &str, seen: &mut Seen, old: bool) -> Option<()> {
        for letter in letters.chars() {
            let kind = match letter {
                'b' => Some(Cached::Yes),
                'h' | 'u' => Some(Cached::No),
                'r' => Some(Cached::NotHere),
                'm' | 'w' => None,
                _ => return None,
            };
            let unbuffered = kind == Some(Cached::No) && !old;
            let clash = (kind.is_some() && self.uncached.is_some())
                || (matches!(letter, 'h' | 'w') && self.through)
                || (unbuffered && self.mapped)
                || (letter == 'm' && (self.mapped || self.uncached == Some(Cached::No)));
            (!clash).then_some(())?;
            self.uncached = kind.or(self.uncached);
            self.through |= matches!(letter, 'h' | 'w');
            self.mapped |= letter == 'm';
        }
        seen.cache = true;
        Some(())
    }

    fn random_order(&mut self, text: &str) -> Option<()> {
        let aligned = self.align.is_some_and(|n| n > 0);
        if let Some(percent) = text.strip_prefix('s') {
            let n = u64::try_from(atoi(percent))
                .ok()
                .filter(|n| (1..=100).contains(n))?;
            let is_sequential = self.random == 0 && aligned;
            (!is_sequential && matches!(self.random, 0 | 100)).then_some(())?;
            self.random = n;
        } else if let Some(ranges) = text.strip_prefix('d') {
            self.ranges = Some(self.distribution(ranges)?);
        } else {
            let align = if text.is_empty() {
                self.block
            } else {
                self.size_of(text)?
            };
            (align > 0 && !aligned).then_some(())?;
            self.random = if self.random == 0 { 100 } else { self.random };
            self.align = Some(align);
        }
        Some(())
    }

    fn order(&mut self, text: &str) -> Option<()> {
        let stride = text.strip_prefix('i');
        self.interlocked |= stride.is_some();
        (self.random == 0 && self.align.is_none_or(|n| n == 0)).then_some(())?;
        let text = stride.unwrap_or(text);
        self.align = Some(if text.is_empty() {
            self.block
        } else {
            self.size_of(text)?
        });
        Some(())
    }

    fn distribution(&self, text: &str) -> Option<(bool, Vec<(u64, u64)>)> {
        let absolute = text.starts_with("abs");
        let text = text.strip_prefix("abs").or(text.strip_prefix("pct"))?;
        let part = |part: &str| {
            let (percent, rest) = digits(part)?;
            let reach = rest.strip_prefix('/')?;
            let reach = match absolute {
                true => self.size_of(reach)?,
                false => {
                    digits(reach)
                        .filter(|(n, rest)| rest.is_empty() && *n <= 100)?
                        .0
                }
            };
            (percent <= 100 && reach > 0).then_some((percent, reach))
        };
        let mut ranges = text.split(':').map(part).collect::<Option<Vec<_>>>()?;
        let sum: u64 = ranges.iter().map(|(percent, _)| percent).sum();
        let reach: u64 = ranges.iter().map(|(_, reach)| reach).sum();
        if sum < 100 {
            ranges.push((
                100 - sum,
                if absolute {
                    0
                } else {
                    100u64.saturating_sub(reach)
                },
            ));
        }
        Some((absolute, ranges))
    }

    /// True where nothing speaks against the settings together.
    fn holds(&self) -> bool {
        let pool = self.all_threads > 0 && self.all_depth > 0;
        let several = self.all_threads > 1 || self.threads > 1;
        let random = self.random > 0;
        let wrong = (self.unpinned && self.cpus > 0)
            || (self.all_threads > 0 && self.threads > 1)
            || (self.limit.is_some() && self.routines)
            || ((self.think == 0) != (self.burst == 0))
            || (pool && (self.limit.is_some() || self.think > 0 || self.parallel))
            || (random && (self.apart > 0 || self.interlocked || self.parallel))
            || (!random && self.ranges.is_some())
            || (!random && self.interlocked && (self.apart > 0 || self.parallel))
            || (!random && !self.interlocked && !several && self.apart > 0)
            || self.source.is_some_and(|n| n < self.block)
            || (self.mapped && (self.routines || self.uncached == Some(Cached::No)))
            || (self.flushed && !self.mapped)
            || (self.max > 0 && self.max <= self.base);
        !wrong
            && self
                .ranges
                .as_ref()
                .is_none_or(|(absolute, ranges)| self.spreads(*absolute, ranges))
    }

    fn spreads(&self, absolute: bool, ranges: &[(u64, u64)]) -> bool {
        let (mut ios, mut reach) = (0, 0);
        for (at, (percent, length)) in ranges.iter().enumerate() {
            ios += percent;
            reach += length;
            let last = at + 1 == ranges.len();
            let short = absolute && *length < self.block && !(*length == 0 && last);
            let covered = !absolute && (reach > 100 || (reach == 100 && ios < 100));
            if ios > 100 || short || covered {
                return false;
            }
        }
        absolute || reach == 100
    }
}

/// Flags that may be said once.
#[derive(Default)]
struct Seen {
    base: bool,
    max: bool,
    cache: bool,
}

/// Number of CPUs that `-a` names.
fn cpus(text: &str) -> Option<usize> {
    if matches!(text, "" | "g") {
        return Some(0);
    }
    let mut count = 0;
    let mut parts = text.split(',').peekable();
    while let Some(part) = parts.next() {
        match part.strip_prefix('g') {
            Some(group) => {
                group.parse::<u16>().ok()?;
                parts.peek()?;
            }
            None => {
                part.parse::<u8>().ok()?;
                count += 1;
            }
        }
    }
    Some(count)
}

/// Settings that DiskSPD makes of a command line; `None` where it refuses it.
pub fn read(words: &[String]) -> Option<Settings> {
    let is_flag = |word: &&String| word.starts_with('-');
    let flags: Vec<&String> = words.iter().take_while(is_flag).collect();
    let targets = &words[flags.len()..];
    if targets.is_empty() || targets.iter().any(|word| word.starts_with('-')) {
        return None;
    }
    let (mut settings, mut seen) = (Settings::default(), Seen::default());
    let parts = |word: &&String| {
        let letter = word[1..].chars().next()?;
        Some((letter, word[1 + letter.len_utf8()..].to_string()))
    };
    let flags = flags.iter().map(parts).collect::<Option<Vec<_>>>()?;
    for (letter, text) in &flags {
        settings.first(*letter, text)?;
    }
    for (letter, text) in &flags {
        settings.second(*letter, text, &mut seen)?;
    }
    let is_template = |path: &String| path.starts_with('*');
    let first = targets.first().is_some_and(is_template);
    (settings.holds() && (settings.only || !first)).then_some(settings)
}
