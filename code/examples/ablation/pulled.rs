//! Parts pulled out of a trained model.

use super::{Compared, Spread, by_cost, title};
use all_you_need::ablation::Switch;
use all_you_need::tasks::Task;
use print::log::{self, number};
use print::{Fixed, section, table, value};

/// What the trained model does without a part, and what one does that was
/// trained without it.
pub fn pulled_out(tasks: &[Compared; 2]) {
    section("Pulled out, and trained without");
    let trained = |task: &Compared, name: &str| task.after(8, name).fixed(1);
    let [dates, reverse] = tasks;
    let names = by_cost(tasks).into_iter().filter(|name| {
        let switch: Result<Switch, _> = name.parse();
        switch.is_ok_and(Switch::can_be_thrown_later)
    });
    let rows = names.map(|name| {
        let both = [dates, reverse]
            .map(|task| [pulled(task.task, name), trained(task, name)]);
        (title(name), both)
    });
    table(
        ["", "dates: pulled", "without", "reverse: pulled", "without"],
        rows,
    );
    section("Whole");
    value("dates, whole", trained(dates, "none"));
    value("reverse, whole", trained(reverse, "none"));
    value("dates, embedding-scale, whole", trained(dates, "embedding-scale"));
    value("dates, long, whole", trained(dates, "long-positions"));
    value("dates, early", dates.after(3, "none").fixed(0));
    value("dates, long, early", dates.after(3, "long-positions").fixed(0));
    let early = dates.after(3, "embedding-scale");
    value("dates, embedding-scale, early", early.fixed(0));
    for name in ["key-scale", "feed-forward"] {
        let behind = dates.after(8, "none") - dates.after(8, name);
        value(format!("{name}, behind at the end"), behind.fixed(0));
        let behind = dates.after(3, "none") - dates.after(3, name);
        value(format!("{name}, behind early"), behind.fixed(0));
    }
    value("dates, mask, pulled", pulled(dates.task, "mask"));
}

/// What the trained models get right when a switch is thrown, the mean.
fn pulled(task: Task, name: &str) -> String {
    let rows = log::table::<6>(log::read("ablation-pulled"))
        .filter(|[own, change, ..]| (*own, *change) == (task.name(), name));
    let percent = rows.map(|[_, _, _, of, _, right]| {
        100.0 * number::<f64>(right) / number::<f64>(of)
    });
    Spread::of(percent).mean.fixed(1)
}
