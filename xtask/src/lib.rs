//! Builds and runs zester's fuzz targets, and tests whole programs from outside.
//!
//! The program `zester-xtask` runs these commands: `coverage`, `door`, `fuzz`, `guide`, `oss_fuzz`,
//! `smoke` and `test`. The other modules are shared with the experiments: `repository` (paths),
//! `command` (running programs), `cargo`, `profile`, `programs` and `c` (building), `zester` (the
//! command line), and `statistics` (of runs). `afl` serves the smoke test of AFL++.

pub mod afl;
pub mod c;
pub mod cargo;
pub mod command;
pub mod coverage;
pub mod door;
pub mod fuzz;
pub mod guide;
pub mod oss_fuzz;
pub mod profile;
pub mod programs;
pub mod repository;
pub mod smoke;
pub mod statistics;
pub mod test;
pub mod zester;
