//! Template targets: `*1`, `*2` in a profile stand for the paths of the command line, in order.

use super::codes;
use super::complaints::Complaints;
use super::model::Profile;
use plimsoll_diagnostic::Diagnostic;

/// The number of a template; `None` where the path is none, an error where it is no number.
pub(super) fn number(path: &str) -> Option<Result<usize, ()>> {
    let number = path.strip_prefix('*')?;
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let value = number.parse::<usize>().ok().filter(|n| plain && *n > 0);
    Some(value.ok_or(()))
}

/// Puts the paths in the places of the templates. Where there are none, the templates stay.
pub(super) fn substitute(profile: &mut Profile, paths: &[String], complaints: &mut Complaints) {
    let mut used = vec![false; paths.len()];
    let targets = profile.spans.iter_mut().flat_map(|s| &mut s.targets);
    for target in targets {
        let Some(number) = number(&target.path) else {
            continue;
        };
        let at = target.origins.of("path");
        match number {
            Err(()) => {
                let message = format!("`{}` is no template target", target.path);
                let complaint = Diagnostic::error(codes::TEMPLATE, message).at_known(at);
                complaints
                    .add(complaint.help(
                        "write *1 for the first path of the command line, *2 for the second",
                    ));
            }
            Ok(_) if paths.is_empty() => {}
            Ok(n) if n > paths.len() => {
                let (path, given) = (&target.path, paths.len());
                let message = format!("template `{path}` has no path: {given} were given");
                complaints.add(Diagnostic::error(codes::TEMPLATE, message).at_known(at));
            }
            Ok(n) => {
                target.path.clone_from(&paths[n - 1]);
                used[n - 1] = true;
            }
        }
    }
    for (path, used) in paths.iter().zip(used) {
        if !used {
            let message =
                format!("`{path}` takes no template's place: the profile has no such target");
            complaints.add(Diagnostic::error(codes::TEMPLATE, message));
        }
    }
}
