//! Follows a record on the terminal until somebody leaves.

use crate::{Key, View, draw};
use plimsoll_live::{Source, State};
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use std::io;
use std::time::{Duration, Instant};

/// Time between two looks at a run that goes on, and at one that has ended, which may be resumed.
const LOOK: Duration = Duration::from_millis(500);
const LOOK_AT_END: Duration = Duration::from_secs(3);

/// The way in which somebody left the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// With q: a run that goes on is not ended.
    Leave,
    /// With Ctrl-C: as an interrupt.
    Interrupt,
    /// The run ended, or its record was moved, and was to be followed no longer than that.
    Ended,
}

/// Shows a record on the whole screen, and again as it grows. `until_end`: no longer than the run goes on.
///
/// # Errors
/// The terminal cannot be used.
pub fn follow(source: &mut Source, mut view: View, until_end: bool) -> io::Result<Left> {
    let mut terminal = ratatui::try_init()?;
    let left = shown(&mut terminal, source, &mut view, until_end);
    ratatui::try_restore()?;
    left
}

/// Makes the terminal what it was, for a program that has to end at once.
pub fn give_back() {
    ratatui::restore();
    // Where it cannot be written to, there is no cursor to be seen.
    let _ = execute!(io::stdout(), Show);
}

fn shown(
    terminal: &mut ratatui::DefaultTerminal,
    source: &mut Source,
    view: &mut View,
    until_end: bool,
) -> io::Result<Left> {
    let mut news = Instant::now();
    loop {
        view.silent_s = news.elapsed().as_secs_f64();
        terminal.draw(|frame| draw(frame.area(), frame.buffer_mut(), source.live(), view))?;
        let goes_on = source.live().state == State::Running;
        if until_end && !goes_on {
            return Ok(Left::Ended);
        }
        let next = Instant::now() + if goes_on { LOOK } else { LOOK_AT_END };
        while let Some(wait) = next.checked_duration_since(Instant::now()) {
            if !event::poll(wait)? {
                break;
            }
            match obey(&event::read()?, view, source) {
                Some(left) => return Ok(left),
                None => {
                    terminal.draw(|frame| {
                        draw(frame.area(), frame.buffer_mut(), source.live(), view)
                    })?;
                }
            }
        }
        match source.look() {
            Ok(is_new) => {
                view.trouble = None;
                if is_new {
                    news = Instant::now();
                }
            }
            // Nobody will write its end where it is looked for.
            Err(_) if until_end && source.is_gone() => return Ok(Left::Ended),
            Err(error) => view.trouble = Some(error.to_string()),
        }
    }
}

/// Obeys a key; returns how somebody leaves.
fn obey(event: &Event, view: &mut View, source: &Source) -> Option<Left> {
    let Event::Key(key) = event else {
        return None;
    };
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let key = match key.code {
        KeyCode::Char('c') if with_control => return Some(Left::Interrupt),
        KeyCode::Char('q') | KeyCode::Esc => return Some(Left::Leave),
        KeyCode::Tab => Key::Next,
        KeyCode::Char('+' | '=') => Key::In,
        KeyCode::Char('-') => Key::Out,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        _ => return None,
    };
    view.press(key, source.live());
    None
}
