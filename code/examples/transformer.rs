//! One caption through the complete model: `cargo run --example transformer`

use all_you_need::attention::Mask;
use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::layers::LayerNorm;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use nalgebra::{DVector, dmatrix};
use plot::{Block, Diagram, HeatMaps, Hue, Panel, Point, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    Architecture::draw();
    three_words();
    packed();
    let trace = Trace::of(CAPTION, Translator::captions());
    trace.tokens();
    trace.shapes();
    trace.way_of_a_word();
    trace.another_noun();
    trace.way_of_the_last_token();
    trace.next_word();
    trace.writing();
    trace.parameters();
    trace.sum_of_logits();
    trace.wrong_start();
    tree();
    draw_loop();
}

/// It is not among the captions that the translator has learned.
const CAPTION: &str = "a woman in a red coat is reading a book .";

/// The word of the caption that we follow, and one to put in its place.
const WORD: &str = "coat";
const ANOTHER: &str = "jacket";

/// How many tokens the decoder has written when we stop it.
const WRITTEN: usize = 3;

/// How many numbers of a row are printed, and how many are drawn.
const PRINTED: usize = 5;
const DRAWN: usize = 32;

/// One row of the decoder against a table of three words.
fn three_words() {
    let names = ["Mir", "gut", "schlecht"];
    let table = dmatrix![2.0, 0.0; 0.0, 2.0; 0.0, -2.0];
    let z = dmatrix![1.0, 1.5];
    let logits = z.matmul_t(&table);
    let probabilities = softmax(logits.as_slice());
    println!("== One row, three words");
    println!("word      its row   z·row  probability");
    for (i, name) in names.iter().enumerate() {
        let row = format!("({}, {})", table[(i, 0)], table[(i, 1)]);
        let (logit, p) = (logits[i], probabilities[i]);
        println!("{name:10}{row:9}{logit:6.1}{p:13.3}");
    }
    println!("\nsum of the logits = {}", logits.sum());
}

/// How many tokens the sources and the targets of a batch have.
const SOURCES: [usize; 2] = [3, 5];
const TARGETS: [usize; 2] = [4, 2];

/// Two pairs of sentences in one batch, and each alone.
fn packed() {
    println!("\n== A batch of two");
    println!("           lengths   positions");
    for (name, lengths) in [("sources", SOURCES), ("targets", TARGETS)] {
        let list = |numbers: Vec<usize>| {
            let words = numbers.iter().map(usize::to_string);
            words.collect::<Vec<_>>().join(" ")
        };
        let positions = lengths.iter().flat_map(|&n| 0..n).collect();
        let lengths = list(lengths.to_vec());
        println!("{name:11}{lengths:10}{}", list(positions));
    }
    let (layers, d_model, d_ff, heads, d_k, d_v) = (2, 16, 32, 2, 4, 6);
    let vocabulary = 20;
    let config =
        Config { vocabulary, layers, d_model, d_ff, heads, d_k, d_v };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let sources = [vec![1, 2, 3], vec![4, 5, 6, 7, 8]];
    let targets = [vec![9, 10, 11, 12], vec![9, 15]];
    let together = model.forward(&sources, &targets);
    let alone = |i: usize| model.forward(&sources[i..=i], &targets[i..=i]);
    let first = (together.rows(0, 4) - alone(0)).amax();
    let second = (together.rows(4, 2) - alone(1)).amax();
    println!("\n== Together and alone");
    println!("width of the small model = {d_model}");
    println!("vocabulary of the small model = {vocabulary}");
    println!("rows of the encoder = {}", size(&model.encode(&sources).rows));
    println!("logits of both = {}", size(&together));
    println!("apart from alone = {}", gap(first.max(second)));
    draw_packed();
}

/// The masks of this batch.
fn draw_packed() {
    let own = Mask::packed(&SOURCES, &SOURCES);
    let causal = Mask::causal(TARGETS.iter().sum());
    let past = Mask::packed(&TARGETS, &TARGETS).and(&causal);
    let source = Mask::packed(&TARGETS, &SOURCES);
    let panel = |name: &str, mask: &Mask| {
        let seen = mask.matrix().map(|x| if x == 0.0 { 0.7 } else { 0.0 });
        let panel = Panel::new(&seen).title(name).cell(17.0, 17.0);
        panel.full(1.0).hue(Hue::WEIGHTS)
    };
    let figure = HeatMaps::new(
        "Three masks of a batch",
        &format!(
            "Three maps, filled where a query, a row, sees a key, a column. \
             In the encoder: a square of {} and one of {}. In the decoder's \
             self-attention: a triangle of {} rows and one of {}. In the \
             cross-attention: a rectangle for each pair, at the upper left \
             and at the lower right.",
            SOURCES[0], SOURCES[1], TARGETS[0], TARGETS[1]
        ),
    )
    .panel(panel("encoder", &own))
    .panel(panel("decoder", &past))
    .panel(panel("cross-attention", &source));
    plot::save("transformer-packed", &figure.draw());
}

fn size(m: &impl Tensor) -> String {
    let (rows, columns) = m.shape();
    format!("{} × {}", grouped(rows), grouped(columns))
}

/// A distance; what may be rounding only is not told apart.
fn gap(distance: f64) -> String {
    if distance < 1e-13 {
        "less than 10⁻¹³".to_string()
    } else {
        format!("{distance:.2}")
    }
}

/// A caption on its way through the model, and what has been written of its
/// translation when we stop.
struct Trace {
    translator: Translator,
    /// The tokens of the caption, and end of sequence.
    source: Vec<Token>,
    /// The tokens of the translation.
    said: Vec<Token>,
    /// Begin of sequence, and the tokens that have been written.
    fed: Vec<Token>,
}

/// Rows, the name of what they come out of, and the mean size of the gains of
/// the norm that they come out of, if it is one.
struct Height {
    name: String,
    rows: Matrix,
    gain: Option<f64>,
}

/// A token, its logit and its probability.
type Guess = (Token, f64, f64);

impl Trace {
    fn of(caption: &str, translator: Translator) -> Self {
        let Translator { model, tokenizer, .. } = &translator;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let source = tokenizer.encode_source(caption);
        let said = model.greedy(&source, bos, eos).expect("finite logits");
        let fed = [&[bos], &said[..WRITTEN]].concat();
        Self { source, said, fed, translator }
    }

    fn word(&self, token: Token) -> String {
        self.translator.tokenizer.name(token)
    }

    fn words(&self, tokens: &[Token]) -> Vec<String> {
        tokens.iter().map(|&token| self.word(token)).collect()
    }

    /// Where the source has a word.
    fn places(&self, word: &str) -> Vec<usize> {
        let words = self.words(&self.source);
        (0..words.len()).filter(|&i| words[i] == word).collect()
    }

    fn tokens(&self) {
        println!("\n== Tokens");
        println!("place  token         id");
        for (place, &token) in self.source.iter().enumerate() {
            println!("{place:5}  {:10}{token:6}", self.word(token));
        }
        println!("\n== The caption");
        println!("caption = {CAPTION}");
        println!("rows of the caption = {}", self.source.len());
        println!("written = {}", self.words(&self.fed[1..]).join(" "));
        println!("the last token = {}", self.word(self.fed[WRITTEN]));
        println!("rows of the target = {}", self.fed.len());
        let tokenizer = &self.translator.tokenizer;
        println!("translation = {}", tokenizer.decode(&self.said));
    }

    fn model(&self) -> &Transformer<Matrix<f32>> {
        &self.translator.model
    }

    /// The rows of the tokens, before and after their positions are added.
    fn embedded(&self, tokens: &[Token]) -> Vec<Height> {
        let table = self.model().embedding.embed(tokens);
        let rows = self.model().embed(&[tokens]).rows;
        let height = |name, rows| Height::new(name, rows, None);
        vec![height("the table", &table), height("plus position", &rows)]
    }

    /// The rows of a source after each step.
    fn source_rows(&self, source: &[Token]) -> Vec<Height> {
        let all = Mask::none(source.len(), source.len());
        let mut rows = self.model().embed(&[source]).rows;
        let mut heights = self.embedded(source);
        for (i, layer) in (1..).zip(&self.model().encoder.layers) {
            rows = layer.forward(&rows, &all);
            let norm = Some(&layer.feed_forward_norm);
            heights.push(Height::new(&format!("layer {i}"), &rows, norm));
        }
        heights
    }

    /// The rows of the target after each step.
    fn target_rows(&self) -> Vec<Height> {
        let memory = self.model().encode(&[&self.source]).rows;
        let past = Mask::causal(self.fed.len());
        let all = Mask::none(self.fed.len(), memory.nrows());
        let mut rows = self.model().embed(&[&self.fed]).rows;
        let mut heights = self.embedded(&self.fed);
        for (i, layer) in (1..).zip(&self.model().decoder.layers) {
            rows = layer.forward(&rows, &memory, &past, &all);
            let norm = Some(&layer.feed_forward_norm);
            heights.push(Height::new(&format!("layer {i}"), &rows, norm));
        }
        heights
    }

    fn shapes(&self) {
        let model = self.model();
        let memory = model.encode(&[&self.source]);
        let z = model.decode(&[&self.fed], &memory);
        let logits = model.logits(&z);
        let source = model.embed(&[&self.source]).rows;
        let target = model.embed(&[&self.fed]).rows;
        println!("\n== Shapes");
        println!("                      shape        made by");
        for (name, shape, by) in [
            ("source tokens", self.source.len().to_string(), "the tokenizer"),
            ("source rows", size(&source), "embed"),
            ("memory", size(&memory.rows), "encode"),
            ("target tokens", self.fed.len().to_string(), "what is written"),
            ("target rows", size(&target), "embed"),
            ("decoder's result z", size(&z), "decode"),
            ("logits", size(&logits), "logits"),
            ("probabilities", size(&logits), "softmax"),
        ] {
            println!("{name:22}{shape:13}{by}");
        }
        println!("\n== Sizes");
        println!("layers = {}", model.encoder.layers.len());
        println!("width = {}", source.ncols());
        let length = (source.ncols() as f64).sqrt();
        println!("length without gains = {length:.1}");
        println!("vocabulary = {}", grouped(logits.ncols()));
    }

    /// A word of the source, from the table to the top.
    fn way_of_a_word(&self) {
        let place = self.places(WORD)[0];
        println!("\n== The way of a word");
        println!("{:17}length   gain    the first numbers", "");
        let heights = self.source_rows(&self.source);
        for height in &heights {
            println!("{}   {}", height.line(place), height.first(place));
        }
        println!("\n== Every row of the caption");
        self.every_row(&self.source, &heights);
        self.draw_rows(&heights);
    }

    /// The last token of the target, from the table to the top, and the
    /// nearest row of the table.
    fn way_of_the_last_token(&self) {
        let table = &self.model().embedding.table;
        println!("\n== The way of the last token");
        println!("{:17}length   gain    largest logit at", "");
        let heights = self.target_rows();
        for height in &heights {
            let rows = height.rows.map(|x| x as f32);
            let logits = rows.rows(WRITTEN, 1).into_owned().matmul_t(table);
            let (best, _) = logits.row(0).transpose().argmax();
            let word = self.word(best as Token);
            println!("{}   {word}", height.line(WRITTEN));
        }
        let top = heights.last().expect("a layer");
        let equal = (top.rows.ncols() as f64).sqrt();
        let length = equal * top.gain.expect("a norm");
        println!("\n== Gains");
        println!("with equal gains = {length:.1}");
        println!("\n== Every row of the target");
        self.every_row(&self.fed, &heights);
    }

    /// The first two numbers of the row of every token, after each step.
    fn every_row(&self, tokens: &[Token], heights: &[Height]) {
        let steps = heights.iter().map(|height| &height.name);
        let steps: String = steps.map(|step| format!("{step:>15}")).collect();
        println!("{:8}{steps}", "");
        for (i, word) in self.words(tokens).iter().enumerate() {
            let two = |height: &Height| {
                let row = height.rows.row(i);
                format!("{:8.2}{:7.2}", row[0], row[1])
            };
            let two: String = heights.iter().map(two).collect();
            println!("{word:8}{two}");
        }
    }

    fn draw_rows(&self, heights: &[Height]) {
        let words = self.words(&self.source);
        let largest = |height: &Height| {
            height.rows.columns(0, DRAWN).into_owned().amax()
        };
        let full = heights.iter().map(largest).fold(0.0, f64::max);
        let frame = |Height { name, rows, .. }: &Height| {
            let shown: Matrix = rows.columns(0, DRAWN).into();
            let title = format!("The caption's rows: {name}");
            let (few, all) = (shown.ncols(), rows.ncols());
            let description = format!(
                "A heat map with a row for each token of the caption and the \
                 first {few} of {all} columns, after this step: {name}."
            );
            let panel = Panel::new(&shown).rows(&words).title(name);
            let panel = panel.full(full).cell(12.0, 18.0);
            HeatMaps::new(&title, &description).panel(panel).draw()
        };
        let frames: Vec<_> = heights.iter().map(frame).collect();
        plot::save_frames("transformer-rows", &frames);
    }

    /// How far the rows of the memory move if there is another noun.
    fn another_noun(&self) {
        let caption = CAPTION.replace(WORD, ANOTHER);
        let other = self.translator.tokenizer.encode_source(&caption);
        assert_eq!(other.len(), self.source.len());
        let [one, two] = [&self.source, &other].map(|source| {
            let memory = self.model().encode(&[source]);
            memory.rows.map(f64::from)
        });
        println!("\n== Another noun");
        println!("place  token     moves by");
        for (place, word) in self.words(&self.source).iter().enumerate() {
            let (a, b) = (one.row(place), two.row(place));
            println!("{place:5}  {word:10}{:8.2}", (a - b).norm() / a.norm());
        }
    }

    /// The logits after each token that was fed.
    fn logits(&self, fed: &[Token]) -> Matrix {
        self.model().forward(&[&self.source], &[fed]).map(f64::from)
    }

    /// What may come next, the most probable first.
    fn guesses(&self, fed: &[Token]) -> Vec<Guess> {
        let logits = self.logits(fed);
        let last: Vec<f64> =
            logits.row(fed.len() - 1).iter().copied().collect();
        let probabilities = softmax(&last);
        let guesses = (0..).zip(last).zip(probabilities);
        let mut guesses: Vec<_> =
            guesses.map(|((token, logit), p)| (token, logit, p)).collect();
        guesses.sort_by(|a, b| b.2.total_cmp(&a.2));
        guesses
    }

    fn next_word(&self) {
        let guesses = self.guesses(&self.fed);
        println!("\n== The next token");
        println!("token           logit   probability");
        for &(token, logit, p) in &guesses[..6] {
            println!("{:14}{logit:7.2}{p:14.3}", self.word(token));
        }
        println!("\n== The winner");
        println!("most probable = {}", self.word(guesses[0].0));
        println!("its share = {:.2}", guesses[0].2);
    }

    /// All steps of greedy decoding, each with the second best choice.
    fn writing(&self) {
        let tokenizer = &self.translator.tokenizer;
        let mut fed = vec![tokenizer.bos()];
        println!("\n== Writing");
        println!("step  writes        p      second        p");
        for &next in self.said.iter().chain([&tokenizer.eos()]) {
            let guesses = self.guesses(&fed);
            let [best, second] = [0, 1].map(|i| guesses[i]);
            assert_eq!(best.0, next);
            println!(
                "{:4}  {:12}{:5.2}    {:12}{:5.2}",
                fed.len(),
                self.word(best.0),
                best.2,
                self.word(second.0),
                second.2
            );
            fed.push(next);
        }
    }

    /// What the model has learned, part by part.
    fn parameters(&self) {
        let leaves = self.model().leaves();
        println!("\n== Parameters");
        println!("                 parts     of one    together");
        for (name, is_of, leaves_of_one) in [
            ("embedding table", "embedding.", 1),
            ("attention", "attention.", 4),
            ("feed-forward", "feed_forward.", 4),
            ("layer norm", "norm.", 2),
        ] {
            let own = leaves.iter().filter(|(path, _)| path.contains(is_of));
            let sizes: Vec<usize> = own.map(|(_, leaf)| leaf.len()).collect();
            let parts = sizes.len() / leaves_of_one;
            let all: usize = sizes.iter().sum();
            let (one, all) = (grouped(all / parts), grouped(all));
            println!("{name:18}{parts:4} {one:>10} {all:>11}");
        }
        let all = grouped(parameter_count(self.model()));
        println!("{:18}{:15} {all:>11}", "in all", "");
    }

    /// A row of logits is no row of probabilities.
    fn sum_of_logits(&self) {
        let sum: f64 = self.logits(&self.fed).row(WRITTEN).iter().sum();
        println!("\n== Logits are no probabilities");
        println!("sum of the last row's logits = {sum:.0}");
    }

    /// The same model, with decoding begun from another token.
    fn wrong_start(&self) {
        let tokenizer = &self.translator.tokenizer;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        println!("\n== Another first token");
        println!("begun with  translation");
        for (name, start) in [("<start>", bos), ("<end>", eos), ("0", 0)] {
            let said = self
                .model()
                .greedy(&self.source, start, eos)
                .expect("finite logits");
            println!("{name:10}  {}", tokenizer.decode(&said));
        }
    }
}

impl Height {
    fn new(
        name: &str,
        rows: &Matrix<f32>,
        norm: Option<&LayerNorm<Matrix<f32>>>,
    ) -> Self {
        let gain = norm.map(|norm| f64::from(norm.gain.abs().mean()));
        Self { name: name.to_string(), rows: rows.map(f64::from), gain }
    }

    /// The name, the length of one row, and the gain.
    fn line(&self, place: usize) -> String {
        let length = self.rows.row(place).norm();
        let gain = self.gain.map(|gain| format!("{gain:.2}"));
        let gain = gain.unwrap_or_default();
        format!("{:15}{length:8.1}{gain:>7}", self.name)
    }

    /// The first numbers of one row.
    fn first(&self, place: usize) -> String {
        let row = self.rows.row(place);
        let numbers = row.iter().take(PRINTED).map(|x| format!("{x:6.2}"));
        numbers.collect::<String>() + "  …"
    }
}

fn argmax(numbers: &[f64]) -> usize {
    DVector::from_column_slice(numbers).argmax().0
}

type Branch = (&'static str, f64, [(&'static str, f64); 3]);

/// The first two words, each with its probability given those before it.
const TREE: [Branch; 2] = [
    ("Ich", 0.6, [("fühle", 0.35), ("bin", 0.33), ("habe", 0.32)]),
    ("Mir", 0.4, [("geht", 0.9), ("ist", 0.05), ("wird", 0.05)]),
];

/// The path greedy decoding takes, and the most probable one.
fn tree() {
    let paths = TREE.iter().enumerate().flat_map(|(i, (_, p, seconds))| {
        let product = move |(j, (_, q)): (usize, &(_, f64))| (p * q, i, j);
        seconds.iter().enumerate().map(product)
    });
    let best = paths.max_by(|a, b| a.0.total_cmp(&b.0)).expect("six paths");
    let first = argmax(&TREE.map(|(_, p, _)| p));
    let second = argmax(&TREE[first].2.map(|(_, q)| q));
    let greedy = TREE[first].1 * TREE[first].2[second].1;
    println!("\n== Greedy and best");
    let said =
        |i: usize, j: usize| format!("{} {}", TREE[i].0, TREE[i].2[j].0);
    println!("greedy = {}", said(first, second));
    println!("its probability = {greedy:.2}");
    println!("best = {}", said(best.1, best.2));
    println!("the best probability = {:.2}", best.0);
    draw_tree((first, second), (best.1, best.2));
}

fn draw_tree(greedy: (usize, usize), best: (usize, usize)) {
    let branch = |(word, p, seconds): Branch| {
        let seconds = seconds.map(|(word, q)| format!("{word} {q}"));
        format!("{word} with {p}, and then {}", seconds.join(" or "))
    };
    let path = |(i, j): (usize, usize)| {
        let (first, p, seconds) = TREE[i];
        let (second, q) = seconds[j];
        format!("{first} {second}, {:.2} together", p * q)
    };
    let mut figure = Diagram::new(
        "Greedy is not best",
        &format!(
            "A tree of probabilities. After start comes {}. Greedy goes to \
             {}; the best is {}.",
            TREE.map(branch).join("; or "),
            path(greedy),
            path(best)
        ),
        32.0,
        15.5,
    );
    let start = figure.block((3.0, 7.75), (4.6, 1.6), "<start>", Hue::Rule);
    for (i, (word, p, seconds)) in TREE.iter().enumerate() {
        let y = 4.0 + 7.5 * i as f64;
        let paint =
            |on_greedy: bool, on_best: bool| match (on_greedy, on_best) {
                (true, _) => Hue::Orange,
                (_, true) => Hue::Green,
                _ => Hue::Rule,
            };
        let hue = paint(i == greedy.0, i == best.0);
        let first = figure.block((12.0, y), (4.0, 1.6), word, hue);
        figure.arrow(&[start.right(), first.left()], hue);
        let middle = (7.7, if i == 0 { 5.6 } else { 9.9 });
        figure.note(middle, Side::Left, &format!("{p}"));
        for (j, (word, q)) in seconds.iter().enumerate() {
            let y = y + 2.5 * (j as f64 - 1.0);
            let hue = paint((i, j) == greedy, (i, j) == best);
            let second = figure.block((22.0, y), (4.6, 1.6), word, hue);
            figure.arrow(&[first.right(), second.left()], hue);
            let (at, side) = match j {
                0 => ((16.0, y + 1.2), Side::Above),
                1 => ((18.2, y), Side::Above),
                _ => ((16.0, y - 1.2), Side::Below),
            };
            figure.note(at, side, &format!("{q}"));
            let product = format!("{p} · {q} = {:.3}", p * q);
            figure.note(second.right(), Side::Right, &product);
        }
    }
    plot::save("transformer-tree", &figure.draw());
}

/// Greedy decoding as a loop.
fn draw_loop() {
    let mut figure = Diagram::new(
        "Greedy decoding",
        "The encoder reads the source once. The decoder reads its output and \
         what has been written so far, which begins with the start token. Its \
         last row becomes logits. The token with the largest logit is \
         appended to what has been written, and the decoder runs again, until \
         that token is the end token.",
        31.0,
        13.0,
    );
    let box_of = (5.6, 2.4);
    let mut part = |x: f64, y: f64, text: &str, hue: Hue| {
        figure.block((x, y), box_of, text, hue)
    };
    let source = part(3.2, 9.6, "source", Hue::SOURCE);
    let encode = part(3.2, 4.4, "encode\nonce", Hue::Rule);
    let decode = part(12.4, 4.4, "decode", Hue::Rule);
    let fed = part(12.4, 9.6, "<start> and\nwhat is written", Hue::TARGET);
    let logits = part(19.8, 4.4, "logits of\nthe last row", Hue::Rule);
    let largest = part(27.4, 4.4, "the largest:\none token", Hue::TARGET);
    for (from, to, hue) in [
        (source.top(), encode.bottom(), Hue::Ink),
        (encode.right(), decode.left(), Hue::SOURCE),
        (fed.top(), decode.bottom(), Hue::Ink),
        (decode.right(), logits.left(), Hue::Ink),
        (logits.right(), largest.left(), Hue::Ink),
        (largest.top(), (27.4, 1.6), Hue::Ink),
    ] {
        figure.arrow(&[from, to], hue);
    }
    let back = [largest.bottom(), (27.4, 9.6), fed.right()];
    figure.arrow(&back, Hue::Ink);
    figure.note((7.8, 4.2), Side::Above, "memory");
    figure.note((21.0, 9.6), Side::Above, "append, and once more");
    figure.note((27.4, 1.6), Side::Above, "<end>: stop");
    plot::save("transformer-loop", &figure.draw());
}

/// Figure 1 of the paper, with the names of the crate.
struct Architecture {
    figure: Diagram,
}

const ENCODER: f64 = 8.8;
const DECODER: f64 = 23.6;

/// A part of a layer: its height, its names, and which of Q, K and V the rows
/// below it become.
type Sublayer = (f64, &'static str, &'static [(&'static str, Hue)]);

const QUERIES: (&str, Hue) = ("*Q*", Hue::QUERIES);
const ALL_THREE: &[(&str, Hue)] =
    &[QUERIES, ("*K*", Hue::KEYS), ("*V*", Hue::VALUES)];

impl Architecture {
    fn draw() {
        let figure = Diagram::new(
            "The Transformer",
            "Two columns, read from below. One embedding table at the bottom \
             serves sources and targets; sinusoidal positions are added to \
             both. At the left N encoder layers, each attention, add and \
             norm, feed-forward, add and norm. At the right N decoder \
             layers, each masked attention, cross-attention whose keys and \
             values come from the top of the encoder, and feed-forward, each \
             with add and norm. The top of the decoder is multiplied with the \
             transposed embedding table, which gives the logits. A softmax \
             outside the model makes probabilities of them.",
            32.8,
            49.0,
        );
        let mut drawing = Self { figure };
        drawing.inputs();
        let memory = drawing.encoder();
        let top = drawing.decoder(memory);
        drawing.output(top);
        plot::save("transformer-architecture", &drawing.figure.draw());
    }

    fn part(&mut self, at: Point, text: &str) -> Block {
        self.figure.block(at, (9.4, 2.2), text, Hue::Rule)
    }

    /// The table, the positions, and what goes up from there.
    fn inputs(&mut self) {
        let text = "Embedding\none table, *V* × d_model, for sources, targets \
                    and logits";
        let middle = (ENCODER + DECODER) / 2.0;
        let table =
            self.figure.block((middle, 43.4), (25.0, 2.4), text, Hue::Rule);
        let at = (middle, 39.4);
        let place =
            self.figure.block(at, (6.4, 1.8), "sinusoidal", Hue::Rule);
        for (x, tokens) in [
            (ENCODER, "source\n*m* tokens"),
            (DECODER, "target, shifted right\n*n* tokens"),
        ] {
            let sum = self.figure.circle((x, 39.4), "+");
            let down = table.bottom().1;
            self.figure.arrow(&[(x, 46.4), (x, down)], Hue::Ink);
            self.figure.note((x, 46.4), Side::Below, tokens);
            self.figure.arrow(&[(x, table.top().1), sum.bottom()], Hue::Ink);
            let (from, to) = if x < middle {
                (place.left(), sum.right())
            } else {
                (place.right(), sum.left())
            };
            self.figure.arrow(&[from, to], Hue::Ink);
        }
    }

    /// Sublayers from the bottom up, each with its add & norm: `side` is
    /// where the path around them runs. Returns the top.
    fn stack(&mut self, x: f64, side: f64, parts: &[Sublayer]) -> Point {
        let mut from = (x, 38.9);
        for &(y, text, become_of_rows) in parts {
            let part = self.part((x, y), text);
            let norm = self.part((x, y - 3.2), "LayerNorm\nadd_norm");
            let below = part.bottom().1 + 1.4;
            let corner = if side < x { norm.left() } else { norm.right() };
            let around =
                [(x, below), (side, below), (side, corner.1), corner];
            self.figure.arrow(&around, Hue::Ink);
            self.figure.arrow(&[part.top(), norm.bottom()], Hue::Ink);
            self.enter(from, part.bottom(), become_of_rows);
            from = norm.top();
        }
        from
    }

    /// The way into a sublayer: one arrow, or one for each of Q, K and V.
    fn enter(&mut self, from: Point, to: Point, rows: &[(&str, Hue)]) {
        if rows.is_empty() {
            self.figure.arrow(&[from, to], Hue::Ink);
            return;
        }
        let fork = (to.0, to.1 + 1.0);
        self.figure.line(&[from, fork], Hue::Ink);
        for (i, &(name, hue)) in rows.iter().enumerate() {
            let x = to.0 + 3.0 * (i as f64 - (rows.len() - 1) as f64 / 2.0);
            self.figure.arrow(&[fork, (x, fork.1), (x, to.1)], hue);
            self.figure.note((x, to.1 + 0.5), Side::Left, name);
        }
    }

    /// Returns where the memory comes out.
    fn encoder(&mut self) -> Point {
        let x = ENCODER;
        self.figure.frame((3.0, 20.9), (14.4, 37.4), Side::Left, "*N* ×");
        self.figure.note((3.1, 21.7), Side::Right, "EncoderLayer");
        self.figure.note((x, 38.1), Side::Right, "*m* × d_model");
        let parts: [Sublayer; 2] = [
            (34.4, "MultiHead\nattention", ALL_THREE),
            (27.2, "FeedForward\nfeed_forward", &[]),
        ];
        self.stack(x, 3.6, &parts)
    }

    /// Returns where the rows for the logits come out.
    fn decoder(&mut self, memory: Point) -> Point {
        let x = DECODER;
        self.figure.frame((18.2, 13.5), (29.6, 37.4), Side::Right, "*N* ×");
        self.figure.note((18.3, 14.3), Side::Right, "DecoderLayer");
        self.figure.note((x, 38.1), Side::Right, "*n* × d_model");
        let parts: [Sublayer; 3] = [
            (34.4, "MultiHead\nself_attention, causal", ALL_THREE),
            (27.2, "MultiHead\ncross_attention", &[QUERIES]),
            (19.8, "FeedForward\nfeed_forward", &[]),
        ];
        let top = self.stack(x, 29.0, &parts);
        let (bus, up) = (16.2, 19.6);
        let path = [memory, (memory.0, up), (bus, up), (bus, 27.7)];
        self.figure.line(&path, Hue::Ink);
        self.figure.note((12.4, up), Side::Above, "memory, *m* × d_model");
        for (y, name, hue) in
            [(26.7, "*K*", Hue::KEYS), (27.7, "*V*", Hue::VALUES)]
        {
            self.figure.arrow(&[(bus, y), (x - 4.7, y)], hue);
            self.figure.note((17.2, y + 0.1), Side::Above, name);
        }
        top
    }

    /// The logits, with the table again, and the softmax outside.
    fn output(&mut self, top: Point) {
        let x = DECODER;
        let logits = self.part((x, 10.4), "matmul_t\n*z* · *E*ᵀ");
        self.figure.arrow(&[top, logits.bottom()], Hue::Ink);
        let right = (ENCODER + DECODER) / 2.0 + 12.5;
        let tie = [(right, 43.4), (32.2, 43.4), (32.2, 10.4), logits.right()];
        self.figure.arrow(&tie, Hue::Here);
        self.figure.note((31.0, 10.4), Side::Above, "*E*");
        let softmax = self.part((x, 5.6), "softmax");
        self.figure.arrow(&[logits.top(), softmax.bottom()], Hue::Ink);
        let outside = "outside the model, where\nprobabilities are needed";
        self.figure.note(softmax.left(), Side::Left, outside);
        self.figure.note((x + 0.1, 8.0), Side::Right, "logits, *n* × *V*");
        self.figure.arrow(&[softmax.top(), (x, 2.0)], Hue::Ink);
        self.figure.note((x, 2.0), Side::Above, "probabilities, *n* × *V*");
    }
}
