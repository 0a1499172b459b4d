//! The command line: every flag once. Help, man pages and completions derive from it.

mod audit;
mod check;
mod convert;
mod direct;
mod doctor;
mod fleet;
mod help;
mod lab;
mod methods;
mod offered;
mod records;
mod rules;
mod serve;
mod tools;
mod trust;

pub use audit::AuditArgs;
pub use check::CheckArgs;
pub use convert::ConvertArgs;
pub use direct::{DirectArgs, PointsArgs};
pub use doctor::DoctorArgs;
pub use fleet::{AgentArgs, HostsArgs, ServerArgs, TogetherArgs, WhenLost};
pub use help::command;
pub use lab::{FitArgs, LabCommand, PersonaArgs, ServeArgs, TlsWhen};

pub use methods::{DisturbArgs, FingerprintArgs, PtsArgs, SaturateArgs, SoakArgs, SweepArgs};

pub use records::{CompareArgs, ExportArgs, RecordsArgs, ReportArgs, Rows, ShowArgs, WatchArgs};
pub use rules::{ExplainArgs, LintArgs, LintFormat};
pub use serve::{CleanArgs, ShelfArgs};
pub use tools::{DiskspdArgs, FioArgs, VdbenchArgs};
pub use trust::{HeroArgs, ProbeArgs};

use self::offered::Offered;
use crate::exit;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use plimsoll_dialects::Dialect;
use plimsoll_plan::Claim;
use std::path::PathBuf;

/// Finds how much load storage really carries, and proves that the number is real.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, about, long_about = None, after_help = exit::WORDS, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure what a definition says, or a target with flags
    #[command(
        after_help = "Examples:\n  plimsoll run oltp.toml\n  plimsoll run -f oltp.parm lun=/dev/disk/by-id/wwn-0x5000c500a1b2c3d4\n  \
                      plimsoll run /dev/sdx --read 70 --block 8k --rate max --for 30s --workers 2 --depth 32\n  \
                      plimsoll run null:64GiB --for 5s"
    )]
    Run(RunArgs),
    /// Measure a curve: the maximum first, then percentages of it
    #[command(
        after_help = "Examples:\n  plimsoll curve /dev/sdx --block 8k --depth 64 --slo p99=2ms\n  plimsoll curve curve.toml\n  plimsoll curve /dev/sdx --block 8k --slo mean=1ms --budget 3m"
    )]
    Curve(CurveArgs),
    /// Find the least concurrency that carries nearly the most, for each mix and transfer size
    #[command(
        after_help = "Examples:\n  plimsoll saturate /dev/sdx --for 10s --destroy ID\n  plimsoll saturate /dev/sdx --reads 100 --blocks 4k,64k --depth 512"
    )]
    Saturate(SaturateArgs),
    /// Find out what a target is, from load alone: slices, owners, caches, what it does with data
    #[command(
        after_help = "It takes at most five minutes of I/O, and only reads unless --destroy allows more. What could not be told is said \
                      so, with the reason.\n\nExamples:\n  plimsoll fingerprint /dev/sdx\n  plimsoll fingerprint lab:scale-out-flash-8 --json"
    )]
    Fingerprint(FingerprintArgs),
    /// Hold one load for a long time: is it carried all the while, or is there a cliff?
    #[command(
        after_help = "Examples:\n  plimsoll soak /dev/sdx --read 0 --block 8k --rate 20k --for 18h --destroy ID\n  plimsoll soak soak.toml --overwrites 3"
    )]
    Soak(SoakArgs),
    /// Measure how the result depends on parameters: a matrix, repeated, in an order that time cannot favour
    #[command(
        after_help = "Lists are the matrix: --block 4k,64k --depth 1,8,32 has six cells.\n\nExamples:\n  plimsoll sweep /dev/sdx --block 4k,8k,64k --depth 1,8,32 --repeats 5\n  plimsoll sweep /dev/sdx --over reduction --read 0 --destroy ID"
    )]
    Sweep(SweepArgs),
    /// Disturb a constant load: what does the application notice when a path, a controller or a disk goes?
    #[command(
        after_help = "Examples:\n  plimsoll disturb 'lab:scale-out-flash-8?size=1g' --at 30s --do-fault 'path-down path=0 silent=true' \
                      --undo-at 90s --undo-fault 'path-up path=0'\n  plimsoll disturb /dev/mapper/lun --at 30s --do 'ip link set eth1 down' \
                      --undo-at 60s --undo 'ip link set eth1 up' --times 5 --allow-commands"
    )]
    Disturb(DisturbArgs),
    /// Run the tests of SNIA's performance test specification: rounds until five are steady
    #[command(
        after_help = "Its mixes, block sizes and orders are the specification's, whatever the workload says. The range, the depth and what is \
                      written are the workload's.\n\nExamples:\n  plimsoll pts /dev/sdx --tests iops,latency --purged --destroy ID\n  \
                      plimsoll pts ./test.dat --size 1g --scale 60"
    )]
    Pts(PtsArgs),
    /// Go on with a run that was killed, interrupted or failed, from its record
    #[command(
        after_help = "Steps that were done stay; the one that was cut off is measured again. The record goes on in its place.\n\n\
                      Example:\n  plimsoll resume plimsoll-20260521-081500.plim"
    )]
    Resume(ResumeArgs),
    /// Go on with a run of several hosts whose controller was killed, while the hosts still wait for one
    #[command(
        after_help = "The hosts finish their step and wait as long as the run's --lease. What they measured meanwhile comes from their own \
                      records.\n\nExample:\n  plimsoll attach plimsoll-20260521-081500.plim"
    )]
    Attach(ResumeArgs),
    /// Keep the nats-server of a run, as standard input says
    #[command(hide = true)]
    KeepServer,
    /// Print what a definition would do, without any I/O to its targets
    Plan(PlanArgs),
    /// Write a definition in another dialect: our own always, Vdbench's and fio's where they have words for it
    #[command(
        after_help = "What a dialect has no word for is named with the place where it was written, and nothing is written.\n\n\
                      Examples:\n  plimsoll convert job.fio --to toml -o job.toml\n  plimsoll convert old.parm lun=/dev/sdx --to fio\n  \
                      plimsoll convert --to toml -- diskspd -b8K -d60 -o32 -t4 -r -w30 /mnt/x/test.dat"
    )]
    Convert(ConvertArgs),
    /// Find in a definition what would make its result false, before any I/O
    #[command(
        after_help = "Exit codes: 0 clean, or suspect and notes; 1 something invalid for the claim, with --strict suspect too; 2 the \
                      definition cannot be read.\n\nExamples:\n  plimsoll lint oltp.toml\n  plimsoll lint -f oltp.parm --format sarif > lint.sarif\n  \
                      plimsoll lint oltp.toml --claim device --strict"
    )]
    Lint(LintArgs),
    /// Say of figures without a log whether they can be true: a data sheet, a talk, a mail
    #[command(
        after_help = "It is arithmetic alone: rate and time against the I/Os that could be out, bytes against the ports, each claim of a \
                      text against the others. What is not said is listed, and words that say nothing are named.\n\nExit codes: 0 can be \
                      true, with notes and doubts; 1 cannot be, with --strict suspect too; 2 no rate was found.\n\nExamples:\n  plimsoll \
                      check \"264000 at 1.15ms, 4k, jobs=8 depth=10, 4 hosts, 8 x 8Gb FC\"\n  plimsoll check --iops 455k --latency 1.4ms \
                      --jobs 10 --depth 16 --hosts 4\n  plimsoll check \"4k: 200,000 IOPS at 1.28 ms; 8k: 264,000 IOPS at 0.97 ms\""
    )]
    Check(CheckArgs),
    /// Find what in this host's setup would make a storage result false
    #[command(
        after_help = "It reads and changes nothing: the commands that it prints are for you. What cannot be read is not observable, \
                      and never taken for healthy.\n\nExit codes: 0 nothing, or notes and doubts; 1 something invalid, with --strict suspect \
                      too; 2 could not look.\n\nExamples:\n  plimsoll doctor\n  plimsoll doctor /dev/sdx --strict"
    )]
    Doctor(DoctorArgs),
    /// Make a result look wonderful by every trick of the trade, and see whether the audit names each
    #[command(
        after_help = "It measures the target honestly, then with each trick, and has each of these runs judged. Tricks that write are \
                      played where --destroy names the target; a simulated LUN needs none.\n\nExit codes: 0 the audit named each trick \
                      that was played; 1 it missed one; 2 could not run as asked.\n\nExamples:\n  plimsoll hero \
                      'lab:scale-out-flash-8?scale=200&size=8g'\n  plimsoll hero ./test.dat --size 4g\n  plimsoll hero ./test.dat --destroy ./test.dat --json"
    )]
    Hero(HeroArgs),
    /// Find out in three seconds what answers reads of a target: a cache, a map that knows of nothing there, or storage
    #[command(
        after_help = "It reads one I/O at a time, and writes only where --destroy names the target: then it trims, zeroes and writes the \
                      first 3 MiB. A simulated LUN needs no leave.\n\nExit codes: 0 asked; 1 I/Os failed; 2 could not run as asked.\n\n\
                      Examples:\n  plimsoll probe /dev/sdx\n  plimsoll probe lab:scale-out-flash-8 --json"
    )]
    Probe(ProbeArgs),
    /// Print what a rule says, and why; without one the list of all
    #[command(after_help = "Example:\n  plimsoll explain PL012 hot-slice")]
    Explain(ExplainArgs),
    /// List what can be tested here, and whether writing to it would be refused
    Ls(LsArgs),
    /// Watch a run that goes on, on the whole screen: also from another terminal, and a record that is done
    #[command(
        after_help = "q leaves the view, and the run goes on; Tab changes the panel, + and - the stretch of time.\n\nExamples:\n  \
                      plimsoll watch\n  plimsoll watch plimsoll-20260521-081500.plim\n  ssh -t host plimsoll watch /srv/results"
    )]
    Watch(WatchArgs),
    /// Print a record
    Show(ShowArgs),
    /// List the records of a folder: when, of what, by which method, and what came of it
    #[command(
        after_help = "Examples:\n  plimsoll records\n  plimsoll records results --tag before --json"
    )]
    Records(RecordsArgs),
    /// Compare runs: A B, or A... -- B...
    #[command(
        after_help = "A verdict needs at least five runs on each side, interleaved A B B A, of the same measurement.\n\n\
                      A rule passes only where the runs exclude that its limit is passed (exit code 0). It fails where they \
                      show it, or where a step saturates, errs, is missing or loses its percentile on one side only (1). \
                      Otherwise it is undecided (3). All rules and steps are one family of tests (Holm).\n\nExamples:\n  \
                      plimsoll compare before.plim after.plim\n  plimsoll compare --fail-if 'iops < -3%' before-*.plim -- after-*.plim"
    )]
    Compare(CompareArgs),
    /// Write a record's numbers for other programs
    Export(ExportArgs),
    /// Write a record as one offline HTML page
    Report(ReportArgs),
    /// Judge a result: one that fio, Vdbench, DiskSPD or elbencho left, or a record again by the rules of today
    #[command(
        after_help = "It needs no root and no disk, and writes nothing. Known are fio's JSON and JSON+, Vdbench's output folder, its pages and \
                      what was copied from its console, DiskSPD's text and XML, and elbencho's CSV, whatever their names. A record of Plimsoll's own is judged \
                      by all that it holds, for what its result is to stand for (--claim).\n\n\
                      Exit codes: 0 nothing, or notes and doubts; 1 invalid, with --strict also suspect; 2 could not be read.\n\n\
                      Examples:\n  plimsoll audit fio.json\n  plimsoll audit --strict output/\n  fio job.fio --output-format=json | plimsoll audit -"
    )]
    Audit(AuditArgs),
    /// Take Vdbench's own flags, print its lines and write its report folder
    #[command(disable_help_flag = true)]
    Vdbench(VdbenchArgs),
    /// Take fio's own command line and job files, and give results in its forms
    #[command(disable_help_flag = true)]
    Fio(FioArgs),
    /// Take DiskSPD's own flags or a profile (-X), and print results in its layout
    #[command(disable_help_flag = true)]
    Diskspd(DiskspdArgs),
    /// Carry out this host's part of what a controller on another host measures
    #[command(
        after_help = "It serves until it is ended. Every check of a run here is made here, and unless --allow-destroy says so, nothing is \
                      written.\n\nExample:\n  plimsoll agent --nats nats://controller:4222 --allow-destroy '/dev/disk/by-id/wwn-0x5000c500a1b2c3d4'"
    )]
    Agent(AgentArgs),
    /// List the agents that a server knows: their versions, their clocks, what they lend
    #[command(after_help = "Example:\n  plimsoll hosts --nats nats://controller:4222")]
    Hosts(HostsArgs),
    /// Remove test files that Plimsoll made: those that hold nothing else
    #[command(
        after_help = "Only files that bear Plimsoll's mark are looked at, and one that somebody else has written to stays. Links are not \
                      followed. Without --yes nothing is removed.\n\nExamples:\n  plimsoll clean\n  plimsoll clean /mnt/test --yes"
    )]
    Clean(CleanArgs),
    /// Show the records of a folder as pages: search, compare, follow a test over weeks
    #[command(
        after_help = "Where other hosts can reach it, it has TLS and a token, which is in the address that is printed.\n\n\
                      Examples:\n  plimsoll serve\n  plimsoll serve results --listen 127.0.0.1:9000\n  \
                      plimsoll serve results --listen 192.0.2.7:9181 --tls-certificates /etc/pki/plimsoll"
    )]
    Serve(ShelfArgs),
    /// Be a storage array that other programs can use
    #[command(subcommand)]
    Lab(LabCommand),
    /// Write man pages, completions or the pages of the rules
    Generate(GenerateArgs),
}

/// `plimsoll run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A definition (.toml; .parm, .vdb for Vdbench; .fio), or targets: files, devices, lab:PERSONA, null:SIZE. After -f: key=value words
    #[arg(value_name = "FILE|TARGET", required_unless_present = "file", value_hint = ValueHint::FilePath)]
    pub what: Vec<String>,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub beside: BesideArgs,
    #[command(flatten)]
    pub repeats: RepeatsArgs,
    #[command(flatten)]
    pub direct: DirectArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Another tool on the same definition and target.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Another tool")]
pub struct BesideArgs {
    /// Run the other tool on the same definition and targets too, by turns, and show both tools' numbers and what explains their differences: fio, vdbench
    #[arg(long, value_name = "TOOL", value_parser = Offered(vec!["fio", "vdbench"]), hide_possible_values = true, conflicts_with_all = ["json", "html", "tui", "repeats"])]
    pub beside: Option<String>,
    /// How often each tool runs, in the order A B B A [default: 2]; from 5 on a difference is a verdict
    #[arg(long, value_name = "N", requires = "beside", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub beside_repeats: Option<u32>,
    /// The other tool's program, or the folder that it is in [default: the one in PATH]
    #[arg(long, value_name = "PATH", requires = "beside", value_hint = ValueHint::AnyPath)]
    pub beside_program: Option<PathBuf>,
}

/// Repeats of all that is measured.
#[derive(Debug, Args, Clone, Copy, Default)]
#[command(next_help_heading = "Repeats")]
pub struct RepeatsArgs {
    /// Measure everything N times, in rounds, in one record; shows the spread, and `plimsoll compare` counts each repeat as a run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: Option<u32>,
}

/// Definitions by their files, whatever these are called.
#[derive(Debug, Args, Clone, Default)]
pub struct FileArgs {
    /// Definitions of any name: Vdbench parameter files, read as one; fio job files; a DiskSPD profile and its targets; or one in TOML
    #[arg(short, long, num_args = 1.., value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Vec<String>,
    /// What they are written in: toml, vdbench, fio, diskspd [default: what their names say, else what is in them]
    #[arg(long, value_name = "NAME", requires = "file")]
    pub dialect: Option<Dialect>,
    /// Of a fio job file only the jobs of this section; repeatable
    #[arg(long, value_name = "NAME")]
    pub section: Vec<String>,
}

/// `plimsoll curve`.
#[derive(Debug, Args)]
pub struct CurveArgs {
    /// A definition with a curve in it, or targets: files, devices, lab:PERSONA, null:SIZE
    #[arg(value_name = "FILE|TARGET", required = true, value_hint = ValueHint::FilePath)]
    pub what: Vec<String>,
    #[command(flatten)]
    pub points: PointsArgs,
    /// Choose the points as the curve shows where it bends, each as long as it takes to know it well enough [default: of a target with --slo and without --percents]
    #[arg(long, conflicts_with = "percents", help_heading = "Curve")]
    pub adaptive: bool,
    /// How long all I/O of an adaptive curve may take [default: 3m]
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "percents",
        help_heading = "Curve"
    )]
    pub budget: Option<String>,
    #[command(flatten)]
    pub repeats: RepeatsArgs,
    #[command(flatten)]
    pub direct: DirectArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Common to all commands that begin a measurement.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Running")]
pub struct CommonArgs {
    /// Where the record goes [default: plimsoll-DATE-TIME.plim in this folder]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,
    /// Keep no record
    #[arg(long, conflicts_with_all = ["record", "html", "tui"])]
    pub no_record: bool,
    /// Seed of every random choice [default: drawn, and recorded]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Name of the test: `plimsoll serve` follows runs of one title over time [default: the definition's]
    #[arg(long, value_name = "TEXT", conflicts_with = "no_record")]
    pub title: Option<String>,
    /// A word that the record is found by in `plimsoll records`
    #[arg(long, value_name = "WORD", conflicts_with = "no_record")]
    pub tag: Option<String>,
    /// What is to be remembered of the run; it is kept in the record
    #[arg(long, value_name = "TEXT", conflicts_with = "no_record")]
    pub note: Option<String>,
    /// Check and print the plan; no I/O, nothing is created
    #[arg(long)]
    pub dry_run: bool,
    /// Ask each target first what answers its reads: three seconds, and nothing is written (see `plimsoll probe`)
    #[arg(long)]
    pub probe: bool,
    /// I/Os handed to the kernel at once, at most [default: 4; of a fio job file its iodepth_batch]
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub batch: Option<usize>,
    /// I/Os that a closed loop waits for at once, where so many are out; more costs less CPU, and lengthens the others' times [default: 1]
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub reap: Option<u32>,
    #[command(flatten)]
    pub together: TogetherArgs,
    #[command(flatten)]
    pub going: GoingArgs,
}

/// Common to all commands that measure, those that go on with a measurement too.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Running")]
pub struct GoingArgs {
    /// Replace a record that is there, and the page of --html, whoever wrote it
    #[arg(long)]
    pub overwrite: bool,
    /// Write the HTML report there, too
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,
    /// Print one JSON document, and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// No interval lines
    #[arg(short, long)]
    pub quiet: bool,
    /// All that is known: each interval of a method's steps, the steps that it searched by, tables of the arrays
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Show the run on the whole screen, as `plimsoll watch` does; q leaves that, and the run goes on
    #[arg(long, conflicts_with_all = ["json", "quiet"])]
    pub tui: bool,
    /// Destroy the data on this target: a device's WWN, serial or by-id name (see `plimsoll ls`), a file's path; repeatable
    #[arg(long, value_name = "NAME", help_heading = "Safety")]
    pub destroy: Vec<String>,
    /// Write data to all of a blank device or export before it is read; never to one that holds something
    #[arg(long, help_heading = "Safety")]
    pub fill: bool,
    /// Run the commands in the definition (startcmd and its like)
    #[arg(long, help_heading = "Safety")]
    pub allow_commands: bool,
    /// Let these commands write to this file, or to what is below this folder, besides the targets; / lifts the limit; repeatable
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Safety")]
    pub commands_may_write: Vec<PathBuf>,
    /// How long a command beside the load (`do`, `undo`, `actions`) may run, and any other stand still (SIGSTOP), before it is ended
    #[arg(
        long,
        value_name = "TIME",
        default_value = "60s",
        help_heading = "Safety"
    )]
    pub command_limit: String,
    /// Read what was never written; such a read may not reach the medium
    #[arg(long, help_heading = "Safety")]
    pub allow_unwritten: bool,
    /// The error that ends the run [default: 50]. Any failed I/O makes the exit code 1, unless this is more than 50
    #[arg(long, value_name = "N", help_heading = "Safety")]
    pub max_errors: Option<u64>,
    /// What the result is to stand for: cached, burst, sustained, device, host [default: the definition's, else burst below a minute a step, and sustained from there on]
    #[arg(long, value_name = "CLAIM", help_heading = "Audit")]
    pub claim: Option<Claim>,
    /// Exit with 1 also where the audit finds the result suspect
    #[arg(long, help_heading = "Audit")]
    pub strict: bool,
    /// Fail unless this backend can be used: io_uring, libaio, psync, mmap; io_uring+iopoll and io_uring+sqpoll poll
    #[arg(long, value_name = "NAME", value_parser = Offered(vec!["io_uring", "libaio", "psync"]), hide_possible_values = true, help_heading = "Engine")]
    pub backend: Option<String>,
    /// How long after a step's end I/Os may stay out before they are given up
    #[arg(
        long,
        value_name = "TIME",
        default_value = "30s",
        help_heading = "Engine"
    )]
    pub drain: String,
    /// Do not wait between the points of a curve until the target has come to rest
    #[arg(long, help_heading = "Engine")]
    pub no_settle: bool,
}

/// `plimsoll resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The record of a run that did not come to its end
    #[arg(value_name = "RECORD", value_hint = ValueHint::FilePath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub going: GoingArgs,
}

/// `plimsoll plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// A definition, or targets
    #[arg(value_name = "FILE|TARGET", required_unless_present = "file", value_hint = ValueHint::FilePath)]
    pub what: Vec<String>,
    #[command(flatten)]
    pub file: FileArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// As `plimsoll curve` would measure it
    #[arg(long, conflicts_with = "file", help_heading = "Curve")]
    pub curve: bool,
    #[command(flatten)]
    pub points: PointsArgs,
    #[command(flatten)]
    pub direct: DirectArgs,
}

/// `plimsoll ls`.
#[derive(Debug, Args)]
pub struct LsArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `plimsoll generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// Which
    #[arg(value_enum)]
    pub what: Generated,
    /// Folder to write into
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Replace the files that are there, whoever wrote them
    #[arg(long)]
    pub overwrite: bool,
}

/// What can be generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Man pages, one a command.
    Man,
    /// Completions for bash, zsh and fish.
    Completions,
    /// Pages of the rules, as `plimsoll explain` prints them.
    Rules,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use plimsoll_dialects::native::Method;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_documented_direct_form_parses() {
        let line =
            "plimsoll run /dev/x --read 70 --block 8k --rate max --for 30s --workers 2 --depth 32";
        let cli = Cli::try_parse_from(line.split(' ')).expect("parses");
        let Command::Run(args) = cli.command else {
            panic!("run")
        };
        let flags = args
            .direct
            .flags(&args.what, Method::Single, &PointsArgs::default());
        assert_eq!(flags.targets, ["/dev/x"]);
        assert_eq!(flags.get("--depth"), Some("32"));
    }
}
