//! What DiskSPD checks after it has read everything, with its verdicts.

use super::complaints::Complaints;
use super::model::{Cache, Profile, Target, TimeSpan};
use super::{codes, distribution, template};
use plimsoll_diagnostic::{Diagnostic, Span};

/// Checks all targets; of a command line, where all have the same settings, only the first.
pub(super) fn check(profile: &Profile, from_file: bool, complaints: &mut Complaints) {
    for span in &profile.spans {
        if span.disable_affinity && !span.affinity.is_empty() {
            let at = span.origins.of("pin");
            complaints.add(error(
                codes::CONFLICT,
                "-n and -a, pinning no thread and these CPUs, exclude each other",
                at,
            ));
        }
        if span.iops_std_dev && span.bucket_ms == 0 {
            let at = span.origins.of("interval");
            complaints.add(error(codes::VALUE, "an interval of 0 ms is none", at));
        }
        let some = if from_file { span.targets.len() } else { 1 };
        for target in span.targets.iter().take(some) {
            let mut checker = Checker {
                span,
                target,
                complaints,
            };
            checker.threads();
            checker.pool();
            checker.order();
            checker.rest();
        }
        for target in &span.targets {
            if !profile.profile_only && template::number(&target.path).is_some() {
                let message = format!("template `{}` has no path to take its place", target.path);
                let complaint = error(codes::TEMPLATE, &message, target.origins.of("path"));
                complaints
                    .add(complaint.help("name the paths behind the profile, the first for *1"));
            }
        }
    }
}

fn error(code: &str, message: &str, at: Option<Span>) -> Diagnostic {
    Diagnostic::error(code, message).at_known(at)
}

/// Errors as lines: what is wrong, the field, and the message.
macro_rules! unless {
    ($checker:ident; $($wrong:expr => $field:literal, $message:expr;)*) => { $($checker.unless($wrong, $field, $message);)* };
}

struct Checker<'a, 'c> {
    span: &'a TimeSpan,
    target: &'a Target,
    complaints: &'c mut Complaints,
}

impl Checker<'_, '_> {
    /// An error where `wrong`, at the place of a field.
    fn unless(&mut self, wrong: bool, field: &str, message: &str) {
        if wrong {
            let at = self.target.at(field).or(self.span.origins.of("span"));
            self.complaints.add(error(codes::CONFLICT, message, at));
        }
    }

    fn worth(&mut self, so: bool, field: &str, message: &str) {
        if so {
            let warning = Diagnostic::warning(codes::WORTH_KNOWING, message);
            self.complaints.add(warning.at_known(self.target.at(field)));
        }
    }

    fn threads(&mut self) {
        let (span, target) = (self.span, self.target);
        unless! { self;
            span.thread_count > 0 && target.threads > 1 => "workers", "-F, threads of all targets, and -t, threads of each, exclude each other";
            target.throughput.is_some() && span.completion_routines => "max_rate", "a limit (-g) does not go with completion routines (-x)";
            (target.think_ms == 0) != (target.burst == 0) => "think", "bursts (-i) and the pause after them (-j) need each other";
            target.block == 0 => "block", "I/Os of 0 bytes do nothing";
            target.requests == 0 => "depth", "no outstanding I/O does nothing";
            span.thread_count == 0 && target.threads == 0 => "workers", "no thread does nothing";
            !(1..=3).contains(&target.priority) => "-I", "priorities are 1, 2 and 3";
        }
    }

    /// Threads that have their outstanding I/Os for all targets together.
    fn pool(&mut self) {
        let (span, target) = (self.span, self.target);
        if !span.is_pool() {
            return self.unless(
                !target.thread_targets.is_empty(),
                "path",
                "ThreadTargets need a ThreadCount and a RequestCount of the time span",
            );
        }
        let with = "does not go with outstanding I/Os of each thread (-O)";
        unless! { self;
            target.throughput.is_some() => "max_rate", &format!("a limit (-g) {with}");
            target.think_ms > 0 => "think", &format!("a pause after bursts (-j) {with}");
            target.parallel => "-p", &format!("-p {with}");
            target.weight == 0 => "share", "a target needs a Weight above 0";
        }
        let most = span.thread_count;
        let beyond = target
            .thread_targets
            .iter()
            .any(|(thread, _)| *thread >= most);
        self.unless(
            beyond,
            "path",
            "a ThreadTarget names a thread that there is not",
        );
    }

    fn order(&mut self) {
        let target = self.target;
        let apart = target.thread_stride > 0;
        let many = self.span.thread_count > 1 || target.threads > 1;
        if target.random_percent > 0 {
            unless! { self;
                apart => "-T", "-T is for I/Os in order, and -r asks for random ones";
                target.interlocked => "-si", "-si is for I/Os in order, and -r asks for random ones";
                target.parallel => "-p", "-p is for I/Os in order, and -r asks for random ones";
            }
            return;
        }
        self.unless(
            target.distribution.is_some(),
            "distribution",
            "a distribution (-rd) is of random I/Os, and these go in order",
        );
        self.worth(
            target.parallel && target.requests == 1,
            "-p",
            "-p does nothing unless there are several outstanding I/Os (-o)",
        );
        if target.interlocked {
            unless! { self;
                apart => "-T", "-si and -T exclude each other";
                target.parallel => "-p", "-si and -p exclude each other";
            }
            self.worth(
                !many,
                "-si",
                "one thread alone has nobody to share its order with: -si does nothing",
            );
            return;
        }
        self.worth(
            many && !apart,
            "access",
            "each thread walks through the target by itself, all from the same place, so that the storage sees no sequence; -si is one sequence of all",
        );
        self.unless(
            !many && apart,
            "-T",
            "-T is how far apart threads begin, and there is only one",
        );
    }

    fn rest(&mut self) {
        let (span, target) = (self.span, self.target);
        if let Err(why) = distribution::check(target) {
            let message = format!("the distribution cannot be: {why}");
            let complaint = error(codes::DISTRIBUTION, &message, target.at("distribution"));
            self.complaints.add(complaint);
        }
        let small = target
            .source
            .as_ref()
            .is_some_and(|s| s.size > 0 && s.size < u64::from(target.block));
        unless! { self;
            small => "content", "the buffer that blocks are written from (-Z) is smaller than a block";
            target.mapped && span.completion_routines => "-Sm", "mapped I/O (-Sm) does not go with completion routines (-x)";
            target.mapped && target.cache == Cache::DisableOs => "-Sm", "mapped I/O (-Sm) goes through the cache, and -Su goes around it";
            !target.mapped && target.flush.is_some() => "-N", "how mapped I/O is flushed (-N) needs mapped I/O (-Sm)";
        }
        if target.max > 0 && target.max <= target.base {
            let message = format!(
                "the part that is used begins at {} and ends at {}",
                target.base, target.max
            );
            let complaint = error(codes::RANGE, &message, target.at("range"));
            self.complaints
                .add(complaint.help("let it end (-f) behind its base (-B)"));
        }
    }
}
