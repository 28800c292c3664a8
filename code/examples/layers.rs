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
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Vocabulary, words};
use nalgebra::dmatrix;
use plot::print::grouped;
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// Six words, each a row of 64 numbers.
const SENTENCE: &str = "the cat jumped over the fence";
const D_MODEL: usize = 64;

fn main() {
    plot::read_arguments();
    sweet_against_wooden();
    parameters();
    who_moves();
    with_and_without_the_sum();
    draw_norm();
    draw_sublayer();
    without_relu();
    five_orders();
    over_the_words();
    four_divisors();
}

/// Independent numbers with mean 0 and standard deviation 1.
fn noise(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Init::noise(rng, rows, cols, 1.0)
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
        size if size > 0.0 && !(0.01..1e6).contains(&size) => {
            format!("{number:.0e}")
        }
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
            "On the way from honey to chair a single linear layer that is \
             right at both ends stays at {}; the feed-forward network goes \
             down to {} halfway and up again.",
            way(0.0),
            way(0.5)
        ),
    )
    .size(560.0, 240.0)
    .x("share of chair in the mixture")
    .y("sweet and wooden apart")
    .line("one linear layer", steps.clone().map(|t| (t, way(0.0))))
    .line("feed-forward", steps.map(|t| (t, way(t))));
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
    let network: FeedForward<Matrix> =
        FeedForward::new(D_MODEL, 4 * D_MODEL, rng);
    let heads: MultiHead<Matrix> = MultiHead::new(4, D_MODEL, (16, 16), rng);
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
        attention: MultiHead::new(4, D_MODEL, (16, 16), rng),
        feed_forward: FeedForward::new(D_MODEL, 4 * D_MODEL, rng),
    };
    (0..24).map(&mut layer).collect()
}

/// What to do with a row and a sub-layer.
type Order = fn(&Matrix, &dyn Fn(&Matrix) -> Matrix) -> Matrix;

/// The rows before the first layer and after each.
fn through(order: Order, x: Matrix) -> Vec<Matrix> {
    let mask = Mask::none(x.nrows(), x.nrows());
    let mut rows = vec![x];
    for layer in layers() {
        let x = order(&rows[rows.len() - 1], &|x| {
            layer.attention.forward(x, x, &mask)
        });
        rows.push(order(&x, &|x| layer.feed_forward.forward(x)));
    }
    rows
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

/// A cell of a table: the number after so many layers.
fn cells<const N: usize>(
    layers: [usize; N],
    number: impl Fn(usize) -> f64,
) -> String {
    layers.map(|l| format!("{:>8}", short(number(l)))).concat()
}

const BARE: Order = |x, sublayer| sublayer(x);
const SUM: Order = |x, sublayer| x + sublayer(x);
const POST: Order = |x, sublayer| (x + sublayer(x)).standardize();
const PRE: Order = |x, sublayer| x + sublayer(&x.standardize());

/// What is left after many layers, with the sum and without it.
fn with_and_without_the_sum() {
    let x = sentence();
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let mut nudge = Matrix::zeros(6, D_MODEL);
    nudge.set_row(2, &(noise(1, D_MODEL, rng).row(0) * 1e-6));
    let depths = [1, 2, 3, 6, 24];
    let mut grown = (0.0, 0.0);
    println!("\n== With and without the sum");
    println!("after layers   {}", cells(depths, |l| l as f64));
    for (name, order) in [("S(x)", BARE), ("x + S(x)", SUM)] {
        let rows = through(order, x.clone());
        let nudged = through(order, &x + &nudge);
        let left = |l: usize| (&nudged[l] - &rows[l]).norm() / nudge.norm();
        println!("{name:10}size {}", cells(depths, |l| size(&rows[l])));
        println!("{name:10}apart{}", cells(depths, |l| apart(&rows[l])));
        println!("{name:10}nudge{}", cells(depths, left));
        if name == "x + S(x)" {
            grown = (size(&rows[24]), left(24));
        }
    }
    println!("\n== Grown");
    let (size, nudged) = grown;
    println!("size with the sum after 24 layers = {size:.0}");
    let million = nudged / 1e6;
    println!("nudge with the sum after 24 layers = {million:.0} million");
    let held = with_weights_held(&x, &nudge);
    println!(
        "nudge with the weights held = {}",
        grouped(format!("{held:.0}"))
    );
    draw_rows(&x);
}

/// What is left of a nudge after all layers with the sum, if the weights of
/// the attentions stay as they are without it.
fn with_weights_held(x: &Matrix, nudge: &Matrix) -> f64 {
    let (mut x, mut nudged) = (x.clone(), x + nudge);
    let mask = Mask::none(x.nrows(), x.nrows());
    for Layer { attention, feed_forward } in &layers() {
        let weights = attention.weights(&x, &x, &mask);
        let up = |x: &Matrix| {
            let values = (x * &attention.w_v).split(weights.len());
            let heads = weights.iter().zip(&values).map(|(w, v)| w * v);
            let heads = Matrix::concat(&heads.collect::<Vec<_>>());
            SUM(&(x + heads * &attention.w_o), &|x| feed_forward.forward(x))
        };
        (x, nudged) = (up(&x), up(&nudged));
    }
    (nudged - x).norm() / nudge.norm()
}

/// The sentence, and what three layers make of it with and without add & norm.
fn draw_rows(x: &Matrix) {
    let words = words(SENTENCE);
    let panel = |m: &Matrix, title| {
        Panel::new(m).title(title).rows(&words).cell(7.0, 16.0)
    };
    let three = |order| through(order, x.clone()).swap_remove(3);
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

/// A sub-layer, the way around it, the sum and the norm.
fn draw_sublayer() {
    let mut figure = Diagram::new(
        "Add & norm",
        "From the left, x goes into a sub-layer and also around it. Both meet \
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

/// Where the sum and the norm may be, and what the numbers do then.
fn five_orders() {
    let norm_inside: Order = |x, s| s(x).standardize();
    println!("\n== Five orders");
    let depths = [1, 6, 24];
    let [.., deepest] = depths;
    let header = cells(depths, |l| l as f64);
    let [bare, sum, post, pre] = [BARE, SUM, POST, PRE]
        .map(|order| short(size(&through(order, sentence())[deepest])));
    println!("{:24}size{:20}apart", "", "");
    println!("after layers{header}{header}");
    let mut figure = Chart::new(
        &format!("The size of the numbers through {deepest} layers"),
        &format!(
            "On a logarithmic axis: without the sum the size falls to {bare}; \
             with the sum alone it rises to {sum}; with the norm after the \
             sum it stays at {post}; with the norm before the sub-layer it \
             grows slowly, to {pre}."
        ),
    )
    .x("layers")
    .y("size")
    .log_y();
    for (name, order, drawn) in [
        ("S(x)", BARE, true),
        ("x + S(x)", SUM, true),
        ("LN(S(x))", norm_inside, false),
        ("LN(x + S(x))", POST, true),
        ("x + S(LN(x))", PRE, true),
    ] {
        let rows = through(order, sentence());
        let sizes = cells(depths, |l| size(&rows[l]));
        println!("{name:12}{sizes}{}", cells(depths, |l| apart(&rows[l])));
        if drawn {
            let sizes = rows.iter().map(size);
            let points = sizes.enumerate().map(|(l, s)| (l as f64, s));
            figure = figure.line(name, points);
        }
    }
    plot::save("layers-size", &figure.draw());
    println!("\n== Before and after");
    for (name, order) in [("post-norm", POST), ("pre-norm", PRE)] {
        let rows = through(order, sentence());
        for (number, depth) in [("six", 6), ("24", 24)] {
            let apart = apart(&rows[depth]);
            println!("apart, {name}, {number} layers = {apart:.2}");
        }
    }
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

/// What (3, 9, 11, 17) and a constant row become under four divisors.
fn four_divisors() {
    type Divisor = fn(f64) -> f64;
    let divisors: [(&str, Divisor); 4] = [
        ("√(σ² + ε)", |variance| (variance + LAYER_NORM_EPSILON).sqrt()),
        ("√(σ²·4/3 + ε)", |variance| {
            (variance * 4.0 / 3.0 + LAYER_NORM_EPSILON).sqrt()
        }),
        ("σ + ε", |variance| variance.sqrt() + LAYER_NORM_EPSILON),
        ("σ", f64::sqrt),
    ];
    println!("\n== Four divisors");
    println!("divisor        (3, 9, 11, 17) becomes    constant   slope");
    for (name, divisor) in divisors {
        let norm = |row: &Matrix| {
            let (mean, variance) = (row.mean(), row.variance());
            row.map(|x| (x - mean) / divisor(variance))
        };
        let row = norm(&dmatrix![3.0, 9.0, 11.0, 17.0]);
        let row: String = row.iter().map(|x| format!("{x:6.2}")).collect();
        let constant = norm(&dmatrix![5.0, 5.0, 5.0, 5.0]);
        let nudge = 1e-7;
        let nudged = norm(&dmatrix![5.0 + nudge, 5.0, 5.0, 5.0]);
        let slope = (nudged[0] - constant[0]) / nudge;
        println!("{name:14}{row} {:>9} {slope:9.0}", constant[0]);
    }
    let root = LAYER_NORM_EPSILON.sqrt();
    println!("\n== A row of equal numbers");
    println!("root of epsilon = {root:.4}");
    println!("epsilon = {LAYER_NORM_EPSILON:.5}");
    println!("\n== One less");
    for n in [4, 512] {
        let short_by = 1.0 - ((n - 1) as f64 / n as f64).sqrt();
        println!("too small, of {n} = {:.1} %", 100.0 * short_by);
    }
}
