//! How zester's command line and its library for C are compiled.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cargo::cargo;
use crate::command::quietly;
use crate::repository::target_directory;

/// How zester's command line is compiled.
#[derive(Clone, Copy, PartialEq)]
pub enum Profile {
    /// Optimised, for experiments.
    Release,
    /// With the profile of tests, so that cargo reuses what `cargo test` compiled.
    Test,
}

impl Profile {
    /// Returns cargo's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Test => "test",
        }
    }

    /// Returns the directory of the programs.
    pub fn directory(self) -> PathBuf {
        target_directory().join(match self {
            Profile::Release => "release",
            Profile::Test => "debug",
        })
    }

    /// Returns how a program was compiled.
    pub fn of(program: &Path) -> Profile {
        match program.parent() == Some(&Profile::Test.directory()) {
            true => Profile::Test,
            false => Profile::Release,
        }
    }
}

/// Builds the library for targets in C, `libzester.a`. With [`Profile::Test`], the command line is built with it, so that both have the
/// same features.
pub fn library(profile: Profile) -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--profile", profile.name(), "-p", "zester-c"]);
    if profile == Profile::Test {
        build.args(["-p", "zester-cli"]);
    }
    quietly(&mut build)?;
    Ok(profile.directory().join("libzester.a"))
}
