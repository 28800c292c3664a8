//! What is seen only seed by seed, because the seeds differ more than the
//! stages.

use super::{Measure, right};
use print::{Fixed, most, section, table, value};

pub fn seed_by_seed() {
    section("Seed by seed");
    let fewer = |kind, stage| {
        let [tuned, then] =
            ["tuned", stage].map(|stage| right(stage, kind, Measure::Drawn));
        tuned.iter().zip(&then).filter(|(a, b)| b < a).count()
    };
    value("seeds with fewer sums", fewer(0, "checked"));
    value("seeds with fewer days", fewer(1, "checked"));
    value("seeds with fewer sums after more answers", fewer(0, "more"));
    value("seeds with fewer homes after reading", fewer(2, "mixed"));
    let [stated, days] =
        [("read", Measure::Stated), ("tuned", Measure::Drawn)]
            .map(|(stage, measure)| right(stage, 1, measure));
    value("days stated by the best", most(&stated).fixed(0));
    value("days answered by the best", most(&days).fixed(0));
    value("a guess at a day", (100.0_f64 / 7.0).fixed(0));
    section("Writer by writer");
    let rows = (0..stated.len()).map(|seed| {
        let of = |kind| {
            let both = ["tuned", "checked"].map(|stage| {
                right(stage, kind, Measure::Drawn)[seed].fixed(1)
            });
            both.join(" → ")
        };
        (seed + 1, [0, 1].map(of))
    });
    table(["seed", "sums", "days"], rows);
}
