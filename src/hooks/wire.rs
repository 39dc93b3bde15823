//! What a subject and the process that runs it say to each other, over a socket.

use std::io::{self, Read, Write};

/// Set to 1, it makes a fuzz target a server of runs on its standard input.
pub const VARIABLE: &str = "ZESTER_SERVE";

/// What is to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// A sentence, as it is.
    Text(&'a [u8]),
    /// Parameters, to be decoded.
    Parameters(&'a [u8]),
}

impl<'a> Request<'a> {
    /// What is sent.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Request::Text(bytes) | Request::Parameters(bytes) => bytes,
        }
    }

    pub(crate) fn write(self, to: &mut impl Write) -> io::Result<()> {
        let bytes = self.bytes();
        let mut header = [u8::from(matches!(self, Request::Parameters(_))), 0, 0, 0, 0];
        header[1..].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        to.write_all(&header)?;
        to.write_all(bytes)
    }

    /// Reads the next one; nothing if there is none.
    pub(crate) fn read(from: &mut impl Read, room: &'a mut Vec<u8>) -> io::Result<Option<Request<'a>>> {
        let mut kind = [0];
        if from.read(&mut kind)? == 0 {
            return Ok(None);
        }
        room.resize(number(from)? as usize, 0);
        from.read_exact(room)?;
        Ok(Some(if kind[0] == 0 { Request::Text(room) } else { Request::Parameters(room) }))
    }
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A process waits for runs.
    Ready { process: u32, counters: u32 },
    /// A run has ended: 1 valid, -1 invalid, 0 unknown; how long it took; the counters that it hit follow.
    Ran { validity: i8, nanoseconds: u64, hits: u32 },
    /// The process has ended, within a run, with this status.
    Died { status: i32 },
}

impl Answer {
    pub fn write(self, to: &mut impl Write) -> io::Result<()> {
        let (tag, fields): (u8, [u32; 3]) = match self {
            Answer::Ready { process, counters } => (0, [process, counters, 0]),
            Answer::Ran { validity, nanoseconds, hits } => {
                (1 + (validity + 1) as u8, [nanoseconds as u32, (nanoseconds >> 32) as u32, hits])
            }
            Answer::Died { status } => (4, [status as u32, 0, 0]),
        };
        let mut message = [tag; 13];
        for (at, field) in fields.iter().enumerate() {
            message[1 + 4 * at..5 + 4 * at].copy_from_slice(&field.to_le_bytes());
        }
        to.write_all(&message)
    }

    /// Reads one, whose first byte is `tag`.
    pub fn read(tag: u8, from: &mut impl Read) -> io::Result<Answer> {
        let fields = [number(from)?, number(from)?, number(from)?];
        Ok(match tag {
            0 => Answer::Ready { process: fields[0], counters: fields[1] },
            1..=3 => Answer::Ran {
                validity: tag as i8 - 2,
                nanoseconds: u64::from(fields[0]) | u64::from(fields[1]) << 32,
                hits: fields[2],
            },
            _ => Answer::Died { status: fields[0] as i32 },
        })
    }
}

fn number(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut room = Vec::new();
        for request in [Request::Text(b"let a = 1;"), Request::Parameters(b"\x01\x02"), Request::Text(b"")] {
            let mut sent = Vec::new();
            request.write(&mut sent).unwrap();
            assert_eq!(Request::read(&mut sent.as_slice(), &mut room).unwrap(), Some(request));
        }
        assert_eq!(Request::read(&mut [].as_slice(), &mut room).unwrap(), None);
        assert!(Request::read(&mut [0, 9, 0].as_slice(), &mut room).is_err());
        let ran = |validity| Answer::Ran { validity, nanoseconds: 5_000_000_000, hits: 7 };
        for answer in [Answer::Ready { process: 70_000, counters: 3 }, ran(-1), ran(0), ran(1), Answer::Died { status: -1 }] {
            let mut sent = Vec::new();
            answer.write(&mut sent).unwrap();
            assert_eq!(Answer::read(sent[0], &mut &sent[1..]).unwrap(), answer);
        }
    }
}
