//! The encoder, layer by layer: `cargo run --example encoder`

use all_you_need::attention::{Mask, attention};
use all_you_need::costs::{Bill, Shape};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::heads::Heads;
use all_you_need::parameters::parameter_count;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, words};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use plot::{Chart, Diagram, Hue, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};

const SENTENCE: &str = "the cat jumped over the fence";

/// A model small enough to look at.
const SMALL: Config = Config {
    vocabulary: 7,
    layers: 2,
    d_model: 32,
    d_ff: 128,
    heads: 4,
    d_k: 8,
    d_v: 8,
};

fn main() {
    two_sentences();
    draw_overview();
    draw_layer();
    sizes();
    grandmothers();
    who_hears_whom();
    in_context();
    rows();
    cost();
    without_positions();
    vectors_and_weights();
    both_sides();
}

/// Embedding and encoder, random.
struct Reader {
    vocabulary: Vocabulary,
    embedding: Embedding<Matrix>,
    encoder: Encoder<Matrix>,
}

impl Reader {
    fn new() -> Self {
        let rng = &mut ChaCha8Rng::seed_from_u64(7);
        let text = format!("{SENTENCE} horse ?");
        Self {
            vocabulary: Vocabulary::of(&words(&text)),
            embedding: Embedding::new(SMALL.vocabulary, SMALL.d_model, rng),
            encoder: Encoder::new(&SMALL, rng),
        }
    }

    /// Each word's row of the table, without its position.
    fn tokens(&self, sentence: &str) -> Matrix {
        let ids = self.vocabulary.encode(&words(sentence)).unwrap();
        self.embedding.embed(&ids)
    }

    /// With its position.
    fn embed(&self, sentence: &str) -> Matrix {
        let x = self.tokens(sentence);
        let positions: Vec<usize> = (0..x.nrows()).collect();
        x + sinusoidal(&positions, SMALL.d_model)
    }

    /// The rows before the first layer and after each.
    fn read(&self, x: Matrix) -> Vec<Matrix> {
        let mask = Mask::none(x.nrows(), x.nrows());
        let mut rows = vec![x];
        for layer in &self.encoder.layers {
            rows.push(layer.forward(&rows[rows.len() - 1], &mask));
        }
        rows
    }
}

/// How far each row moves, as a share of its length.
fn moves(before: &Matrix, after: &Matrix) -> Vec<f64> {
    let rows = before.row_iter().zip(after.row_iter());
    rows.map(|(b, a)| (b - a).norm() / b.norm()).collect()
}

/// As few digits as will do; `~0` for what is left of rounding.
fn short(number: f64) -> String {
    match number.abs() {
        size if size > 0.0 && size < 1e-12 => "~0".into(),
        size if size.fract() == 0.0 => format!("{number:.0}"),
        _ => format!("{number:.2}"),
    }
}

/// Words, or numbers, in columns of this width.
fn columns<S: AsRef<str>>(width: usize, cells: &[S]) -> String {
    cells.iter().map(|cell| format!("{:>width$}", cell.as_ref())).collect()
}

/// *cat* becomes *horse*: what do the others notice?
fn two_sentences() {
    let reader = Reader::new();
    let other = SENTENCE.replace("cat", "horse");
    let one = reader.read(reader.embed(SENTENCE));
    let two = reader.read(reader.embed(&other));
    println!("== The cat or the horse");
    println!("{:14}{}", "", columns(8, &words(SENTENCE)));
    for (l, (one, two)) in one.iter().zip(&two).enumerate() {
        let moved: Vec<_> = moves(one, two).into_iter().map(short).collect();
        let name = match l {
            0 => "embedded".to_string(),
            _ => format!("after layer {l}"),
        };
        println!("{name:14}{}", columns(8, &moved));
    }
}

/// What goes into the encoder and the decoder, and what comes out.
fn draw_overview() {
    let mut figure = Diagram::new(
        "Encoder and decoder",
        "The words of the source go into the encoder from below. One row for \
         each goes over to the decoder. The words said so far go into the \
         decoder from below, and the next word comes out at its top.",
        30.5,
        14.0,
    );
    let size = (8.0, 3.6);
    let text = "Encoder\n6 layers";
    let encoder = figure.block((5.5, 7.0), size, text, Hue::SOURCE);
    let text = "Decoder\n6 layers";
    let decoder = figure.block((24.5, 7.0), size, text, Hue::TARGET);
    figure.arrow(&[encoder.right(), decoder.left()], Hue::SOURCE);
    figure.note(
        (15.0, 7.0),
        Side::Above,
        "one row for each word\n*m* × d_model",
    );
    for (block, text) in [
        (encoder, "the source, embedded\n*m* × d_model"),
        (decoder, "what is said so far, embedded\n*n* × d_model"),
    ] {
        let (x, y) = block.bottom();
        figure.arrow(&[(x, y + 2.6), (x, y)], Hue::Ink);
        figure.note((x, y + 2.6), Side::Below, text);
    }
    let (x, y) = decoder.top();
    figure.arrow(&[(x, y), (x, y - 2.6)], Hue::Ink);
    figure.note((x, y - 2.6), Side::Above, "the next word");
    plot::save("encoder-overview", &figure.draw());
}

/// The four steps of one layer, with the ways around.
fn draw_layer() {
    let mut figure = Diagram::new(
        "One layer of the encoder",
        "From the bottom up: x becomes queries, keys and values of a \
         multi-head attention; its result and x itself meet in add & norm; \
         then a feed-forward network, and a second add & norm, which its \
         input reaches also by a way around. All rows are d_model wide.",
        27.0,
        26.0,
    );
    let mut step = |y, height, text, hue| {
        figure.block((13.0, y), (9.0, height), text, hue)
    };
    let attention = step(18.4, 2.4, "multi-head\nattention", Hue::Rule);
    let first = step(15.0, 1.6, "add & norm", Hue::Rule);
    let network =
        step(9.8, 2.4, "feed-forward,\n*n* × d_ff inside", Hue::Rule);
    let second = step(6.4, 1.6, "add & norm", Hue::Rule);
    for (x, name, hue) in [
        (-0.35, "*Q*", Hue::QUERIES),
        (0.35, "*V*", Hue::VALUES),
        (0.0, "*K*", Hue::KEYS),
    ] {
        let into = attention.along(x, 0.5);
        figure.arrow(&[(13.0, 21.8), (into.0, 21.8), into], hue);
        figure.note((into.0, 20.6), Side::Right, name);
    }
    figure.line(&[(13.0, 24.0), (13.0, 21.8)], Hue::Ink);
    figure.arrow(&[attention.top(), first.bottom()], Hue::Ink);
    figure.arrow(&[first.top(), network.bottom()], Hue::Ink);
    figure.arrow(&[network.top(), second.bottom()], Hue::Ink);
    figure.arrow(&[second.top(), (13.0, 2.4)], Hue::Ink);
    for (block, y) in [(first, 22.8), (second, 12.8)] {
        let (_, up) = block.right();
        let around = [(13.0, y), (20.0, y), (20.0, up), block.right()];
        figure.arrow(&around, Hue::SOURCE);
    }
    figure.frame((6.5, 4.4), (21.5, 23.6), Side::Left, "6 ×");
    figure.note((13.0, 24.0), Side::Below, "*x*,  *n* × d_model");
    figure.note((13.0, 13.5), Side::Left, "*n* × d_model");
    figure.note((13.0, 3.2), Side::Right, "*n* × d_model");
    plot::save("encoder-layer", &figure.draw());
}

/// Parameters of a layer and of the stack, of the paper's two models.
fn sizes() {
    println!("\n== Parameters");
    for (name, config) in [("base", Config::base()), ("big", Config::big())] {
        let bill = &mut Bill::default();
        let layer: EncoderLayer<Shape> = EncoderLayer::new(&config, bill);
        let encoder: Encoder<Shape> = Encoder::new(&config, bill);
        let of_layer = parameter_count(&layer) as u64;
        let network = parameter_count(&layer.feed_forward) as f64;
        println!("d_model, {name} = {}", config.d_model);
        println!("a layer, {name} = {}", grouped(of_layer));
        println!(
            "six layers, {name} = {}",
            grouped(parameter_count(&encoder) as u64)
        );
        let share = 100.0 * network / of_layer as f64;
        println!("feed-forward, {name} = {share:.0} %");
    }
}

/// Everybody knows their mother. A layer is one round of questions.
fn grandmothers() {
    let names =
        ["Ann", "Bea", "Cleo", "Dot", "Eve", "Fay", "Gwen", "Hana", "Ivy"];
    let n = names.len();
    let who = Matrix::identity(n, n);
    let mut known = who.select_rows(&[1, 2, 3, 4, 5, 6, 7, 8, 8]);
    println!("\n== Mothers");
    println!("layers{}", columns(6, &names));
    for layers in 0..=3 {
        let found: Vec<_> = known
            .row_iter()
            .map(|row| names[row.transpose().argmax().0])
            .collect();
        println!("{layers:<6}{}", columns(6, &found));
        // Ask, loudly, for the one you know; take what she knows.
        known = attention(&(&known * 100.0), &who, &known, &Mask::none(n, n));
    }
}

/// Each word in turn becomes another: which row notices it least?
fn who_hears_whom() {
    let reader = Reader::new();
    let sentence = words(SENTENCE);
    let before = reader.read(reader.embed(SENTENCE));
    let least = |j: usize| {
        let mut other = sentence.clone();
        other[j] = "?".into();
        let after = reader.read(reader.embed(&other.join(" ")));
        let pairs = before.iter().zip(&after).skip(1);
        let moved = pairs.flat_map(|(before, after)| moves(before, after));
        moved.fold(f64::INFINITY, f64::min)
    };
    let least = (0..sentence.len()).map(least).fold(f64::INFINITY, f64::min);
    println!("\n== Who hears whom");
    println!("the least move after a layer = {least:.2}");
}

/// The word that is looked at, and captions that have it in one place, as a
/// part of a body and as a part of a thing.
const WORD: &str = "back";
const BODY: [&str; 3] =
    ["a child on his back .", "a bag on her back .", "a cat on its back ."];
const THING: [&str; 3] = [
    "a man in the back of a truck .",
    "a seat in the back of a bus .",
    "a child at the back of a room .",
];

/// Here the word is a part of a body, with the neighbours that it has as a part
/// of a thing.
const TATTOO: &str = "a tattoo on the back of a man .";

/// The rows of the word in a caption, before the first layer and after each.
fn read_word(translator: &Translator, caption: &str) -> Vec<Matrix<f32>> {
    let Translator { model, tokenizer, .. } = translator;
    let source = tokenizer.encode_source(caption);
    let place = source
        .iter()
        .position(|&token| tokenizer.decode(&[token]).trim() == WORD)
        .expect("the word");
    let mask = Mask::none(source.len(), source.len());
    let mut x = model.embed(&[&source]).rows;
    let mut rows = vec![x.gather(&[place])];
    for layer in &model.encoder.layers {
        x = layer.forward(&x, &mask);
        rows.push(x.gather(&[place]));
    }
    rows
}

fn cosine(a: &Matrix<f32>, b: &Matrix<f32>) -> f64 {
    f64::from(a.dot(b) / (a.norm() * b.norm()))
}

/// One word in two senses, as the trained translator reads it.
fn in_context() {
    let translator = Translator::captions();
    println!("\n== Six captions");
    println!("{:28}of a thing", "of a body");
    for (body, thing) in BODY.iter().zip(THING) {
        println!("{body:28}{thing}");
    }
    let [body, thing] = [BODY, THING]
        .map(|captions| captions.map(|c| read_word(&translator, c)));
    println!("\n== Near to back");
    println!("layer  {:28}{}", BODY[0], THING[0]);
    for (l, (body, thing)) in body[0].iter().zip(&thing[0]).enumerate() {
        let [body, thing] = [body, thing].map(|row| near(&translator, row));
        println!("{l:<7}{body:28}{thing}");
    }
    let found = translator.translate(&THING, &translator.beam(5, 0.6, 1));
    let own = translator.tokenizer.encode(&format!(" {WORD}"))[0] as usize;
    let own = translator.model.embedding.table.gather(&[own]);
    println!("\n== Back itself");
    for (name, rows) in [("body", &body[0]), ("thing", &thing[0])] {
        let last = rows.last().expect("a layer");
        println!(
            "cosine with back itself, {name} = {:.2}",
            cosine(last, &own)
        );
    }
    println!("\n== A body beside the words of a thing");
    println!("tattooed = {TATTOO}");
    let tattoo = read_word(&translator, TATTOO);
    let last = tattoo.last().expect("a layer");
    for (name, rows) in [("body", &body), ("thing", &thing)] {
        let cosines = rows
            .iter()
            .map(|rows| cosine(rows.last().expect("a layer"), last));
        println!("tattoo and a {name} = {:.2}", mean(cosines));
    }
    println!("\n== The back of a truck");
    println!("caption = {}", THING[0]);
    println!("translation = {}", found.expect("short lines")[0]);
    // The same captions, read before anything has been learned.
    let config = Config::tiny();
    let model = Transformer::new(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let untrained = Translator { model, ..translator };
    let untrained = [BODY, THING]
        .map(|captions| captions.map(|c| read_word(&untrained, c)));
    draw_senses(&[body, thing], &untrained);
}

/// The two tokens, other than the word, whose rows in the table are most
/// similar to this row.
fn near(translator: &Translator, row: &Matrix<f32>) -> String {
    let Translator { model, tokenizer, .. } = translator;
    let likeness = |token: Token| {
        cosine(row, &model.embedding.table.gather(&[token as usize]))
    };
    let mut others: Vec<(f64, String)> = (0..tokenizer.bos())
        .map(|token| (likeness(token), tokenizer.name(token)))
        .filter(|(_, spelled)| spelled != WORD)
        .collect();
    others.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shown = others[..2].iter();
    let shown = shown.map(|(cosine, token)| format!("{token} {cosine:.2}"));
    shown.collect::<Vec<_>>().join(", ")
}

/// The rows of the word in three captions of a body and three of a thing, after
/// each layer.
type Senses = [[Vec<Matrix<f32>>; 3]; 2];

/// The mean cosine of two rows with the same sense, after so many layers.
fn same_sense(senses: &Senses, l: usize) -> f64 {
    let pairs = [(0, 1), (0, 2), (1, 2)].into_iter();
    mean(pairs.flat_map(|(i, j)| {
        senses.each_ref().map(|rows| cosine(&rows[i][l], &rows[j][l]))
    }))
}

/// The mean cosine of two rows with different senses.
fn other_sense([body, thing]: &Senses, l: usize) -> f64 {
    let pairs = body.iter().flat_map(|b| thing.iter().map(move |t| (b, t)));
    mean(pairs.map(|(b, t)| cosine(&b[l], &t[l])))
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let numbers: Vec<f64> = numbers.collect();
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// How similar the word's rows are, in one sense and across the two.
fn draw_senses(rows: &Senses, untrained: &Senses) {
    let same = |l: usize| same_sense(rows, l);
    let other = |l: usize| other_sense(rows, l);
    let last = rows[0][0].len() - 1;
    println!("\n== Two senses");
    println!("same sense, last layer = {:.2}", same(last));
    println!("other sense, last layer = {:.2}", other(last));
    println!("same sense, untrained = {:.2}", same_sense(untrained, last));
    println!("other sense, untrained = {:.2}", other_sense(untrained, last));
    let points = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        (0..=last).map(|l| (l as f64, of(l))).collect()
    };
    let figure = Chart::new(
        "Two senses of one word",
        &format!(
            "Two lines over {last} layers. Both begin at {:.0}. The cosine of two \
             captions with the same sense ends at {:.2}, that of two captions \
             with different senses falls to {:.2}.",
            same(0),
            same(last),
            other(last)
        ),
    )
    .size(560.0, 240.0)
    .x("layers")
    .y("cosine")
    .line("same sense", points(&same))
    .line("other sense", points(&other));
    plot::save("encoder-senses", &figure.draw());
}

/// One row for each word.
fn rows() {
    let reader = Reader::new();
    let (n, d) = reader.read(reader.embed(SENTENCE))[2].shape();
    println!("\n== Rows");
    println!("the shape of the result = {n} × {d}");
}

/// Multiply-adds of one base layer for n words: between pairs of words, and
/// in each word for itself.
fn multiply_adds(n: usize) -> (u64, u64) {
    let (config, mut bill) = (Config::base(), Bill::default());
    let layer: EncoderLayer<Shape> = EncoderLayer::new(&config, &mut bill);
    let (x, mask) = (bill.shape(n, config.d_model), Mask::none(n, n));
    let _ = layer.forward(&x, &mask);
    let all = bill.cost().multiply_adds;
    let (keys, values) = (
        bill.shape(n, config.heads * config.d_k),
        bill.shape(n, config.heads * config.d_v),
    );
    let _ = Shape::attend_heads(&keys, &keys, &values, config.heads, &mask);
    let pairs = bill.cost().multiply_adds - all;
    (pairs, all - pairs)
}

/// Which part of the work grows how.
fn cost() {
    println!("\n== The work of a layer");
    let (mut between, mut itself) = (Vec::new(), Vec::new());
    for n in [6, 48, 384, 3072, 24_576] {
        let (pairs, rest) = multiply_adds(n);
        between.push((n as f64, pairs as f64));
        itself.push((n as f64, rest as f64));
    }
    let crossing = (1..).find(|&n| {
        let (pairs, rest) = multiply_adds(n);
        pairs >= rest
    });
    let crossing = crossing.unwrap();
    println!("equal at = {}", grouped(crossing as u64));
    let figure = Chart::new(
        "Multiply-adds of a layer",
        &format!(
            "On two logarithmic axes the work between words rises twice as \
             steeply as the work each word does for itself. The lines cross \
             at {} words.",
            grouped(crossing as u64)
        ),
    )
    .x("words")
    .y("multiply-adds")
    .log_x()
    .log_y()
    .line("between words", between)
    .line("each for itself", itself)
    .guide_x(crossing as f64, &format!("n = {crossing}"));
    plot::save("encoder-cost", &figure.draw());
}

/// The sentence backwards, with positions and without.
fn without_positions() {
    let reader = Reader::new();
    let backwards: Vec<_> = words(SENTENCE).into_iter().rev().collect();
    let backwards = backwards.join(" ");
    println!("\n== Backwards");
    type Embed = fn(&Reader, &str) -> Matrix;
    let ways: [(&str, Embed); 2] = [
        ("without positions", Reader::tokens),
        ("with positions", Reader::embed),
    ];
    for (name, embed) in ways {
        let read = |sentence: &str| {
            reader.read(embed(&reader, sentence)).swap_remove(2)
        };
        let (there, back) = (read(SENTENCE), read(&backwards));
        let turned = back.select_rows(&[5, 4, 3, 2, 1, 0]);
        let gap = short((&there - turned).norm() / there.norm());
        println!("{name}: the rows are off by {gap}");
    }
}

/// The same weights, other values.
fn vectors_and_weights() {
    let reader = Reader::new();
    let x = reader.embed(SENTENCE);
    let mask = Mask::none(6, 6);
    let one = &reader.encoder.layers[0];
    let mut two = one.clone();
    two.attention.w_v =
        ChaCha8Rng::seed_from_u64(8).weight(SMALL.d_model, 32);
    let weights = |layer: &EncoderLayer<Matrix>| {
        let heads = layer.attention.weights(&x, &x, &mask);
        Matrix::concat(&heads)
    };
    let gap = (weights(one) - weights(&two)).amax();
    let (one, two) = (one.forward(&x, &mask), two.forward(&x, &mask));
    println!("\n== Other values");
    println!("the weights move by = {}", short(gap));
    println!(
        "the rows move by = {}",
        short((&one - two).norm() / one.norm())
    );
}

/// Another word to the left or to the right of *jumped*, and how far its row
/// moves.
fn both_sides() {
    let reader = Reader::new();
    let jumped = |sentence: &str, mask: &Mask| {
        let rows = reader.encoder.forward(&reader.embed(sentence), mask);
        Matrix::from(rows.rows(2, 1))
    };
    println!("\n== Both sides");
    for (name, mask) in
        [("sees all", Mask::none(6, 6)), ("sees the past", Mask::causal(6))]
    {
        let before = jumped(SENTENCE, &mask);
        for (side, word) in [("left", "cat"), ("right", "over")] {
            let other = jumped(&SENTENCE.replace(word, "horse"), &mask);
            let moved = short(moves(&before, &other)[0]);
            println!("{name}, another word on the {side} = {moved}");
        }
    }
}
