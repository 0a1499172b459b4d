//! The command line of Plimsoll. It holds no logic: it reads what was typed, calls the crates, and prints.

mod against;
mod audit;
mod audit_record;
mod beside;
mod bisect;
mod check;
mod clean;
mod cli;
mod closed;
mod compared;
mod convert;
mod curve_method;
mod definition;
mod destination;
mod diskspd;
mod display;
mod doctor;
mod exit;
mod explain;
mod failure;
mod fio;
mod fio_tool;
mod fitted;
mod fleet;
mod generate;
mod hero;
mod lab;
mod like;
mod lint;
mod ls;
mod measure;
mod method;
mod mistaken;
mod options;
mod out;
mod own_flags;
mod plan;
mod probe;
mod reading;
mod records;
mod serve;
mod signals;
mod stamps;
mod vdbench;
mod vdbench_changes;
mod watch;
mod whole_screen;
mod written_in;

use clap::FromArgMatches;
use cli::{Cli, Command, LabCommand};
use out::tell;
use std::process::ExitCode;

/// Stack of the thread that a command runs on, bytes: the first thread's may be far too small (`ulimit -s`).
const STACK_BYTES: usize = 8 << 20;
/// Exit code of Rust's runtime after a panic, which has said by then why.
const PANICKED: u8 = 101;

fn main() -> ExitCode {
    signals::outlive_file_size_limits();
    let thread = std::thread::Builder::new()
        .name("plimsoll".into())
        .stack_size(STACK_BYTES)
        .spawn(command);
    match thread.map(|thread| thread.join()) {
        Ok(code) => code.unwrap_or(ExitCode::from(PANICKED)),
        Err(error) => {
            tell!(
                "error: cannot start a thread with a stack of {} MiB: {error}; let this user have more memory (ulimit -v) \
                 or processes (ulimit -u)",
                STACK_BYTES >> 20
            );
            ExitCode::from(exit::REFUSED)
        }
    }
}

/// True where the command's results go to standard output; commands that serve others until they are ended have none.
fn prints(command: &Command) -> bool {
    !matches!(command, Command::Agent(_) | Command::KeepServer)
}

fn command() -> ExitCode {
    if let Err(failure) = mistaken::printed_letters(std::env::args_os().skip(1)) {
        tell!("{failure}");
        return ExitCode::from(exit::REFUSED);
    }
    let typed = cli::command().try_get_matches();
    let typed = typed.and_then(|words| Cli::from_arg_matches(&words));
    let cli = typed.unwrap_or_else(|error| out::leave(&mistaken::flag(error)));
    if prints(&cli.command) {
        out::refuse_closed();
    }
    let result = match &cli.command {
        Command::Run(args) => measure::run(args),
        Command::Curve(args) => measure::curve(args),
        Command::Saturate(args) => method::saturate(args),
        Command::Sweep(args) => method::sweep(args),
        Command::Fingerprint(args) => method::fingerprint(args),
        Command::Soak(args) => method::soak(args),
        Command::Disturb(args) => method::disturb(args),
        Command::Pts(args) => method::pts(args),
        Command::Resume(args) => measure::resume(args),
        Command::Attach(args) => measure::attach(args),
        Command::KeepServer => fleet::keep_server(),
        Command::Clean(args) => clean::run(args),
        Command::Serve(args) => serve::serve(args),
        Command::Plan(args) => plan::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Check(args) => check::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Hero(args) => hero::run(args),
        Command::Probe(args) => probe::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Ls(args) => ls::run(args),
        Command::Show(args) => records::show(args),
        Command::Watch(args) => whole_screen::watch(args),
        Command::Records(args) => records::list(args),
        Command::Compare(args) => records::compare_runs(args),
        Command::Export(args) => records::export_record(args),
        Command::Report(args) => records::report(args),
        Command::Vdbench(args) => return vdbench::run(args),
        Command::Fio(args) => return fio_tool::run(args),
        Command::Diskspd(args) => return diskspd::run(args),
        Command::Agent(args) => fleet::agent(args),
        Command::Hosts(args) => fleet::hosts(args),
        Command::Lab(LabCommand::Serve(args)) => lab::serve(args),
        Command::Lab(LabCommand::Persona(args)) => lab::persona(args),
        Command::Lab(LabCommand::Fit(args)) => fitted::fit(args),
        Command::Generate(args) => generate::run(args),
    };
    result.unwrap_or_else(|failure| {
        match display::error_columns() {
            Some(columns) => tell!("{}", failure.on(columns)),
            None => tell!("{failure}"),
        }
        ExitCode::from(exit::REFUSED)
    })
}
