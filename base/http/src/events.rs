//! Server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>): an answer that does not end.

/// Events sent to a client that stays connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Text under a name.
    Named(&'static str, String),
    /// Nothing new; sending it shows whether the client has gone.
    Nothing,
}

/// A source of events.
pub trait Events: Send {
    /// The next event, after a wait of at most a second or so; `None` where there will be none any more.
    fn next_event(&mut self) -> Option<Event>;
}

impl Event {
    /// Text of the event as it is sent: no line in it can end the event or begin another.
    pub(crate) fn text(&self) -> String {
        match self {
            Event::Nothing => ":\n\n".to_owned(),
            Event::Named(name, text) => {
                let lines = text
                    .split(['\n', '\r'])
                    .map(|line| format!("data: {line}\n"));
                format!("event: {name}\n{}\n", lines.collect::<String>())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_event_or_begins_another() {
        let event = Event::Named("now", "a\n\nevent: end\rid: 7".to_owned());
        let sent = "event: now\ndata: a\ndata: \ndata: event: end\ndata: id: 7\n\n";
        assert_eq!(event.text(), sent);
    }
}
