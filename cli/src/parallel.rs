//! Runs numbered tasks on several threads.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::problem::Problem;

/// Runs the tasks 0 to `count - 1`. Each thread makes a worker with `start` and gives it one task
/// after the other.
///
/// # Errors
/// The first error. After an error, no task begins.
pub fn in_parallel<W>(
    jobs: NonZeroUsize,
    count: usize,
    start: &(dyn Fn() -> Result<W, Problem> + Sync),
    task: &(dyn Fn(&mut W, usize) -> Result<(), Problem> + Sync),
) -> Result<(), Problem> {
    let (next, problem) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        let mut worker = start()?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return Ok(());
            }
            task(&mut worker, at)?;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.get().min(count) {
            scope.spawn(|| {
                if let Err(error) = work() {
                    next.store(count, Ordering::Relaxed);
                    let mut first = problem.lock().expect("no thread panics with the lock");
                    first.get_or_insert(error);
                }
            });
        }
    });
    match problem.into_inner().expect("all threads have ended") {
        Some(problem) => Err(problem),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_runs_once_and_an_error_ends_the_rest() {
        let jobs = NonZeroUsize::new(3).unwrap();
        let ran = Mutex::new(Vec::new());
        let all = in_parallel(jobs, 10, &|| Ok(()), &|(), at| {
            ran.lock().unwrap().push(at);
            Ok(())
        });
        assert!(all.is_ok());
        let mut ran = ran.into_inner().unwrap();
        ran.sort_unstable();
        assert_eq!(ran, (0..10).collect::<Vec<_>>());
        let failed = in_parallel(NonZeroUsize::MIN, 10, &|| Ok(()), &|(), at| match at {
            3 => Err(Problem::new("three")),
            at if at > 3 => panic!("a task after an error"),
            _ => Ok(()),
        });
        assert_eq!(
            failed.err().map(|problem| problem.message()),
            Some("zester: three\n".into())
        );
    }
}
