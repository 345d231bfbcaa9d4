//! Events of a stream, as the HTML standard has them. Only their data counts here: it says itself what it is.

/// Takes a stream apart, however its bytes are cut.
#[derive(Default)]
pub(super) struct Events {
    /// Bytes of a line that is not complete.
    line: Vec<u8>,
    /// The data of an event that is not complete.
    data: Option<String>,
    after_return: bool,
}

impl Events {
    /// Takes `bytes` in, and tells the data of each event that is complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            // A line ends with CR, LF or both.
            let is_second = byte == b'\n' && std::mem::take(&mut self.after_return);
            self.after_return = byte == b'\r';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => {
                    let line = std::mem::take(&mut self.line);
                    self.end_line(&String::from_utf8_lossy(&line), &mut events);
                }
                byte => self.line.push(byte),
            }
        }
        events
    }

    /// What the end of the stream completes: some servers leave out the last empty line.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.take(b"\n\n")
    }

    fn end_line(&mut self, line: &str, events: &mut Vec<String>) {
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
    fn a_stream_means_the_same_however_it_is_cut() {
        let text = ": hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: \"é\"}\r\n\r\ndata:two\n\nid: 3\n\ndata: three\r\rdata: [DONE]";
        let expected = ["{\"x\":\n\"é\"}", "two", "three", "[DONE]"];
        for size in 1..text.len() {
            let mut events = Events::default();
            let mut got: Vec<String> = text.as_bytes().chunks(size).flat_map(|part| events.take(part)).collect();
            got.extend(events.finish());
            assert_eq!(got, expected, "{size}");
        }
    }
}
