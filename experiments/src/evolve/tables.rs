//! The tables of the results.

use clap::ValueEnum;

use crate::figures::{a12, mean, median, p_value};

use super::question::{Question, Setting};

/// A question with its targets and goals, and a function that returns their figures.
pub struct Tables<'a, F> {
    pub question: Question,
    pub targets: &'a [String],
    pub goals: &'a [String],
    /// Returns the figures of all repetitions, for a target, a setting, and a goal.
    pub figures: F,
}

impl<F: Fn(&str, &Setting, &str) -> Vec<f64>> Tables<'_, F> {
    /// Prints the medians and the comparisons of a group of settings.
    pub fn print(&self, group: &[Setting]) {
        let names: Vec<String> = group
            .iter()
            .map(|setting| setting.name(&group[0]))
            .collect();
        let question = self.question.to_possible_value();
        let question = question.as_ref().map_or("", |value| value.get_name());
        println!("\n== {question}: {}", names.join(", "));
        for goal in self.goals {
            self.print_figures(group, goal);
        }
        println!(
            "targets in which the first has a greater, an equal and a smaller median; mean A12; targets with p < 0.05; smallest p"
        );
        for (other, name) in group.iter().zip(&names).skip(1) {
            for goal in self.goals {
                self.compare(
                    &group[0],
                    other,
                    goal,
                    &format!("{} against {name}", names[0]),
                );
            }
        }
    }

    fn print_figures(&self, group: &[Setting], goal: &str) {
        let (factor, unit, digits) = if goal == "time" {
            (1e3, "mean time in ms", 3)
        } else {
            (1.0, goal, 0)
        };
        println!("\n{unit}");
        for target in self.targets {
            print!("  {target:16}");
            for setting in group {
                let all = (self.figures)(target, setting, goal);
                if all.is_empty() {
                    print!(" {:>9}", "-");
                } else {
                    print!(" {:>9.digits$}", factor * median(all));
                }
            }
            println!();
        }
    }

    fn compare(&self, first: &Setting, other: &Setting, goal: &str, title: &str) {
        let (mut counts, mut effects, mut ps) = ([0; 3], Vec::new(), Vec::new());
        for target in self.targets {
            let [one, other] = [first, other].map(|setting| (self.figures)(target, setting, goal));
            if one.is_empty() || other.is_empty() {
                continue;
            }
            let medians = [&one, &other].map(|figures| median(figures.iter().copied()));
            counts[match medians[0].total_cmp(&medians[1]) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 2,
            }] += 1;
            effects.push(a12(&one, &other));
            ps.push(p_value(&one, &other));
        }
        let [greater, equal, smaller] = counts;
        println!(
            "  {title:44} {goal:18} {greater:>3} {equal:>3} {smaller:>3}   A12 {:.2}   {} of {}   p {:.3}",
            mean(effects.iter().copied()),
            ps.iter().filter(|&&p| p < 0.05).count(),
            ps.len(),
            ps.iter().copied().fold(1.0, f64::min)
        );
    }
}
