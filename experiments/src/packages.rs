//! Fetches packages of crates.io, npm, PyPI and Debian, and unpacks them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use zester_xtask::command::{self, quietly};

/// Fetches and unpacks a package to `to/content`, unless that exists. Returns the directory of its files.
///
/// The registries are `crate` and `npm` (NAME@VERSION), `pypi` (NAME==VERSION, the wheel), `sdist` (NAME==VERSION, the source archive),
/// and `deb` and `debian` (NAME; the binary and the source package of the installed release).
pub fn fetch(registry: &str, package: &str, to: &Path) -> Result<PathBuf> {
    let content = to.join("content");
    if !content.exists() {
        fs::create_dir_all(to)?;
        let unpacked = to.join("unpacking");
        let _ = fs::remove_dir_all(&unpacked);
        fs::create_dir_all(&unpacked)?;
        match registry {
            "debian" => debian_source(package, to, &unpacked)?,
            _ => unpack(&download(registry, package, to)?, &unpacked)?,
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

/// Downloads a package. Returns its archive.
fn download(registry: &str, package: &str, to: &Path) -> Result<PathBuf> {
    if matches!(registry, "crate" | "npm") {
        let (name, version) = (package.rsplit_once('@')).context("the package needs a version")?;
        let last = name.rsplit('/').next().unwrap_or(name);
        let address = match registry {
            "npm" => format!("https://registry.npmjs.org/{name}/-/{last}-{version}.tgz"),
            _ => format!("https://static.crates.io/crates/{name}/{name}-{version}.crate"),
        };
        let archive = to.join("archive.tgz");
        let mut curl = Command::new("curl");
        quietly(curl.args(["-sSfL", "-o"]).arg(&archive).arg(address))?;
        return Ok(archive);
    }
    let mut download = Command::new(match registry {
        "deb" => "apt-get",
        "pypi" | "sdist" => "python3",
        _ => bail!("unknown registry {registry}"),
    });
    match registry {
        "deb" => download.args(["download", package]),
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

/// Unpacks a wheel, a package of Debian, or an archive of tar and gzip.
fn unpack(archive: &Path, to: &Path) -> Result<()> {
    let extension = archive.extension().unwrap_or_default();
    let mut unpack = match extension.to_str() {
        Some("whl" | "zip") => Command::new("python3"),
        Some("deb") => Command::new("dpkg-deb"),
        _ => Command::new("tar"),
    };
    match extension.to_str() {
        Some("whl" | "zip") => unpack.args(["-m", "zipfile", "-e"]).arg(archive).arg(to),
        Some("deb") => unpack.arg("-x").arg(archive).arg(to),
        _ => unpack.arg("xzf").arg(archive).arg("-C").arg(to),
    };
    quietly(&mut unpack)
}

/// Downloads and unpacks a source package of the installed release of Debian.
///
/// apt-get gets its own list of sources and its own state, so that those of the system do not change.
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
