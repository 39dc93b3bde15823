//! Fuzzes the crate `png`. A sentence is the content of a file.
//!
//! [`assemble`] adds lengths, checksums and compression, without which `png` would decode no input.
#![no_main]

use std::io::{Cursor, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1A\n";

/// The maximum number of bytes of pixels.
const MAX_PIXELS: usize = 1 << 16;

zester::fuzz_target!(
    grammar: "png.ebnf",
    post_process: assemble,
    pre_process: take_apart,
    |file: &[u8]| {
        let decoder = png::Decoder::new_with_limits(Cursor::new(file), png::Limits { bytes: 1 << 24 });
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let size = reader.output_buffer_size().ok_or("too large")?;
        let mut pixels = vec![0; size.min(1 << 24)];
        reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
        reader.finish().map_err(|error| error.to_string())
    }
);

/// Replaces a sentence by the file that it describes.
fn assemble(text: &mut Vec<u8>) {
    let (mut file, mut needed) = (SIGNATURE.to_vec(), 0);
    for line in text
        .split(|&byte| byte == b'\n')
        .filter(|line| line.len() >= 4)
    {
        let (kind, mut data) = (&line[..4], digits(&line[4..]));
        match kind {
            b"IHDR" => needed = pixel_bytes(&data).min(MAX_PIXELS),
            b"IDAT" => data = compress(&data, needed),
            _ => {}
        }
        chunk(&mut file, kind, &data);
    }
    *text = file;
}

/// Replaces a file by its sentence; the inverse of [`assemble`].
fn take_apart(file: &mut Vec<u8>) {
    let Some(mut rest) = file.strip_prefix(SIGNATURE) else {
        return;
    };
    let (mut text, mut compressed) = (Vec::new(), Vec::new());
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let (Some(kind), Some(data)) = (after.get(..4), after.get(4..4 + length)) else {
            return;
        };
        rest = after.get(8 + length..).unwrap_or_default();
        if kind == b"IDAT" {
            compressed.extend_from_slice(data);
            continue;
        }
        let mut pixels = Vec::new();
        let all = ZlibDecoder::new(&compressed[..]).take(MAX_PIXELS as u64);
        if !compressed.is_empty() && { all }.read_to_end(&mut pixels).is_ok() {
            line(&mut text, b"IDAT", &pixels);
        }
        compressed.clear();
        line(&mut text, kind, data);
    }
    *file = text;
}

/// Appends a line of a sentence.
fn line(text: &mut Vec<u8>, kind: &[u8], data: &[u8]) {
    text.extend_from_slice(kind);
    for (at, byte) in data.iter().enumerate() {
        let space = if at % 16 == 0 { " " } else { "" };
        text.extend_from_slice(format!("{space}{byte:02x}").as_bytes());
    }
    text.push(b'\n');
}

/// Appends a chunk: its length, its type, its data, and the checksum of both.
fn chunk(file: &mut Vec<u8>, kind: &[u8], data: &[u8]) {
    file.extend_from_slice(&(data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    let checksum = crc32fast::hash(&file[start..]);
    file.extend_from_slice(&checksum.to_be_bytes());
}

/// Returns the bytes that hexadecimal digits mean. Other characters are ignored.
fn digits(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = text
        .iter()
        .filter_map(|&byte| char::from(byte).to_digit(16).map(|digit| digit as u8))
        .collect();
    digits
        .chunks_exact(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

/// Compresses as many bytes as needed. They are repeated if they are too few.
fn compress(data: &[u8], needed: usize) -> Vec<u8> {
    let repeated = data.iter().copied().cycle().take(needed);
    let pixels: Vec<u8> = if data.is_empty() {
        vec![0; needed]
    } else {
        repeated.collect()
    };
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(&pixels)
        .and_then(|()| encoder.finish())
        .unwrap_or_default()
}

/// Returns the number of bytes of the pixels that a header announces: those of each row, with one for
/// its filter. An interlaced image has seven passes.
fn pixel_bytes(header: &[u8]) -> usize {
    let &[a, b, c, d, e, f, g, h, depth, color, _, _, interlace, ..] = header else {
        return 0;
    };
    let width = u32::from_be_bytes([a, b, c, d]) as usize;
    let height = u32::from_be_bytes([e, f, g, h]) as usize;
    let channels = match color {
        2 => 3,
        4 => 2,
        6 => 4,
        _ => 1,
    };
    let rows = |width: usize, height: usize| {
        let row = (width
            .saturating_mul(channels * usize::from(depth))
            .div_ceil(8))
        .saturating_add(1);
        if width == 0 {
            0
        } else {
            row.saturating_mul(height)
        }
    };
    if interlace == 0 {
        return rows(width, height);
    }
    let passes = [
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ];
    let pass = |(x, y, right, down): (usize, usize, usize, usize)| {
        rows(
            width.saturating_sub(x).div_ceil(right),
            height.saturating_sub(y).div_ceil(down),
        )
    };
    passes.into_iter().map(pass).fold(0, usize::saturating_add)
}
