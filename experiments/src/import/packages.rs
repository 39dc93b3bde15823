//! Fetches packages of npm, PyPI and Debian, and unpacks them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use zester_xtask::command::{self, quietly};

/// Fetches a package of a registry. Returns the directory of its files.
pub fn fetch(registry: &str, package: &str, to: &Path) -> Result<PathBuf> {
    let content = to.join("content");
    if !content.exists() {
        fs::create_dir_all(to)?;
        let unpacked = to.join("unpacking");
        let _ = fs::remove_dir_all(&unpacked);
        fs::create_dir_all(&unpacked)?;
        if registry == "debian" {
            debian_source(package, to, &unpacked)?;
        } else {
            let archive = download(registry, package, to)?;
            unpack(&archive, &unpacked)?;
        }
        fs::rename(&unpacked, &content)?;
    }
    // Archives of sources have one directory at the top.
    let inside: Vec<PathBuf> = fs::read_dir(&content)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    match &inside[..] {
        [only] if only.is_dir() => Ok(only.clone()),
        _ => Ok(content),
    }
}

/// Downloads a package of npm or PyPI. Returns its archive.
///
/// The registry `sdist` is PyPI, of which it fetches the source archive instead of the wheel.
fn download(registry: &str, package: &str, to: &Path) -> Result<PathBuf> {
    let mut download = match registry {
        "npm" => Command::new("npm"),
        "pypi" | "sdist" => Command::new("python3"),
        _ => bail!("unknown registry {registry}"),
    };
    match registry {
        "npm" => download.args(["pack", "--silent", package]),
        _ => download.args(["-m", "pip", "download", "--no-deps", "--quiet", package]),
    };
    if registry == "sdist" {
        let name = package.split("==").next().unwrap_or(package);
        download.args(["--no-binary", name]);
    }
    quietly(download.current_dir(to))?;
    let files = fs::read_dir(to)?.flatten().map(|entry| entry.path());
    files
        .filter(|path| path.is_file())
        .last()
        .context("no archive")
}

/// Unpacks a wheel, or an archive of tar and gzip.
fn unpack(archive: &Path, to: &Path) -> Result<()> {
    let is_wheel = archive
        .extension()
        .is_some_and(|extension| extension == "whl" || extension == "zip");
    let mut unpack = match is_wheel {
        true => Command::new("python3"),
        false => Command::new("tar"),
    };
    match is_wheel {
        true => unpack.args(["-m", "zipfile", "-e"]).arg(archive).arg(to),
        false => unpack.arg("xzf").arg(archive).arg("-C").arg(to),
    };
    quietly(&mut unpack)
}

/// Downloads and unpacks a source package of the installed release of Debian.
///
/// apt-get has a list of sources and a state of its own here, so that those of the system stay.
fn debian_source(package: &str, work: &Path, to: &Path) -> Result<()> {
    let release = command::line(
        Command::new("sh").args(["-c", ". /etc/os-release && echo \"$VERSION_CODENAME\""]),
    )?;
    let list = work.join("sources.list");
    let state = work.parent().context("no directory")?.join("debian-lists");
    fs::create_dir_all(state.join("partial"))?;
    fs::write(
        &list,
        format!("deb-src http://deb.debian.org/debian {release} main\n"),
    )?;
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.arg(format!("-oDir::Etc::SourceList={}", list.display()))
            .arg("-oDir::Etc::SourceParts=/dev/null")
            .arg(format!("-oDir::State::Lists={}", state.display()))
            .arg("-oAPT::Sandbox::User=root")
            .current_dir(to);
        apt
    };
    if fs::read_dir(&state)?.count() < 3 {
        quietly(apt().arg("update"))?;
    }
    quietly(apt().args(["source", package]))?;
    // The archives stay out of the directory of the sources.
    for entry in fs::read_dir(to)?.flatten() {
        if entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
