//! Reads the files in zip archives.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use rawzip::{CompressionMethod, FileReader, ZipArchive, ZipArchiveEntryWayfinder};
use zester::corpus::{self, seeds, seeds::Refusal};

use crate::seed_corpus::TextName;

pub struct ArchivedFile {
    archive: Arc<ZipArchive<FileReader>>,
    position: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

impl ArchivedFile {
    /// Reads the file. Of a file with more than `max` bytes, reads `max + 1` bytes. Checks the
    /// checksum if the file is read completely.
    pub fn read(&self, max: u32) -> Result<Vec<u8>, Refusal> {
        let entry = self.archive.get_entry(self.position).map_err(invalid);
        match self.method {
            CompressionMethod::Store => {
                let content = entry.map(|entry| entry.verifying_reader(entry.reader()));
                seeds::read(content, max)
            }
            CompressionMethod::Deflate => {
                let content =
                    entry.map(|entry| entry.verifying_reader(Inflater::new(entry.reader())));
                seeds::read(content, max)
            }
            _ => Err(Refusal::new(
                "cannot be read: only the compression methods store and deflate are supported",
            )),
        }
    }
}

/// Returns the names and the files in a zip archive. Directories and marks of corpora are left out.
pub fn files(path: &Path) -> io::Result<Vec<(TextName, ArchivedFile)>> {
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(File::open(path)?, &mut buffer).map_err(invalid)?;
    let archive = Arc::new(archive);
    let mut entries = archive.entries(&mut buffer);
    let mut files = Vec::new();
    while let Some(entry) = entries.next_entry().map_err(invalid)? {
        let inner = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        // The directories are removed, so that a name cannot lead out of the corpus.
        let name = inner.rsplit(['/', '\\']).next().unwrap_or_default();
        if entry.is_dir() || corpus::is_mark(name.as_ref()) {
            continue;
        }
        let name = TextName {
            name: name.into(),
            path: format!("{}:{inner}", path.display()),
        };
        let file = ArchivedFile {
            archive: Arc::clone(&archive),
            position: entry.wayfinder(),
            method: entry.compression_method(),
        };
        files.push((name, file));
    }
    Ok(files)
}

fn invalid(error: rawzip::Error) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}

/// A reader that decompresses a deflate stream.
struct Inflater<R> {
    compressed: BufReader<R>,
    state: Box<InflateState>,
}

impl<R: Read> Inflater<R> {
    fn new(compressed: R) -> Inflater<R> {
        Inflater {
            compressed: BufReader::new(compressed),
            state: InflateState::new_boxed(DataFormat::Raw),
        }
    }
}

impl<R: Read> Read for Inflater<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.compressed.fill_buf()?;
            let is_end = input.is_empty();
            let result = inflate(&mut self.state, input, buffer, MZFlush::None);
            self.compressed.consume(result.bytes_consumed);
            if result.bytes_written > 0 || buffer.is_empty() {
                return Ok(result.bytes_written);
            }
            match result.status {
                Ok(MZStatus::StreamEnd) => return Ok(0),
                Ok(_) | Err(MZError::Buf) if is_end => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(MZError::Buf) if result.bytes_consumed > 0 => {}
                Err(_) => {
                    let what = "the deflate stream is malformed";
                    return Err(io::Error::new(ErrorKind::InvalidData, what));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Writes an archive with one file.
    fn archive(path: &Path, content: &[u8], method: zip::CompressionMethod) {
        let mut archive = zip::ZipWriter::new(File::create(path).unwrap());
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        archive.add_directory("below", options).unwrap();
        archive.start_file("below/text", options).unwrap();
        archive.write_all(content).unwrap();
        archive.finish().unwrap();
    }

    #[test]
    fn files_are_decompressed_and_checked() {
        let work = tempfile::tempdir().unwrap();
        let path = work.path().join("a.zip");
        let numbers: String = (0..50_000).map(|number| format!("{number},")).collect();
        for method in [
            zip::CompressionMethod::Stored,
            zip::CompressionMethod::Deflated,
        ] {
            for content in ["", "a", &"a".repeat(300_000), &numbers] {
                archive(&path, content.as_bytes(), method);
                let files = files(&path).unwrap();
                let [(name, file)] = &files[..] else {
                    panic!("{} files", files.len())
                };
                assert_eq!(name.name, "text");
                assert!(file.read(1 << 20).unwrap() == content.as_bytes());
                assert_eq!(file.read(9).unwrap().len(), content.len().min(10));
            }
            // A changed byte of the content.
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            assert!(files(&path).unwrap()[0].1.read(1 << 20).is_err());
        }
    }

    #[test]
    fn what_is_no_archive_is_an_error() {
        assert!(files(Path::new("Cargo.toml")).is_err());
        assert!(files(Path::new("/nowhere.zip")).is_err());
    }
}
