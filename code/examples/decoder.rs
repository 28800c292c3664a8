//! The decoder, and who asks whom: `cargo run --example decoder`

use all_you_need::attention::{Mask, weights};
use all_you_need::costs::{Bill, Shape};
use all_you_need::decoder::{Decoder, DecoderLayer};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::heads::{Heads, MultiHead};
use all_you_need::parameters::parameter_count;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Token, Vocabulary, words};
use all_you_need::translation::{HeadWeights, Translator};
use nalgebra::dmatrix;
use plot::{Diagram, HeatMaps, Hue, Panel, Side};
use print::grouped;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::panic::{self, AssertUnwindSafe};

fn main() {
    let scene = Scene::new();
    two_questions();
    draw_wiring();
    trained_cross_attention();
    next_words();
    draw_layer();
    parameters();
    draw_stack();
    draw_shift();
    scene.all_at_once();
    scene.who_knows();
    unshifted();
    scene.wirings();
    scene.another_source();
}

/// Two rows of the target ask, three words of the source answer.
fn two_questions() {
    let q = dmatrix![2.0, 0.0; 0.0, 2.0];
    let k = dmatrix![2.0, 0.0; 1.0, 1.0; 0.0, 2.0];
    let weights = weights(&q, &k, &Mask::none(2, 3));
    println!("== Two questions");
    println!("to say  asks         I      am    fine");
    let asking = [("Mir", "(2, 0)"), ("gut", "(0, 2)")];
    for ((word, query), row) in asking.iter().zip(weights.row_iter()) {
        let row: String = row.iter().map(|w| format!("{w:8.2}")).collect();
        println!("{word:8}{query}{row}");
    }
}

/// *I am fine* and *Mir geht es gut*, with a random encoder and decoder.
struct Scene {
    source: Vec<String>,
    target: Vec<String>,
    vocabulary: Vocabulary,
    embedding: Embedding<Matrix>,
    encoder: Encoder<Matrix>,
    decoder: Decoder<Matrix>,
}

const D_MODEL: usize = 16;

impl Scene {
    fn new() -> Self {
        let source = words("I am fine");
        let target = words("<start> Mir geht es gut");
        let all = [&source[..], &target, &words("schlecht")].concat();
        let vocabulary = Vocabulary::of(&all);
        let config = Config {
            vocabulary: vocabulary.len(),
            layers: 2,
            d_model: D_MODEL,
            d_ff: 32,
            heads: 2,
            d_k: 4,
            d_v: 6,
        };
        let rng = &mut ChaCha8Rng::seed_from_u64(4);
        Self {
            source,
            target,
            embedding: Embedding::new(vocabulary.len(), D_MODEL, rng),
            vocabulary,
            encoder: Encoder::new(&config, rng),
            decoder: Decoder::new(&config, rng),
        }
    }

    fn embed(&self, words: &[String]) -> Matrix {
        let ids = self.vocabulary.encode(words).expect("known words");
        let positions: Vec<usize> = (0..ids.len()).collect();
        self.embedding.embed(&ids) + sinusoidal(&positions, D_MODEL)
    }

    /// What the encoder makes of a source.
    fn encode(&self, source: &[String]) -> Matrix {
        let mask = Mask::none(source.len(), source.len());
        self.encoder.forward(&self.embed(source), &mask)
    }

    /// What the decoder makes of a target, with *I am fine* before it.
    fn decode(&self, target: &[String], past: &Mask) -> Matrix {
        let (y, x) = (self.embed(target), self.encode(&self.source));
        let source = Mask::none(y.nrows(), x.nrows());
        self.decoder.forward(&y, &x, past, &source)
    }

    /// The rows that ask in the first layer, and those that answer.
    fn rows(&self) -> (Matrix, Matrix) {
        let layer = &self.decoder.layers[0];
        let y = self.embed(&self.target);
        let past = Mask::causal(y.nrows());
        let said = layer.self_attention.forward(&y, &y, &past);
        (layer.self_norm.add_norm(&y, &said), self.encode(&self.source))
    }

    /// The first layer's second attention.
    fn cross(&self) -> &MultiHead<Matrix> {
        &self.decoder.layers[0].cross_attention
    }

    /// The known target in one pass, and word by word.
    fn all_at_once(&self) {
        let n = self.target.len();
        let apart = |mask: fn(usize) -> Mask| {
            let together = self.decode(&self.target, &mask(n));
            let gap = |i| {
                let so_far = self.decode(&self.target[..=i], &mask(i + 1));
                (so_far.row(i) - together.row(i)).amax()
            };
            (0..n).map(gap).fold(0.0, f64::max)
        };
        println!("\n== All rows at once");
        println!("apart, with the mask = {}", gap(apart(Mask::causal)));
        let everyone = |n| Mask::none(n, n);
        println!("apart, without it = {}", gap(apart(everyone)));
    }

    /// How far the row that has to say *gut* moves when *gut* is replaced.
    fn who_knows(&self) {
        let other = words("<start> Mir geht es schlecht");
        println!("\n== Who knows the answer");
        println!("shift  mask   moved by");
        // Shifted, row 3 is fed `es` and has to say `gut`. Else row 4 is fed
        // `gut` and has to say it.
        for (shift, row) in [("yes", 3), ("no", 4)] {
            for (mask, past) in
                [("yes", Mask::causal(5)), ("no", Mask::none(5, 5))]
            {
                let moved = self.decode(&self.target, &past)
                    - self.decode(&other, &past);
                let moved = match moved.row(row).amax() {
                    0.0 => "0".to_string(),
                    moved => format!("{moved:.2}"),
                };
                println!("{shift:7}{mask:7}{moved:>8}");
            }
        }
    }

    /// Who asks, who has the keys, who has the values.
    fn wirings(&self) {
        let (y, x) = self.rows();
        let three: Matrix = y.rows(0, 3).into();
        let right = attend(self.cross(), [&three, &x, &x]);
        println!("\n== Five wirings");
        println!("                        3 words  5 words");
        println!("queries keys    values   off by  shape");
        let (target, source) = ("target", "source");
        for roles in [
            [target, source, source],
            [source, target, target],
            [target, source, target],
            [target, target, source],
            [target, target, target],
        ] {
            let wired = |y| {
                let chosen = roles.map(|r| if r == target { y } else { &x });
                attend(self.cross(), chosen)
            };
            let off = (wired(&three) - &right).norm();
            let many = outcome(|| size(&wired(&y)));
            let roles = roles.map(|role| format!("{role:8}")).concat();
            println!("{roles}{off:7.2}  {many}");
        }
    }

    /// How far another source moves the second attention, if it is a
    /// cross-attention and if it is not.
    fn another_source(&self) {
        let (y, x) = self.rows();
        let other = self.encode(&words("fine fine I"));
        let cross = |x| attend(self.cross(), [&y, x, x]);
        let again = |_: &Matrix| attend(self.cross(), [&y, &y, &y]);
        println!("\n== Another source");
        let moved = (cross(&x) - cross(&other)).amax();
        println!("cross-attention moves by = {moved:.2}");
        let moved = (again(&x) - again(&other)).amax();
        println!("self-attention moves by = {moved}");
    }
}

/// Multi-head attention with every role chosen freely.
fn attend(heads: &MultiHead<Matrix>, [q, k, v]: [&Matrix; 3]) -> Matrix {
    let (q, k, v) = (q * &heads.w_q, k * &heads.w_k, v * &heads.w_v);
    let mask = Mask::none(q.nrows(), k.nrows());
    Matrix::attend_heads(&q, &k, &v, heads.heads, &mask) * &heads.w_o
}

fn size(m: &Matrix) -> String {
    format!("{} × {}", m.nrows(), m.ncols())
}

/// A distance; what may be rounding only is not told apart.
fn gap(distance: f64) -> String {
    if distance < 1e-14 {
        "less than 10⁻¹⁴".to_string()
    } else {
        format!("{distance:.2}")
    }
}

/// What comes of it: a result, or the sentence that it panics with.
fn outcome(attempt: impl FnOnce() -> String) -> String {
    panic::set_hook(Box::new(|_| ()));
    let result = panic::catch_unwind(AssertUnwindSafe(attempt));
    drop(panic::take_hook());
    result.unwrap_or_else(|error| *error.downcast().expect("a sentence"))
}

/// What a layer of the base model has to learn.
fn parameters() {
    let (base, bill) = (Config::base(), &mut Bill::default());
    let encoder = parameter_count(&EncoderLayer::<Shape>::new(&base, bill));
    let decoder = parameter_count(&DecoderLayer::<Shape>::new(&base, bill));
    println!("\n== Parameters of a layer");
    println!("encoder layer = {}", grouped(encoder));
    println!("decoder layer = {}", grouped(decoder));
    println!("difference = {}", grouped(decoder - encoder));
}

/// How often one untrained layer points at the word it was fed, and how
/// often at the word after it.
fn unshifted() {
    let (vocabulary, d_model, n, m) = (1000, 64, 31, 12);
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let config = Config {
        vocabulary,
        d_model,
        d_ff: 256,
        layers: 1,
        heads: 4,
        d_k: 16,
        d_v: 16,
    };
    let embedding: Embedding<Matrix> =
        Embedding::new(vocabulary, d_model, rng);
    let decoder: Decoder<Matrix> = Decoder::new(&config, rng);
    let positions: Vec<usize> = (0..n).collect();
    let (mut asked, mut fed, mut next) = (0, 0, 0);
    for _ in 0..20 {
        let words: Vec<Token> = (0..n)
            .map(|_| rng.random_range(0..vocabulary as Token))
            .collect();
        let y = embedding.embed(&words) + sinusoidal(&positions, d_model);
        let x = rng.uniform(m, d_model, 1.0);
        let z = decoder.forward(&y, &x, &Mask::causal(n), &Mask::none(n, m));
        let likeness = z * embedding.table.transpose();
        for (i, pair) in words.windows(2).enumerate() {
            let nearest = likeness.row(i).transpose().argmax().0;
            asked += 1;
            fed += usize::from(nearest == pair[0] as usize);
            next += usize::from(nearest == pair[1] as usize);
        }
    }
    let percent = |count: usize| 100.0 * count as f64 / f64::from(asked);
    println!("\n== One untrained layer");
    println!("right without the shift = {:.0} %", percent(fed));
    println!("right with the shift = {:.1} %", percent(next));
    println!("words with the shift = {next}");
    println!("words asked for = {asked}");
}

/// Captions that the translator of the book has not seen, and the one that
/// is drawn.
const CAPTIONS: &str = include_str!("../../src/logs/translation-own.en");
const CAPTION: &str = "a dog jumps over a fence .";

/// A head of the decoder's cross-attention.
struct Head {
    layer: usize,
    head: usize,
    /// The largest weight of a row, on average.
    largest: f64,
}

/// What two heads of the trained decoder look at.
fn trained_cross_attention() {
    let translator = Translator::captions();
    let captions: Vec<&str> = CAPTIONS.lines().collect();
    let german = translate(&translator, &captions);
    let mut heads: Vec<Head> = Vec::new();
    for (english, german) in captions.iter().zip(&german) {
        let (_, _, maps) = cross_attention(&translator, english, german);
        for (layer, maps) in maps.iter().enumerate() {
            for (head, map) in maps.iter().enumerate() {
                let here = |h: &Head| (h.layer, h.head) == (layer, head);
                let known = heads.iter().position(here);
                let i = known.unwrap_or_else(|| {
                    heads.push(Head { layer, head, largest: 0.0 });
                    heads.len() - 1
                });
                let rows = map.row_iter().map(|row| f64::from(row.max()));
                let mean = rows.sum::<f64>() / map.nrows() as f64;
                heads[i].largest += mean / captions.len() as f64;
            }
        }
    }
    heads.sort_by(|a, b| b.largest.total_cmp(&a.largest));
    println!("\n== A trained cross-attention");
    println!("captions = {}", captions.len());
    println!("heads = {}", heads.len());
    for (name, i) in [("first", 0), ("second", 1), ("last", heads.len() - 1)]
    {
        let Head { layer, largest, .. } = heads[i];
        println!("layer of the {name} = {}", layer + 1);
        println!("largest weight of the {name} = {largest:.2}");
    }
    draw_trained(&translator, &heads[..2]);
}

fn translate(translator: &Translator, captions: &[&str]) -> Vec<String> {
    let found = translator.translate(captions, &translator.beam(5, 0.6, 1));
    found.expect("short lines")
}

/// The tokens of a caption, those of its translation but for the end, and
/// the weights of each layer's heads. After the end nothing is written.
fn cross_attention(
    translator: &Translator,
    english: &str,
    german: &str,
) -> (Vec<Token>, Vec<Token>, Vec<HeadWeights>) {
    let source = translator.tokenizer.encode_source(english);
    let mut target = translator.tokenizer.encode_target(german);
    target.pop();
    let maps = translator.attention_maps(&source, &target).cross;
    (source, target, maps)
}

/// The maps of these heads for one caption.
fn draw_trained(translator: &Translator, heads: &[Head]) {
    let german = translate(translator, &[CAPTION]).remove(0);
    let (source, target, maps) =
        cross_attention(translator, CAPTION, &german);
    println!("caption = {CAPTION}");
    println!("translation = {german}");
    let spell = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().map(|&token| translator.tokenizer.name(token)).collect()
    };
    let (rows, columns) = (spell(&target), spell(&source));
    let description = format!(
        "Two maps of attention weights, one below the other. The rows are the \
         tokens of “{german}”, the columns those of “{CAPTION}”. In the first \
         each German word has its largest weight at its translation, in the \
         second at the translation of the word after it. The weights for \
         which there is no word are at the full stop and the end."
    );
    let mut figure = HeatMaps::new("A trained cross-attention", &description);
    for (i, Head { layer, head, .. }) in heads.iter().enumerate() {
        let panel = Panel::new(&maps[*layer][*head])
            .title(&format!("layer {}", layer + 1))
            .rows(&rows)
            .columns(&columns)
            .axes("target: queries", "source: keys")
            .numbers(2)
            .hue(Hue::WEIGHTS)
            .full(1.0)
            .cell(44.0, 24.0);
        figure = if i > 0 { figure.next_row() } else { figure };
        figure = figure.panel(panel);
    }
    plot::save("decoder-trained", &figure.draw());
}

/// How the trained decoder goes on, for two sources and two beginnings.
fn next_words() {
    let translator = Translator::captions();
    println!("\n== The next words");
    println!("{:28}{:22}goes on", "source", "written");
    for (colour, written) in [
        ("red", "ein mann in einem"),
        ("blue", "ein mann in einem"),
        ("red", "ein mann in einer"),
    ] {
        let source = format!("a man in a {colour} shirt .");
        let more = continued(&translator, &source, written);
        println!("{source:28}{written:22}{more}");
    }
}

/// What the model writes after this beginning of a translation, greedily.
fn continued(translator: &Translator, source: &str, written: &str) -> String {
    let Translator { model, tokenizer, .. } = translator;
    let memory = model.encode(&[tokenizer.encode_source(source)]);
    let mut target = tokenizer.encode_target(written);
    target.pop();
    let begun = target.len();
    while target.len() < begun + 20 {
        let rows = model.decode(&[&target], &memory);
        let last = rows.rows(rows.nrows() - 1, 1).into_owned();
        let next = model.logits(&last).row(0).transpose().argmax().0 as Token;
        if next == tokenizer.eos() {
            break;
        }
        target.push(next);
    }
    tokenizer.decode(&target[begun..]).trim().to_owned()
}

/// Where the queries, keys and values of cross-attention come from.
fn draw_wiring() {
    let mut figure = Diagram::new(
        "Cross-attention",
        "The m rows of the encoder become keys and values, the n rows of the \
         decoder become queries. Queries and keys make n × m weights; weights \
         and values make n rows.",
        26.0,
        20.0,
    );
    let x =
        ((8.5, 18.0), (13.0, 2.4), "*X*, the encoder's rows\n*m* × d_model");
    let y =
        ((20.5, 18.0), (9.0, 2.4), "*Y*, the decoder's rows\n*n* × d_model");
    let x = figure.block(x.0, x.1, x.2, Hue::SOURCE);
    let y = figure.block(y.0, y.1, y.2, Hue::TARGET);
    let part = (6.0, 2.4);
    let v = figure.block(
        (5.0, 13.5),
        part,
        "*V* = *X* W^V\n*m* × d_v",
        Hue::VALUES,
    );
    let k = figure.block(
        (12.0, 13.5),
        part,
        "*K* = *X* W^K\n*m* × d_k",
        Hue::KEYS,
    );
    let q = figure.block(
        (20.5, 13.5),
        part,
        "*Q* = *Y* W^Q\n*n* × d_k",
        Hue::QUERIES,
    );
    let weights = "softmax(*QK*ᵀ / √d_k)\n*n* × *m*";
    let weights =
        figure.block((16.0, 8.5), (11.0, 2.4), weights, Hue::WEIGHTS);
    let out = figure.block(
        (10.0, 3.5),
        (11.0, 2.4),
        "weights · *V*\n*n* × d_v",
        Hue::VALUES,
    );
    for (from, to) in [
        ((5.0, x.top().1), v.bottom()),
        ((12.0, x.top().1), k.bottom()),
        (y.top(), q.bottom()),
        (k.top(), (12.0, weights.bottom().1)),
        (q.top(), (20.5, weights.bottom().1)),
        (v.top(), (5.0, out.bottom().1)),
        ((13.0, weights.top().1), (13.0, out.bottom().1)),
        (out.top(), (10.0, 0.6)),
    ] {
        figure.arrow(&[from, to], Hue::Ink);
    }
    figure.note((10.2, 1.4), Side::Right, "a row for each that asked");
    plot::save("decoder-wiring", &figure.draw());
}

/// The three parts of a layer, from the bottom up.
fn draw_layer() {
    let mut figure = Diagram::new(
        "A decoder layer",
        "From below: self-attention under the causal mask, add and norm; \
         cross-attention, whose keys and values come from the encoder at the \
         left, add and norm; feed-forward, add and norm. Around each part runs \
         a path that leads its input to the sum.",
        28.0,
        30.0,
    );
    let (middle, side) = (17.0, 24.0);
    let parts = [
        (26.0, "self_attention\nMultiHead", "self_norm", Hue::Ink),
        (18.0, "cross_attention\nMultiHead", "cross_norm", Hue::QUERIES),
        (10.0, "feed_forward\nFeedForward", "feed_forward_norm", Hue::Ink),
    ];
    let mut from = (middle, 29.6);
    for (height, part, norm, into) in parts {
        let part =
            figure.block((middle, height), (10.0, 2.6), part, Hue::Rule);
        let norm = format!("{norm}\nLayerNorm, add_norm");
        let norm = figure.block(
            (middle, height - 4.0),
            (10.0, 2.6),
            &norm,
            Hue::Rule,
        );
        figure.arrow(&[from, part.bottom()], into);
        figure.arrow(&[part.top(), norm.bottom()], Hue::Ink);
        let below = part.bottom().1 + 0.8;
        let path = [
            (middle, below),
            (side, below),
            (side, height - 4.0),
            norm.right(),
        ];
        figure.arrow(&path, Hue::TARGET);
        from = norm.top();
    }
    figure.arrow(&[from, (middle, 2.4)], Hue::Ink);
    figure.note((middle, 2.2), Side::Above, "*n* × d_model");
    figure.note((middle + 0.2, 29.1), Side::Right, "target, *n* × d_model");
    let x = figure.block(
        (4.5, 18.0),
        (7.5, 2.6),
        "*X*, from the encoder\n*m* × d_model",
        Hue::SOURCE,
    );
    for (down, hue) in [(-0.3, Hue::KEYS), (0.3, Hue::VALUES)] {
        let from = x.along(0.5, down);
        figure.arrow(&[from, (12.0, from.1)], hue);
    }
    figure.note((10.1, 17.3), Side::Above, "*K*");
    figure.note((10.1, 18.7), Side::Below, "*V*");
    figure.note((middle - 0.2, 19.9), Side::Left, "*Q*");
    figure.note((11.8, 26.0), Side::Left, "mask: no row\nsees a later one");
    plot::save("decoder-layer", &figure.draw());
}

/// Six encoder layers, six decoder layers, and who reads whom.
fn draw_stack() {
    let mut figure = Diagram::new(
        "Every decoder layer reads the top of the encoder",
        "Two stacks of six layers. From the top of the encoder one line runs to \
         each of the six decoder layers; the lower encoder layers feed only \
         the next one.",
        28.0,
        16.6,
    );
    let height = |i: usize| 13.2 - 1.96 * i as f64;
    let size = (8.0, 1.4);
    let (left, bus, right) = (5.5, 12.5, 21.0);
    for i in 0..6 {
        let reads = figure.block(
            (left, height(i)),
            size,
            "EncoderLayer",
            Hue::SOURCE,
        );
        let writes = figure.block(
            (right, height(i)),
            size,
            "DecoderLayer",
            Hue::TARGET,
        );
        let below = if i == 0 { 15.2 } else { height(i - 1) - 0.7 };
        figure.arrow(&[(left, below), reads.bottom()], Hue::Ink);
        figure.arrow(&[(right, below), writes.bottom()], Hue::Ink);
        figure.arrow(&[(bus, height(i)), writes.left()], Hue::SOURCE);
    }
    let top = height(5) - 0.7;
    let line = [(left, top), (left, 1.2), (bus, 1.2), (bus, height(0))];
    figure.line(&line, Hue::SOURCE);
    figure.arrow(&[(right, top), (right, 0.6)], Hue::Ink);
    figure.note((9.0, 1.2), Side::Below, "*X*, *m* × d_model");
    figure.note((left, 15.2), Side::Below, "source");
    figure.note((right, 15.2), Side::Below, "target");
    plot::save("decoder-stack", &figure.draw());
}

/// What each row is fed, and what it has to say.
fn draw_shift() {
    let mut figure = Diagram::new(
        "The target, shifted right",
        "Below the decoder its five inputs: start, Mir, geht, es, gut. Above \
         it what each row has to say: Mir, geht, es, gut, end. Each word \
         is one place further to the right below than above.",
        29.0,
        10.0,
    );
    let words = ["<start>", "Mir", "geht", "es", "gut", "<end>"];
    let hue = |word: usize| match word {
        1..=4 => Hue::TARGET,
        _ => Hue::Rule,
    };
    let decoder = ((16.5, 5.0), (24.0, 1.8), "Decoder", Hue::Rule);
    figure.block(decoder.0, decoder.1, decoder.2, decoder.3);
    for i in 0..5 {
        let x = 6.5 + 5.0 * i as f64;
        let fed = figure.block((x, 8.6), (4.0, 1.6), words[i], hue(i));
        let says =
            figure.block((x, 1.4), (4.0, 1.6), words[i + 1], hue(i + 1));
        figure.arrow(&[fed.top(), (x, 5.9)], Hue::Ink);
        figure.arrow(&[(x, 4.1), says.bottom()], Hue::Ink);
    }
    figure.note((3.8, 8.6), Side::Left, "is fed");
    figure.note((3.8, 1.4), Side::Left, "has to say");
    plot::save("decoder-shift", &figure.draw());
}
