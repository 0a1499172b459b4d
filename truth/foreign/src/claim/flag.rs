//! Flags of DiskSPD's command line: `-b8K -d60 -o32 -t8 -W30`.

use super::amount::{amount, word, words};
use super::fact::{Fact, Per, bytes};
use super::token::{Token, TokenKind};

/// True of a text that has a command of DiskSPD, or its flags for depth and threads.
pub(super) fn is_diskspd(tokens: &[Token]) -> bool {
    let is_flag = |flag: &str| {
        (0..tokens.len()).any(|at| {
            words(tokens, at, &["-", flag]).is_some() && tokens.get(at + 2).is_some_and(|t| t.glued)
        })
    };
    let is_named = (0..tokens.len()).any(|at| word(tokens, at).is_some_and(|w| w == "diskspd"));
    is_named || is_flag("o") && is_flag("t")
}

/// A flag of DiskSPD with its number: `-b8K`, `-d60`, `-o32`, `-t8`, `-W30`, `-w100`.
pub(super) fn diskspd_flag(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    words(tokens, at, &["-"])?;
    let Token {
        kind: TokenKind::Word(flag),
        glued: true,
    } = tokens.get(at + 1)?
    else {
        return None;
    };
    let amount = amount(tokens, at + 2)?;
    let whole = amount.value.round() as u64;
    let fact = match *flag {
        "b" => Fact::Block(bytes(&amount)?),
        "c" => Fact::Size(bytes(&amount)?),
        "d" => Fact::Duration(amount.value),
        "o" => Fact::Depth(whole, Per::Unsaid),
        "t" | "F" => Fact::Jobs(whole, Per::Unsaid),
        "w" => Fact::Writes(amount.value / 100.0),
        "W" => Fact::WarmUp,
        _ => return None,
    };
    Some((fact, amount.next))
}
