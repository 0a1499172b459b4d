//! Parameter files out of a seed, with the words of a command line.

use crate::draw::numbers;
use crate::grammar::Grammar;

/// Parameter files and a command line.
#[derive(Debug, Default)]
pub struct Case {
    pub text: String,
    /// The file that an `include=disks` of the text names.
    pub included: Option<String>,
    pub words: Vec<String>,
}

pub const GRAMMAR: &str = include_str!("grammar.txt");

/// Flags of the command line, and what stands behind a `+`.
const FLAGS: [&[&str]; 9] = [
    &["-e", "6"],
    &["-e10"],
    &["-i", "2"],
    &["-w", "4"],
    &["-e", "3", "-i", "2"],
    &["-m", "2"],
    &["-e", "60", "-w", "10", "-i", "5"],
    &["-d", "27"],
    &["-i1", "-w2"],
];
const APPENDED: [&str; 6] = [
    "forthreads=(1,2)",
    "elapsed=8",
    "iorate=(10,20)",
    "forxfersize=8k",
    "warmup=2",
    "nonsense=1",
];

pub fn case(seed: u64) -> Case {
    let draw = &mut numbers(seed);
    // Of a file with many mistakes only the first is seen.
    let doubts = draw.of(&[0, 0, 0, 1, 1, 2]);
    let mut case = Case {
        text: Grammar::new(GRAMMAR).draw("file", draw, doubts),
        ..Case::default()
    };
    if draw.below(8) == 0 {
        let lines: Vec<&str> = case.text.split_inclusive('\n').collect();
        let (from, count) = (draw.below(lines.len()), 1 + draw.below(3));
        let to = (from + count).min(lines.len());
        let included = lines[from..to].concat();
        case.text = format!(
            "{}include=disks\n{}",
            lines[..from].concat(),
            lines[to..].concat()
        );
        case.included = Some(included);
    }
    if draw.below(8) == 0 {
        case.words
            .extend(draw.of(&FLAGS).iter().map(|word| word.to_string()));
    }
    // A word that replaces nothing is refused, and so is one that is missing.
    for (name, values) in [
        ("rate", ["100", "(100,200)", "max"]),
        ("size", ["4k", "(4k,8k)", "1m"]),
    ] {
        let used = [format!("${name}"), format!("!{name}")]
            .iter()
            .any(|mark| case.text.contains(mark));
        let given = if used {
            draw.below(10) != 0
        } else {
            draw.below(60) == 0
        };
        if given {
            case.words.push(format!("{name}={}", draw.of(&values)));
        }
    }
    if draw.below(16) == 0 {
        case.words.push("+".into());
        case.words.push(draw.of(&APPENDED).into());
    }
    case
}
