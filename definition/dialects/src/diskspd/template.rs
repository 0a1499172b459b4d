//! Template targets: `*1`, `*2` in a profile stand for the paths of the command line, in order.

use super::codes;
use super::complaints::Complaints;
use super::model::Profile;
use plimsoll_diagnostic::{Diagnostic, Span};

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
            Err(()) => complaints.add(place(
                Diagnostic::error(
                    codes::TEMPLATE,
                    format!("`{}` is no template target", target.path),
                )
                .help("write *1 for the first path of the command line, *2 for the second"),
                at,
            )),
            Ok(_) if paths.is_empty() => {}
            Ok(n) if n > paths.len() => complaints.add(place(
                Diagnostic::error(
                    codes::TEMPLATE,
                    format!(
                        "template `{}` has no path: {} were given",
                        target.path,
                        paths.len()
                    ),
                ),
                at,
            )),
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

fn place(diagnostic: Diagnostic, at: Option<Span>) -> Diagnostic {
    match at {
        Some(at) => diagnostic.at(at, ""),
        None => diagnostic,
    }
}
