//! Fuzzes hickory-proto and simple-dns with DNS messages. Each must read the same in what it writes.
//!
//! The two are not compared with each other: simple-dns does not keep unknown opcodes and response codes.
//!
//! [`assemble`] writes the lengths, pointers and counts, without which nearly all messages are refused.
#![no_main]

use hickory_proto::op::Message;
use simple_dns::Packet;

zester::fuzz_target!(grammar: "dns.ebnf", post_process: assemble, |message: &[u8]| -> Result<(), String> {
    let read = Message::from_vec(message).map_err(|error| format!("hickory-proto: {error}"))?;
    let other = Packet::parse(message).map_err(|error| format!("simple-dns: {error}"))?;
    let shown = Ok(format!("{read:?}"));
    let written = read.to_vec().map_err(|error| error.to_string());
    zester::same!(shown, written.and_then(|bytes| hickory(&bytes)), "hickory-proto again");
    let written = other.build_bytes_vec_compressed().map_err(|error| error.to_string());
    zester::same!(Ok(simple(&other)), written.and_then(|bytes| simple_again(&bytes)), "simple-dns again");
    Ok(())
});

fn hickory(message: &[u8]) -> Result<String, String> {
    let message = Message::from_vec(message).map_err(|error| error.to_string())?;
    Ok(format!("{message:?}"))
}

fn simple_again(message: &[u8]) -> Result<String, String> {
    let packet = Packet::parse(message).map_err(|error| error.to_string())?;
    Ok(simple(&packet))
}

/// Returns the records of a message as a text.
fn simple(packet: &Packet) -> String {
    let Packet {
        questions,
        answers,
        name_servers,
        additional_records,
        ..
    } = packet;
    format!(
        "{:?} {questions:?} {answers:?} {name_servers:?} {additional_records:?} {:?}",
        packet.id(),
        packet.opt()
    )
}

/// Replaces a sentence by the message that it describes.
fn assemble(text: &mut Vec<u8>) {
    let sentence = String::from_utf8_lossy(text).into_owned();
    let (mut message, mut counts, mut names) = (Vec::new(), [0u16; 4], Vec::new());
    let (first, records) = sentence.split_once('\n').unwrap_or((&sentence, ""));
    record(&mut message, &mut names, first.trim_start_matches("id"));
    message.resize(12, 0);
    for line in records.lines() {
        let Some(section) = line.chars().next().and_then(|first| "?=!+".find(first)) else {
            continue;
        };
        counts[section] += 1;
        record(&mut message, &mut names, &line[1..]);
    }
    for (at, count) in counts.into_iter().enumerate() {
        message[4 + 2 * at..][..2].copy_from_slice(&count.to_be_bytes());
    }
    *text = message;
}

/// Appends what a line describes. `names` has the positions of the names in the message.
fn record(message: &mut Vec<u8>, names: &mut Vec<u16>, line: &str) {
    let (mut open, mut high, mut chars) = (Vec::new(), None, line.chars());
    while let Some(char) = chars.next() {
        match char {
            '{' => {
                open.push(message.len());
                message.extend([0, 0]);
            }
            '}' => close(message, open.pop()),
            '<' => name(
                message,
                names,
                &chars
                    .by_ref()
                    .take_while(|&char| char != '>')
                    .collect::<String>(),
            ),
            '"' => {
                let text: String = chars.by_ref().take_while(|&char| char != '"').collect();
                message.push(text.len() as u8);
                message.extend(text.bytes().take(255));
            }
            _ => {
                // A byte is two digits.
                let Some(digit) = char.to_digit(16) else {
                    continue;
                };
                match high.take() {
                    Some(high) => message.push((high << 4 | digit) as u8),
                    None => high = Some(digit),
                }
            }
        }
    }
    while let Some(at) = open.pop() {
        close(message, Some(at));
    }
}

/// Writes the number of bytes since `at` to `at`.
fn close(message: &mut [u8], at: Option<usize>) {
    if let Some(at) = at {
        let length = (message.len() - at - 2) as u16;
        message[at..at + 2].copy_from_slice(&length.to_be_bytes());
    }
}

/// Appends a name, such as `a.b` or `a.*2`.
fn name(message: &mut Vec<u8>, names: &mut Vec<u16>, parts: &str) {
    let start = message.len() as u16;
    for part in parts.split('.').filter(|part| !part.is_empty()) {
        let number = part
            .strip_prefix('*')
            .and_then(|number| number.parse::<usize>().ok());
        if let Some(number) = number.filter(|_| !names.is_empty()) {
            message.extend((0xC000 | names[number % names.len()]).to_be_bytes());
            names.push(start);
            return;
        }
        let label = &part.as_bytes()[..part.len().min(63)];
        message.push(label.len() as u8);
        message.extend(label);
    }
    message.push(0);
    names.push(start);
}
