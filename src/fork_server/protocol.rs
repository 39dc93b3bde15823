//! The protocol between a subject, which is the client, and the fork server and its worker. All
//! three use one socket.
//!
//! The client sends requests, which the worker reads. Both the worker and the server send replies.
//! The worker may end while it sends or reads a message, so that only a part of the message is sent
//! or read. Two rules make this harmless:
//!
//! * Every message of the server begins with [`MARK`], which no message of the worker contains. So
//!   the client finds the server's message after an incomplete message. If the worker could not
//!   send its report, the server sends a copy of it first, without the mark.
//! * The client replies to [`Reply::Died`] with the token that this message contains. The server
//!   ignores all bytes before the token, because they are the rest of a request.

use std::io::{self, Read, Write};

/// The environment variable that makes a fuzz target a fork server if its value is `1`. Descriptor
/// 0 is then the socket.
pub const VARIABLE: &str = "ZESTER_SERVE";

/// The environment variable that asks the program under test for the reasons of rejections if its
/// value is `1`, and for outcomes, too, if it is `2`.
pub const REASONS: &str = "ZESTER_REASONS";

/// The first bytes of every message of the server. A worker never sends them, because all numbers
/// of counters are below [`MAX_COUNTERS`].
const MARK: [u8; 16] = [0xFF; 16];

/// The exclusive upper limit of the numbers of counters.
const MAX_COUNTERS: u32 = 0xFF00_0000;

/// The kinds of requests.
const TEXT: u8 = 0;
const PARAMETERS: u8 = 1;
const SENTENCE: u8 = 3;

/// The kind of a message with the name of a comparison, which has no reply.
const COMPARISON: u8 = 2;

/// The size in bytes of a message of the server.
const SERVER_SIZE: usize = MARK.len() + 1 + 4 * 4;

/// The size in bytes of a message of the worker without the numbers of counters and the reason.
const WORKER_SIZE: usize = 18;

/// The input of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// A text, which the program under test reads without changes.
    Text(&'a [u8]),
    /// A sentence of the grammar. If the target has a post-processor, it changes the sentence before
    /// the program under test reads it.
    Sentence(&'a [u8]),
    /// Parameters, which the target decodes.
    Parameters(&'a [u8]),
}

impl<'a> Request<'a> {
    /// Returns the text, the sentence or the parameters.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::subject::Request;
    ///
    /// assert_eq!(Request::Text(b"1+2").bytes(), b"1+2");
    /// ```
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Request::Text(bytes) | Request::Sentence(bytes) | Request::Parameters(bytes) => bytes,
        }
    }

    /// Appends the request to a message.
    pub(crate) fn write(self, message: &mut Vec<u8>) {
        let bytes = self.bytes();
        message.push(match self {
            Request::Text(_) => TEXT,
            Request::Parameters(_) => PARAMETERS,
            Request::Sentence(_) => SENTENCE,
        });
        message.extend((bytes.len() as u32).to_le_bytes());
        message.extend_from_slice(bytes);
    }

    /// Reads the next request into a buffer. Returns [`None`] if the client has ended. `comparison` gets the
    /// name of the only comparison of interest if the client sends one before the request.
    pub(crate) fn read(
        from: &mut impl Read,
        buffer: &'a mut Vec<u8>,
        comparison: &mut Vec<u8>,
    ) -> io::Result<Option<Request<'a>>> {
        let mut header = [0; 5];
        if from.read(&mut header[..1])? == 0 {
            return Ok(None);
        }
        let kind = loop {
            from.read_exact(&mut header[1..])?;
            let [kind, length @ ..] = header;
            let to = if kind == COMPARISON {
                &mut *comparison
            } else {
                &mut *buffer
            };
            to.resize(u32::from_le_bytes(length) as usize, 0);
            from.read_exact(to)?;
            if kind != COMPARISON {
                break kind;
            }
            from.read_exact(&mut header[..1])?;
        };
        Ok(Some(match kind {
            TEXT => Request::Text(buffer),
            SENTENCE => Request::Sentence(buffer),
            _ => Request::Parameters(buffer),
        }))
    }
}

/// Appends the name of the only comparison of interest to a message. A request must follow.
pub(crate) fn write_comparison(name: &str, message: &mut Vec<u8>) {
    message.push(COMPARISON);
    message.extend((name.len() as u32).to_le_bytes());
    message.extend_from_slice(name.as_bytes());
}

/// The report of a run in which the program under test returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunReport {
    /// The reported validity: 1 for valid, -1 for invalid, 0 for unknown.
    pub validity: i8,
    /// The time of the run in nanoseconds.
    pub nanoseconds: u64,
    /// The reason for which the program under test rejected the input; empty if it reported none.
    pub reason: String,
    /// Whether the worker ends after this run, because the program has left child processes or
    /// closed the socket.
    pub is_last: bool,
}

impl RunReport {
    /// Appends the report to a message, with the numbers of the counters that the run hit.
    pub fn write(&self, hits: &[u32], message: &mut Vec<u8>) {
        message.extend([(self.validity + 2) as u8, self.is_last.into()]);
        message.extend(self.nanoseconds.to_le_bytes());
        message.extend((hits.len() as u32).to_le_bytes());
        message.extend((self.reason.len() as u32).to_le_bytes());
        hits.iter()
            .for_each(|hit| message.extend(hit.to_le_bytes()));
        message.extend(self.reason.as_bytes());
    }
}

/// The end of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Died {
    /// The status of the worker, as `wait` returns it.
    pub status: i32,
    /// Whether the worker was in a run.
    pub was_running: bool,
    /// The status with which the program called `exit`, if it did and if the C library is glibc.
    pub exit: Option<u8>,
    /// A random number that the client sends back.
    pub token: u64,
}

/// A message to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The server reports that a worker waits for requests.
    Ready { process: u32, counters: u32 },
    /// The server reports that the worker has ended.
    Died(Died),
    /// The report of a run in which the program under test returned. The worker sends it, or the
    /// server if the program has closed the worker's socket.
    Finished(RunReport),
}

impl Reply {
    /// Appends the reply to a message. A worker writes its reports by [`RunReport::write`] instead.
    pub fn write(self, message: &mut Vec<u8>) {
        let (tag, fields): (u8, [u32; 4]) = match self {
            Reply::Ready { process, counters } => (0, [process, counters, 0, 0]),
            Reply::Died(Died {
                status,
                was_running,
                exit,
                token,
            }) => {
                let flags = u32::from(was_running)
                    | u32::from(exit.is_some()) << 1
                    | u32::from(exit.unwrap_or(0)) << 8;
                (
                    1,
                    [status as u32, flags, token as u32, (token >> 32) as u32],
                )
            }
            Reply::Finished(report) => return report.write(&[], message),
        };
        message.extend(MARK);
        message.push(tag);
        fields
            .iter()
            .for_each(|field| message.extend(field.to_le_bytes()));
    }

    /// Reads the first reply from received bytes. Returns the reply and its size in bytes, or
    /// [`None`] if the reply is not complete yet. Writes the numbers of the counters that a run hit
    /// to `hits`.
    pub fn read(received: &[u8], hits: &mut Vec<u32>) -> Option<(Reply, usize)> {
        if received.starts_with(&MARK) {
            return Some((Reply::of_server(received.get(..SERVER_SIZE)?), SERVER_SIZE));
        }
        if let Some((report, size)) = Reply::of_worker(received, hits) {
            return Some((Reply::Finished(report), size));
        }
        // If the worker ended while it sent its message, the server's message is at the end: the
        // server then waits for the token.
        let last = received.get(received.len().checked_sub(SERVER_SIZE)?..)?;
        // The worker's bytes may end with a part of a mark. Then the server's message is not
        // complete yet.
        let is_whole = last.starts_with(&MARK) && last[MARK.len()] != MARK[0];
        is_whole.then(|| (Reply::of_server(last), received.len()))
    }

    /// Reads a message of the server.
    fn of_server(message: &[u8]) -> Reply {
        let field = |at: usize| number(&message[MARK.len() + 1 + 4 * at..]);
        if message[MARK.len()] == 0 {
            return Reply::Ready {
                process: field(0),
                counters: field(1),
            };
        }
        let flags = field(1);
        Reply::Died(Died {
            status: field(0) as i32,
            was_running: flags & 1 != 0,
            exit: (flags & 2 != 0).then_some((flags >> 8) as u8),
            token: u64::from(field(2)) | u64::from(field(3)) << 32,
        })
    }

    /// Reads a message of the worker from received bytes. Returns the report and the size of the
    /// message, or [`None`] if the message is not complete.
    fn of_worker(received: &[u8], hits: &mut Vec<u32>) -> Option<(RunReport, usize)> {
        let header = received.get(..WORKER_SIZE)?;
        // If the server's mark begins inside the header, the size is larger than any message.
        let of_hits = WORKER_SIZE + 4 * number(&header[10..]) as usize;
        let size = of_hits + number(&header[14..]) as usize;
        hits.clear();
        let (numbers, reason) = received
            .get(WORKER_SIZE..size)?
            .split_at(of_hits - WORKER_SIZE);
        hits.extend(numbers.chunks_exact(4).map(number));
        // UTF-8 has no byte of the mark.
        let reason = String::from_utf8(reason.to_vec()).ok();
        let reason = reason.filter(|_| hits.iter().all(|&hit| hit < MAX_COUNTERS));
        let Some(reason) = reason else {
            hits.clear();
            return None;
        };
        let nanoseconds = u64::from(number(&header[2..])) | u64::from(number(&header[6..])) << 32;
        let report = RunReport {
            validity: header[0] as i8 - 2,
            nanoseconds,
            reason,
            is_last: header[1] != 0,
        };
        Some((report, size))
    }
}

/// Sends the token of a [`Died`] back.
pub(crate) fn acknowledge(token: u64, to: &mut impl Write) -> io::Result<()> {
    to.write_all(&token.to_le_bytes())
}

/// Reads until a token has arrived, and ignores all bytes before it.
///
/// # Errors
/// If the client has ended.
pub(crate) fn await_token(token: u64, from: &mut impl Read) -> io::Result<()> {
    let (mut last, mut buffer) = (0, [0; 1 << 12]);
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for &byte in &buffer[..count] {
            last = last >> 8 | u64::from(byte) << 56;
        }
        // The client sends nothing after the token until a worker is ready.
        if last == token {
            return Ok(());
        }
    }
}

/// Reads a little-endian number from the first four bytes.
fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIED: Died = Died {
        status: -1,
        was_running: true,
        exit: Some(3),
        token: 0x0123_4567_89AB_CDEF,
    };

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let mut buffer = Vec::new();
        for request in [
            Request::Text(b"let a = 1;"),
            Request::Parameters(b"\x01\x02"),
            Request::Text(b""),
        ] {
            let mut sent = Vec::new();
            request.write(&mut sent);
            assert_eq!(
                Request::read(&mut sent.as_slice(), &mut buffer, &mut Vec::new()).unwrap(),
                Some(request)
            );
            for cut in 1..sent.len() {
                assert!(
                    Request::read(&mut &sent[..cut], &mut buffer, &mut Vec::new()).is_err(),
                    "{cut}"
                );
            }
        }
        assert_eq!(
            Request::read(&mut [].as_slice(), &mut buffer, &mut Vec::new()).unwrap(),
            None
        );
    }

    #[test]
    fn a_reply_is_read_as_it_was_written() {
        let finished = |validity| {
            Reply::Finished(RunReport {
                validity,
                nanoseconds: 5_000_000_000,
                reason: if validity < 0 {
                    "ünknown name".into()
                } else {
                    String::new()
                },
                is_last: validity == 0,
            })
        };
        let died = [
            DIED,
            Died {
                exit: None,
                was_running: false,
                ..DIED
            },
            Died {
                exit: Some(0),
                status: 139,
                ..DIED
            },
        ];
        let mut replies = vec![
            Reply::Ready {
                process: 70_000,
                counters: 3,
            },
            finished(-1),
            finished(0),
            finished(1),
        ];
        replies.extend(died.map(Reply::Died));
        let mut hits = Vec::new();
        for reply in replies {
            let mut sent = Vec::new();
            reply.clone().write(&mut sent);
            for cut in 0..sent.len() {
                assert_eq!(
                    Reply::read(&sent[..cut], &mut hits),
                    None,
                    "{reply:?}, {cut} bytes"
                );
            }
            assert_eq!(
                Reply::read(&sent, &mut hits),
                Some((reply.clone(), sent.len()))
            );
            sent.push(7);
            assert_eq!(Reply::read(&sent, &mut hits), Some((reply, sent.len() - 1)));
        }
    }

    #[test]
    fn an_incomplete_message_of_the_worker_is_ignored() {
        // Every byte of a number is 0xFF in one of the numbers, except for the highest byte.
        let numbers: Vec<u32> = (0..4).map(|at| 0x00FF_FFFF >> (8 * at)).collect();
        let (mut whole, mut end, mut hits) = (Vec::new(), Vec::new(), Vec::new());
        let report = RunReport {
            validity: 1,
            nanoseconds: u64::MAX >> 8,
            reason: "a reason of some length, ÿ".into(),
            is_last: false,
        };
        report.write(&numbers, &mut whole);
        Reply::Died(DIED).write(&mut end);
        for cut in 1..whole.len() {
            let received = [&whole[..cut], &end].concat();
            assert_eq!(
                Reply::read(&received, &mut hits),
                Some((Reply::Died(DIED), received.len())),
                "{cut}"
            );
            for missing in 1..end.len() {
                assert_eq!(
                    Reply::read(&received[..received.len() - missing], &mut hits),
                    None,
                    "{cut}, {missing}"
                );
            }
        }
        let received = [&*whole, &end].concat();
        assert_eq!(
            Reply::read(&received, &mut hits),
            Some((Reply::Finished(report), whole.len()))
        );
        assert_eq!(hits, numbers);
    }

    #[test]
    fn bytes_before_a_token_are_ignored() {
        for rest in [0, 1, 7, 8, 4_095, 4_096, 4_097, 100_000] {
            let mut sent = vec![0xEF; rest];
            acknowledge(DIED.token, &mut sent).unwrap();
            await_token(DIED.token, &mut sent.as_slice()).unwrap();
            assert!(await_token(DIED.token, &mut &sent[..sent.len() - 1]).is_err());
        }
    }
}
