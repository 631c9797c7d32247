//! The known key that a mistyped one was probably meant to be. Pure.

use super::options::OPTIONS;

/// The nearest key of the table, if one is near enough to be meant.
pub(super) fn nearest_key(given: &str) -> Option<&'static str> {
    let by_variable = OPTIONS
        .iter()
        .find(|spec| spec.variables.iter().any(|name| name.eq_ignore_ascii_case(given)))
        .map(|spec| spec.key);
    by_variable.or_else(|| nearest(given, OPTIONS.iter().map(|spec| spec.key)))
}

fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given: Vec<char> = given.to_lowercase().chars().take(MAX_LENGTH).collect();
    let allowed = (given.len() / 3).clamp(1, 3);
    known
        .map(|key| (distance(&given, &key.chars().collect::<Vec<_>>()), key))
        .filter(|(steps, key)| *steps <= allowed && *steps < key.len())
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, key)| key)
}

/// Longer keys are cut: nothing of this length is near a known key anyway.
const MAX_LENGTH: usize = 64;

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut steps = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                steps = steps.min(before[j - 1] + 1);
            }
            row.push(steps);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
