//! `plimsoll plan`, and `--dry-run`.

use crate::cli::PlanArgs;
use crate::curve_method::curve_method;
use crate::definition::{self, Definition, Typed};
use crate::failure::Failure;
use crate::out::{self, say};
use crate::reading;
use plimsoll_audit::format::counted;
use plimsoll_audit::{PlanView, lint};
use plimsoll_dialects::native::Method;
use plimsoll_permit::target::{FoundPath, destroy_flag, destroy_name, in_use, look_up};
use plimsoll_permit::tree::{TreeGround, find};
use plimsoll_plan::Tree;
use plimsoll_plan::describe::describe;
use plimsoll_printable::Printable;
use std::path::Path;
use std::process::ExitCode;

/// `plimsoll plan`.
pub fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let points = args.points.percents.is_some() || !args.points.slo.is_empty();
    let curve = args.curve || points;
    if let Some(definition) = reading::of_command(&args.what) {
        return print(&definition?, args.json);
    }
    let (method, of_method) = match curve {
        true => curve_method(&args.what, &args.points),
        false => (Method::Single, Vec::new()),
    };
    let definition = reading::load(&Typed {
        what: &args.what,
        file: &args.file,
        direct: &args.direct,
        points: &args.points,
        method,
        of_method,
    })?;
    if curve {
        definition::require_curve(&definition)?;
    }
    print(&definition, args.json)
}

/// Prints what a definition would do.
pub fn print(definition: &Definition, json: bool) -> Result<ExitCode, Failure> {
    let plan = &definition.plan;
    definition::require_arrays(definition)?;
    if json {
        out::json(&describe(plan))?;
        return Ok(ExitCode::SUCCESS);
    }
    out::put(format_args!("{}", describe(plan).text()));
    let audit = lint(&PlanView::new(plan, None));
    if audit.worst().is_some() {
        say!("{} (plimsoll lint shows them)", counted(&audit));
    }
    for (index, target) in plan.targets.iter().enumerate() {
        let written = plan.changes_target(index);
        if let Some(volume) = target.location.volume().filter(|_| written) {
            let flag = destroy_flag(&volume.paths[0].to_string());
            let line = format!("writes to {volume}; where it holds data: {flag}");
            say!("{}", Printable(&line));
        }
        if let Some(tree) = target.location.tree().filter(|tree| !tree.is_simulated()) {
            // A file of Vdbench's says by itself what is made.
            let makes = plan.dialect != "vdbench";
            if let Some(line) = of_tree(tree, written, makes) {
                say!("{}", Printable(&line));
            }
        }
        for path in target.location.paths() {
            if let Some(line) = of_path(path, written, target.size.is_some()) {
                say!("{}", Printable(&line));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Effects of the run on a tree, as far as they are known without looking into it.
fn of_tree(tree: &Tree, written: bool, makes: bool) -> Option<String> {
    let root = &tree.root;
    if tree.names.is_some() {
        let title = tree.title().display().to_string();
        let flag = destroy_flag(&title);
        return (written || makes).then(|| {
            format!("works on the names {title}; where some are there and may be lost: {flag}")
        });
    }
    let shown = root.display();
    let flag = destroy_flag(&destroy_name(root));
    match (find(root), written) {
        (Err(refusal), _) => Some(format!("{shown}: would be refused: {}", refusal.why)),
        (Ok(TreeGround::Foreign(root)), true) => Some(format!(
            "writes below {shown}: would be refused: {}",
            root.refusal_as_foreign().why
        )),
        (Ok(TreeGround::Missing(_)), true) => Some(format!("makes {shown}, and writes below it")),
        (Ok(TreeGround::Missing(_)), false) => makes.then(|| format!("makes {shown} and all of its tree")),
        (Ok(_), true) => Some(format!("writes below {shown}; where it has files: {flag}")),
        (Ok(_), false) => makes.then(|| {
            format!("reads below {shown}; what is missing of its tree is made first, where it has files: {flag}")
        }),
    }
}

/// Sentence on what the run would do to a file or device, which has a size or not, as far as that is known without reading from it.
fn of_path(path: &Path, written: bool, sized: bool) -> Option<String> {
    let shown = path.display();
    let name = || destroy_flag(&destroy_name(path));
    match (look_up(path), written) {
        (Err(refusal), _) | (Ok(FoundPath::Missing(Err(refusal))), _) => {
            Some(format!("{shown}: would be refused: {}", refusal.why))
        }
        (Ok(FoundPath::Missing(Ok(_))), _) if !sized => Some(format!(
            "{shown}: would be refused: it does not exist, and no size is given to have it made"
        )),
        (Ok(FoundPath::Missing(Ok(_))), true) => Some(format!("makes {shown} and writes to it")),
        (Ok(FoundPath::Missing(Ok(_))), false) => Some(format!("makes {shown} and fills it")),
        (Ok(FoundPath::There(_)), true) => Some(match in_use(path) {
            Some(why) => format!("writes to {shown}: would be refused: {why}"),
            None => format!("writes to {shown}; where it holds data: {}", name()),
        }),
        (Ok(FoundPath::There(held)), false) => held.has_holes().then(|| {
            format!("reads {shown}, where parts were never written: they are filled first where nothing is lost, else refused")
        }),
    }
}
