//! Tests of the subject: every request gets one answer, whatever the target does, and no process of
//! the target outlives the subject.
//!
//! The fuzz target is this program itself: `zester::subject` starts it again with `ZESTER_SERVE` in
//! its environment.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpid, getppid, kill_process, test_kill_process};
use zester::Validity;
use zester::hooks::{self, Arguments, Target};
use zester::language::GrammarSource;
use zester::parameters::{Decoder, Settings};
use zester::subject::{Limits, Outcome, Request, Subject};

static GRAMMAR: GrammarSource =
    GrammarSource::new("deeds.ebnf", br#"deed = "valid" | "invalid" | "unknown" ;"#);
static TARGET: Target = Target::sentence(&GRAMMAR, true, run);

/// The environment variable with the directory in which the target writes the numbers of its
/// processes.
const DIRECTORY: &str = "ZESTER_TEST_DIRECTORY";

/// The environment variable that is set for a copy of this program that starts the target and runs
/// one sentence that hangs.
const CLIENT: &str = "ZESTER_TEST_CLIENT";

unsafe extern "C" {
    fn fork() -> c_int;
    fn setsid() -> c_int;
    fn close(descriptor: c_int) -> c_int;
    fn signal(number: c_int, handler: usize) -> usize;
    fn _exit(status: c_int) -> !;
}

/// The program under test. Each sentence is the name of an action of the program.
fn run(deed: &[u8]) -> Validity {
    match deed {
        b"valid" => return Validity::Valid,
        b"invalid" => return Validity::Invalid,
        b"exit 0" => std::process::exit(0),
        b"exit 3" => std::process::exit(3),
        // SAFETY: ends the process.
        b"_exit 0" => unsafe { _exit(0) },
        // SAFETY: `_exit` has no preconditions; it ends the process.
        b"_exit 4" => unsafe { _exit(4) },
        b"hang" => hang(),
        b"hang with children" => {
            copy("child", hang);
            daemon("daemon", hang);
            hang()
        }
        b"hang and ignore signals" => {
            for number in 1..32 {
                // SAFETY: 1 is SIG_IGN.
                unsafe { signal(number, 1) };
            }
            hang()
        }
        b"eat" => eat(4_096),
        b"eat in children" => {
            (0..4).for_each(|_| copy("eater", || eat(60)));
            hang()
        }
        b"share with children" => {
            let shared = vec![1_u8; 60 << 20];
            (0..4).for_each(|_| copy("sharer", hang));
            return shared.iter().all(|&byte| byte == 1).into();
        }
        b"leave a child" => copy("child", hang),
        b"leave a daemon" => daemon("daemon", hang),
        b"bomb" => bomb(5),
        b"write to 0" => {
            for _ in 0..100 {
                // SAFETY: the descriptor is open.
                let mut zero = unsafe { <std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(0) };
                let _ = zero.write_all(&[3; 1_000]);
                std::mem::forget(zero);
            }
        }
        b"read from 0" => {
            let mut bytes = Vec::new();
            let _ = std::io::stdin().read_to_end(&mut bytes);
            return bytes.is_empty().into();
        }
        b"close all" => {
            for descriptor in 0..4_096 {
                // SAFETY: only zester uses the descriptors afterwards, and the test checks that it
                // copes with that.
                unsafe { close(descriptor) };
            }
            return Validity::Valid;
        }
        b"print 1 GB" => {
            let line = [b'x'; 1 << 16];
            (0..1 << 14).for_each(|_| drop(std::io::stdout().write_all(&line)));
        }
        b"kill itself" => kill_process(getpid(), Signal::KILL).unwrap(),
        b"stop itself" => kill_process(getpid(), Signal::STOP).unwrap(),
        b"kill the server" => {
            let _ = kill_process(getppid().expect("the server"), Signal::KILL);
            hang()
        }
        b"stop the server" => kill_process(getppid().expect("the server"), Signal::STOP).unwrap(),
        b"crash later" => {
            std::thread::spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                fail("later");
            });
            return Validity::Valid;
        }
        b"report" => {
            report();
            // SAFETY: ends the process, as AddressSanitizer does.
            unsafe { _exit(1) }
        }
        deed if deed.starts_with(b"report at ") => {
            let options = std::env::var("ASAN_OPTIONS").unwrap_or_default();
            eprintln!("==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffd");
            if !options.contains("symbolize=0") {
                // As with a symboliser that does not answer.
                hang();
            }
            eprintln!(
                "    #0 0x55f  (/tmp/deeds+{}) (BuildId: f9)",
                String::from_utf8_lossy(&deed[10..])
            );
            // SAFETY: ends the process, as AddressSanitizer does.
            unsafe { _exit(1) }
        }
        b"report and exit" => {
            eprintln!("a.c:3:4: runtime error: signed integer overflow: 1 + 2147483647 cannot");
            std::process::exit(5)
        }
        deed if deed.starts_with(b"panic") => fail(&String::from_utf8_lossy(deed)),
        _ => {}
    }
    Validity::Unknown
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Allocates `amount` MiB of memory and hangs.
fn eat(amount: usize) -> ! {
    let _eaten: Vec<Vec<u8>> = std::iter::repeat_with(|| vec![1; 1 << 20])
        .take(amount)
        .collect();
    hang()
}

/// Writes the number of this process to the file `name`, which the test reads.
fn sign(name: &str) {
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        let _ = std::fs::write(
            Path::new(&directory).join(name),
            getpid().as_raw_nonzero().to_string(),
        );
    }
}

/// Starts a child process that runs `deed`.
fn copy(name: &str, deed: fn() -> !) {
    // SAFETY: this process has only one thread.
    if unsafe { fork() } == 0 {
        sign(name);
        deed()
    }
    // The child needs time to write its number.
    std::thread::sleep(Duration::from_millis(50));
}

/// Starts a daemon that runs `deed`: a process in a session of its own whose parent has ended.
fn daemon(name: &str, deed: fn() -> !) {
    // SAFETY: this process has only one thread.
    if unsafe { fork() } == 0 {
        // SAFETY: makes a session; ends the process.
        unsafe {
            setsid();
            if fork() != 0 {
                _exit(0);
            }
        }
        sign(name);
        deed()
    }
    // The child needs time to write its number.
    std::thread::sleep(Duration::from_millis(50));
}

/// Starts a fork bomb: two processes that start two processes each, and so on. Each process has a
/// session of its own.
fn bomb(generations: u32) {
    for _ in 0..2 * generations.min(1) {
        // SAFETY: this process has only one thread.
        if unsafe { fork() } == 0 {
            // SAFETY: makes a session.
            unsafe { setsid() };
            sign(&format!("bomb-{}", getpid().as_raw_nonzero()));
            bomb(generations - 1);
            hang()
        }
    }
    std::thread::sleep(Duration::from_millis(50));
}

const LINE: u32 = line!() + 3;
const COLUMN: u32 = 5;
fn fail(deed: &str) -> ! {
    panic!("{deed}")
}

/// Prints a report like that of AddressSanitizer, with names of functions unless `symbolize=0` is
/// set.
fn report() {
    let options = std::env::var("ASAN_OPTIONS").unwrap_or_default();
    eprintln!("==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffd");
    if options.contains("symbolize=0") {
        eprintln!(
            "    #0 0x55f  (/tmp/deeds+0x17) (BuildId: f9)\n    #1 0x560  (/tmp/deeds+0x18) (BuildId: f9)"
        );
    } else {
        eprintln!("    #0 0x55f in copy /tmp/deeds.c:7:1\n    #1 0x560 in parse /tmp/deeds.c:9:1");
    }
}

#[unsafe(no_mangle)]
extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> i32 {
    // SAFETY: the fork server passes a pointer to `size` bytes that live until this returns.
    hooks::run(
        &TARGET,
        if size == 0 {
            &[]
        } else {
            unsafe { std::slice::from_raw_parts(data, size) }
        },
    )
}

/// Runs this program as a fuzz target.
fn target() -> ExitCode {
    sign("server");
    // A panic aborts the process, as with libfuzzer-sys.
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        print(panic);
        std::process::abort();
    }));
    // SAFETY: both pointers are null, so they are not dereferenced.
    hooks::initialize(&TARGET, unsafe {
        Arguments::new(std::ptr::null(), std::ptr::null())
    });
    LLVMFuzzerTestOneInput(std::ptr::null(), 0);
    ExitCode::FAILURE
}

fn main() -> ExitCode {
    if std::env::var_os("ZESTER_SERVE").is_some() {
        return target();
    }
    if std::env::var_os(CLIENT).is_some() {
        // A shell starts background processes with SIGINT ignored.
        // SAFETY: 0 is SIG_DFL.
        unsafe { signal(Signal::INT.as_raw(), 0) };
        let _ = start(Duration::from_secs(60)).run(Request::Text(b"hang with children"));
        return ExitCode::FAILURE;
    }
    let directory = tempfile::tempdir().unwrap();
    // SAFETY: this process has only one thread.
    unsafe { std::env::set_var(DIRECTORY, directory.path()) };
    let directory = directory.path();
    let tests: [(&str, &dyn Fn()); 11] = [
        ("each_request_has_its_answer", &each_request_has_its_answer),
        (
            "each_of_many_requests_has_its_answer",
            &each_of_many_requests_has_its_answer,
        ),
        (
            "a_symboliser_that_hangs_is_used_once",
            &a_symboliser_that_hangs_is_used_once,
        ),
        ("parameters_are_decoded", &parameters_are_decoded),
        (
            "a_crash_between_runs_is_not_attributed_to_a_sentence",
            &a_crash_between_runs_is_not_attributed_to_a_sentence,
        ),
        (
            "large_requests_survive_a_crash_between_runs",
            &large_requests_survive_a_crash_between_runs,
        ),
        ("children_end_with_the_run", &|| {
            children_end_with_the_run(directory)
        }),
        ("all_processes_end_with_the_subject", &|| {
            all_processes_end_with_the_subject(directory)
        }),
        ("all_processes_end_when_a_signal_ends_the_client", &|| {
            all_processes_end_when_a_signal_ends_the_client(directory)
        }),
        ("a_killed_server_is_started_again", &|| {
            a_killed_server_is_started_again(directory)
        }),
        (
            "a_program_that_is_no_target_is_refused",
            &a_program_that_is_no_target_is_refused,
        ),
    ];
    // As with the standard test harness, arguments select the tests whose names contain one of
    // them.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    for (name, test) in tests {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part)) {
            let start = Instant::now();
            eprint!("test {name} ... ");
            test();
            eprintln!("ok ({:.1} s)", start.elapsed().as_secs_f64());
        }
    }
    ExitCode::SUCCESS
}

fn start(timeout: Duration) -> Subject {
    let program = std::env::current_exe().unwrap();
    let limits = Limits::default().timeout(timeout).memory(200 << 20);
    Subject::start(&program, limits).unwrap_or_else(|problem| panic!("{problem}"))
}

fn outcome(subject: &mut Subject, deed: &str) -> Outcome {
    subject
        .run(Request::Text(deed.as_bytes()))
        .unwrap_or_else(|problem| panic!("{deed}: {problem}"))
        .outcome
}

fn each_request_has_its_answer() {
    let panic = format!("panic at tests/subject.rs:{LINE}:{COLUMN}");
    let stack = "stack-buffer-overflow in copy < parse";
    let expected = [
        ("valid", "valid", ""),
        ("report", "crash", stack),
        ("invalid", "invalid", ""),
        ("panic 1", "crash", &panic),
        ("unknown", "unknown", ""),
        ("exit 3", "exit", "3"),
        ("exit 0", "exit", "0"),
        ("_exit 0", "exit", "0"),
        ("_exit 4", "exit", "4"),
        ("report and exit", "exit", "5"),
        ("eat", "out-of-memory", ""),
        ("eat in children", "out-of-memory", ""),
        ("share with children", "valid", ""),
        ("write to 0", "unknown", ""),
        ("read from 0", "valid", ""),
        ("close all", "valid", ""),
        ("kill itself", "crash", "SIGKILL"),
        ("leave a child", "unknown", ""),
        ("leave a daemon", "unknown", ""),
        ("report", "crash", stack),
        ("panic 22", "crash", &panic),
        ("valid", "valid", ""),
    ];
    // Two rounds, so that each action follows different ones. The time limit is long enough for a
    // busy machine.
    answers(
        &mut start(Duration::from_secs(30)),
        &[&expected[..], &expected].concat(),
    );
    answers(
        &mut start(Duration::from_secs(60)),
        &[("print 1 GB", "unknown", ""), ("valid", "valid", "")],
    );
    let late = [
        "hang",
        "hang with children",
        "hang and ignore signals",
        "stop itself",
    ];
    let late = late
        .map(|deed| [(deed, "time-out", ""), ("valid", "valid", "")])
        .concat();
    answers(&mut start(Duration::from_millis(500)), &late);
}

/// Runs sentences and checks their outcomes, with the signature of a crash or the status of an
/// exit.
fn answers(subject: &mut Subject, expected: &[(&str, &str, &str)]) {
    for &(deed, outcome, detail) in expected {
        let run = subject
            .run(Request::Text(deed.as_bytes()))
            .unwrap_or_else(|problem| panic!("{deed}: {problem}"));
        let found = match &run.outcome {
            Outcome::Crash(signature) => signature.to_string(),
            Outcome::Exit(status) => status.to_string(),
            _ => String::new(),
        };
        assert_eq!(
            (&*run.outcome.to_string(), &*found),
            (outcome, detail),
            "{deed}"
        );
    }
}

fn each_of_many_requests_has_its_answer() {
    let mut subject = start(Duration::from_secs(3));
    for _ in 0..10_000 {
        assert_eq!(
            outcome(&mut subject, "valid"),
            Outcome::Finished(Validity::Valid)
        );
    }
}

fn a_symboliser_that_hangs_is_used_once() {
    let mut subject = start(Duration::from_millis(500));
    let begin = Instant::now();
    answers(
        &mut subject,
        &[(
            "report at 0x17",
            "crash",
            "stack-buffer-overflow in deeds+0x17",
        )],
    );
    // The run may take 3 seconds, and the report 3 more.
    let first = begin.elapsed();
    assert!(
        first > Duration::from_secs(5) && first < Duration::from_secs(12),
        "{first:?}"
    );
    let begin = Instant::now();
    answers(
        &mut subject,
        &[
            (
                "report at 0x18",
                "crash",
                "stack-buffer-overflow in deeds+0x18",
            ),
            ("valid", "valid", ""),
        ],
    );
    let later = begin.elapsed();
    assert!(later < Duration::from_secs(3), "{later:?}");
}

fn parameters_are_decoded() {
    let mut subject = start(Duration::from_secs(3));
    let (grammar, settings) = (GRAMMAR.grammar().unwrap(), Settings::default());
    for (text, validity) in [("valid", Validity::Valid), ("invalid", Validity::Invalid)] {
        let derives = |byte: &u8| {
            Decoder::new(grammar)
                .settings(settings)
                .decode(&[*byte])
                .text()
                == text.as_bytes()
        };
        let byte = (0..=255).find(derives).expect("one choice");
        assert_eq!(
            subject.run(Request::Parameters(&[byte])).unwrap().outcome,
            Outcome::Finished(validity)
        );
    }
    // The grammar of the target derives text, and these bytes are not UTF-8.
    assert_eq!(
        subject.run(Request::Text(&[0xFF])).unwrap().outcome,
        Outcome::Finished(Validity::Invalid)
    );
}

fn a_crash_between_runs_is_not_attributed_to_a_sentence() {
    let mut subject = start(Duration::from_secs(3));
    for _ in 0..3 {
        assert_eq!(
            outcome(&mut subject, "crash later"),
            Outcome::Finished(Validity::Valid)
        );
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!(
            outcome(&mut subject, "invalid"),
            Outcome::Finished(Validity::Invalid)
        );
        assert_eq!(
            outcome(&mut subject, "valid"),
            Outcome::Finished(Validity::Valid)
        );
    }
}

/// A request is longer than the buffer of a socket. The process ends before it reads the request,
/// or while it reads it.
fn large_requests_survive_a_crash_between_runs() {
    let mut subject = start(Duration::from_secs(3));
    let large = vec![b'x'; 4 << 20];
    for milliseconds in 45..65 {
        assert_eq!(
            outcome(&mut subject, "crash later"),
            Outcome::Finished(Validity::Valid)
        );
        std::thread::sleep(Duration::from_millis(milliseconds));
        let run = subject.run(Request::Text(&large)).unwrap();
        assert!(
            matches!(
                run.outcome,
                Outcome::Finished(Validity::Unknown) | Outcome::Crash(_)
            ),
            "{:?}",
            run.outcome
        );
        // If the process has not ended yet, the thread ends it during this run.
        std::thread::sleep(Duration::from_millis(70));
        assert_eq!(
            outcome(&mut subject, "invalid"),
            Outcome::Finished(Validity::Invalid),
            "after {milliseconds} ms"
        );
    }
}

/// Returns the process whose number is in the file `name`.
fn process(directory: &Path, name: &str) -> Pid {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let number = std::fs::read_to_string(directory.join(name)).unwrap_or_default();
        if let Some(process) = number.parse().ok().and_then(Pid::from_raw) {
            return process;
        }
        assert!(
            Instant::now() < end,
            "no process has written its number to {name}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns whether a process exists and is no zombie.
fn lives(process: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()))
        .unwrap_or_default();
    let ended = stat
        .rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with('Z') || rest.starts_with('X'));
    test_kill_process(process).is_ok() && !ended
}

fn children_end_with_the_run(directory: &Path) {
    let mut subject = start(Duration::from_secs(2));
    for (deed, name) in [
        ("leave a child", "child"),
        ("leave a daemon", "daemon"),
        ("hang with children", "child"),
        ("hang with children", "daemon"),
    ] {
        let _ = std::fs::remove_file(directory.join(name));
        outcome(&mut subject, deed);
        assert!(
            !lives(process(directory, name)),
            "{deed}: the {name} lives on"
        );
    }
    outcome(&mut subject, "bomb");
    let numbers = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let bombs: Vec<String> = numbers.filter(|name| name.starts_with("bomb-")).collect();
    assert!(bombs.len() > 20, "{}", bombs.len());
    for name in bombs {
        assert!(!lives(process(directory, &name)), "{name} lives on");
    }
}

fn all_processes_end_with_the_subject(directory: &Path) {
    let mut subject = start(Duration::from_secs(2));
    outcome(&mut subject, "valid");
    let server = process(directory, "server");
    assert!(lives(server));
    drop(subject);
    assert!(!lives(server));
}

fn all_processes_end_when_a_signal_ends_the_client(directory: &Path) {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let names = ["server", "child", "daemon"];
        names
            .iter()
            .for_each(|name| drop(std::fs::remove_file(directory.join(name))));
        let program = std::env::current_exe().unwrap();
        let mut client = Command::new(program)
            .env(CLIENT, "1")
            .process_group(0)
            .stderr(Stdio::null())
            .spawn()
            .expect("this program");
        let processes = names.map(|name| process(directory, name));
        std::thread::sleep(Duration::from_millis(100));
        assert!(processes.iter().all(|&process| lives(process)));
        // A terminal sends a signal to the whole process group.
        rustix::process::kill_process_group(Pid::from_child(&client), signal).unwrap();
        assert!(!client.wait().unwrap().success());
        let end = Instant::now() + Duration::from_secs(5);
        while processes.iter().any(|&process| lives(process)) {
            let living: Vec<_> = names
                .iter()
                .zip(processes)
                .filter(|&(_, process)| lives(process))
                .collect();
            assert!(
                Instant::now() < end,
                "after {signal:?} these live on: {living:?}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn a_killed_server_is_started_again(directory: &Path) {
    let mut subject = start(Duration::from_secs(1));
    assert_eq!(
        outcome(&mut subject, "kill the server").to_string(),
        "crash"
    );
    let server = process(directory, "server");
    assert_eq!(
        outcome(&mut subject, "valid"),
        Outcome::Finished(Validity::Valid)
    );
    // A stopped server does not report that its child was killed.
    assert_eq!(
        outcome(&mut subject, "stop the server"),
        Outcome::Finished(Validity::Unknown)
    );
    assert_eq!(outcome(&mut subject, "hang"), Outcome::TimeOut);
    assert_eq!(
        outcome(&mut subject, "valid"),
        Outcome::Finished(Validity::Valid)
    );
    assert!(!lives(server));
}

fn a_program_that_is_no_target_is_refused() {
    for (program, problem) in [
        ("/bin/true", "this is no fuzz target of zester"),
        ("/nowhere/at/all", "No such file"),
        ("/etc", "denied"),
    ] {
        let error = Subject::start(&PathBuf::from(program), Limits::default()).expect_err(program);
        assert!(
            error.to_string().contains(program) && error.to_string().contains(problem),
            "{error}"
        );
    }
}
