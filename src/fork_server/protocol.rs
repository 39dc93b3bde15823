//! The messages between a subject, which is the client, and the fork server and its worker, over one socket.
//!
//! The client sends requests, which the worker reads. Both the worker and the server send answers. The worker can end in the
//! middle of a message, its own or one that it reads. So each message of the server begins with [`MARK`], which no message of the
//! worker contains, and the client answers [`Reply::Died`] with the token in it: whatever the server reads before that token is
//! the rest of a request, and is dropped.

use std::io::{self, Read, Write};

/// The environment variable that makes a fuzz target a fork server, whose client is at descriptor 0, if it is `1`.
pub const VARIABLE: &str = "ZESTER_SERVE";

/// How each message of the server begins. Numbers of counters are smaller than [`NO_HIT`], so a worker never sends this.
const MARK: [u8; 16] = [0xFF; 16];

/// No counter has this number, nor a larger one.
const NO_HIT: u32 = 0xFF00_0000;

/// The bytes of a message of the server.
const SERVER: usize = MARK.len() + 1 + 4 * 4;

/// The bytes of a message of the worker, before the counters.
const WORKER: usize = 14;

/// The input of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// A sentence, which the target gets as it is.
    Text(&'a [u8]),
    /// Parameters, which the target decodes.
    Parameters(&'a [u8]),
}

impl<'a> Request<'a> {
    /// The text or the parameters.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Request::Text(bytes) | Request::Parameters(bytes) => bytes,
        }
    }

    /// Appends the message.
    pub(crate) fn write(self, message: &mut Vec<u8>) {
        let bytes = self.bytes();
        message.push(u8::from(matches!(self, Request::Parameters(_))));
        message.extend((bytes.len() as u32).to_le_bytes());
        message.extend_from_slice(bytes);
    }

    /// Reads the next request into a buffer; nothing if the client is gone.
    pub(crate) fn read(from: &mut impl Read, buffer: &'a mut Vec<u8>) -> io::Result<Option<Request<'a>>> {
        let mut header = [0; 5];
        if from.read(&mut header[..1])? == 0 {
            return Ok(None);
        }
        from.read_exact(&mut header[1..])?;
        let [kind, length @ ..] = header;
        buffer.resize(u32::from_le_bytes(length) as usize, 0);
        from.read_exact(buffer)?;
        Ok(Some(if kind == 0 { Request::Text(buffer) } else { Request::Parameters(buffer) }))
    }
}

/// A run that came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    /// 1 valid, -1 invalid, 0 unknown.
    pub validity: i8,
    /// How long it took.
    pub nanoseconds: u64,
    /// Whether the worker ends now, because the run has left child processes or closed the socket.
    pub is_last: bool,
}

impl Ran {
    /// Appends the message, with the numbers of the counters that the run hit.
    pub fn write(self, hits: &[u32], message: &mut Vec<u8>) {
        message.extend([(self.validity + 2) as u8, self.is_last.into()]);
        message.extend(self.nanoseconds.to_le_bytes());
        message.extend((hits.len() as u32).to_le_bytes());
        hits.iter().for_each(|hit| message.extend(hit.to_le_bytes()));
    }
}

/// The end of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Died {
    /// Its status, as `wait` gives it.
    pub status: i32,
    /// Whether it was within a run.
    pub was_running: bool,
    /// The status with which the program called `exit`, if it did and if the system tells.
    pub exit: Option<u8>,
    /// What the client is to send back.
    pub token: u64,
}

/// What the client receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// From the server: a worker waits for requests.
    Ready { process: u32, counters: u32 },
    /// From the server: the worker has ended.
    Died(Died),
    /// From the worker: the run came back.
    Ran(Ran),
}

impl Reply {
    /// Appends the message of a server. A worker's is written by [`Ran::write`].
    pub fn write(self, message: &mut Vec<u8>) {
        let (tag, fields): (u8, [u32; 4]) = match self {
            Reply::Ready { process, counters } => (0, [process, counters, 0, 0]),
            Reply::Died(Died { status, was_running, exit, token }) => {
                let flags = u32::from(was_running) | u32::from(exit.is_some()) << 1 | u32::from(exit.unwrap_or(0)) << 8;
                (1, [status as u32, flags, token as u32, (token >> 32) as u32])
            }
            Reply::Ran(ran) => return ran.write(&[], message),
        };
        message.extend(MARK);
        message.push(tag);
        fields.iter().for_each(|field| message.extend(field.to_le_bytes()));
    }

    /// The first answer among received bytes, and how many bytes it takes; nothing if it is not complete yet. The numbers of the
    /// counters that a run hit replace those in `hits`.
    pub fn read(received: &[u8], hits: &mut Vec<u32>) -> Option<(Reply, usize)> {
        if received.starts_with(&MARK) {
            return Some((Reply::of_server(received.get(..SERVER)?), SERVER));
        }
        if let Some((ran, size)) = Reply::of_worker(received, hits) {
            return Some((Reply::Ran(ran), size));
        }
        // The worker may have ended within its message. Then that of the server is the last one: it waits for the token.
        let last = received.get(received.len().checked_sub(SERVER)?..)?;
        last.starts_with(&MARK).then(|| (Reply::of_server(last), received.len()))
    }

    fn of_server(message: &[u8]) -> Reply {
        let field = |at: usize| number(&message[MARK.len() + 1 + 4 * at..]);
        if message[MARK.len()] == 0 {
            return Reply::Ready { process: field(0), counters: field(1) };
        }
        let flags = field(1);
        Reply::Died(Died {
            status: field(0) as i32,
            was_running: flags & 1 != 0,
            exit: (flags & 2 != 0).then_some((flags >> 8) as u8),
            token: u64::from(field(2)) | u64::from(field(3)) << 32,
        })
    }

    fn of_worker(received: &[u8], hits: &mut Vec<u32>) -> Option<(Ran, usize)> {
        let header = received.get(..WORKER)?;
        // If the mark of the server begins within the header, this is more than can be received.
        let size = WORKER + 4 * number(&header[10..]) as usize;
        hits.clear();
        hits.extend(received.get(WORKER..size)?.chunks_exact(4).map(number));
        let nanoseconds = u64::from(number(&header[2..])) | u64::from(number(&header[6..])) << 32;
        let ran = Ran { validity: header[0] as i8 - 2, nanoseconds, is_last: header[1] != 0 };
        let is_whole = hits.iter().all(|&hit| hit < NO_HIT);
        if !is_whole {
            hits.clear();
        }
        is_whole.then_some((ran, size))
    }
}

/// Sends the token of [`Died`] back.
pub(crate) fn acknowledge(token: u64, to: &mut impl Write) -> io::Result<()> {
    to.write_all(&token.to_le_bytes())
}

/// Reads until a token has come, and drops all that came before it. It fails if the client is gone.
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
        // The client sends nothing after the token until it has been answered.
        if last == token {
            return Ok(());
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIED: Died = Died { status: -1, was_running: true, exit: Some(3), token: 0x0123_4567_89AB_CDEF };

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let mut buffer = Vec::new();
        for request in [Request::Text(b"let a = 1;"), Request::Parameters(b"\x01\x02"), Request::Text(b"")] {
            let mut sent = Vec::new();
            request.write(&mut sent);
            assert_eq!(Request::read(&mut sent.as_slice(), &mut buffer).unwrap(), Some(request));
            for cut in 1..sent.len() {
                assert!(Request::read(&mut &sent[..cut], &mut buffer).is_err(), "{cut}");
            }
        }
        assert_eq!(Request::read(&mut [].as_slice(), &mut buffer).unwrap(), None);
    }

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let ran = |validity| Reply::Ran(Ran { validity, nanoseconds: 5_000_000_000, is_last: validity == 0 });
        let died = [DIED, Died { exit: None, was_running: false, ..DIED }, Died { exit: Some(0), status: 139, ..DIED }];
        let mut answers = vec![Reply::Ready { process: 70_000, counters: 3 }, ran(-1), ran(0), ran(1)];
        answers.extend(died.map(Reply::Died));
        let mut hits = Vec::new();
        for answer in answers {
            let mut sent = Vec::new();
            answer.write(&mut sent);
            for cut in 0..sent.len() {
                assert_eq!(Reply::read(&sent[..cut], &mut hits), None, "{answer:?}, {cut} bytes");
            }
            assert_eq!(Reply::read(&sent, &mut hits), Some((answer, sent.len())));
            sent.push(7);
            assert_eq!(Reply::read(&sent, &mut hits), Some((answer, sent.len() - 1)));
        }
    }

    #[test]
    fn an_answer_that_the_worker_did_not_finish_is_passed_over() {
        // Every byte of the numbers is 0xFF somewhere but the highest.
        let numbers: Vec<u32> = (0..4).map(|at| 0x00FF_FFFF >> (8 * at)).collect();
        let (mut whole, mut end, mut hits) = (Vec::new(), Vec::new(), Vec::new());
        let ran = Ran { validity: 1, nanoseconds: u64::MAX >> 8, is_last: false };
        ran.write(&numbers, &mut whole);
        Reply::Died(DIED).write(&mut end);
        for cut in 1..whole.len() {
            let received = [&whole[..cut], &end].concat();
            assert_eq!(Reply::read(&received, &mut hits), Some((Reply::Died(DIED), received.len())), "{cut}");
            for missing in 1..end.len() {
                assert_eq!(Reply::read(&received[..received.len() - missing], &mut hits), None, "{cut}, {missing}");
            }
        }
        let received = [&*whole, &end].concat();
        assert_eq!(Reply::read(&received, &mut hits), Some((Reply::Ran(ran), whole.len())));
        assert_eq!(hits, numbers);
    }

    #[test]
    fn what_comes_before_a_token_is_dropped() {
        for rest in [0, 1, 7, 8, 4_095, 4_096, 4_097, 100_000] {
            let mut sent = vec![0xEF; rest];
            acknowledge(DIED.token, &mut sent).unwrap();
            await_token(DIED.token, &mut sent.as_slice()).unwrap();
            assert!(await_token(DIED.token, &mut &sent[..sent.len() - 1]).is_err());
        }
    }
}
