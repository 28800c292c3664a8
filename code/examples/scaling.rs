//! How large, and how long: `cargo run --example scaling`

use all_you_need::costs::{Bill, Cost, Shape};
use all_you_need::today::Modern;
use all_you_need::tokens::Tokenizer;
use print::log::{self, number};
use print::{
    Fixed, grouped, mean as mean_of, plus_minus, section, table, value,
};

#[macro_use]
#[path = "../../tests/bench/common/changes.rs"]
mod changes;
#[path = "shared/pace.rs"]
mod pace;
#[path = "../../tests/bench/common/recipes.rs"]
pub mod recipes;

use changes::Sizes;
use recipes::{BATCH, BUDGETS, MERGES, WIDTHS, WINDOW, as_wide};

fn main() {
    the_experiment();
    exponents();
    predicted();
    equal_work();
}

/// The numbers in the table of the embedding.
fn table_of(width: usize) -> f64 {
    ((Tokenizer::default().vocabulary() + MERGES) * width) as f64
}

/// Parameters beside the table of the embedding, and multiply-adds for a
/// token, the product with the table included, of the decoder of this width.
pub fn size(width: usize) -> [f64; 2] {
    let vocabulary = Tokenizer::default().vocabulary() + MERGES;
    let (config, bill) = (as_wide(width, vocabulary), Bill::default());
    let init = &mut bill.clone();
    with_model!("base", Shape, config, init, |model| {
        let _ = model.forward(&[[0; WINDOW]]);
    });
    let Cost { parameters, multiply_adds, .. } = bill.cost();
    let table = table_of(width);
    let layers = multiply_adds as f64 / WINDOW as f64;
    [parameters as f64 - table, layers + table]
}

/// The multiply-adds of a run: forward, and twice as many back.
pub fn work(width: usize, updates: usize) -> f64 {
    3.0 * size(width)[1] * (updates * BATCH * WINDOW) as f64
}

/// What `src/logs/scaling.sh` has found in a column, seed by seed.
fn logged(width: usize, updates: usize, column: usize) -> Vec<f64> {
    let all = log::table(log::read("scaling-runs"));
    let own = all.filter(|row: &[_; 8]| {
        [row[0], row[2]].map(number::<usize>) == [width, updates]
    });
    own.map(|row| number(row[column])).collect()
}

/// The losses on held-out captions.
pub fn found(width: usize, updates: usize) -> Vec<f64> {
    logged(width, updates, 6)
}

pub fn mean(width: usize, updates: usize) -> f64 {
    mean_of(&found(width, updates))
}

/// The straight line that is nearest to some points: its slope, and a point
/// on it.
fn line(points: &[(f64, f64)]) -> (f64, (f64, f64)) {
    let n = points.len() as f64;
    let mean =
        |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(|at| at.0), mean(|at| at.1));
    let both = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y));
    let squares = points.iter().map(|(x, _)| (x - mean_x).powi(2));
    (both.sum::<f64>() / squares.sum::<f64>(), (mean_x, mean_y))
}

fn the_experiment() {
    section("The experiment");
    value("tokens of an update", BATCH * WINDOW);
    value("tokens of the shortest", grouped(BUDGETS[0] * BATCH * WINDOW));
    value("tokens of the longest", grouped(BUDGETS[2] * BATCH * WINDOW));
    section("Five sizes");
    let tried = |width: usize, rate: &str| -> f64 {
        let mut rows = log::table(log::read("scaling-rates"));
        let own = rows.find(|row: &[&str; 8]| {
            number::<usize>(row[0]) == width && row[1] == rate
        });
        number(own.expect("a rate")[6])
    };
    let rates = ["0.003", "0.006", "0.012", "0.024", "0.048"];
    let rows = WIDTHS.map(|width| {
        let [parameters, _] = size(width);
        let losses = rates.map(|rate| tried(width, rate));
        (width, grouped(parameters), losses.fixed(3))
    });
    table(("width", "parameters", rates), rows);
    section("One rate for all");
    let best = |width: usize| {
        let losses = rates.map(|rate| (rate, tried(width, rate)));
        let least = losses.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        least.expect("a rate")
    };
    let [smallest, .., largest] = WIDTHS;
    let (rate, _) = best(smallest);
    value("rate of the smallest", rate);
    value("largest, with this rate", tried(largest, rate).fixed(2));
    value("largest, with its own", best(largest).1.fixed(2));
    value("rows of 64, with their own", best(WIDTHS[2]).1.fixed(2));
}

/// How fast the loss falls, on logarithmic axes: with the size, between
/// neighbours after the longest training, and with its length.
fn exponents() {
    section("Exponents");
    let of_size = |two: [usize; 2]| {
        line(&two.map(|d| (size(d)[0].ln(), mean(d, BUDGETS[2]).ln()))).0
    };
    let of_length = |d: usize| {
        line(&BUDGETS.map(|n| ((n as f64).ln(), mean(d, n).ln()))).0
    };
    let [a, b, _, y, z] = WIDTHS;
    for (name, slope) in [
        ("the two smallest", of_size([a, b])),
        ("the two largest", of_size([y, z])),
        ("the smallest, longer", of_length(a)),
        ("the largest, longer", of_length(z)),
    ] {
        value(name, slope.fixed(3).to_string().replace('-', "−"));
    }
}

/// What the four smaller sizes say of the fifth.
fn predicted() {
    section("Predicted");
    let both = BUDGETS.map(|updates| {
        let at = |width: usize| {
            let [parameters, _] = size(width);
            (parameters.ln(), mean(width, updates).ln())
        };
        let [smaller @ .., largest] = WIDTHS;
        let (slope, (x, y)) = line(&smaller.map(at));
        let (there, found) = at(largest);
        let said = y + slope * (there - x);
        [said.exp(), found.exp()]
    });
    let rows = BUDGETS.map(grouped).into_iter().zip(both.map(|b| b.fixed(2)));
    table(["updates", "predicted", "measured"], rows);
    let [small @ .., _] = both.map(|[said, found]| (found - said).abs());
    let most = small.into_iter().fold(0.0, f64::max);
    section("Predictions");
    value("wrong by, the shorter two", most.fixed(2));
}

/// The runs of a size: their work and their loss.
pub fn line_of(width: usize) -> [(f64, f64); 3] {
    BUDGETS.map(|updates| (work(width, updates), mean(width, updates)))
}

/// The loss of a line where it is, between two of its runs.
pub fn between(line: &[(f64, f64)], x: f64) -> Option<f64> {
    let mut pairs = line.windows(2);
    let pair = pairs.find(|pair| (pair[0].0..=pair[1].0).contains(&x))?;
    let [(from, high), (to, low)] = [pair[0], pair[1]];
    Some(high + (low - high) * (x / from).ln() / (to / from).ln())
}

/// The least work for which the line of the larger size is the lower one.
fn overtakes(smaller: usize, larger: usize) -> f64 {
    let lines = [smaller, larger].map(line_of);
    let mut x = lines[1][0].0;
    let loss = |of: usize, x| between(&lines[of], x).expect("a run");
    while loss(0, x) < loss(1, x) {
        x *= 1.001;
    }
    x
}

/// Every run, by its work, and which cheaper run is better.
fn equal_work() {
    section("Every run");
    let all = WIDTHS.map(|width| BUDGETS.map(|n| (width, n)));
    let mut runs = all.concat();
    runs.sort_by(|a, b| work(a.0, a.1).total_cmp(&work(b.0, b.1)));
    let loss = |&(width, updates): &(usize, usize)| mean(width, updates);
    let rows = runs.iter().enumerate().map(|(i, run)| {
        let &(width, updates) = run;
        let cheaper = runs[..i].iter();
        let best = cheaper.min_by(|a, b| loss(a).total_cmp(&loss(b)));
        let beaten = best.filter(|best| loss(best) < loss(run));
        (
            [(work(width, updates) / 1e12).fixed(2), width.to_string()],
            [grouped(updates), a_parameter(width, updates).fixed(1)],
            plus_minus(&found(width, updates), 3),
            beaten.map_or(String::new(), |&(width, updates)| {
                format!("{width}, {} updates", grouped(updates))
            }),
        )
    });
    let names = ["work", "rows of", "updates", "tokens a parameter"];
    table((names, ["loss", "a better run with less work"]), rows);
    section("Best sizes");
    let [first, second, third, ..] = WIDTHS;
    let from = overtakes(first, second);
    let to = overtakes(second, third);
    value("the second from", (from / 1e12).fixed(2));
    value("the third from", (to / 1e12).fixed(2));
    let one = a_parameter(second, 1) / work(second, 1);
    value("the second from, in tokens", (one * from).fixed(0));
    value("the second to, in tokens", (one * to).fixed(0));
    let whole = size(second)[0] / (size(second)[0] + table_of(second));
    value("the second from, with the table", (one * from * whole).fixed(1));
    value("the second to, with the table", (one * to * whole).fixed(0));
    a_night([one * from * whole, one * to * whole]);
    section("Read four times");
    let largest = WIDTHS[WIDTHS.len() - 1];
    let training = mean_of(&logged(largest, BUDGETS[2], 5));
    value("largest, on what it reads", training.fixed(2));
    value("largest, on other captions", mean(largest, BUDGETS[2]).fixed(2));
}

/// What a night is best spent on, with so many tokens for each parameter, if
/// as many are best for larger models, too.
fn a_night([fewest, most]: [f64; 2]) {
    section("A night");
    let two_cores = 2e9 * pace::billions_a_second().round();
    let night = 8.0 * 3600.0 * two_cores;
    let [.., largest] = WIDTHS;
    value("trillions of a night", grouped((night / 1e12).round()));
    value(
        "times our longest run",
        (night / work(largest, BUDGETS[2])).fixed(0),
    );
    // Three multiply-adds for a parameter and a token: 3 · N · (share · N).
    let best = |share: f64| (night / (3.0 * share)).sqrt() / 1e6;
    value("millions of parameters", best(20.0).fixed(1));
    value("millions of tokens", (20.0 * best(20.0)).fixed(0));
    value("millions at least", best(most).fixed(0));
    value("millions at most", best(fewest).fixed(0));
}

fn a_parameter(width: usize, updates: usize) -> f64 {
    (updates * BATCH * WINDOW) as f64 / size(width)[0]
}
