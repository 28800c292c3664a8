//! Several heads, and what they cost: `cargo run --example heads`

use all_you_need::attention::{Mask, Softmax, attention, scores, weights};
use all_you_need::costs::{Bill, Shape};
use all_you_need::heads::{Heads, MultiHead};
use all_you_need::loss::CrossEntropy;
use all_you_need::optimizer::descend;
use all_you_need::parameters::{gradient, parameter_count};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use all_you_need::translation::Translator;
use plot::print::grouped;
use plot::{Block, Diagram, HeatMaps, Hue, Panel};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    draw_hand_built();
    one_query();
    who_and_what();
    both_together();
    draw_steps();
    one_product();
    draw_shapes();
    four_maps();
    cut_the_array();
    prices();
    trained_heads();
    equal_heads();
    without_w_o();
    which_width();
    wrong_axis();
}

/// Independent numbers with mean 0 and standard deviation 1.
fn noise(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Init::uniform(rng, rows, cols, 1.0)
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

/// The place of *jumped*.
const JUMPED: usize = 2;

/// The five words of the vocabulary.
fn word_names() -> Vec<String> {
    vocabulary().decode(&[0, 1, 2, 3, 4])
}

fn place_names() -> Vec<String> {
    (0..PLACES).map(|place| format!("place {place}")).collect()
}

/// Numbers in columns.
fn cells(row: impl IntoIterator<Item = f64>, decimals: usize) -> String {
    row.into_iter().map(|x| format!("{x:8.decimals$}")).collect()
}

/// Names in columns.
fn header(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:>8}")).collect()
}

/// W^Q, W^K and W^V of the head that looks one place to the left.
fn draw_hand_built() {
    let (words, places) = (word_names(), place_names());
    let rows = [&words[..], &places].concat();
    let matrices = head(&[-1]);
    let [q, k, v] =
        matrices.each_ref().map(|w| format!("{} × {}", w.nrows(), w.ncols()));
    let mut figure = HeatMaps::new(
        "A head that looks one place to the left",
        &format!(
            "W^Q, {q}, has its large numbers in the rows of the places, one \
             beside the diagonal: the row of each place leads to the column \
             of the place before it. W^K, {k}, leads from each place to \
             itself. W^V, {v}, leads from each word to itself."
        ),
    );
    let titles = ["W^Q, times 100", "W^K", "W^V"];
    let columns = [&places, &places, &words];
    let hues = [Hue::QUERIES, Hue::KEYS, Hue::VALUES];
    for (i, w) in matrices.iter().enumerate() {
        let (title, columns) = (titles[i], columns[i]);
        let panel = Panel::new(w).title(title).columns(columns);
        let panel = panel.hue(hues[i]).cell(17.0, 17.0);
        figure = figure.panel(if i == 0 { panel.rows(&rows) } else { panel });
    }
    plot::save("heads-projections", &figure.draw());
}

/// What *jumped* asks for, and what it finds.
fn one_query() {
    let x = rows(FENCE);
    let [q, k, _] = head(&[-1]).map(|w| &x * w);
    let weights = weights(&q, &k, &Mask::none(PLACES, PLACES));
    let scores = scores(&q, &k);
    println!("== The query of jumped");
    println!("          {}", header(&place_names()));
    println!("its query {}", cells(q.row(JUMPED).iter().copied(), 0));
    println!("\n          {}", header(&words(FENCE)));
    println!("score     {}", cells(scores.row(JUMPED).iter().copied(), 1));
    println!("weight    {}", cells(weights.row(JUMPED).iter().copied(), 1));
}

/// *jumped* asks who, asks over what, and asks for both at once.
fn who_and_what() {
    println!("\n== Who, and over what");
    println!("jumped gets          {}", header(&word_names()));
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
            let row = cells(seen.row(JUMPED).iter().copied(), 1);
            println!("{name:21}{row}");
        }
    }
}

/// The two heads side by side, and a W^O that takes the second from the
/// first.
fn both_together() {
    let same: Matrix = Matrix::identity(WORDS, WORDS);
    let w_o = Matrix::concat(&[same.clone(), -same]).transpose();
    let w_o = w_o.resize_horizontally(WORDS + PLACES, 0.0);
    draw_output(&w_o);
    println!("\n== Both heads");
    println!("jumped gets          {}", header(&word_names()));
    for sentence in [FENCE, "The fence jumped over the cat"] {
        let x = rows(sentence);
        let result = |steps| {
            let [q, k, v] = head(steps).map(|w| &x * w);
            attention(&q, &k, &v, &Mask::none(PLACES, PLACES))
        };
        let joined = Matrix::concat(&[result(&[-1]), result(&[3])]);
        let joined = joined.row(JUMPED).into_owned();
        let result = &joined * &w_o;
        let (first, second) = joined.as_slice().split_at(WORDS);
        println!("\n{sentence}");
        println!("joined, columns 0–4  {}", cells(first.to_vec(), 1));
        println!("joined, columns 5–9  {}", cells(second.to_vec(), 1));
        println!(
            "joined · W^O         {}",
            cells(result.iter().copied().take(WORDS), 1)
        );
    }
}

/// The W^O of the two heads.
fn draw_output(w_o: &Matrix) {
    let words = word_names();
    let name = |i: usize| {
        let (head, word) = (i / WORDS + 1, &words[i % WORDS]);
        format!("head {head}: {word}")
    };
    let rows: Vec<_> = (0..w_o.nrows()).map(name).collect();
    let columns = [&words[..], &place_names()].concat();
    let figure = HeatMaps::new(
        "The output projection of two heads",
        &format!(
            "W^O, {} × {}. In the rows of the first head the column of each \
             word has a one, in the rows of the second a minus one. The \
             columns of the places are zero.",
            w_o.nrows(),
            w_o.ncols()
        ),
    )
    .panel(Panel::new(w_o).rows(&rows).columns(&columns).cell(17.0, 17.0));
    plot::save("heads-output", &figure.draw());
}

/// The right panel of the paper's Figure 2.
fn draw_steps() {
    let mut figure = Diagram::new(
        "Multi-head attention",
        "From below, Q, K and V each go through h linear maps, then h times \
         through scaled dot-product attention; the results are joined and go \
         through one more linear map.",
        21.6,
        20.0,
    );
    let last = figure.block((11.0, 3.6), (9.0, 1.6), "· W^O", Hue::Rule);
    let concat = figure.block((11.0, 7.0), (9.0, 1.6), "concat", Hue::Rule);
    let heads = figure.block(
        (11.0, 11.0),
        (12.0, 2.2),
        "Scaled dot-product\nattention",
        Hue::Rule,
    );
    figure.frame((2.2, 9.2), (20.6, 16.6), plot::Side::On, "");
    figure.note((3.5, 10.2), plot::Side::On, "*h* ×");
    figure.arrow(&[last.top(), (11.0, 1.2)], Hue::Ink);
    figure.arrow(&[concat.top(), last.bottom()], Hue::Ink);
    figure.arrow(&[heads.top(), concat.bottom()], Hue::Ink);
    for (at, text) in [
        ((11.0, 1.8), "*n* × d_model"),
        ((11.0, 5.3), "*n* × *h*·d_v"),
        ((11.0, 8.5), "*n* × d_v"),
    ] {
        figure.note(at, plot::Side::Right, text);
    }
    draw_projections(&mut figure, heads);
    plot::save("heads-steps", &figure.draw());
}

/// What comes in at the bottom of the figure, and goes up to the heads.
fn draw_projections(figure: &mut Diagram, heads: Block) {
    let inputs = [
        ("Q", "n", "d_k", 5.6, Hue::QUERIES),
        ("K", "m", "d_k", 11.0, Hue::KEYS),
        ("V", "m", "d_v", 16.4, Hue::VALUES),
    ];
    for (at, (name, rows, d, x, hue)) in [-0.36, 0.0, 0.36].iter().zip(inputs)
    {
        let map = format!("· W^{name}");
        let map = figure.block((x, 15.2), (4.0, 1.6), &map, hue);
        let (up, _) = heads.along(*at, 0.5);
        let turn = 13.2;
        let way = [map.top(), (x, turn), (up, turn), heads.along(*at, 0.5)];
        figure.arrow(&way, hue);
        let size = format!("*{rows}* × {d}");
        figure.note((x, 13.8), plot::Side::Right, &size);
        figure.arrow(&[(x, 17.8), map.bottom()], hue);
        let text = format!("*{name}*\n*{rows}* × d_model");
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
             into {h} parts of {d_k}, {d_k} and {d_v} columns; parts of the \
             same number go through attention together and give {h} heads, \
             {}; side by side these are {}, and times W^O {}. The ways of \
             the first parts are drawn thick.",
            size(&x),
            size(&joined.chunk(h)[0]),
            size(&joined),
            size(&result)
        ),
        22.6,
        25.5,
    );
    let top = whole(&mut figure, (11.4, 2.2), &x, "*X*");
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
    let answers = draw_heads(&mut figure, [q, k, v], &joined.chunk(h)[0]);
    let concat = parts(&mut figure, (11.4, 18.9), &joined, h, "head");
    figure.note((14.2, 18.9), plot::Side::Right, &size(&joined));
    for (i, (answer, part)) in answers.iter().zip(concat).enumerate() {
        let hue = if i == 0 { Hue::VALUES } else { Hue::Rule };
        figure.arrow(&[answer.bottom(), part.top()], hue);
    }
    figure.arrow(&[(11.4, 20.0), (11.4, 22.7)], Hue::Ink);
    let w_o = format!("· W^O, {}", size(&heads.w_o));
    figure.note((11.4, 21.3), plot::Side::Right, &w_o);
    whole(&mut figure, (11.4, 23.8), &result, "result");
    plot::save("heads-shapes", &figure.draw());
}

/// What parts of one number give: a head. The ways into the first stand out.
fn draw_heads(
    figure: &mut Diagram,
    inputs: [Vec<Block>; 3],
    head: &Shape,
) -> Vec<Block> {
    let draw = |i: usize| {
        let at = (2.9 + 5.6 * i as f64, 14.2);
        let text = format!("head {}\n{}", i + 1, size(head));
        let answer = figure.block(at, (4.4, 2.4), &text, Hue::VALUES);
        let hues = [Hue::QUERIES, Hue::KEYS, Hue::VALUES];
        for (j, input) in inputs.iter().enumerate() {
            let across = 0.25 * (j as f64 - 1.0);
            let way = [input[i].bottom(), answer.along(across, -0.5)];
            figure.arrow(&way, if i == 0 { hues[j] } else { Hue::Rule });
        }
        answer
    };
    // The first is drawn last, above the others.
    let mut heads: Vec<Block> =
        (0..inputs[0].len()).rev().map(draw).collect();
    heads.reverse();
    heads
}

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
    figure.block(at, extent, &text, Hue::Rule)
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
    let hue = match name {
        "Q" => Hue::QUERIES,
        "K" => Hue::KEYS,
        _ => Hue::VALUES,
    };
    let part = |i: usize| {
        let at = (left + width * i as f64, y);
        let text = if name == "head" {
            (i + 1).to_string()
        } else {
            format!("{name}_{}", i + 1)
        };
        figure.block(at, extent, &text, hue)
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
            .hue(Hue::WEIGHTS)
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

/// Captions that the translator of the book has not seen.
const CAPTIONS: &str = include_str!("../../src/logs/translation-own.en");

/// Where a head of the encoder looks, as shares of its weights.
struct Looks {
    layer: usize,
    head: usize,
    /// At the word before, at the word itself, at the word after it, and at
    /// the end of the sentence.
    shares: [f64; 4],
}

const PLACES_OF_INTEREST: [&str; 4] = ["before", "itself", "after", "end"];

/// What each head of the trained encoder looks at.
fn trained_heads() {
    let translator = Translator::captions();
    println!("\n== Heads of the trained encoder");
    println!("layer  head  before  itself   after     end  elsewhere");
    let looks = looks(&translator);
    let show = |name: String, shares: [f64; 4]| {
        let elsewhere = 1.0 - shares.iter().sum::<f64>();
        let shown = shares.map(|share| format!("{share:8.2}")).concat();
        println!("{name:11}{shown} {elsewhere:10.2}");
    };
    for &Looks { layer, head, shares } in &looks {
        show(format!("{:5} {:5}", layer + 1, head + 1), shares);
    }
    show("even weights".to_owned(), even(&translator));
    println!("\n== The clearest");
    for (i, place) in PLACES_OF_INTEREST.iter().enumerate() {
        let by = |a: &&Looks, b: &&Looks| a.shares[i].total_cmp(&b.shares[i]);
        let Looks { layer, head, shares } =
            looks.iter().max_by(by).expect("a head");
        let (head, layer, share) = (head + 1, layer + 1, shares[i]);
        println!(
            "most on {place} = head {head} of layer {layer} ({share:.2})"
        );
    }
    draw_trained(&translator, &looks);
}

/// The mean shares of every head over all words of the captions.
fn looks(translator: &Translator) -> Vec<Looks> {
    let mut all: Vec<Looks> = Vec::new();
    let mut words = 0.0;
    for caption in CAPTIONS.lines() {
        let source = translator.tokenizer.encode_source(caption);
        let bos = [translator.tokenizer.bos()];
        let layers = translator.attention_maps(&source, &bos).encoder;
        let end = source.len() - 1;
        words += end as f64;
        let heads = layers.iter().enumerate().flat_map(|(layer, heads)| {
            heads
                .iter()
                .enumerate()
                .map(move |(head, map)| (layer, head, map))
        });
        for (i, (layer, head, map)) in heads.enumerate() {
            if i == all.len() {
                all.push(Looks { layer, head, shares: [0.0; 4] });
            }
            let seen = seen(map);
            let shares = all[i].shares.iter_mut().zip(seen);
            shares.for_each(|(share, weight)| *share += weight);
        }
    }
    for looks in &mut all {
        looks.shares.iter_mut().for_each(|share| *share /= words);
    }
    all
}

/// What the words of a caption, without the end, give to the four places.
fn seen(map: &Matrix<f32>) -> [f64; 4] {
    let end = map.nrows() - 1;
    let mut seen = [0.0; 4];
    for word in 0..end {
        let places = [word.checked_sub(1), Some(word), Some(word + 1)];
        let words = places.map(|place| place.filter(|&place| place < end));
        let [before, itself, after] = words;
        let places = [before, itself, after, Some(end)];
        for (sum, place) in seen.iter_mut().zip(places) {
            *sum += place.map_or(0.0, |key| f64::from(map[(word, key)]));
        }
    }
    seen
}

/// The shares of a head that gives every word the same.
fn even(translator: &Translator) -> [f64; 4] {
    let (mut sums, mut words) = ([0.0; 4], 0.0);
    for caption in CAPTIONS.lines() {
        let n = translator.tokenizer.encode_source(caption).len();
        let seen = seen(&Matrix::repeat(n, n, 1.0 / n as f32));
        sums.iter_mut().zip(seen).for_each(|(sum, part)| *sum += part);
        words += (n - 1) as f64;
    }
    sums.map(|sum| sum / words)
}

/// For each place the head that looks there most, on the first caption.
fn draw_trained(translator: &Translator, looks: &[Looks]) {
    let tokenizer = &translator.tokenizer;
    let caption = CAPTIONS.lines().next().expect("a caption");
    let source = tokenizer.encode_source(caption);
    let layers = translator.attention_maps(&source, &[tokenizer.bos()]);
    let names: Vec<String> =
        source.iter().map(|&token| tokenizer.name(token)).collect();
    let mut panels = Vec::new();
    let mut told = Vec::new();
    for (i, place) in PLACES_OF_INTEREST.iter().enumerate() {
        let most = looks
            .iter()
            .max_by(|a, b| a.shares[i].total_cmp(&b.shares[i]))
            .expect("a head");
        let map = &layers.encoder[most.layer][most.head];
        let title = format!("{place}: layer {}", most.layer + 1);
        let panel = Panel::new(map).title(&title).full(1.0).cell(20.0, 20.0);
        let panel = panel.rows(&names).columns(&names);
        panels.push(panel.axes("queries", "keys"));
        told.push(format!("{place}, {:.2}", most.shares[i]));
    }
    let description = format!(
        "Four maps of attention weights for “{caption}”. Each is of the head \
         that gives most of its weight to one place: {}.",
        told.join("; ")
    );
    let figure =
        HeatMaps::new("Four heads of the trained encoder", &description);
    let figure =
        panels.into_iter().enumerate().fold(figure, |maps, (i, panel)| {
            let maps = if i == 2 { maps.next_row() } else { maps };
            maps.panel(panel)
        });
    plot::save("heads-trained", &figure.draw());
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
    Matrix::attend_heads(&q, &k, &v, heads.heads, &mask).chunk(heads.heads)
}

/// The same with nothing but the raw columns of `x`.
fn raw_results(x: &Matrix) -> Vec<Matrix> {
    let mask = Mask::none(x.nrows(), x.nrows());
    Matrix::attend_heads(x, x, x, 4, &mask).chunk(4)
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
    println!("X is cut         {raw}");
    println!("products are cut {projected}");
}

/// Multiply-adds, exponentials and parameters, counted on shapes.
fn prices() {
    println!("\n== What heads cost");
    println!("                  multiply-adds   exponentials   parameters");
    let mut narrow = (0, 0);
    for (name, h, width) in [
        ("1 head of 512", 1, 512),
        ("8 heads of 64", 8, 64),
        ("8 heads of 512", 8, 512),
    ] {
        let bill = Bill::default();
        let heads = MultiHead::new(h, 512, (width, width), &mut bill.clone());
        let x = bill.shape(512, 512);
        let _ = heads.forward(&x, &x, &Mask::none(512, 512));
        let cost = bill.cost();
        narrow = if h * width == 512 {
            (cost.multiply_adds, cost.exponentials)
        } else {
            narrow
        };
        let work = grouped(cost.multiply_adds);
        let exponentials = grouped(cost.exponentials);
        let numbers = grouped(parameter_count(&heads));
        println!("{name:15} {work:>15} {exponentials:>14} {numbers:>12}");
    }
    println!("\n== For each exponential");
    println!("multiply-adds for each = {}", narrow.0 / narrow.1);
}

/// Four heads that start from the same numbers, and four that do not, before
/// and after some training.
fn equal_heads() {
    let rng = &mut ChaCha8Rng::seed_from_u64(11);
    let x = noise(6, 16, rng);
    let random: MultiHead<Matrix> = MultiHead::new(4, 16, (4, 3), rng);
    let mut equal = random.clone();
    for w in [&mut equal.w_q, &mut equal.w_k, &mut equal.w_v] {
        *w = Matrix::concat(&vec![w.chunk(4)[0].clone(); 4]);
    }
    let first = equal.w_o.rows(0, 3).into_owned();
    equal.w_o = Matrix::from_fn(12, 16, |i, j| first[(i % 3, j)]);
    println!("\n== Equal heads");
    println!("                     before   after 100 steps");
    for (name, mut heads) in
        [("equal numbers", equal), ("random numbers", random)]
    {
        let before = largest_gap(&heads, &x);
        (0..100).for_each(|_| train(&mut heads, &x));
        let after = largest_gap(&heads, &x);
        println!("{name:15}{before:12.2} {after:17.2}");
    }
}

/// How far the results of the other heads are from that of the first, as a
/// share of the largest number in them.
fn largest_gap(heads: &MultiHead<Matrix>, x: &Matrix) -> f64 {
    let results = results(heads, x);
    let largest = results.iter().map(Matrix::amax).fold(0.0, f64::max);
    let gap = |other: &Matrix| (&results[0] - other).amax() / largest;
    results[1..].iter().map(gap).fold(0.0, f64::max)
}

/// One step towards another answer for each word.
fn train(heads: &mut MultiHead<Matrix>, x: &Matrix) {
    let mask = Mask::none(x.nrows(), x.nrows());
    let targets = Vec::from_iter(0..x.nrows() as Token);
    let (_, slope) = gradient(heads, |heads| {
        let x = heads.w_q.constant(x);
        heads.forward(&x, &x, &mask).cross_entropy(&targets, 0.0)
    });
    descend(heads, &slope, 0.5);
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
    println!(
        "divided by   standard deviation of the scores   highest weight"
    );
    for (name, scores) in
        [("√64", right.clone()), ("√512", right / 8f64.sqrt())]
    {
        let weights = scores.softmax(&Mask::none(400, 16));
        let highest = weights.row_iter().map(|row| row.max()).sum::<f64>();
        let deviation = scores.variance().sqrt();
        println!("{name:12} {deviation:32.2} {:16.2}", highest / 400.0);
    }
}

/// Two heads from four words, by columns and by a reshape.
fn wrong_axis() {
    let (n, h, d_k) = (4, 2, 2);
    let projected =
        Matrix::from_fn(n, h * d_k, |i, c| (10 * (i + 1) + c + 1) as f64);
    let flat: Vec<f64> = projected.transpose().iter().copied().collect();
    let reshaped =
        flat.chunks(n * d_k).map(|head| Matrix::from_row_slice(n, d_k, head));
    let columns = projected.chunk(h);
    let text = |m: &Matrix, i: usize| {
        m.row(i).iter().map(|x| format!("{x:3}")).collect::<String>()
    };
    let reshaped: Vec<_> = reshaped.collect();
    println!("\n== Two ways to cut");
    println!("projected        by columns         reshaped");
    println!("                 head 1  head 2     head 1  head 2");
    for i in 0..n {
        println!(
            "{}     {}  {}     {}  {}",
            text(&projected, i),
            text(&columns[0], i),
            text(&columns[1], i),
            text(&reshaped[0], i),
            text(&reshaped[1], i)
        );
    }
}
