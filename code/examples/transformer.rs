//! The whole model, and decoding with it: `cargo run --example transformer`

use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, words};
use all_you_need::transformer::Transformer;
use nalgebra::{DVector, dmatrix};
use plot::{Bars, Block, Diagram, Hue, Side};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    Architecture::draw();
    three_words();
    packed();
    let lesson = Lesson::new();
    lesson.by_heart();
    lesson.untrained();
    tree();
    lesson.scores();
    lesson.wrong_start();
}

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
    println!("\nsum of the scores = {}", logits.sum());
}

fn small(vocabulary: usize) -> Config {
    let (layers, d_model, d_ff, heads, d_k, d_v) = (2, 16, 32, 2, 4, 6);
    Config { vocabulary, layers, d_model, d_ff, heads, d_k, d_v }
}

fn random(config: &Config, seed: u64) -> Transformer<Matrix> {
    Transformer::new(config, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// Two pairs of sentences in one batch, and each alone.
fn packed() {
    let model = random(&small(20), 1);
    let sources = [vec![1, 2, 3], vec![4, 5, 6, 7, 8]];
    let targets = [vec![9, 10, 11, 12, 13, 14], vec![9, 15]];
    let together = model.forward(&sources, &targets);
    let alone = |i: usize| model.forward(&sources[i..=i], &targets[i..=i]);
    let first = (together.rows(0, 6) - alone(0)).amax();
    let second = (together.rows(6, 2) - alone(1)).amax();
    println!("\n== A batch of two");
    println!("rows of the encoder = {}", size(&model.encode(&sources).rows));
    println!("scores = {}", size(&together));
    println!("apart from alone = {}", gap(first.max(second)));
}

fn size(m: &impl Tensor) -> String {
    let (rows, columns) = m.shape();
    format!("{rows} × {columns}")
}

/// A distance; what may be rounding only is not told apart.
fn gap(distance: f64) -> String {
    if distance < 1e-13 {
        "less than 10⁻¹³".to_string()
    } else {
        format!("{distance:.2}")
    }
}

/// One sentence to say, and who says it.
struct Lesson {
    vocabulary: Vocabulary,
    source: Vec<Token>,
}

const PAD: Token = 0;
const START: Token = 1;
const END: Token = 2;

impl Lesson {
    fn new() -> Self {
        let all = words("<pad> <start> <end> Mir geht es gut I am fine");
        let vocabulary = Vocabulary::of(&all);
        let source = vocabulary.encode(&words("I am fine"));
        Self { vocabulary, source: source.expect("known words") }
    }

    fn word(&self, id: usize) -> String {
        self.vocabulary.decode(&[id as Token]).concat()
    }

    /// A model that has learned one sentence by heart: its weights are set
    /// by hand, and hear nothing but the word before.
    fn parrot(&self) -> Transformer<Matrix> {
        let v = self.vocabulary.len();
        let config = Config { layers: 1, d_model: v, d_ff: v, ..small(v) };
        let sentence = [START, 3, 4, 5, 6, END];
        let mut next = Matrix::zeros(v, v);
        for pair in sentence.windows(2) {
            next[(pair[0] as usize, pair[1] as usize)] = 10.0;
        }
        random(&config, 1).map("", &mut |name, leaf| match name {
            "embedding.table" => Matrix::identity(v, v),
            "decoder.layers.0.feed_forward.inner.weight" => {
                Matrix::identity(v, v)
            }
            "decoder.layers.0.feed_forward.inner.bias" => {
                leaf.add_scalar(-1.0)
            }
            "decoder.layers.0.feed_forward.outer.weight" => next.clone(),
            "decoder.layers.0.feed_forward_norm.gain" => leaf * 2.0,
            _ if name.ends_with("w_o") => leaf * 0.0,
            _ => leaf.clone(),
        })
    }

    fn untaught(&self) -> Transformer<Matrix> {
        random(&small(self.vocabulary.len()), 0)
    }

    fn logits(&self, model: &Transformer<Matrix>, fed: &[Token]) -> Matrix {
        let source = [self.source.clone()];
        model.forward(&source, &[fed.to_vec()])
    }

    /// The probability of each word to come next.
    fn next(&self, model: &Transformer<Matrix>, fed: &[Token]) -> Vec<f64> {
        let logits = self.logits(model, fed);
        let last = logits.row(fed.len() - 1).transpose();
        softmax(last.as_slice())
    }

    /// What greedy decoding says, and how many words.
    fn says(&self, model: &Transformer<Matrix>, start: Token) -> String {
        let said = model.greedy(&self.source, start, END);
        let mut words: Vec<(String, usize)> = Vec::new();
        for word in said.into_iter().map(|id| self.word(id as usize)) {
            match words.last_mut() {
                Some((last, times)) if *last == word => *times += 1,
                _ => words.push((word, 1)),
            }
        }
        let words = words.into_iter().map(|(word, times)| match times {
            1 => word,
            _ => format!("{times} × {word}"),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    fn by_heart(&self) {
        let model = self.parrot();
        let mut steps = Vec::new();
        let mut fed = vec![START];
        println!("\n== By heart");
        while fed.last() != Some(&END) {
            let p = self.next(&model, &fed);
            let next = argmax(&p);
            let so_far = self.vocabulary.decode(&fed);
            let (word, p) = (self.word(next), p[next]);
            println!("{:24}{word:8}{p:.2}", so_far.join(" "));
            steps.push((so_far, word, p));
            fed.push(next as Token);
        }
        println!("\ngreedy says = {}", self.says(&model, START));
        draw_loop(&steps);
    }

    fn untrained(&self) {
        let model = self.untaught();
        let p = self.next(&model, &[START]);
        println!("\n== Untrained");
        println!("most probable = {}", self.word(argmax(&p)));
        let said = model.greedy(&self.source, START, END);
        println!("words said = {}", said.len());
        println!("the untrained model says = {}", self.says(&model, START));
        let description = format!(
            "{} bars, one for each word of the vocabulary, one in all. The \
             longest, {:.2}, belongs to {}.",
            p.len(),
            p[argmax(&p)],
            self.word(argmax(&p))
        );
        let mut bars = Bars::new("The next word", &description)
            .heading("probability to come next, after <start>");
        for (id, &probability) in p.iter().enumerate() {
            let hue = if id == argmax(&p) { Hue::Orange } else { Hue::Blue };
            bars = bars.bar_in(hue, &self.word(id), probability);
        }
        plot::save("transformer-next", &bars.draw());
    }

    /// The same model, with decoding begun from padding.
    fn wrong_start(&self) {
        let model = self.parrot();
        println!("\n== Another first word");
        println!("from <start> = {}", self.says(&model, START));
        println!("from <pad> = {}", self.says(&model, PAD));
    }

    /// Rows of scores and rows of probabilities.
    fn scores(&self) {
        let logits = self.logits(&self.untaught(), &[START, 3, 4, 5, 6]);
        println!("\n== Scores are no probabilities");
        println!("row  sum of scores  of probabilities  largest at");
        for (i, row) in logits.row_iter().enumerate() {
            let row: Vec<f64> = row.iter().copied().collect();
            let p = softmax(&row);
            let sums = (row.iter().sum::<f64>(), p.iter().sum::<f64>());
            let largest = (argmax(&row), argmax(&p));
            println!(
                "{i:3}{:15.2}{:18.2}{:8} and {}",
                sums.0, sums.1, largest.0, largest.1
            );
        }
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
        format!("{first} {second}, {:.2} in all", p * q)
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

/// Decoding unrolled: what is fed, and what is said.
fn draw_loop(steps: &[(Vec<String>, String, f64)]) {
    let mut figure = Diagram::new(
        "Greedy decoding",
        &format!(
            "The encoder reads I am fine once. The decoder runs {} times. Each \
             time it is fed the start token and all it has said, and says one \
             word more: {}.",
            steps.len(),
            steps
                .iter()
                .map(|step| step.1.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
        38.0,
        17.4,
    );
    let encoder = figure.block((4.0, 7.0), (5.6, 2.2), "encode", Hue::Yellow);
    let source =
        figure.block((4.0, 12.0), (5.6, 2.2), "I am fine", Hue::Rule);
    figure.arrow(&[source.top(), encoder.bottom()], Hue::Ink);
    let mut memory = encoder.right();
    for (i, (fed, word, p)) in steps.iter().enumerate() {
        let x = 11.0 + 6.0 * i as f64;
        let decode =
            figure.block((x, 7.0), (4.2, 2.2), "decode", Hue::Orange);
        let height = 0.9 * fed.len() as f64 + 0.6;
        let at = (x, 11.0 + height / 2.0);
        let fed = figure.block(at, (4.2, height), &fed.join("\n"), Hue::Rule);
        let text = format!("{word}\n{p:.2}");
        let said = figure.block((x, 2.2), (4.2, 2.4), &text, Hue::Green);
        figure.arrow(&[memory, decode.left()], Hue::Yellow);
        figure.arrow(&[fed.top(), decode.bottom()], Hue::Ink);
        figure.arrow(&[decode.top(), said.bottom()], Hue::Ink);
        if i + 1 < steps.len() {
            let between = x + 2.7;
            let last = 11.0 + 0.9 * (i as f64 + 2.0);
            let path = [
                said.right(),
                (between, said.right().1),
                (between, last),
                (x + 3.9, last),
            ];
            figure.arrow(&path, Hue::Ink);
        }
        memory = decode.right();
    }
    plot::save("transformer-loop", &figure.draw());
}

/// Figure 1, with the names of the crate.
struct Architecture {
    figure: Diagram,
}

const ENCODER: f64 = 9.5;
const DECODER: f64 = 25.0;

impl Architecture {
    fn draw() {
        let figure = Diagram::new(
            "The Transformer",
            "Two columns, read from below. One embedding table at the bottom \
             serves sources and targets; sinusoidal positions are added to \
             both. At the left six encoder layers, each attention, add and \
             norm, feed-forward, add and norm. At the right six decoder \
             layers, each masked attention, cross-attention whose keys and \
             values come from the top of the encoder, and feed-forward, each \
             with add and norm. The top of the decoder is multiplied with the \
             transposed embedding table, which gives the scores. A softmax \
             outside the model makes probabilities of them.",
            35.0,
            49.0,
        );
        let mut drawing = Self { figure };
        drawing.inputs();
        let memory = drawing.encoder();
        let top = drawing.decoder(memory);
        drawing.output(top);
        plot::save("transformer-architecture", &drawing.figure.draw());
    }

    fn part(&mut self, at: plot::Point, text: &str, hue: Hue) -> Block {
        self.figure.block(at, (9.4, 2.2), text, hue)
    }

    /// The table, the positions, and what goes up from there.
    fn inputs(&mut self) {
        let text = "Embedding\none table, V × d_model, for sources, targets \
                    and scores";
        let middle = (ENCODER + DECODER) / 2.0;
        let table =
            self.figure.block((middle, 43.4), (25.0, 2.4), text, Hue::Yellow);
        let place = self.figure.block(
            (middle, 39.4),
            (6.4, 1.8),
            "sinusoidal",
            Hue::Rule,
        );
        for (x, tokens) in [
            (ENCODER, "sources\nm tokens"),
            (DECODER, "targets, shifted right\nn tokens"),
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

    /// Parts from the bottom up, each with its add & norm: `side` is where
    /// the path around a part runs. Returns the top.
    fn stack(
        &mut self,
        x: f64,
        side: f64,
        parts: &[(f64, &str, Hue)],
        shape: &str,
    ) -> plot::Point {
        let mut from = (x, 38.9);
        self.figure.note((x + 0.1, 38.1), Side::Right, shape);
        for &(y, text, hue) in parts {
            let part = self.part((x, y), text, hue);
            let norm =
                self.part((x, y - 3.2), "LayerNorm\nadd_norm", Hue::Green);
            let below = part.bottom().1 + 0.7;
            let corner = if side < x { norm.left() } else { norm.right() };
            let around =
                [(x, below), (side, below), (side, corner.1), corner];
            self.figure.arrow(&[from, part.bottom()], Hue::Ink);
            self.figure.arrow(&[part.top(), norm.bottom()], Hue::Ink);
            self.figure.arrow(&around, Hue::Blue);
            from = norm.top();
        }
        from
    }

    /// Returns where the rows for the decoder come out.
    fn encoder(&mut self) -> plot::Point {
        let x = ENCODER;
        self.figure.frame((3.0, 22.2), (15.0, 37.2), Side::Left, "6 ×");
        let parts = [
            (34.6, "MultiHead\nattention", Hue::Orange),
            (27.2, "FeedForward\nfeed_forward", Hue::Purple),
        ];
        let top = self.stack(x, 3.7, &parts, "m × d_model");
        self.figure.note((x + 0.1, 21.5), Side::Right, "Encoder");
        top
    }

    /// Returns where the rows for the scores come out.
    fn decoder(&mut self, memory: plot::Point) -> plot::Point {
        let x = DECODER;
        self.figure.frame((19.5, 14.8), (31.5, 37.2), Side::Right, "6 ×");
        let parts = [
            (34.6, "MultiHead\nself_attention, causal", Hue::Orange),
            (27.2, "MultiHead\ncross_attention", Hue::Orange),
            (19.8, "FeedForward\nfeed_forward", Hue::Purple),
        ];
        let top = self.stack(x, 30.8, &parts, "n × d_model");
        self.figure.note((x + 0.1, 14.1), Side::Right, "Decoder");
        self.figure.note((x - 0.1, 29.6), Side::Left, "Q");
        let (bus, up) = (17.2, 20.2);
        let path =
            [memory, (memory.0, up), (bus, up), (bus, 27.2), (x - 4.7, 27.2)];
        self.figure.arrow(&path, Hue::Ink);
        self.figure.note((13.2, up), Side::Above, "m × d_model");
        self.figure.note((18.4, 27.2), Side::Above, "K, V");
        top
    }

    /// The scores, with the table again, and the softmax outside.
    fn output(&mut self, top: plot::Point) {
        let x = DECODER;
        let scores = self.part((x, 10.8), "matmul_t\nz · Eᵀ", Hue::Yellow);
        self.figure.arrow(&[top, scores.bottom()], Hue::Ink);
        let table = (22.0, 43.4);
        let tie =
            [(29.75, table.1), (34.0, table.1), (34.0, 10.8), scores.right()];
        self.figure.arrow(&tie, Hue::Yellow);
        self.figure.note((33.9, 9.9), Side::Left, "E");
        let softmax = self.part((x, 5.8), "softmax", Hue::Rule);
        self.figure.arrow(&[scores.top(), softmax.bottom()], Hue::Ink);
        let outside = "outside the model, for those\nwho want probabilities";
        self.figure.note(softmax.left(), Side::Left, outside);
        self.figure.note((x + 0.1, 8.2), Side::Right, "scores, n × V");
        self.figure.arrow(&[softmax.top(), (x, 2.2)], Hue::Ink);
        self.figure.note((x, 2.2), Side::Above, "probabilities, n × V");
    }
}
