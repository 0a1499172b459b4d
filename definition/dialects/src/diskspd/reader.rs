//! Flag by flag, from a command line into types.

use super::complaints::Complaints;
use super::model::{Cache, Format, Profile, Seed, Source, Target, Throughput, TimeSpan};
use super::size::{self, leading_size};
use super::{affinity, codes};
use plimsoll_diagnostic::{Diagnostic, Span};

/// What flags have said so far: one test, and what all of its targets have in common.
#[derive(Default)]
pub(super) struct Reader {
    pub profile: Profile,
    pub span: TimeSpan,
    pub target: Target,
    /// `-h` and `-S`, which may each be said once.
    pub given: Given,
    pub complaints: Complaints,
}

/// What may be said once.
#[derive(Default)]
pub(super) struct Given {
    cache: Option<Span>,
    write_through: Option<Span>,
    max: Option<Span>,
}

/// One flag as it was written.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    /// All of it.
    pub text: &'a str,
    /// What stands behind its letter.
    pub value: &'a str,
    pub at: Span,
}

impl Reader {
    /// Reads a flag that DiskSPD has.
    pub fn read(&mut self, letter: char, word: Word<'_>) {
        match letter {
            'd' | 'W' | 'C' | 'D' | 'i' | 'j' | 'P' => self.time(letter, word),
            't' | 'o' | 'O' | 'F' | 'I' => self.number(letter, word),
            'b' | 'B' | 'c' | 'f' | 'T' => self.place(letter, word),
            'r' => self.random(word),
            's' => self.sequential(word),
            'S' => self.caching(word),
            'h' => self.cache(word, Some(Cache::DisableOs), true),
            'w' => self.writes(word),
            'g' => self.limit(word),
            'Z' => self.content(word),
            'R' => self.format(word),
            _ => self.switch(letter, word),
        }
    }

    pub(super) fn wrong(&mut self, word: Word<'_>, why: impl std::fmt::Display) {
        let message = format!("`{}` cannot be read: {why}", word.text);
        self.complaints
            .add(Diagnostic::error(codes::VALUE, message).at(word.at, ""));
    }

    pub(super) fn twice(&mut self, word: Word<'_>, before: Span, what: &str) {
        let message = format!("`{}` says {what} a second time, or otherwise", word.text);
        let diagnostic = Diagnostic::error(codes::TWICE, message);
        self.complaints
            .add(diagnostic.at(word.at, "").at(before, "said here before"));
    }

    /// A count of at least `least`, as C's atoi reads it.
    fn count(&mut self, word: Word<'_>, least: i64) -> Option<u32> {
        let Some((n, rest)) = size::count(word.value) else {
            self.wrong(word, "the number has more than 31 bits");
            return None;
        };
        if rest == word.value && least > 0 {
            self.wrong(word, "a number has to be joined to it");
            return None;
        }
        if n < least {
            self.wrong(word, format!("the number has to be {least} at least"));
            return None;
        }
        if !rest.is_empty() {
            let message = format!("`{}` is read as {n}: DiskSPD ignores `{rest}`", word.text);
            self.complaints
                .add(Diagnostic::warning(codes::TRAILING, message).at(word.at, ""));
        }
        u32::try_from(n).ok()
    }

    pub(super) fn size(&mut self, word: Word<'_>, text: &str) -> Option<u64> {
        if text.is_empty() {
            self.wrong(word, "a size has to be joined to it, as in -b4K");
            return None;
        }
        match size::size(text, u64::from(self.target.block)) {
            Ok(size) => Some(size),
            Err(error) => {
                self.wrong(word, error);
                None
            }
        }
    }

    fn time(&mut self, letter: char, word: Word<'_>) {
        // -D alone, and -P alone, have their defaults.
        let least = i64::from(matches!(letter, 'i' | 'j'));
        let Some(n) = self.count(word, least) else {
            return;
        };
        let (span, target) = (&mut self.span, &mut self.target);
        match letter {
            'd' => {
                span.duration_s = n;
                span.origins.note("for", word.at);
            }
            'W' => {
                span.warmup_s = n;
                span.origins.note("warmup", word.at);
            }
            'C' => {
                span.cooldown_s = n;
                if n > 0 {
                    span.origins.note("-C", word.at);
                }
            }
            'D' => {
                span.iops_std_dev = true;
                span.bucket_ms = if n > 0 { n } else { span.bucket_ms };
                span.origins.note("interval", word.at);
            }
            'i' => {
                target.burst = n;
                target.origins.note("think", word.at);
            }
            'j' => {
                target.think_ms = n;
                target.origins.note("think", word.at);
            }
            _ => {
                self.profile.progress = if n > 0 { n } else { 65536 };
                self.profile.origins.note("-P", word.at);
            }
        }
    }

    fn number(&mut self, letter: char, word: Word<'_>) {
        let Some(n) = self.count(word, 1) else {
            return;
        };
        let (span, target) = (&mut self.span, &mut self.target);
        match letter {
            't' => {
                target.threads = n;
                target.origins.note("workers", word.at);
            }
            'o' => {
                target.requests = n;
                target.origins.note("depth", word.at);
            }
            'O' => {
                span.request_count = n;
                span.origins.note("depth", word.at);
            }
            'F' => {
                span.thread_count = n;
                span.origins.note("workers", word.at);
            }
            _ if n > 3 => self.wrong(word, "priorities are 1, 2 and 3"),
            _ => {
                target.priority = n;
                if n != 3 {
                    target.origins.note("-I", word.at);
                }
            }
        }
    }

    fn place(&mut self, letter: char, word: Word<'_>) {
        match letter {
            // It was read first: it is the unit of the others.
            'b' => {}
            'B' => self.base(word),
            'c' => {
                if let Some(size) = self.size(word, word.value) {
                    self.target.file_size = Some(size);
                    self.target.origins.note("size", word.at);
                }
            }
            'f' if word.value.starts_with(|c: char| c.is_ascii_digit()) => {
                if let Some(before) = self.given.max {
                    return self.twice(word, before, "where the part that is used ends");
                }
                if let Some(size) = self.size(word, word.value) {
                    self.target.max = size;
                    self.given.max = Some(word.at);
                    self.target.origins.note("range", word.at);
                }
            }
            'f' => self.hints(word),
            _ => match self.size(word, word.value) {
                Some(0) => self.wrong(word, "threads that begin 0 bytes apart begin together"),
                Some(stride) => {
                    self.target.thread_stride = stride;
                    self.target.origins.note("access", word.at);
                    self.target.origins.note("-T", word.at);
                }
                None => {}
            },
        }
    }

    /// `-b`, before all others.
    pub fn block(&mut self, word: Word<'_>) {
        match self.size(word, word.value) {
            Some(0) => self.wrong(word, "I/Os of 0 bytes do nothing"),
            // The largest number of 32 bits is one too many, too.
            Some(size) => match u32::try_from(size) {
                Ok(size) if size < u32::MAX => {
                    self.target.block = size;
                    self.target.origins.note("block", word.at);
                }
                _ => self.wrong(word, "an I/O is smaller than 4 GiB"),
            },
            None => {}
        }
    }

    fn hints(&mut self, word: Word<'_>) {
        if word.value.is_empty() {
            return self.wrong(word, "a size or hints have to be joined to it");
        }
        for hint in word.value.chars() {
            match "rst".find(hint) {
                Some(at) => self.target.hints[at] = true,
                None => return self.wrong(word, "hints are r, s and t"),
            }
        }
        self.target.origins.note("-fr", word.at);
    }

    fn base(&mut self, word: Word<'_>) {
        if let Some(before) = self.target.origins.of("-B") {
            return self.twice(word, before, "where the part that is used begins");
        }
        let (base, rest) = match leading_size(word.value, u64::from(self.target.block)) {
            Ok(found) => found,
            Err(error) => return self.wrong(word, error),
        };
        self.target.base = base;
        self.target.origins.note("-B", word.at);
        self.target.origins.note("range", word.at);
        let Some(length) = rest.strip_prefix(':') else {
            if !rest.is_empty() {
                self.wrong(
                    word,
                    format!("`{rest}` stands behind the base; `:` parts it from a length"),
                );
            }
            return;
        };
        if let Some(before) = self.given.max {
            return self.twice(word, before, "where the part that is used ends");
        }
        let Some(length) = self.size(word, length) else {
            return;
        };
        match base.checked_add(length) {
            Some(end) => {
                self.target.max = end;
                self.given.max = Some(word.at);
            }
            None => self.wrong(word, "base and length are more than 64 bits hold"),
        }
    }

    fn caching(&mut self, word: Word<'_>) {
        if word.value.is_empty() {
            return self.cache(word, Some(Cache::DisableOs), false);
        }
        for letter in word.value.chars() {
            match letter {
                'b' => self.cache(word, Some(Cache::Cached), false),
                'u' | 'd' => self.cache(word, Some(Cache::DisableOs), false),
                'r' => {
                    self.cache(word, Some(Cache::DisableLocal), false);
                    self.target.origins.note("-Sr", word.at);
                }
                'h' => self.cache(word, Some(Cache::DisableOs), true),
                'w' => self.cache(word, None, true),
                's' => {
                    self.cache(word, None, true);
                    self.target.sync = true;
                }
                'm' if self.target.mapped || self.target.cache == Cache::DisableOs => {
                    self.wrong(word, "it conflicts with what was said of the cache before");
                }
                'm' => {
                    self.target.mapped = true;
                    self.target.origins.note("-Sm", word.at);
                }
                other => self.wrong(
                    word,
                    format!("`{other}` is none of b, h, m, r, u, w, and d, s of the Linux port"),
                ),
            }
        }
    }

    /// A word about the cache, and one about writes; each may be said once.
    fn cache(&mut self, word: Word<'_>, cache: Option<Cache>, through: bool) {
        let before = cache
            .and(self.given.cache)
            .or(self.given.write_through.filter(|_| through));
        if let Some(before) = before {
            return self.twice(word, before, "what is cached");
        }
        if cache == Some(Cache::DisableOs) && self.target.mapped {
            return self.wrong(word, "mapped I/O goes through the cache");
        }
        if let Some(cache) = cache {
            self.target.cache = cache;
            self.given.cache = Some(word.at);
            self.target.origins.note("caching", word.at);
        }
        if through {
            self.target.write_through = true;
            self.given.write_through = Some(word.at);
            self.target.origins.note("durability", word.at);
        }
    }

    fn writes(&mut self, word: Word<'_>) {
        if word.value.is_empty() {
            return self.wrong(word, "the percentage of writes has to be joined to it");
        }
        match self.count(word, 0) {
            Some(percent @ 0..=100) => {
                self.target.write_percent = percent;
                self.target.origins.note("read", word.at);
            }
            Some(_) => self.wrong(word, "the percentage of writes is from 0 to 100"),
            None => {}
        }
    }

    fn limit(&mut self, word: Word<'_>) {
        let number = word.value.strip_suffix('i');
        let inner = Word {
            value: number.unwrap_or(word.value),
            ..word
        };
        let digits = inner.value.bytes().all(|b| b.is_ascii_digit());
        if !digits || inner.value.is_empty() {
            return self.wrong(
                word,
                "it is a number of bytes per millisecond, or one of I/Os per second and an `i`",
            );
        }
        if let Some(n) = self.count(inner, 1) {
            self.target.throughput = Some(match number {
                Some(_) => Throughput::Iops(n),
                None => Throughput::BytesPerMs(n),
            });
            self.target.origins.note("max_rate", word.at);
            self.target.origins.note("max_bandwidth", word.at);
        }
    }

    fn content(&mut self, word: Word<'_>) {
        match word.value {
            "" | "z" => self.target.zero = true,
            "r" => self.span.random_write_data = true,
            "s" => self.target.origins.note("-Zs", word.at),
            text => {
                let (size, file) = match text.split_once(',') {
                    Some((size, file)) => (size, Some(file)),
                    None => (text, None),
                };
                match self.size(word, size) {
                    Some(0) => return self.wrong(word, "a buffer of 0 bytes holds nothing"),
                    Some(size) => {
                        let file = file.filter(|f| !f.is_empty()).map(str::to_string);
                        self.target.source = Some(Source { size, file });
                    }
                    None => return,
                }
            }
        }
        self.target.origins.note("content", word.at);
    }

    fn format(&mut self, word: Word<'_>) {
        let (only, form) = match word.value.strip_prefix('p') {
            Some(form) => (true, form),
            None => (false, word.value),
        };
        match form {
            "xml" => self.profile.format = Format::Xml,
            "text" => self.profile.format = Format::Text,
            "" if only => {}
            _ => return self.wrong(word, "results are text or xml"),
        }
        self.profile.profile_only |= only;
        self.profile.origins.note("-R", word.at);
    }

    fn switch(&mut self, letter: char, word: Word<'_>) {
        match letter {
            'n' => {
                self.span.disable_affinity = true;
                self.span.origins.note("pin", word.at);
            }
            'L' => self.span.measure_latency = true,
            'p' => {
                self.target.parallel = true;
                self.target.origins.note("-p", word.at);
            }
            'l' => {
                self.target.large_pages = true;
                self.target.origins.note("-l", word.at);
            }
            'x' => {
                self.span.completion_routines = true;
                self.span.origins.note("-x", word.at);
            }
            'a' => match affinity::cpus(word.value) {
                Ok(cpus) if cpus.is_empty() => self.span.origins.note("-ag", word.at),
                Ok(cpus) => {
                    self.span.affinity.extend(cpus);
                    self.span.origins.note("pin", word.at);
                }
                Err(why) => self.wrong(word, why),
            },
            'N' => match word.value.to_ascii_lowercase().as_str() {
                "v" | "n" | "i" => {
                    self.target.flush = Some(word.value.to_ascii_lowercase());
                    self.target.origins.note("-N", word.at);
                }
                _ => self.wrong(word, "it is -Nv, -Nn or -Ni"),
            },
            'v' => match word.value {
                "" => {
                    self.profile.verbose = true;
                    self.profile.origins.note("-v", word.at);
                }
                "s" => {
                    self.profile.verbose_stats = true;
                    self.profile.origins.note("-vs", word.at);
                }
                _ => self.wrong(word, "it is -v or -vs"),
            },
            'z' => match (word.value, word.value.parse()) {
                ("", _) => self.span.seed = Seed::Clock,
                (_, Ok(seed)) => self.span.seed = Seed::Number(seed),
                _ => self.wrong(word, "the seed is a number of 32 bits"),
            },
            'e' if !is_traced(word.value) => self.wrong(word, "it is none of DiskSPD's events"),
            'y' if !word.value.starts_with(['s', 'f', 'r', 'p', 'e']) => {
                self.wrong(word, "it is -ys, -yf, -yr, -yp or -ye, and a name");
            }
            // What has no effect, and what is refused, is judged where all that was said is known.
            _ => self.profile.origins.note(format!("-{letter}"), word.at),
        }
    }
}

/// True for what `-e` takes: how time is told, by the first letter, or what is traced.
fn is_traced(what: &str) -> bool {
    let events = [
        "PROCESS",
        "THREAD",
        "IMAGE_LOAD",
        "DISK_IO",
        "MEMORY_PAGE_FAULTS",
        "MEMORY_HARD_FAULTS",
        "NETWORK",
        "REGISTRY",
    ];
    what.starts_with(['p', 'q', 's', 'c']) || events.contains(&what)
}
