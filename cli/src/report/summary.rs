//! The final figures of a campaign, as texts for a table and as JSON.

use serde_json::{Value, json};
use zester::known::date::utc;

use super::replay::Replay;
use super::statistics::RecordedCampaign;
use crate::numbers::{counted, percent};

/// Returns the names and the texts of the final figures of a campaign. All campaigns have the same
/// names in the same order.
pub fn figures(campaign: &RecordedCampaign) -> Vec<(&'static str, String)> {
    let last = campaign.last();
    let target = campaign.target.as_deref();
    let target = target.and_then(|target| target.file_name());
    let unknown = || "unknown".to_string();
    let share = |share: Option<f64>| share.map_or_else(unknown, percent);
    let inputs = campaign.inputs.last();
    vec![
        (
            "target",
            target.map_or_else(unknown, |name| name.to_string_lossy().into()),
        ),
        ("started", utc(campaign.started)),
        ("starts", campaign.starts.to_string()),
        ("duration", duration(last.seconds)),
        ("executions", grouped(last.executions)),
        (
            "executions a second",
            grouped(last.executions_per_second().round() as u64),
        ),
        (
            "useful executions a second",
            campaign
                .useful_per_second()
                .map_or_else(unknown, |rate| grouped(rate.round() as u64)),
        ),
        ("valid", share(last.valid_share())),
        (
            "edges",
            format!(
                "{} of {}",
                grouped(last.edges),
                grouped(last.counters.max(last.edges))
            ),
        ),
        ("edges by valid inputs", grouped(last.valid_edges)),
        ("share of replay", share(last.replayed_share())),
        (
            "inputs of the corpus",
            inputs.map_or_else(unknown, |(_, count)| grouped(*count as u64)),
        ),
        (
            "mean length of sentences",
            format!("{:.1} bytes", last.mean_bytes()),
        ),
        (
            "failures",
            match campaign.failures.len() {
                0 => "none counted".into(),
                kinds => counted(kinds, "signature"),
            },
        ),
    ]
}

/// Returns the figures of a campaign as JSON. Figures that the statistics lack are null.
pub fn campaign_json(campaign: &RecordedCampaign) -> Value {
    let last = campaign.last();
    let mutators = campaign.mutators.iter().map(|(name, counts)| {
        let counts = json!({
            "tried": counts.tried, "changed": counts.changed, "found": counts.found, "kept": counts.kept,
        });
        (name.clone(), counts)
    });
    json!({
        "name": campaign.name,
        "target": campaign.target.as_ref().map(|path| path.to_string_lossy()),
        "started": campaign.started,
        "starts": campaign.starts,
        "seconds": last.seconds,
        "executions": last.executions,
        "executions_per_second": last.executions_per_second(),
        "useful_executions_per_second": campaign.useful_per_second(),
        "valid": last.valid,
        "invalid": last.invalid,
        "valid_share": last.valid_share(),
        "edges": last.edges,
        "valid_edges": last.valid_edges,
        "counters": last.counters,
        "replayed_share": last.replayed_share(),
        "inputs": campaign.inputs.last().map(|(_, count)| *count as u64),
        "mean_sentence_bytes": last.mean_bytes(),
        "mutators": mutators.collect::<serde_json::Map<_, _>>(),
        "failures": campaign.failures,
    })
}

/// Returns the results of a replay as JSON.
pub fn replay_json(replay: &Replay) -> Value {
    let failures = replay.failures.groups.iter().map(|failure| {
        json!({
            "signature": failure.signature, "count": failure.count, "artifacts": failure.artifacts,
            "smallest": failure.smallest.as_ref().map(|shown| shown.file.to_string_lossy()),
        })
    });
    let slowest = replay.slowest.iter().map(
        |(time, shown)| json!({"file": shown.file.to_string_lossy(), "seconds": time.as_secs_f64()}),
    );
    let unstable = replay.unstable.iter().map(
        |(edges, shown)| json!({"file": shown.file.to_string_lossy(), "differing_edges": edges}),
    );
    json!({
        "inputs": replay.inputs,
        "inputs_run": replay.run,
        "outcomes": replay.outcomes,
        "repeated": replay.repeated,
        "stable": replay.stable,
        "unstable": unstable.collect::<Vec<_>>(),
        "slowest": slowest.collect::<Vec<_>>(),
        "alternatives": replay.usage.as_ref().map(|usage| usage.count.json()),
        "never_used": replay.usage.as_ref().map(|usage| &usage.unused),
        "artifacts": replay.failures.artifacts,
        "artifacts_run": replay.failures.run,
        "failures": failures.collect::<Vec<_>>(),
    })
}

/// Writes a number with a narrow space between groups of three digits.
pub fn grouped(number: u64) -> String {
    crate::numbers::grouped(number, '\u{202f}')
}

/// Writes a time in its two largest units.
fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.0} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        3_600..86_400 => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
        _ => format!("{} d {} h", whole / 86_400, whole % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_readable() {
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(
            [1.0, 59.7, 3_599.0, 5_400.0, 90_000.0].map(duration),
            ["1 s", "1 min 0 s", "59 min 59 s", "1 h 30 min", "1 d 1 h"]
        );
    }
}
