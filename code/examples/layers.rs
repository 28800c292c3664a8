//! Feed-forward networks, sums and norms: `cargo run --example layers`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::embedding::Embedding;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{
    FeedForward, LAYER_NORM_EPSILON, LayerNorm, Linear, Rowwise,
};
use all_you_need::parameters::parameter_count;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Vocabulary, words};
use nalgebra::dmatrix;
use plot::print::grouped;
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::cell::Cell;

/// Six words, each a row of 64 numbers.
const SENTENCE: &str = "the cat jumped over the fence";
const D_MODEL: usize = 64;
/// The heads and hidden units of its layers.
const HEADS: usize = 4;
const D_K: usize = D_MODEL / HEADS;
const D_FF: usize = 4 * D_MODEL;

fn main() {
    plot::read_arguments();
    sweet_against_wooden();
    parameters();
    who_moves();
    with_and_without_the_sum();
    draw_norm();
    draw_sublayer();
    draw_orders();
    without_relu();
    orders_with_a_norm();
    over_the_words();
    three_divisors();
}

/// Independent numbers with mean 0 and standard deviation 1.
fn noise(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Init::uniform(rng, rows, cols, 1.0)
}

/// The sentence, embedded at random, with positions.
fn sentence() -> Matrix {
    let words = words(SENTENCE);
    let vocabulary = Vocabulary::of(&words);
    let ids = vocabulary.encode(&words).unwrap();
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let embedding: Embedding<Matrix> =
        Embedding::new(vocabulary.len(), D_MODEL, rng);
    let positions: Vec<usize> = (0..words.len()).collect();
    embedding.embed(&ids) + sinusoidal(&positions, D_MODEL)
}

/// As few digits as will do; `~0` for what is left of rounding.
fn short(number: f64) -> String {
    match number.abs() {
        size if size > 0.0 && size < 1e-12 => "~0".into(),
        size if size > 0.0 && !(0.005..1e6).contains(&size) => {
            format!("{number:.0e}")
        }
        size if size.is_nan() => "-".into(),
        size if size >= 100.0 || size.fract() == 0.0 => {
            format!("{number:.0}")
        }
        _ => format!("{number:.2}"),
    }
}

/// A difference, unless it is no more than rounding.
fn rounded(difference: f64) -> String {
    match difference {
        rounding if rounding < 1e-12 => "less than 10⁻¹²".into(),
        real => short(real),
    }
}

/// How far sweet and wooden are apart: a question no mean can answer.
fn sweet_against_wooden() {
    let rows = [
        ("apple", dmatrix![2.0, 1.0]),
        ("honey", dmatrix![3.0, -1.0]),
        ("chair", dmatrix![-2.0, 2.0]),
        ("halfway", dmatrix![0.5, 0.5]),
    ];
    let inner = Linear {
        weight: dmatrix![1.0, -1.0; -1.0, 1.0],
        bias: dmatrix![0.0, 0.0],
    };
    let outer = Linear { weight: dmatrix![1.0; 1.0], bias: dmatrix![0.0] };
    let network = FeedForward { inner, outer };
    println!("== Sweet against wooden");
    println!("              x        x W₁       ReLU    result");
    for (word, x) in &rows {
        let hinges = network.inner.forward(x);
        let open = hinges.relu();
        let out = network.forward(x)[0];
        println!(
            "{word:8}{:5}{:5} {:5}{:5} {:5}{:5} {out:8}",
            x[0], x[1], hinges[0], hinges[1], open[0], open[1]
        );
    }
    let (honey, chair) = (&rows[1].1, &rows[2].1);
    let way = |t: f64| network.forward(&(honey * (1.0 - t) + chair * t))[0];
    let steps = (0..=40).map(|i| f64::from(i) / 40.0);
    let figure = Chart::new(
        "From honey to chair",
        &format!(
            "On the way from honey to chair, what is linear and right at \
             both ends stays at {}; what has a bend goes down to {} halfway \
             and up again.",
            way(0.0),
            way(0.5)
        ),
    )
    .size(560.0, 240.0)
    .x("share of chair in the mixture")
    .y("sweet and wooden apart")
    .line("linear", steps.clone().map(|t| (t, way(0.0))))
    .line("with a bend", steps.map(|t| (t, way(t))));
    plot::save("layers-halfway", &figure.draw());
}

/// Where the base model's parameters are.
fn parameters() {
    let bill = &mut Bill::default();
    let attention: MultiHead<Shape> = MultiHead::new(8, 512, (64, 64), bill);
    let network: FeedForward<Shape> = FeedForward::new(512, 2048, bill);
    let norm: LayerNorm<Shape> = LayerNorm::new(512, bill);
    let (a, f, n) = (
        parameter_count(&attention),
        parameter_count(&network),
        parameter_count(&norm),
    );
    println!("\n== Parameters");
    println!("of attention = {}", grouped(a));
    println!("of feed-forward = {}", grouped(f));
    println!("of a norm = {}", grouped(n));
    let share = 100.0 * f as f64 / (a + f + 2 * n) as f64;
    println!("share of feed-forward = {share:.0} %");
}

/// Another word instead of *jumped*, and how far each row of the result goes.
fn who_moves() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let x = sentence();
    let mut other = x.clone();
    other.set_row(2, &noise(1, D_MODEL, rng).row(0));
    let network: FeedForward<Matrix> = FeedForward::new(D_MODEL, D_FF, rng);
    let heads: MultiHead<Matrix> =
        MultiHead::new(HEADS, D_MODEL, (D_K, D_K), rng);
    let mask = Mask::none(6, 6);
    type Function<'a> = &'a dyn Fn(&Matrix) -> Matrix;
    let functions: [(&str, Function); 2] = [
        ("feed-forward", &|x| network.forward(x)),
        ("attention", &|x| heads.forward(x, x, &mask)),
    ];
    println!("\n== Who moves when jumped is another word");
    let header: String =
        words(SENTENCE).iter().map(|w| format!("{w:>8}")).collect();
    println!("{:12}{header}", "");
    for (name, function) in functions {
        let moved = function(&x) - function(&other);
        let row: String = moved
            .row_iter()
            .map(|row| format!("{:>8}", short(row.norm())))
            .collect();
        println!("{name:12}{row}");
    }
}

/// One layer without sums and norms.
struct Layer {
    attention: MultiHead<Matrix>,
    feed_forward: FeedForward<Matrix>,
}

/// Twenty-four of them, random.
fn layers() -> Vec<Layer> {
    let rng = &mut ChaCha8Rng::seed_from_u64(24);
    let mut layer = |_| Layer {
        attention: MultiHead::new(HEADS, D_MODEL, (D_K, D_K), rng),
        feed_forward: FeedForward::new(D_MODEL, D_FF, rng),
    };
    (0..24).map(&mut layer).collect()
}

/// What to do with a row and a sublayer.
type Order = fn(&Matrix, &dyn Fn(&Matrix) -> Matrix) -> Matrix;

/// What comes out of a layer.
struct After {
    rows: Matrix,
    /// The largest weight of a row in the layer's attention, on average.
    largest: f64,
}

/// The rows before the first layer and after each.
fn through(order: Order) -> Vec<After> {
    let x = sentence();
    let mask = Mask::none(x.nrows(), x.nrows());
    let mut after = vec![After { rows: x, largest: f64::NAN }];
    for Layer { attention, feed_forward } in &layers() {
        let largest = Cell::new(0.0);
        let x = order(&after[after.len() - 1].rows, &|x| {
            largest.set(largest_weight(&attention.weights(x, x, &mask)));
            attention.forward(x, x, &mask)
        });
        let rows = order(&x, &|x| feed_forward.forward(x));
        after.push(After { rows, largest: largest.get() });
    }
    after
}

/// The mean of the largest weights of all rows of all heads.
fn largest_weight(heads: &[Matrix]) -> f64 {
    let rows = heads.iter().flat_map(|weights| weights.row_iter());
    let largest: Vec<f64> = rows.map(|row| row.max()).collect();
    largest.iter().sum::<f64>() / largest.len() as f64
}

/// The root of the mean square of all numbers.
fn size(x: &Matrix) -> f64 {
    x.norm() / (x.len() as f64).sqrt()
}

/// How much of the numbers is what the rows do not have in common: 0 if all
/// rows are one row.
fn apart(x: &Matrix) -> f64 {
    let mean = x.row_mean().select_rows(&vec![0; x.nrows()]);
    (x - mean).norm() / x.norm()
}

type Measure = (&'static str, fn(&After) -> f64);

const MEASURES: [Measure; 3] = [
    ("size", |after| size(&after.rows)),
    ("apart", |after| apart(&after.rows)),
    ("largest", |after| after.largest),
];

/// A cell of a table for each depth.
fn cells<const N: usize>(
    depths: [usize; N],
    number: impl Fn(usize) -> f64,
) -> String {
    depths.map(|depth| format!("{:>8}", short(number(depth)))).concat()
}

const BARE: Order = |x, sublayer| sublayer(x);
const SUM: Order = |x, sublayer| x + sublayer(x);
const NORM: Order = |x, sublayer| sublayer(x).standardize();
const POST: Order = |x, sublayer| (x + sublayer(x)).standardize();
const PRE: Order = |x, sublayer| x + sublayer(&x.standardize());

/// What becomes of the rows in many layers, with the sum and without it.
fn with_and_without_the_sum() {
    let orders = [("without", BARE), ("with", SUM)];
    let orders = orders.map(|(name, order)| (name, through(order)));
    let [(_, bare), (_, sum)] = &orders;
    println!("\n== With and without the sum");
    print_orders(&[("S(x)", bare), ("x + S(x)", sum)]);
    println!("\n== From layer to layer");
    for (name, after) in &orders {
        let sizes = [0, 6, 24].map(|depth| size(&after[depth].rows));
        let factor = (sizes[2] / sizes[1]).powf(1.0 / 18.0);
        println!("a layer multiplies the size, {name} the sum = {factor:.1}");
        println!("size at first, {name} the sum = {}", short(sizes[0]));
        println!("size at last, {name} the sum = {}", short(sizes[2]));
    }
    sizes_of_a_layer();
    draw_rows(&sentence());
}

/// By how much the first numbers of a layer's matrices should multiply the
/// variance of rows that are all alike.
fn sizes_of_a_layer() {
    let factor = |k: usize, m: usize| 2.0 * k as f64 / (k + m) as f64;
    let values = factor(D_MODEL, 3 * D_MODEL);
    let (inner, outer) = (factor(D_MODEL, D_FF), factor(D_FF, D_MODEL));
    let relu = 0.5;
    let layer = values * inner * relu * outer;
    println!("\n== The size of the first numbers");
    println!("columns = {D_MODEL}");
    println!("heads = {HEADS}");
    println!("hidden units = {D_FF}");
    println!("factor of the values = {values:.1}");
    println!("factor of W₁ = {inner:.1}");
    println!("factor of W₂ = {outer:.1}");
    println!("factor of a layer = {layer:.2}");
    let expected = layer.sqrt();
    println!("expected of a layer, without the sum = {expected:.1}");
}

/// The sentence, and what three layers make of it with and without add & norm.
fn draw_rows(x: &Matrix) {
    let words = words(SENTENCE);
    let panel = |m: &Matrix, title| {
        Panel::new(m).title(title).rows(&words).cell(7.0, 16.0)
    };
    let three = |order| through(order).swap_remove(3).rows;
    let figure = HeatMaps::new(
        "Six words after three layers",
        &format!(
            "Three maps of six rows with {D_MODEL} numbers each. The embedded \
             words differ. After three layers without the sum all six rows \
             are the same. With add & norm they have much in common and still \
             differ."
        ),
    )
    .panel(panel(x, "embedded"))
    .next_row()
    .panel(panel(&three(BARE), "after three layers of S(x)"))
    .next_row()
    .panel(panel(&three(POST), "after three layers of LayerNorm(x + S(x))"));
    plot::save("layers-rows", &figure.draw());
}

/// (3, 9, 11, 17) on one scale, and its relatives.
fn draw_norm() {
    let norm: LayerNorm<Matrix> =
        LayerNorm::new(4, &mut ChaCha8Rng::seed_from_u64(0));
    let rows = dmatrix![
        3.0, 9.0, 11.0, 17.0;
        30.0, 90.0, 110.0, 170.0;
        -7.0, -1.0, 1.0, 7.0;
        5.0, 5.0, 5.0, 5.0
    ];
    let names = ["*x*", "10 *x*", "*x* − 10", "constant"];
    let after = norm.forward(&rows);
    let panel = |m, title| Panel::new(m).title(title).numbers(1);
    let list = |m: &Matrix, decimals: usize| {
        let row = m.row(0);
        let numbers = row.iter().map(|x| grouped(format!("{x:.decimals$}")));
        numbers.collect::<Vec<_>>().join(", ")
    };
    let figure = HeatMaps::new(
        "Layer norm on four rows",
        &format!(
            "The row {}, the same multiplied, and the same with a number \
             taken from it come out as one row, {}; a constant row comes out \
             as zeros.",
            list(&rows, 0),
            list(&after, 1)
        ),
    )
    .panel(panel(&rows, "before").rows(&names))
    .sign("LayerNorm →")
    .panel(panel(&after, "after"));
    plot::save("layers-norm", &figure.draw());
}

/// A sublayer, the way around it, the sum and the norm.
fn draw_sublayer() {
    let mut figure = Diagram::new(
        "Add & norm",
        "From the left, x goes into a sublayer and also around it. Both meet \
         in a sum, and the sum goes through a layer norm. Everywhere the rows \
         are n by d_model.",
        34.0,
        8.0,
    );
    let text = "attention or\nfeed-forward";
    let sublayer = figure.block((11.5, 5.5), (7.0, 2.4), text, Hue::Rule);
    let sum = figure.circle((19.0, 5.5), "+");
    let norm = figure.block((24.5, 5.5), (6.0, 2.4), "LayerNorm", Hue::Rule);
    figure.arrow(&[(3.6, 5.5), sublayer.left()], Hue::Ink);
    figure.arrow(&[sublayer.right(), sum.left()], Hue::Ink);
    figure.arrow(&[sum.right(), norm.left()], Hue::Ink);
    figure.arrow(&[norm.right(), (30.4, 5.5)], Hue::Ink);
    let around = [(6.0, 5.5), (6.0, 2.2), (19.0, 2.2), sum.top()];
    figure.arrow(&around, Hue::SOURCE);
    figure.note((3.6, 5.5), Side::Left, "*x*\n*n* × d_model");
    figure.note((12.5, 2.2), Side::Above, "*x* itself");
    figure.note((30.4, 5.5), Side::Right, "*n* × d_model");
    plot::save("layers-sublayer", &figure.draw());
}

/// Post-norm above pre-norm: where the norm is, and which way *x* takes.
fn draw_orders() {
    let mut figure = Diagram::new(
        "Post-norm and pre-norm",
        "Two diagrams, one above the other. In both, x goes through a \
         sublayer and also around it, and both meet in a sum. Above, \
         post-norm: the sum goes through a layer norm, so x itself goes \
         through it, too. Below, pre-norm: the layer norm is before the \
         sublayer, and x goes from the left to the right through nothing but \
         the sum.",
        30.0,
        14.0,
    );
    let size = (5.6, 2.4);
    let (y, around) = (5.0, 2.0);
    let sublayer = figure.block((9.0, y), size, "sublayer", Hue::Rule);
    let sum = figure.circle((16.0, y), "+");
    let norm = figure.block((22.0, y), size, "LayerNorm", Hue::Rule);
    figure.note((0.2, 0.7), Side::Right, "post-norm");
    figure.arrow(&[(3.0, y), sublayer.left()], Hue::Ink);
    figure.arrow(&[sublayer.right(), sum.left()], Hue::Ink);
    let x = [(4.5, y), (4.5, around), (16.0, around), sum.top()];
    figure.arrow(&x, Hue::SOURCE);
    figure.arrow(&[sum.right(), norm.left()], Hue::SOURCE);
    figure.arrow(&[norm.right(), (27.6, y)], Hue::SOURCE);
    figure.note((2.6, y), Side::Left, "*x*");
    let (y, around) = (12.4, 9.4);
    let norm = figure.block((9.0, y), size, "LayerNorm", Hue::Rule);
    let sublayer = figure.block((16.4, y), size, "sublayer", Hue::Rule);
    let sum = figure.circle((22.0, y), "+");
    figure.note((0.2, 8.1), Side::Right, "pre-norm");
    figure.arrow(&[(3.0, y), norm.left()], Hue::Ink);
    figure.arrow(&[norm.right(), sublayer.left()], Hue::Ink);
    figure.arrow(&[sublayer.right(), sum.left()], Hue::Ink);
    let x = [(4.5, y), (4.5, around), (22.0, around), sum.top()];
    figure.arrow(&x, Hue::SOURCE);
    figure.arrow(&[sum.right(), (27.6, y)], Hue::SOURCE);
    figure.note((2.6, y), Side::Left, "*x*");
    plot::save("layers-orders", &figure.draw());
}

/// Two linear layers with and without ReLU in between.
fn without_relu() {
    let rng = &mut ChaCha8Rng::seed_from_u64(9);
    let (d, d_ff) = (8, 32);
    let mut network: FeedForward<Matrix> = FeedForward::new(d, d_ff, rng);
    network.inner.bias = noise(1, d_ff, rng);
    network.outer.bias = noise(1, d, rng);
    let FeedForward { inner, outer } = &network;
    let two = |x: &Matrix| outer.forward(&inner.forward(x));
    let one = Linear {
        weight: &inner.weight * &outer.weight,
        bias: outer.forward(&inner.bias),
    };
    let [x, y] = [0; 2].map(|_| noise(5, d, rng));
    let mean = (&x + &y) * 0.5;
    let bend = |f: &dyn Fn(&Matrix) -> Matrix| {
        rounded((f(&mean) - (f(&x) + f(&y)) * 0.5).amax())
    };
    println!("\n== Two linear layers");
    println!("less one = {}", rounded((two(&x) - one.forward(&x)).amax()));
    println!("bend without ReLU = {}", bend(&two));
    println!("bend with ReLU = {}", bend(&|x| network.forward(x)));
}

/// The numbers of a table, one line for each order and measure.
fn print_orders(orders: &[(&str, &[After])]) {
    let depths = [0, 1, 3, 6, 24];
    println!("after layers          {}", cells(depths, |depth| depth as f64));
    for (name, after) in orders {
        for (measure, number) in MEASURES {
            let cells = cells(depths, |depth| number(&after[depth]));
            println!("{name:14}{measure:8}{cells}");
        }
    }
}

/// Where the norm may be, and what the numbers do then.
fn orders_with_a_norm() {
    let orders = [
        ("S(x)", BARE),
        ("x + S(x)", SUM),
        ("LN(S(x))", NORM),
        ("LN(x + S(x))", POST),
        ("x + S(LN(x))", PRE),
    ];
    let orders = orders.map(|(name, order)| (name, through(order)));
    let orders = orders.each_ref().map(|(name, after)| (*name, &after[..]));
    println!("\n== With a norm");
    let [_, _, norm, post, pre] = orders;
    print_orders(&[post, pre, norm]);
    println!("\n== Before and after");
    for (name, (_, after)) in [("post-norm", post), ("pre-norm", pre)] {
        for (number, depth) in [("six", 6), ("24", 24)] {
            let apart = apart(&after[depth].rows);
            println!("apart, {name}, {number} layers = {apart:.2}");
        }
        for layer in [1, 24] {
            let [before, after] = [layer - 1, layer].map(|l| &after[l].rows);
            let change = 100.0 * (after - before).norm() / before.norm();
            println!("change, {name}, layer {layer} = {change:.0} %");
        }
    }
    draw_sizes(&orders);
}

/// The sizes in four of the five orders.
fn draw_sizes(orders: &[(&str, &[After]); 5]) {
    let sizes = |after: &[After]| -> Vec<f64> {
        after.iter().map(|after| size(&after.rows)).collect()
    };
    let [bare, sum, _, post, pre] =
        orders.map(|(_, after)| short(sizes(after)[after.len() - 1]));
    let layers = orders[0].1.len() - 1;
    let mut figure = Chart::new(
        &format!("The size of the numbers through {layers} layers"),
        &format!(
            "On a logarithmic axis: without the sum the size falls to {bare}; \
             with the sum alone it rises to {sum}; with the norm after the \
             sum it stays at {post}; with the norm before the sublayer it \
             grows slowly, to {pre}."
        ),
    )
    .x("layers")
    .y("size")
    .log_y();
    for i in [0, 1, 3, 4] {
        let (name, after) = orders[i];
        let points = sizes(after).into_iter().enumerate();
        figure = figure.line(name, points.map(|(l, size)| (l as f64, size)));
    }
    plot::save("layers-size", &figure.draw());
}

/// Each column on one scale instead of each row.
fn over_the_words() {
    let down = |x: &Matrix| x.transpose().standardize().transpose();
    let x = sentence();
    let mut other = x.clone();
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    other.set_row(5, &noise(1, D_MODEL, rng).row(0));
    let moved = |norm: &dyn Fn(&Matrix) -> Matrix| {
        short((norm(&x) - norm(&other)).row(0).norm())
    };
    println!("\n== Over the words");
    println!("the moves, normed by rows = {}", moved(&Matrix::standardize));
    println!("the moves, normed by columns = {}", moved(&down));
    let alone = down(&dmatrix![3.0, 9.0, 11.0, 17.0]);
    println!("one word, normed by columns = {}", short(alone.amax()));
}

/// What rows of nearly equal numbers become under three divisors.
fn three_divisors() {
    type Divisor = fn(f64) -> f64;
    let divisors: [(&str, Divisor); 3] = [
        ("√(σ² + ε)", |variance| (variance + LAYER_NORM_EPSILON).sqrt()),
        ("σ + ε", |variance| variance.sqrt() + LAYER_NORM_EPSILON),
        ("σ", f64::sqrt),
    ];
    let rows = [
        dmatrix![3.0, 9.0, 11.0, 17.0],
        dmatrix![5.0, 5.0, 5.0, 5.0],
        dmatrix![5.000001, 5.0, 5.0, 5.0],
    ];
    println!("\n== Three divisors");
    println!("divisor     (3, 9, 11, 17)  (5, 5, 5, 5)  (5.000001, 5, 5, 5)");
    for (name, divisor) in divisors {
        let [three, five, near] = rows
            .each_ref()
            .map(|row| (row[0] - row.mean()) / divisor(row.variance()));
        println!("{name:12}{three:14.2}{five:14}{near:21.4}");
    }
    let root = LAYER_NORM_EPSILON.sqrt();
    println!("\n== A row of equal numbers");
    println!("root of epsilon = {root:.4}");
    println!("epsilon = {LAYER_NORM_EPSILON:.5}");
}
