//! Where the lines of two sizes cross.

use super::recipes::{BUDGETS, WIDTHS};
use super::{a_parameter, found, layers, line_of, night, size, work};
use print::{Fixed, grouped, least, most, section, table, value};

/// The loss of a line where it is, between two of its runs.
pub fn between(line: &[(f64, f64)], x: f64) -> Option<f64> {
    let mut pairs = line.windows(2);
    let pair = pairs.find(|pair| (pair[0].0..=pair[1].0).contains(&x))?;
    let [(from, high), (to, low)] = [pair[0], pair[1]];
    Some(high + (low - high) * (x / from).ln() / (to / from).ln())
}

/// The same on the parabola through three runs.
fn on_parabola(line: &[(f64, f64)], x: f64) -> Option<f64> {
    let [(a, at_a), (b, at_b), (c, at_c)] = line[..] else { return None };
    // How much a run counts: 1 where it is itself, and 0 at the others.
    let part = |one: f64, two: f64, three: f64| {
        (x / two).ln() * (x / three).ln()
            / ((one / two).ln() * (one / three).ln())
    };
    Some(at_a * part(a, b, c) + at_b * part(b, a, c) + at_c * part(c, a, b))
}

/// A way to join the runs of a size.
type Join = fn(&[(f64, f64)], f64) -> Option<f64>;

/// The least work for which the line of the larger size is the lower one.
fn overtakes(lines: [[(f64, f64); 3]; 2], join: Join) -> f64 {
    let mut x = lines[1][0].0;
    let loss = |of: usize, x| join(&lines[of], x).expect("a run");
    while loss(0, x) < loss(1, x) {
        x *= 1.001;
    }
    x
}

/// Where a larger size becomes better than a smaller one: the work, and in
/// the middle of both their parameters and the tokens that they read.
type Crossing = [f64; 3];

fn crossing([smaller, larger]: [usize; 2], x: f64) -> Crossing {
    let middle = |of: fn(usize) -> f64| (of(smaller) * of(larger)).sqrt();
    let tokens = x / 3.0 / middle(|width| size(width)[1]);
    [x, middle(|width| size(width)[0]), tokens]
}

/// The exponent with which the best size grows, between two crossings.
fn growth([first, second]: [Crossing; 2]) -> f64 {
    (second[1] / first[1]).ln() / (second[0] / first[0]).ln()
}

/// The sizes whose lines cross.
fn pairs() -> [[usize; 2]; 2] {
    let [first, second, third, ..] = WIDTHS;
    [[first, second], [second, third]]
}

/// The crossings of the mean losses.
fn crossings(join: Join) -> [Crossing; 2] {
    pairs().map(|pair| crossing(pair, overtakes(pair.map(line_of), join)))
}

pub fn best_sizes() {
    let at = crossings(between);
    the_crossings(at);
    by_seeds();
    let [bent, alone] = by_other_counts(at);
    night::a_night(
        [
            ("our crossings", at[1], growth(at)),
            ("parabolas", bent[1], growth(bent)),
        ],
        (alone[1], growth(alone)),
    );
}

fn the_crossings(at: [Crossing; 2]) {
    section("Where the best size changes");
    let row = |([a, b], [work, size, tokens]): ([usize; 2], Crossing)| {
        let name = format!("{a} to {b}");
        let work = (work / 1e12).fixed(2);
        let both = [size, tokens].map(|n| grouped((n / 1e3).fixed(0)));
        (name, work, both, (tokens / size).fixed(1))
    };
    let thousands = ["thousand parameters", "thousand tokens"];
    let names = ("rows of", "trillions", thousands, "tokens a parameter");
    table(names, pairs().into_iter().zip(at).map(row));
    section("Best sizes");
    let [low, high] = at;
    let sizes = [high, low].map(|at| (at[1] / 1e3).fixed(0));
    value("sizes of the crossings", sizes.join(" / "));
    let works = [high, low].map(|at| (at[0] / 1e12).fixed(2));
    value("works of the crossings", works.join(" / "));
    value("the second from", (low[0] / 1e12).fixed(2));
    value("the third from", (high[0] / 1e12).fixed(2));
    value("grows as the work to the", growth(at).fixed(2));
    // Tokens a parameter of the smaller size and of the larger, at both.
    let tokens = |side: usize| {
        [0, 1].map(|i| {
            let width = pairs()[i][side];
            let one = a_parameter(width, 1) / work(width, 1);
            (one * at[i][0]).fixed(side)
        })
    };
    value("smaller, in tokens", tokens(0).join(" and "));
    value("larger, in tokens", tokens(1).join(" and "));
    value("crossing, thousands", (high[1] / 1e3).fixed(0));
}

/// The lowest exponent and the highest, when each seed of the one size meets
/// each of the other.
fn by_seeds() {
    let alone = |width: usize, seed: usize| {
        BUDGETS.map(|n| (work(width, n), found(width, n)[seed]))
    };
    let [low, high] = pairs().map(|[a, b]| {
        let seeds = [[0, 0], [0, 1], [1, 0], [1, 1]];
        seeds.map(|[i, j]| {
            crossing([a, b], overtakes([alone(a, i), alone(b, j)], between))
        })
    });
    let thirds = high.map(|at| at[0] / 1e12);
    value("the third from, at least", least(&thirds).fixed(2));
    value("the third from, at most", most(&thirds).fixed(2));
    let powers = low.map(|low| high.map(|high| growth([low, high]))).concat();
    value("power at least", least(&powers).fixed(2));
    value("power at most", most(&powers).fixed(2));
}

/// The exponents when runs are joined by parabolas, and when the table is not
/// counted, with the crossings of both.
fn by_other_counts(at: [Crossing; 2]) -> [[Crossing; 2]; 2] {
    let bent = crossings(on_parabola);
    value("power of parabolas", growth(bent).fixed(2));
    value("the third from, parabolas", (bent[1][0] / 1e12).fixed(2));
    let alone = [0, 1].map(|i| {
        let [smaller, larger] = pairs()[i];
        [at[i][0], (layers(smaller) * layers(larger)).sqrt(), at[i][2]]
    });
    value("power of layers", growth(alone).fixed(2));
    [bent, alone]
}
