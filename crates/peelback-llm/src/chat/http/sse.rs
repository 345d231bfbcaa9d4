//! A parser of server-sent events, as the HTML standard defines them. Only the data of an event is used: it contains
//! the kind of the event.

/// A parser of server-sent events that accepts the stream in chunks of any size.
#[derive(Default)]
pub(super) struct EventParser {
    /// The bytes of the line that has not ended yet.
    line: Vec<u8>,
    /// The data of the event that has not ended yet.
    data: Option<String>,
    /// Whether the last byte was a carriage return, after which a line feed ends no further line.
    after_return: bool,
}

impl EventParser {
    /// Parses the next `bytes` of the stream, and returns the data of each event that they complete.
    pub(super) fn parse_bytes(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            // A line of the stream ends with CR, LF or both.
            let is_second = byte == b'\n' && std::mem::take(&mut self.after_return);
            self.after_return = byte == b'\r';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => {
                    let line = std::mem::take(&mut self.line);
                    self.handle_line(&String::from_utf8_lossy(&line), &mut events);
                }
                byte => self.line.push(byte),
            }
        }
        events
    }

    /// Returns the data of the event that the end of the stream completes: some servers leave out the last empty line.
    pub(super) fn finish_with_last_event(mut self) -> Vec<String> {
        self.parse_bytes(b"\n\n")
    }

    /// Interprets a complete line of the stream; an empty line completes the event.
    fn handle_line(&mut self, line: &str, events: &mut Vec<String>) {
        if line.is_empty() {
            events.extend(self.data.take());
            return;
        }
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_do_not_depend_on_how_the_stream_is_split() {
        let text = ": hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: \"é\"}\r\n\r\ndata:two\n\nid: 3\n\ndata: three\r\rdata: [DONE]";
        let expected = ["{\"x\":\n\"é\"}", "two", "three", "[DONE]"];
        for size in 1..text.len() {
            let mut events = EventParser::default();
            let mut got: Vec<String> = text.as_bytes().chunks(size).flat_map(|part| events.parse_bytes(part)).collect();
            got.extend(events.finish_with_last_event());
            assert_eq!(got, expected, "{size}");
        }
    }
}
