//! Compares the speed of zester's parser with that of peers: `parse GRAMMAR [--peer NAME=COMMAND]…
//! [FILE…]`.
//!
//! Three parts: texts by size, files, and chains. For the first, sentences of the grammar are
//! joined to texts of about 1 kB, 10 kB, 100 kB and 1 MB. Each size has 1 MB of text, made of the
//! same sentences. For the second, the FILEs are read, the largest first. Chains are texts of the
//! language that this program makes: long lists, deep nesting, and sequences of operators.
//!
//! Every parser is a process of its own that gets requests in turn, round after round. A fast
//! parser reads all texts of a size in a round, a slow one only the first of them. The variable
//! PARSE_PARTS selects parts (`sizes files chains`), and PARSE_ROUNDS is the number of rounds
//! (default 5).
//!
//! Times are processor times. Memory is the growth of a fresh process' peak while it reads one
//! text. A request that is expected to take more than 20 seconds or 4 GB is left out (`-`). A
//! request that does so unexpectedly is ended (`over`).

mod languages;
mod server;
mod texts;
mod tree;

use std::path::{Path, PathBuf};

use languages::Language;
use server::{Reply, Server, serve};
use zester::bounds::Caps;
use zester::notation;

/// The minimum number of seconds of a request with more than one text.
const LEAST: f64 = 0.2;

/// The number of seconds of a request after which the parser does not get the same request again.
const LONG: f64 = 3.0;

/// The expected seconds and kilobytes above which a request is left out.
const MOST: (f64, f64) = (20.0, 4e6);

/// The seconds and kilobytes at which a request is ended (`over`).
const LIMITS: &str = "ulimit -t 20; ulimit -v 6000000;";

/// The maximum number of files to read.
const FILES: usize = 5;

/// The number of elements of a chain.
const LENGTHS: [usize; 3] = [1_000, 10_000, 100_000];

/// A parser and the command that starts it.
struct Contestant {
    name: String,
    command: String,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--serve") {
        return serve(&arguments[1], Path::new(&arguments[2]));
    }
    let file = PathBuf::from(arguments.remove(0));
    let (mut peers, mut files) = (Vec::new(), Vec::new());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--peer" {
            let peer = arguments.next().expect("NAME=COMMAND");
            let (name, command) = peer.split_once('=').expect("NAME=COMMAND");
            peers.push(Contestant {
                name: name.into(),
                command: format!("exec {command}"),
            });
        } else {
            files.push(PathBuf::from(argument));
        }
    }
    let mut language = Language::of(&file);
    let program = std::env::current_exe().expect("this program has a path");
    let own = |name: &str| Contestant {
        name: name.into(),
        command: format!(
            "exec '{}' --serve {name} '{}'",
            program.display(),
            file.display()
        ),
    };
    let directory = std::env::temp_dir().join(format!("zester-parse-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for texts");
    let parts = std::env::var("PARSE_PARTS").unwrap_or("sizes files chains".into());
    let mut sizes = Vec::new();
    if parts.contains("sizes") {
        let source = std::fs::read(&file).expect("GRAMMAR can be read");
        let (grammar, _) = notation::read("grammar", &source, &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"));
        sizes = texts::texts(&grammar, &mut language, &directory);
    }
    let mut all = vec![own("zester")];
    all.extend(language.tree_sitter.is_some().then(|| own("tree-sitter")));
    all.extend((language.name == "json").then(|| own("serde_json")));
    let own = all.len();
    all.extend(peers);
    if !sizes.is_empty() {
        measure(&all, &sizes, true);
    }
    if parts.contains("files") && !files.is_empty() {
        println!("\nfiles of people");
        let readable = accepted(&all[0], files);
        if !readable.is_empty() {
            measure(&all, &[("files".into(), readable)], false);
        }
    }
    if parts.contains("chains") {
        chains(&all[..own], &language, &directory);
    }
    std::fs::remove_dir_all(&directory).expect("the directory of texts");
}

/// Returns the largest files that a parser accepts.
fn accepted(contestant: &Contestant, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    let size = |file: &PathBuf| file.metadata().map_or(0, |file| file.len());
    files.sort_by_key(|file| std::cmp::Reverse(size(file)));
    let mut server = Server::start(&contestant.command);
    let (mut taken, mut refused) = (Vec::new(), 0);
    for file in files.into_iter().filter(|file| size(file) <= 4_000_000) {
        if taken.len() == FILES {
            break;
        }
        let is_right = server
            .ask(0.0, std::slice::from_ref(&file))
            .is_some_and(|reply| reply.wrong == 0);
        if is_right {
            println!("{:>9} B  {}", size(&file), file.display());
            taken.push(file);
        } else {
            refused += 1;
        }
    }
    if refused > 0 {
        println!("{refused} that are as large are refused");
    }
    taken
}

/// Prints the table of texts by size. If these are sizes, it has columns for growth and memory.
fn measure(all: &[Contestant], sizes: &[(String, Vec<PathBuf>)], grows: bool) {
    let rounds: usize = std::env::var("PARSE_ROUNDS").map_or(5, |rounds| {
        rounds.parse().expect("PARSE_ROUNDS is a number")
    });
    let mut servers: Vec<Server> = all
        .iter()
        .map(|contestant| Server::start(&contestant.command))
        .collect();
    // Bytes per second, by contestant, size and round.
    let mut speeds = vec![vec![Vec::new(); sizes.len()]; all.len()];
    let mut notes = Vec::new();
    for (at, (size, files)) in sizes.iter().enumerate() {
        let bytes = files
            .iter()
            .map(|file| file.metadata().map_or(0, |file| file.len()))
            .sum::<u64>() as f64
            / files.len() as f64;
        let mut is_asked: Vec<bool> = speeds
            .iter()
            .map(|speeds| likely(&speeds[..at], bytes) < MOST.0)
            .collect();
        // The first round is for warming up only.
        for round in 0..=rounds {
            for (contestant, server) in servers.iter_mut().enumerate() {
                if !is_asked[contestant] {
                    continue;
                }
                let name = &all[contestant].name;
                let Some(reply) = server.ask(LEAST, files) else {
                    notes.push(format!("{name} dies of a text of {size}"));
                    is_asked[contestant] = false;
                    continue;
                };
                is_asked[contestant] = reply.seconds < LONG;
                if round == 0 && reply.wrong > 0 {
                    notes.push(format!(
                        "{name} finds errors in {} of {} texts of {size}",
                        reply.wrong, reply.texts
                    ));
                }
                if round > 0 || reply.seconds >= LONG {
                    speeds[contestant][at].push((round, reply.bytes / reply.seconds));
                }
            }
        }
    }
    drop(servers);

    let median_of = |speeds: &Vec<(usize, f64)>| median(speeds.iter().map(|speed| speed.1));
    print!("{:<24}", "kB/s");
    sizes.iter().for_each(|(size, _)| print!("{size:>9}"));
    println!(
        "{}",
        if grows {
            "    time a byte, from size to size    memory at 1 MB"
        } else {
            ""
        }
    );
    for (contestant, speeds) in all.iter().zip(&speeds) {
        print!("{:<24}", contestant.name);
        speeds.iter().for_each(|speeds| {
            print!(
                "{:>9}",
                shown(median_of(speeds).map(|speed| speed / 1e3), 0)
            )
        });
        if grows {
            print!("      ");
            for pair in speeds.windows(2) {
                let grown = median_of(&pair[0])
                    .zip(median_of(&pair[1]))
                    .map(|(less, more)| less / more);
                print!("{:>8}", shown(grown, 2));
            }
            let (_, files) = &sizes[sizes.len() - 1];
            let is_read = !speeds[sizes.len() - 1].is_empty();
            let reply = is_read
                .then(|| Server::start(&contestant.command).ask(0.0, &files[..1]))
                .flatten();
            print!(
                "{:>15} MB",
                shown(reply.map(|reply| reply.kilobytes / 1e3), 0)
            );
        }
        println!();
    }
    for (contestant, peer) in all.iter().zip(&speeds).skip(1) {
        print!("{:<24}", format!("zester / {}", contestant.name));
        for (own, peer) in speeds[0].iter().zip(peer) {
            let same = |round: usize| own.iter().find(|speed| speed.0 == round).or(own.last());
            let ratios = peer
                .iter()
                .filter_map(|&(round, speed)| Some(same(round)?.1 / speed));
            let ratio = median(ratios);
            print!(
                "{:>9}",
                shown(
                    ratio,
                    if ratio.is_some_and(|ratio| ratio >= 10.0) {
                        0
                    } else {
                        2
                    }
                )
            );
        }
        println!();
    }
    notes.iter().for_each(|note| println!("{note}"));
}

/// Returns the expected seconds for a text: the exponent of growth stays as it was, and is at least
/// that of linear time.
fn likely(speeds: &[Vec<(usize, f64)>], bytes: f64) -> f64 {
    let speed = |back: usize| {
        speeds
            .len()
            .checked_sub(back)
            .map(|at| median(speeds[at].iter().map(|speed| speed.1)))
    };
    match (speed(1), speed(2)) {
        (None, _) => 0.0,
        (Some(None), _) => f64::INFINITY,
        (Some(Some(last)), before) => {
            bytes / last
                * before
                    .flatten()
                    .map_or(1.0, |before| (before / last).max(1.0))
        }
    }
}

/// Prints the table of chains: the time by length, and the factor in time for ten times the length.
fn chains(all: &[Contestant], language: &Language, directory: &Path) {
    println!(
        "\n{:<56}{:<24}{:>10}{:>10}{:>10}",
        "seconds for a chain of", "", "1,000", "10,000", "100,000"
    );
    for chain in language.chains {
        for (index, contestant) in all.iter().enumerate() {
            let (mut line, mut last): (String, Vec<(f64, f64)>) = (String::new(), Vec::new());
            for length in LENGTHS {
                let file = directory.join(format!("chain-{length}"));
                std::fs::write(&file, chain.text(length)).expect("a text is written");
                // The next factor of ten is expected to cost as much as the last one, and at least 10.
                let next = |part: fn(&(f64, f64)) -> f64| {
                    let before = last
                        .len()
                        .checked_sub(2)
                        .map(|at| part(&last[at]))
                        .filter(|&before| before > 1e-3);
                    last.last().map_or(0.0, |last| {
                        part(last) * before.map_or(10.0, |before| (part(last) / before).max(10.0))
                    })
                };
                if next(|last| last.0) > MOST.0
                    || next(|last| last.1) > MOST.1
                    || line.ends_with(['-', 'r'])
                {
                    line += "         -";
                    continue;
                }
                let mut server = Server::start(&format!("{LIMITS} {}", contestant.command));
                let Some(first) = server.ask(0.0, std::slice::from_ref(&file)) else {
                    line += "      over";
                    continue;
                };
                // Small chains are read twice, so that one-time costs do not count.
                let again = if first.seconds < LONG {
                    server.ask(LEAST / 2.0, &[file])
                } else {
                    None
                };
                let Reply {
                    seconds,
                    bytes,
                    wrong,
                    ..
                } = again.unwrap_or(first);
                let seconds = seconds * chain.text(length).len() as f64 / bytes;
                last.push((seconds, first.kilobytes));
                line += &if wrong > 0 {
                    "     error".into()
                } else {
                    format!("{seconds:>10.4}")
                };
            }
            let memory = last.last().map_or(0.0, |last| last.1 / 1e3);
            let name = if index == 0 {
                chain.to_string()
            } else {
                String::new()
            };
            println!("{name:<56}{:<24}{line}{memory:>10.0} MB", contestant.name);
            // A text that is not a sentence of the grammar is no test for the other parsers.
            if index == 0 && line.contains("error") {
                break;
            }
        }
    }
}

fn shown(number: Option<f64>, digits: usize) -> String {
    number.map_or("-".into(), |number| format!("{number:.digits$}"))
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then(|| (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0)
}
