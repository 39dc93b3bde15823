//! A subject's runs: each request has its answer, whatever the target does. The target is this program itself.

#![allow(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use zester::Validity;
use zester::hooks::{self, Arguments, Target};
use zester::language::Source;
use zester::parameters::{self, Settings};
use zester::subject::{Limits, Outcome, Request, Subject};

static GRAMMAR: Source = Source::new(
    "deeds.ebnf",
    br#"deed = "valid" | "invalid" | "unknown" | "panic " number | "exit" | "hang" | "eat" | "overflow" ; @token number = [0-9]+ ;"#,
);
static TARGET: Target = Target::sentence(&GRAMMAR, true, run);

/// The program under test.
fn run(deed: &[u8]) -> Validity {
    match deed {
        b"valid" => Validity::Valid,
        b"invalid" => Validity::Invalid,
        b"exit" => std::process::exit(3),
        b"hang" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        b"eat" => {
            let eaten: Vec<Vec<u8>> = std::iter::repeat_with(|| vec![1; 1 << 20]).take(4_096).collect();
            (eaten.len() > 4_096).into()
        }
        b"overflow" => {
            report();
            std::process::exit(1)
        }
        deed if deed.starts_with(b"panic") => fail(&String::from_utf8_lossy(deed)),
        _ => Validity::Unknown,
    }
}

const PLACE: u32 = line!() + 2;
fn fail(deed: &str) -> ! {
    panic!("{deed}")
}

/// What AddressSanitizer prints, with names unless it was told to look up none.
fn report() {
    let options = std::env::var("ASAN_OPTIONS").unwrap_or_default();
    eprintln!("==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffd");
    if options.contains("symbolize=0") {
        eprintln!("    #0 0x55f  (/tmp/deeds+0x17) (BuildId: f9)\n    #1 0x560  (/tmp/deeds+0x18) (BuildId: f9)");
    } else {
        eprintln!("    #0 0x55f in copy /tmp/deeds.c:7:1\n    #1 0x560 in parse /tmp/deeds.c:9:1");
    }
}

#[unsafe(no_mangle)]
extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> i32 {
    // SAFETY: what is served is there as long as it runs.
    hooks::run(&TARGET, if size == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, size) } })
}

fn main() -> ExitCode {
    if std::env::var_os("ZESTER_SERVE").is_some() {
        // As libfuzzer-sys does.
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            print(panic);
            std::process::abort();
        }));
        // SAFETY: null pointers, which nobody follows.
        hooks::initialize(&TARGET, unsafe { Arguments::new(std::ptr::null(), std::ptr::null()) });
        LLVMFuzzerTestOneInput(std::ptr::null(), 0);
        return ExitCode::FAILURE;
    }
    each_request_has_its_answer();
    what_is_no_target_is_refused();
    ExitCode::SUCCESS
}

fn each_request_has_its_answer() {
    let program = std::env::current_exe().unwrap();
    let limits = Limits { timeout: Duration::from_secs(3), memory: 100 << 20 };
    let mut subject = Subject::start(&program, limits).unwrap_or_else(|problem| panic!("{problem}"));
    let panic = format!("panic at tests/subject.rs:{PLACE}: panic N");
    let expected = [
        ("valid", "valid", ""),
        ("overflow", "crash", "stack-buffer-overflow in copy < parse"),
        ("invalid", "invalid", ""),
        ("panic 1", "crash", &panic),
        ("unknown", "unknown", ""),
        ("hang", "time-out", ""),
        ("exit", "crash", "exit 3"),
        ("eat", "out-of-memory", ""),
        ("overflow", "crash", "stack-buffer-overflow in copy < parse"),
        ("panic 22", "crash", &panic),
        ("valid", "valid", ""),
    ];
    for round in 0..2 {
        for (text, outcome, signature) in expected {
            let run = subject.run(Request::Text(text.as_bytes())).unwrap_or_else(|problem| panic!("{problem}"));
            assert_eq!(run.outcome.to_string(), outcome, "{text}, round {round}");
            if let Outcome::Crash(found) = &run.outcome {
                assert_eq!(found.to_string(), signature, "{text}, round {round}");
            }
            assert_eq!(run.time > limits.timeout, outcome == "time-out", "{text}, round {round}: {:?}", run.time);
        }
    }
    // Parameters decode; what is no text is nothing that the target takes.
    fn outcome(subject: &mut Subject, request: Request<'_>) -> Outcome {
        subject.run(request).unwrap().outcome
    }
    let (grammar, settings) = (GRAMMAR.grammar().unwrap(), Settings::default());
    for (text, validity) in [("valid", Validity::Valid), ("invalid", Validity::Invalid)] {
        let derives = |byte: &u8| parameters::sentence(grammar, &settings, &[*byte]).text() == text.as_bytes();
        let byte = (0..=255).find(derives).expect("one choice");
        assert_eq!(outcome(&mut subject, Request::Parameters(&[byte])), Outcome::Ran(validity));
    }
    assert_eq!(outcome(&mut subject, Request::Text(&[0xFF])), Outcome::Ran(Validity::Invalid));
    for _ in 0..1_000 {
        assert_eq!(outcome(&mut subject, Request::Text(b"valid")), Outcome::Ran(Validity::Valid));
    }
}

fn what_is_no_target_is_refused() {
    for (program, problem) in
        [("/bin/true", "no fuzz target of zester's"), ("/nowhere/at/all", "No such file"), ("/etc", "denied")]
    {
        let error = Subject::start(&PathBuf::from(program), Limits::default()).expect_err(program);
        assert!(error.contains(program) && error.contains(problem), "{error}");
    }
}
