//! Several heads, and what they cost: `cargo run --example heads`

use all_you_need::attention::{Mask, Softmax, attention, scores};
use all_you_need::costs::{Bill, Shape};
use all_you_need::heads::{Heads, MultiHead};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use plot::print::grouped;
use plot::{Block, Diagram, HeatMaps, Hue, Panel};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    who_and_what();
    draw_steps();
    one_product();
    draw_shapes();
    four_maps();
    cut_the_array();
    far_word();
    prices();
    equal_heads();
    without_w_o();
    which_width();
    wrong_axis();
}

/// Independent numbers with mean 0 and deviation 1.
fn noise(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Init::noise(rng, rows, cols, 1.0)
}

const FENCE: &str = "The cat jumped over the fence";
const WORDS: usize = 5;
const PLACES: usize = 6;

fn vocabulary() -> Vocabulary {
    Vocabulary::of(&words("the cat jumped over fence"))
}

/// What each word is and, beside it, where it stands, both one-hot: 6 × 11.
fn rows(sentence: &str) -> Matrix {
    let ids = vocabulary().encode(&words(&sentence.to_lowercase()));
    let places = Vec::from_iter(0..PLACES as Token);
    Matrix::concat(&[one_hot(&ids.unwrap(), WORDS), one_hot(&places, PLACES)])
}

/// W^Q, W^K and W^V, 11 × 6, 11 × 6 and 11 × 5, of a head that asks for the
/// words so many places further on.
fn head(steps: &[isize]) -> [Matrix; 3] {
    let (mut w_q, mut w_k) =
        (Matrix::zeros(11, PLACES), Matrix::zeros(11, PLACES));
    for place in 0..PLACES {
        w_k[(WORDS + place, place)] = 1.0;
        let wanted =
            steps.iter().filter_map(|s| place.checked_add_signed(*s));
        for wanted in wanted.filter(|&wanted| wanted < PLACES) {
            w_q[(WORDS + place, wanted)] = 100.0;
        }
    }
    [w_q, w_k, Matrix::identity(11, WORDS)]
}

/// *jumped* asks who, asks over what, and asks for both at once.
fn who_and_what() {
    println!("== Who, and over what");
    let jumped = 2;
    let names = vocabulary().decode(&[0, 1, 2, 3, 4]);
    let names: String =
        names.iter().map(|name| format!("{name:>8}")).collect();
    println!("jumped gets          {names}");
    for sentence in [FENCE, "The fence jumped over the cat"] {
        println!("\n{sentence}");
        for (name, steps) in [
            ("who: 1 to the left", [-1].as_slice()),
            ("what: 3 to the right", &[3]),
            ("one head for both", &[-1, 3]),
        ] {
            let x = rows(sentence);
            let [q, k, v] = head(steps).map(|w| &x * w);
            let seen = attention(&q, &k, &v, &Mask::none(PLACES, PLACES));
            let row: String =
                seen.row(jumped).iter().map(|w| format!("{w:8.1}")).collect();
            println!("{name:21}{row}");
        }
    }
}

/// The right panel of the paper's Figure 2.
fn draw_steps() {
    let mut figure = Diagram::new(
        "Multi-head attention",
        "From below, Q, K and V each go through h linear maps, then h times \
         through scaled dot-product attention; the results are joined and go \
         through one more linear map.",
        23.0,
        20.0,
    );
    let last = figure.block((11.0, 3.6), (9.0, 1.6), "· W^O", Hue::Blue);
    let concat = figure.block((11.0, 7.0), (9.0, 1.6), "concat", Hue::Yellow);
    let heads = figure.block(
        (11.0, 11.0),
        (12.0, 2.2),
        "Scaled dot-product\nattention",
        Hue::Purple,
    );
    figure.frame((2.2, 9.2), (19.8, 16.6), plot::Side::Right, "h ×");
    figure.arrow(&[last.top(), (11.0, 1.2)], Hue::Ink);
    figure.arrow(&[concat.top(), last.bottom()], Hue::Ink);
    figure.arrow(&[heads.top(), concat.bottom()], Hue::Ink);
    for (at, text) in [
        ((11.0, 1.8), "n × d_model"),
        ((11.0, 5.3), "n × h·d_v"),
        ((11.0, 8.5), "n × d_v"),
    ] {
        figure.note(at, plot::Side::Right, text);
    }
    draw_projections(&mut figure, heads);
    plot::save("heads-steps", &figure.draw());
}

/// What comes in at the bottom of the figure, and goes up to the heads.
fn draw_projections(figure: &mut Diagram, heads: Block) {
    let inputs = [
        ("Q", "n", "d_k", 5.6),
        ("K", "m", "d_k", 11.0),
        ("V", "m", "d_v", 16.4),
    ];
    for (at, (name, rows, d, x)) in [-0.36, 0.0, 0.36].iter().zip(inputs) {
        let map = format!("· W^{name}");
        let map = figure.block((x, 15.2), (4.0, 1.6), &map, Hue::Blue);
        let (up, _) = heads.along(*at, 0.5);
        let turn = 13.2;
        let way = [map.top(), (x, turn), (up, turn), heads.along(*at, 0.5)];
        figure.arrow(&way, Hue::Ink);
        figure.note((x, 13.8), plot::Side::Right, &format!("{rows} × {d}"));
        figure.arrow(&[(x, 17.8), map.bottom()], Hue::Ink);
        let text = format!("{name}\n{rows} × d_model");
        figure.note((x, 18.7), plot::Side::On, &text);
    }
}

/// h small products for each of Q, K and V, against one large one.
fn one_product() {
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let (n, d_model, h, d_k, d_v) = (6, 16, 4, 4, 3);
    let x = noise(n, d_model, rng);
    let heads = MultiHead::new(h, d_model, (d_k, d_v), rng);
    let mask = Mask::none(n, n);
    let mut sum = Matrix::zeros(n, d_model);
    for i in 0..h {
        let w_q = heads.w_q.columns(i * d_k, d_k);
        let w_k = heads.w_k.columns(i * d_k, d_k);
        let w_v = heads.w_v.columns(i * d_v, d_v);
        let w_o = heads.w_o.rows(i * d_v, d_v);
        sum += attention(&(&x * w_q), &(&x * w_k), &(&x * w_v), &mask) * w_o;
    }
    let apart = (heads.forward(&x, &x, &mask) - sum).amax();
    println!("\n== One product for all heads");
    assert!(apart < 1e-12);
    println!("apart = less than 10⁻¹²");
}

/// The matrices of an attention with four heads, and their sizes.
fn draw_shapes() {
    let (n, d_model, h, d_k, d_v) = (6, 16, 4, 4, 3);
    let bill = Bill::default();
    let x = bill.shape(n, d_model);
    let heads = MultiHead::new(h, d_model, (d_k, d_v), &mut bill.clone());
    let [q, k, v] = [&heads.w_q, &heads.w_k, &heads.w_v].map(|w| x.matmul(w));
    let joined = Shape::attend_heads(&q, &k, &v, h, &Mask::none(n, n));
    let result = joined.matmul(&heads.w_o);
    let mut figure = Diagram::new(
        "The shapes of an attention with four heads",
        &format!(
            "X, {}, is multiplied with W^Q, W^K and W^V. The products are cut \
             into {h} parts of {d_k}, {d_k} and {d_v} columns; the parts of \
             one colour go through attention together and give {h} heads, {}; \
             side by side these are {}, and times W^O {}.",
            size(&x),
            size(&joined.split(h)[0]),
            size(&joined),
            size(&result)
        ),
        22.6,
        25.5,
    );
    let top = whole(&mut figure, (11.4, 2.2), &x, "X");
    let [w_q, w_k, w_v] = [&heads.w_q, &heads.w_k, &heads.w_v].map(size);
    let [q, k, v] =
        [("Q", 3.8, q, w_q), ("K", 11.4, k, w_k), ("V", 18.2, v, w_v)].map(
            |(name, at, shape, weight)| {
                let way = [top.bottom(), (11.4, 4.4), (at, 4.4), (at, 7.0)];
                figure.arrow(&way, Hue::Ink);
                let weight = format!("· W^{name}, {weight}");
                figure.note((at, 5.1), plot::Side::Right, &weight);
                figure.note((at, 6.3), plot::Side::Right, &size(&shape));
                parts(&mut figure, (at, 8.1), &shape, h, name)
            },
        );
    let answers = draw_heads(&mut figure, [q, k, v], &joined.split(h)[0]);
    let concat = parts(&mut figure, (11.4, 18.9), &joined, h, "head");
    figure.note((14.2, 18.9), plot::Side::Right, &size(&joined));
    for (answer, part) in answers.iter().zip(concat) {
        figure.arrow(&[answer.bottom(), part.top()], Hue::Ink);
    }
    figure.arrow(&[(11.4, 20.0), (11.4, 22.7)], Hue::Ink);
    let w_o = format!("· W^O, {}", size(&heads.w_o));
    figure.note((11.4, 21.3), plot::Side::Right, &w_o);
    whole(&mut figure, (11.4, 23.8), &result, "result");
    plot::save("heads-shapes", &figure.draw());
}

/// Parts of one colour go into one head.
fn draw_heads(
    figure: &mut Diagram,
    inputs: [Vec<Block>; 3],
    head: &Shape,
) -> Vec<Block> {
    let draw = |(i, hue): (usize, Hue)| {
        let at = (2.9 + 5.6 * i as f64, 14.2);
        let text = format!("head {}\n{}", i + 1, size(head));
        let answer = figure.block(at, (4.4, 2.4), &text, hue);
        for (input, across) in inputs.iter().zip([-0.25, 0.0, 0.25]) {
            let way = [input[i].bottom(), answer.along(across, -0.5)];
            figure.arrow(&way, hue);
        }
        answer
    };
    HUES.into_iter().enumerate().map(draw).collect()
}

const HUES: [Hue; 4] = [Hue::Blue, Hue::Orange, Hue::Green, Hue::Purple];

fn size(shape: &Shape) -> String {
    let (rows, columns) = shape.shape();
    format!("{rows} × {columns}")
}

/// A matrix to scale, with its size in it.
fn whole(
    figure: &mut Diagram,
    at: (f64, f64),
    shape: &Shape,
    name: &str,
) -> Block {
    let (rows, columns) = shape.shape();
    let extent = (0.45 * columns as f64, 0.36 * rows as f64);
    let text = format!("{name}\n{}", size(shape));
    figure.block(at, extent, &text, Hue::Yellow)
}

/// A matrix to scale, cut into a part for each head.
fn parts(
    figure: &mut Diagram,
    (x, y): (f64, f64),
    shape: &Shape,
    heads: usize,
    name: &str,
) -> Vec<Block> {
    let (rows, columns) = shape.shape();
    let width = 0.45 * columns as f64 / heads as f64;
    let extent = (width, 0.36 * rows as f64);
    let left = x - width * (heads - 1) as f64 / 2.0;
    let part = |i: usize| {
        let at = (left + width * i as f64, y);
        let text = if name == "head" {
            (i + 1).to_string()
        } else {
            format!("{name}_{}", i + 1)
        };
        figure.block(at, extent, &text, HUES[i])
    };
    (0..heads).map(part).collect()
}

/// Four heads built by hand, in one.
fn four_heads() -> MultiHead<Matrix> {
    let [left, k, v] = head(&[-1]);
    let [right, ..] = head(&[3]);
    let word = Matrix::identity(11, WORDS).resize_horizontally(PLACES, 0.0);
    MultiHead {
        heads: 4,
        w_q: Matrix::concat(&[
            left,
            right,
            &word * 100.0,
            Matrix::zeros(11, PLACES),
        ]),
        w_k: Matrix::concat(&[k.clone(), k.clone(), word, k]),
        w_v: Matrix::concat(&[v.clone(), v.clone(), v.clone(), v]),
        w_o: Matrix::zeros(4 * WORDS, 11),
    }
}

fn four_maps() {
    let x = rows(FENCE);
    let maps = four_heads().weights(&x, &x, &Mask::none(PLACES, PLACES));
    let names = words(FENCE);
    let mut figure = HeatMaps::new(
        "Four heads on one sentence",
        &format!(
            "Four {n} × {n} maps of weights. In the first a line beside the \
             diagonal: each word looks at the one to its left; the first word \
             has none and looks everywhere. In the second it looks three \
             places to the right. In the third each looks at itself, and The \
             and the at each other. The fourth is even.",
            n = x.nrows()
        ),
    );
    let titles =
        ["1 to the left", "3 to the right", "the same word", "no preference"];
    for (i, (map, title)) in maps.iter().zip(titles).enumerate() {
        let panel = Panel::new(map)
            .title(title)
            .rows(&names)
            .columns(&names)
            .cell(22.0, 22.0)
            .full(1.0);
        let axes = if i == 0 { panel.axes("asks", "asked") } else { panel };
        figure = figure.panel(axes);
        if i == 1 {
            figure = figure.next_row();
        }
    }
    plot::save("heads-maps", &figure.draw());
}

/// How far apart two readings of one head are.
fn moved(before: &[Matrix], after: &[Matrix]) -> String {
    let pairs = before.iter().zip(after);
    pairs.map(|(a, b)| format!("{:8.2}", (a - b).amax())).collect()
}

/// Each head's result for `x`, from its own columns of the products.
fn results(heads: &MultiHead<Matrix>, x: &Matrix) -> Vec<Matrix> {
    let [q, k, v] = [&heads.w_q, &heads.w_k, &heads.w_v].map(|w| x * w);
    let mask = Mask::none(x.nrows(), x.nrows());
    Matrix::attend_heads(&q, &k, &v, heads.heads, &mask).split(heads.heads)
}

/// The same with nothing but the raw columns of `x`.
fn raw_results(x: &Matrix) -> Vec<Matrix> {
    let mask = Mask::none(x.nrows(), x.nrows());
    Matrix::attend_heads(x, x, x, 4, &mask).split(4)
}

/// The last four of 16 features change. Which heads notice?
fn cut_the_array() {
    let rng = &mut ChaCha8Rng::seed_from_u64(9);
    let x = noise(6, 16, rng);
    let heads = MultiHead::new(4, 16, (4, 3), rng);
    let mut other = x.clone();
    other.columns_mut(12, 4).copy_from(&noise(6, 4, rng));
    println!("\n== Four features change");
    println!("                   head 1  head 2  head 3  head 4");
    let raw = moved(&raw_results(&x), &raw_results(&other));
    let projected = moved(&results(&heads, &x), &results(&heads, &other));
    println!("the array is cut {raw}");
    println!("its products are {projected}");
}

/// The last word changes. Which heads tell the first?
fn far_word() {
    let rng = &mut ChaCha8Rng::seed_from_u64(10);
    let x = noise(6, 16, rng);
    let heads = MultiHead::new(4, 16, (4, 3), rng);
    let mut other = x.clone();
    other.row_mut(5).copy_from(&noise(1, 16, rng));
    let first = |x: &Matrix| {
        let results = results(&heads, x);
        let rows = results.iter().map(|head| head.rows(0, 1).into_owned());
        rows.collect::<Vec<_>>()
    };
    let half = |x: &Matrix| x.rows(0, 3).into_owned();
    println!("\n== The last word changes");
    println!("                       head 1  head 2  head 3  head 4");
    println!("one piece of six     {}", moved(&first(&x), &first(&other)));
    let (x, other) = (half(&x), half(&other));
    println!("two pieces of three  {}", moved(&first(&x), &first(&other)));
}

/// Multiply-adds, exponentials and parameters, counted on shapes.
fn prices() {
    println!("\n== What heads cost");
    println!(
        "512 words of 512                  multiply-adds  exponentials  \
         parameters"
    );
    for (name, h, width, pieces) in [
        ("1 head of 512", 1, 512, 1),
        ("8 heads of 64", 8, 64, 1),
        ("8 heads of 512", 8, 512, 1),
        ("8 heads of 64, 4 times 128 words", 8, 64, 4),
    ] {
        let bill = Bill::default();
        let n = 512 / pieces;
        let heads = MultiHead::new(h, 512, (width, width), &mut bill.clone());
        for _ in 0..pieces {
            let x = bill.shape(n, 512);
            let _ = heads.forward(&x, &x, &Mask::none(n, n));
        }
        let cost = bill.cost();
        let [work, powers, numbers] =
            [cost.multiply_adds, cost.exponentials, parameters(&heads)]
                .map(grouped);
        println!("{name:33} {work:>13} {powers:>13} {numbers:>11}");
    }
}

/// How many numbers there are to learn.
fn parameters(heads: &MultiHead<Shape>) -> u64 {
    let MultiHead { w_q, w_k, w_v, w_o, .. } = heads;
    let sizes = [w_q, w_k, w_v, w_o].map(Tensor::shape);
    sizes.iter().map(|(rows, columns)| (rows * columns) as u64).sum()
}

/// Four heads that start from the same numbers.
fn equal_heads() {
    let rng = &mut ChaCha8Rng::seed_from_u64(11);
    let x = noise(6, 16, rng);
    let mut heads: MultiHead<Matrix> = MultiHead::new(4, 16, (4, 3), rng);
    let [random, equal] = [false, true].map(|equal| {
        if equal {
            for w in [&mut heads.w_q, &mut heads.w_k, &mut heads.w_v] {
                let first = w.split(4)[0].clone();
                *w = Matrix::concat(&[0; 4].map(|_| first.clone()));
            }
        }
        let results = results(&heads, &x);
        let gap = |other: &Matrix| (&results[0] - other).amax();
        results[1..].iter().map(gap).fold(0.0, f64::max)
    });
    println!("\n== Equal heads");
    println!("apart, if random = {random:.2}");
    println!("apart, if equal = {equal:.2}");
}

/// Where the answer of head 2 arrives, with W^O and without.
fn without_w_o() {
    let rng = &mut ChaCha8Rng::seed_from_u64(12);
    let x = noise(6, 16, rng);
    let heads: MultiHead<Matrix> = MultiHead::new(4, 16, (4, 3), rng);
    let mut other = heads.clone();
    other.w_v.columns_mut(3, 3).copy_from(&noise(16, 3, rng));
    let [before, after] = [&heads, &other].map(|heads| results(heads, &x));
    let joined = Matrix::concat(&before) - Matrix::concat(&after);
    let mixed = &joined * &heads.w_o;
    let reached = |m: &Matrix| {
        let columns = m.column_iter();
        let count = columns.filter(|column| column.amax() > 1e-9).count();
        format!("{count} of {}", m.ncols())
    };
    println!("\n== Without W^O");
    println!("columns that hear of head 2, without = {}", reached(&joined));
    println!("columns that hear of head 2, with = {}", reached(&mixed));
}

/// Scores of a head of width 64 in a model of width 512, over either root.
fn which_width() {
    let rng = &mut ChaCha8Rng::seed_from_u64(13);
    let (q, k) = (noise(400, 64, rng), noise(16, 64, rng));
    let right = scores(&q, &k);
    println!("\n== Which width?");
    println!("divided by   deviation of the scores   highest of 16 weights");
    for (name, scores) in
        [("√64", right.clone()), ("√512", right / 8f64.sqrt())]
    {
        let weights = scores.softmax(&Mask::none(400, 16));
        let highest = weights.row_iter().map(|row| row.max()).sum::<f64>();
        let deviation = scores.variance().sqrt();
        println!("{name:12} {deviation:23.2} {:23.2}", highest / 400.0);
    }
}

/// Two heads from four words, by columns and by reading straight through.
fn wrong_axis() {
    let (n, h, d_k) = (4, 2, 2);
    let projected =
        Matrix::from_fn(n, h * d_k, |i, c| (10 * (i + 1) + c + 1) as f64);
    let flat: Vec<f64> = projected.transpose().iter().copied().collect();
    let straight =
        flat.chunks(n * d_k).map(|head| Matrix::from_row_slice(n, d_k, head));
    let columns = projected.split(h);
    let text = |m: &Matrix, i: usize| {
        m.row(i).iter().map(|x| format!("{x:3}")).collect::<String>()
    };
    let straight: Vec<_> = straight.collect();
    println!("\n== Two ways to cut");
    println!("projected        by columns         straight through");
    println!("                 head 1  head 2     head 1  head 2");
    for i in 0..n {
        println!(
            "{}     {}  {}     {}  {}",
            text(&projected, i),
            text(&columns[0], i),
            text(&columns[1], i),
            text(&straight[0], i),
            text(&straight[1], i)
        );
    }
}
