//! The machine of this book, from outside and lid by lid: `cargo run --example machine`
//!
//! It also draws a map of the machine's parts, and for the head of each chapter a strip on which the chapter's part is lit.

use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use plot::print::grouped;
use plot::{Bars, Diagram, Figure, HeatMaps, Hue, Panel, Point, Side};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// The table of contents, which has the titles of the chapters.
const SUMMARY: &str = include_str!("../../src/SUMMARY.md");

/// The size of the strip, in pixels. The drawing of the machine takes all of its width.
const STRIP: Point = (340.0, 80.0);

/// How much larger the machine is on the map, and where its upper left corner is there.
const ZOOM: f64 = 1.3;
const CORNER: Point = (4.0, 130.0);

/// A part of the machine that a chapter can explain.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Text,
    Tokens,
    Embedding,
    Position,
    Rows,
    Attention,
    Mask,
    Layer,
    Encoder,
    Bridge,
    Decoder,
    Probabilities,
    Search,
    Reference,
    Bleu,
    Loss,
    Gradient,
    Optimizer,
    Checkpoint,
}

use Part::*;

/// What runs through the machine from the text to the probabilities.
const MODEL: &[Part] = &[
    Tokens,
    Embedding,
    Position,
    Rows,
    Encoder,
    Bridge,
    Decoder,
    Probabilities,
];

/// The model, what trains it, and what uses it.
const ALL: &[Part] = &[
    Text,
    Tokens,
    Embedding,
    Position,
    Rows,
    Encoder,
    Bridge,
    Decoder,
    Probabilities,
    Search,
    Reference,
    Bleu,
    Loss,
    Gradient,
    Optimizer,
    Checkpoint,
];

/// What has numbers that training chooses.
const LEARNED: &[Part] = &[Embedding, Attention, Layer, Probabilities];

/// What is left without the encoder.
const WRITER: &[Part] =
    &[Tokens, Embedding, Position, Rows, Decoder, Probabilities, Search];

/// What is left without the decoder, but with its last matrix.
const FILLER: &[Part] =
    &[Tokens, Embedding, Position, Rows, Encoder, Probabilities];

/// What is left without the decoder.
const READER: &[Part] = &[Tokens, Embedding, Position, Rows, Encoder];

/// What turns, round after round, while the machine learns.
const LOOP: &[Part] = &[Reference, Loss, Gradient, Optimizer];

/// A chapter, what it explains, and the parts that are lit for it.
type Chapter = (&'static str, &'static str, &'static [Part]);

const CHAPTERS: [Chapter; 32] = [
    ("machine", "the complete machine, from outside", ALL),
    ("recurrence", "the way from one language to the other", &[Bridge]),
    ("dictionary", "what every attention does: it looks up", &[Attention]),
    ("tensor", "what runs along the lines: rows of numbers", &[Rows]),
    ("tokens", "a text becomes tokens", &[Tokens]),
    ("embedding", "each token becomes a row of numbers", &[Embedding]),
    ("position", "each row gets its position", &[Position]),
    ("attention", "attention, inside every layer", &[Attention]),
    ("heads", "several heads, inside every attention", &[Attention]),
    ("mask", "the mask: no word sees a later one", &[Mask]),
    ("layers", "add & norm and feed-forward", &[Layer]),
    ("encoder", "the encoder", &[Encoder]),
    ("decoder", "the decoder", &[Decoder]),
    ("transformer", "the complete model", MODEL),
    ("costs", "the complete model, and what it costs", MODEL),
    ("gradient", "the way back through the machine", &[Gradient]),
    ("loss", "how far the model is from the right word", &[Loss]),
    ("parameters", "all that has parameters", LEARNED),
    ("optimizer", "the step that changes the parameters", &[Optimizer]),
    ("tasks", "texts to learn from", &[Text, Reference]),
    ("training", "the loop in which the machine learns", LOOP),
    ("checkpoint", "what is kept of the training", &[Checkpoint]),
    ("search", "how the next word is chosen", &[Search]),
    ("bleu", "how a translation is judged", &[Bleu]),
    ("translation", "the complete machine, trained on captions", ALL),
    ("quantization", "all that has parameters, in fewer bits", LEARNED),
    ("speed", "the complete machine, faster", ALL),
    ("corpus", "texts to learn from, millions of them", &[Text, Reference]),
    (
        "cluster",
        "the loop in which the machine learns, on several machines",
        LOOP,
    ),
    ("writer", "the decoder alone, which writes", WRITER),
    ("gaps", "the encoder alone, which fills gaps", FILLER),
    ("classifier", "the encoder alone, which judges texts", READER),
];

/// What the machine is drawn with, in pixels of the strip.
enum Form {
    /// A box around its centre, of this width and height.
    Box(Point, Point),
    /// A frame from corner to corner.
    Frame(Point, Point),
    /// A line through the points.
    Line(Vec<Point>),
}

/// A piece of the drawing, and the parts it belongs to: it is lit with each of them.
type Shape = (&'static [Part], Form);

/// The heights of the two ways through the machine: the source's above, the target's below.
const ABOVE: f64 = 18.0;
const BELOW: f64 = 44.0;

fn main() {
    plot::read_arguments();
    let trial = Trial::of(CAPTION, Translator::captions());
    trial.outside();
    trial.halves();
    trial.layers();
    one_layer();
    trial.two_heads();
    trial.next_word();
    trial.another_noun();
    trial.untrained();
    plot::save("machine-map", &map());
    for chapter in &CHAPTERS {
        plot::save(&format!("machine-strip-{}", chapter.0), &strip(chapter));
    }
}

// The lids

/// It is not among the captions that the translator has learned.
const CAPTION: &str = "a woman in a red coat is reading a book .";

/// How many words of the translation are there when we look inside.
const WRITTEN: usize = 3;

/// The noun of the caption on which the next word depends.
const NOUN: &str = "coat";

/// The written word whose row we read in the first map.
const FOLLOWED: usize = 2;

/// A caption, and what the machine does with it.
struct Trial {
    translator: Translator,
    /// The tokens of the caption, and end of sequence.
    source: Vec<Token>,
    /// Begin of sequence, and the tokens of the translation.
    target: Vec<Token>,
}

impl Trial {
    fn of(caption: &str, translator: Translator) -> Self {
        let Translator { model, tokenizer, .. } = &translator;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let source = tokenizer.encode_source(caption);
        let said = model.greedy(&source, bos, eos).expect("finite logits");
        let target = [vec![bos], said].concat();
        Self { translator, source, target }
    }

    fn model(&self) -> &Transformer<Matrix<f32>> {
        &self.translator.model
    }

    /// The names of tokens.
    fn words(&self, tokens: &[Token]) -> Vec<String> {
        let name = |&token: &Token| self.translator.tokenizer.name(token);
        tokens.iter().map(name).collect()
    }

    fn translation(&self) -> String {
        self.translator.tokenizer.decode(&self.target)
    }

    /// The words that have been written when we look inside.
    fn written(&self) -> String {
        self.words(&self.target[1..=WRITTEN]).join(" ")
    }

    fn outside(&self) {
        println!("== From outside");
        println!("in = {CAPTION}");
        println!("out = {}", self.translation());
        let description = format!(
            "Into the machine goes “{CAPTION}”. Out of it comes “{}”.",
            self.translation()
        );
        let mut figure =
            Diagram::new("From outside", &description, 24.0, 8.4);
        let machine =
            figure.block((12.0, 4.2), (12.0, 2.6), "the machine", Hue::Rule);
        figure.note((12.0, 0.9), Side::On, CAPTION);
        figure.arrow(&[(12.0, 1.5), machine.top()], Hue::Ink);
        figure.arrow(&[machine.bottom(), (12.0, 6.9)], Hue::Ink);
        figure.note((12.0, 7.5), Side::On, &self.translation());
        plot::save("machine-outside", &figure.draw());
    }

    /// The encoder, the decoder, and the rows between them.
    fn halves(&self) {
        let memory = self.model().encode(&[&self.source]).rows;
        let (rows, columns) = memory.shape();
        let next = self.words(&self.target)[WRITTEN + 1].clone();
        println!("\n== Two halves");
        println!("rows = {rows}");
        println!("numbers in a row = {columns}");
        println!("written = {}", self.written());
        println!("next = {next}");
        self.draw_rows(&memory);
        let description = format!(
            "The encoder reads “{CAPTION}” and hands {rows} rows of {columns} \
             numbers over to the decoder. The decoder has written “{}” and \
             writes “{next}”.",
            self.written(),
        );
        let mut figure = Diagram::new("Two halves", &description, 31.0, 9.6);
        let (size, left, right) = ((8.0, 2.4), 7.6, 24.4);
        let encoder = figure.block((left, 4.2), size, "encoder", Hue::Yellow);
        let decoder =
            figure.block((right, 4.2), size, "decoder", Hue::Orange);
        figure.arrow(&[(left, 7.4), encoder.bottom()], Hue::Ink);
        figure.note((left, 7.4), Side::Below, &in_two_lines(CAPTION));
        figure.arrow(&[(right, 7.4), decoder.bottom()], Hue::Ink);
        figure.note((right, 7.4), Side::Below, &self.written());
        figure.arrow(&[encoder.right(), decoder.left()], Hue::Yellow);
        let between = format!("{rows} rows of\n{columns} numbers");
        figure.note((16.0, 4.0), Side::Above, &between);
        figure.arrow(&[decoder.top(), (right, 1.6)], Hue::Ink);
        figure.note((right, 1.6), Side::Above, &next);
        plot::save("machine-halves", &figure.draw());
    }

    /// What the encoder hands over, as colours.
    fn draw_rows(&self, memory: &Matrix<f32>) {
        let words = self.words(&self.source);
        let (rows, columns) = memory.shape();
        let description = format!(
            "A heat map of {rows} rows and {columns} columns. Each row has \
             the name of a word of the caption."
        );
        let panel = Panel::new(memory).rows(&words).cell(3.6, 16.0);
        let title = "What the encoder hands over";
        let figure = HeatMaps::new(title, &description).panel(panel);
        plot::save("machine-rows", &figure.draw());
    }

    /// The layers of both halves.
    fn layers(&self) {
        let model = self.model();
        let (reads, writes) =
            (model.encoder.layers.len(), model.decoder.layers.len());
        println!("\n== Layers");
        println!("layers = {reads}");
        println!("the paper's layers = {}", Config::base().layers);
        draw_layers(reads, writes);
    }

    /// Two heads of the cross-attention. One looks at the place where the
    /// translator is: it spreads over the most different words of the caption,
    /// and takes most from words that are the same in both languages. The
    /// other looks hardest at the noun.
    fn two_heads(&self) {
        let maps = self.translator.attention_maps(&self.source, &self.target);
        let (read, written) =
            (self.words(&self.source), self.words(&self.target));
        let noun = read.iter().position(|word| word == NOUN);
        let noun = noun.expect("the noun is a word of the caption");
        let at_place = |head: &Matrix<f32>| {
            let spread: f32 = head.column_iter().map(|key| key.max()).sum();
            spread + on_same_words(head, &written, &read)
        };
        let at_noun = |head: &Matrix<f32>| head[(WRITTEN, noun)];
        let heads: Vec<_> = maps.cross.iter().flatten().collect();
        let place = most(&heads, at_place);
        let ahead = most(&heads, at_noun);
        let (key, weight) = place.row(FOLLOWED).transpose().argmax();
        println!("\n== Two heads");
        println!("heads in an attention = {}", maps.cross[0].len());
        println!("heads between the halves = {}", heads.len());
        println!("row = {}", written[FOLLOWED]);
        println!("its largest weight is on = {}", read[key]);
        println!("largest weight = {weight:.2}");
        println!("last word = {}", written[WRITTEN]);
        println!("weight on the noun = {:.2}", ahead[(WRITTEN, noun)]);
        self.draw_head("place", place);
        self.draw_head("ahead", ahead);
    }

    fn draw_head(&self, name: &str, head: &Matrix<f32>) {
        let (read, written) =
            (self.words(&self.source), self.words(&self.target));
        let description = format!(
            "A map of weights with {} rows and {} columns. A row belongs to \
             the word that was written last, a column to a word of the \
             caption. The row of {} takes most from {}.",
            head.nrows(),
            head.ncols(),
            written[WRITTEN],
            read[head.row(WRITTEN).transpose().argmax().0],
        );
        let panel = Panel::new(head).rows(&written).columns(&read).full(1.0);
        let panel = panel.axes("queries: written last", "keys: the caption");
        let title = "Where one head looks";
        let figure = HeatMaps::new(title, &description);
        let figure = figure.panel(panel.cell(30.0, 24.0));
        plot::save(&format!("machine-{name}"), &figure.draw());
    }

    /// The probability of every token to come next.
    fn probabilities(&self, source: &[Token], fed: &[Token]) -> Vec<f64> {
        let logits = self.model().forward(&[source], &[fed]);
        let last = logits.row(fed.len() - 1);
        let last: Vec<f64> = last.iter().map(|x| f64::from(*x)).collect();
        softmax(&last)
    }

    /// The most probable next words.
    fn next_word(&self) {
        let p = self.probabilities(&self.source, &self.target[..=WRITTEN]);
        let mut guesses: Vec<_> = (0..).zip(p).collect();
        guesses.sort_by(|a, b| b.1.total_cmp(&a.1));
        let words: Vec<Token> = guesses.iter().map(|guess| guess.0).collect();
        let words = self.words(&words);
        println!("\n== The next word");
        println!("words to choose from = {}", grouped(guesses.len()));
        println!("most probable = {}", words[0]);
        println!("its probability = {:.2}", guesses[0].1);
        let heading = format!("probability to follow “{}”", self.written());
        let description = format!(
            "Bars for the most probable words after “{}”. The longest, {:.2}, \
             belongs to {}.",
            self.written(),
            guesses[0].1,
            words[0]
        );
        let mut bars =
            Bars::new("The next word", &description).heading(&heading);
        for (i, (word, guess)) in
            words.iter().zip(&guesses).take(6).enumerate()
        {
            let hue = if i == 0 { Hue::Orange } else { Hue::Blue };
            bars = bars.bar_in(hue, word, guess.1);
        }
        plot::save("machine-next", &bars.decimals(3).draw());
    }

    /// How probable *einem* and *einer* are, for *coat* and for a noun that
    /// needs the other one.
    fn another_noun(&self) {
        let tokenizer = &self.translator.tokenizer;
        let fed = &self.target[..=WRITTEN];
        println!("\n== Another noun");
        println!("in the caption    einem   einer");
        for noun in [NOUN, "jacket"] {
            let caption = CAPTION.replace(NOUN, noun);
            let source = tokenizer.encode_source(&caption);
            let p = self.probabilities(&source, fed);
            let share = |word: &str| p[tokenizer.encode(word)[0] as usize];
            let shares = (share(" einem"), share(" einer"));
            println!("{noun:15}{:8.3}{:8.3}", shares.0, shares.1);
        }
    }

    /// The same machine before its first lesson.
    fn untrained(&self) {
        let Translator { config, tokenizer, .. } = &self.translator;
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let random: Transformer<Matrix<f32>> = Transformer::new(config, rng);
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let said = tokenizer.decode(
            &random.greedy(&self.source, bos, eos).expect("finite logits"),
        );
        let begun: Vec<&str> = said.split_whitespace().take(5).collect();
        println!("\n== Where the numbers come from");
        println!("parameters = {}", grouped(parameter_count(self.model())));
        println!("steps = {}", grouped(Recipe::tiny().updates));
        println!("before training = {} …", begun.join(" "));
    }
}

/// Two stacks of so many layers, and the way from one to the other.
fn draw_layers(reads: usize, writes: usize) {
    let description = format!(
        "At the left {reads} layers of the encoder, at the right {writes} \
         layers of the decoder. Rows of numbers climb from layer to \
         layer. What comes out of the last encoder layer goes to every \
         layer of the decoder."
    );
    let height = |i: usize| 2.0 * (reads - i) as f64 + 3.4;
    let base = height(1) + 2.6;
    let mut figure = Diagram::new("Layers", &description, 26.0, base + 1.8);
    let (left, right, bus) = (7.0, 19.0, 13.0);
    for (x, count, name, hue) in [
        (left, reads, "encoder layer", Hue::Yellow),
        (right, writes, "decoder layer", Hue::Orange),
    ] {
        for i in 1..=count {
            let text = format!("{name} {i}");
            let block = figure.block((x, height(i)), (7.0, 1.2), &text, hue);
            let below = (x, height(i) + if i > 1 { 1.4 } else { 2.6 });
            figure.arrow(&[below, block.bottom()], Hue::Ink);
        }
    }
    let top = height(reads) - 1.6;
    let up = [(left, height(reads) - 0.6), (left, top), (bus, top)];
    figure.line(&[&up[..], &[(bus, height(1))]].concat(), Hue::Yellow);
    for i in 1..=writes {
        let to = (right - 3.5, height(i));
        figure.arrow(&[(bus, height(i)), to], Hue::Yellow);
    }
    let end = height(writes) - 0.6;
    figure.arrow(&[(right, end), (right, top)], Hue::Ink);
    figure.note((left, base), Side::Below, "the caption");
    figure.note((right, base), Side::Below, "what is written so far");
    figure.note((right, top + 0.2), Side::Right, "the next word");
    plot::save("machine-layers", &figure.draw());
}

/// How much the rows of words take from the same words.
fn on_same_words(
    head: &Matrix<f32>,
    written: &[String],
    read: &[String],
) -> f32 {
    let mut sum = 0.0;
    for (i, writes) in written.iter().enumerate() {
        for (j, reads) in read.iter().enumerate() {
            sum += if writes == reads { head[(i, j)] } else { 0.0 };
        }
    }
    sum
}

/// The head of which `measure` is the largest.
fn most<'a>(
    heads: &[&'a Matrix<f32>],
    measure: impl Fn(&Matrix<f32>) -> f32,
) -> &'a Matrix<f32> {
    let heads = heads.iter().copied();
    let most = heads.max_by(|a, b| measure(a).total_cmp(&measure(b)));
    most.expect("a model has heads")
}

/// A sentence as two lines of about the same length.
fn in_two_lines(sentence: &str) -> String {
    let middle = sentence.len() / 2;
    match sentence[middle..].find(' ') {
        Some(space) => {
            let (first, second) = sentence.split_at(middle + space);
            format!("{first}\n{}", second.trim())
        }
        None => sentence.to_string(),
    }
}

/// What a layer of the decoder does with its rows.
fn one_layer() {
    let mut figure = Diagram::new(
        "One layer",
        "A layer of the decoder, from the bottom up. Masked self-attention: \
         each word looks at those written before it. Cross-attention: it looks \
         at the caption. Feed-forward: each word is worked on by itself.",
        24.0,
        11.6,
    );
    let x = 5.0;
    let mut from = (x, 10.6);
    for (y, name, text, hue) in [
        (
            8.6,
            "self-attention",
            "looks at what is written so far",
            Hue::Orange,
        ),
        (5.6, "cross-attention", "looks at the caption", Hue::Orange),
        (2.6, "feed-forward", "works on each row by itself", Hue::Purple),
    ] {
        let block = figure.block((x, y), (8.0, 1.6), name, hue);
        figure.arrow(&[from, block.bottom()], Hue::Ink);
        figure.note((11.4, y), Side::Right, text);
        from = block.top();
    }
    figure.arrow(&[from, (x, 0.6)], Hue::Ink);
    figure.arrow(&[(11.4, 5.6), (9.0, 5.6)], Hue::Yellow);
    plot::save("machine-layer", &figure.draw());
}

// The strips

fn strip((stem, explains, lit): &Chapter) -> Figure {
    let names: Vec<_> = lit.iter().map(|part| name(*part)).collect();
    let title = format!("You are here: {explains}.");
    let description = format!(
        "The machine of this book as a row of small boxes. Lit for the chapter “{}”: {}.",
        chapter(stem).1,
        names.join(", "),
    );
    let (width, height) = grid(STRIP);
    let mut diagram = Diagram::new(&title, &description, width, height);
    draw(&mut diagram, lit, grid);
    let middle = (STRIP.0 / 2.0, STRIP.1 - 8.0);
    diagram.note(grid(middle), Side::On, explains);
    diagram.draw()
}

/// Draws the machine with some of its parts lit.
fn draw(diagram: &mut Diagram, lit: &[Part], place: impl Fn(Point) -> Point) {
    let is_lit =
        |shape: &Shape| shape.0.iter().any(|part| lit.contains(part));
    let (light, dark): (Vec<_>, Vec<_>) =
        shapes().into_iter().partition(is_lit);
    for (shapes, hue) in [(dark, Hue::Rule), (light, Hue::Here)] {
        for (_, form) in &shapes {
            form.draw(diagram, hue, &place);
        }
    }
}

impl Form {
    fn draw(
        &self,
        diagram: &mut Diagram,
        hue: Hue,
        place: &impl Fn(Point) -> Point,
    ) {
        match self {
            Form::Box(centre, size) => {
                let (corner, origin) = (place(*size), place((0.0, 0.0)));
                let size = (corner.0 - origin.0, corner.1 - origin.1);
                diagram.block(place(*centre), size, "", hue);
            }
            Form::Frame(from, to) => {
                let corners =
                    [*from, (to.0, from.1), *to, (from.0, to.1), *from];
                diagram.line(&corners.map(place), hue);
            }
            Form::Line(points) => {
                let points: Vec<_> =
                    points.iter().map(|at| place(*at)).collect();
                diagram.line(&points, hue);
            }
        }
    }
}

/// Pixels as lines of a diagram's grid.
fn grid((x, y): Point) -> Point {
    (x / 20.0, y / 20.0)
}

/// The number and the title of a chapter in the table of contents.
fn chapter(stem: &str) -> (usize, &'static str) {
    let numbered =
        SUMMARY.lines().filter_map(|line| line.strip_prefix("- ["));
    let file = format!("]({stem}.md)");
    let mut titles = (1..).zip(numbered);
    titles
        .find_map(|(number, line)| Some((number, line.strip_suffix(&file)?)))
        .unwrap_or_else(|| panic!("SUMMARY.md has no chapter {stem}.md"))
}

// The machine

fn name(part: Part) -> &'static str {
    match part {
        Text => "the texts",
        Tokens => "the tokens",
        Embedding => "the embeddings",
        Position => "the positions",
        Rows => "the lines between the boxes",
        Attention => "the attention in every layer",
        Mask => "the masked attention of the decoder",
        Layer => "add & norm and feed-forward in every layer",
        Encoder => "the encoder",
        Bridge => "the way from the encoder to the decoder",
        Decoder => "the decoder",
        Probabilities => "the probabilities of the next word",
        Search => "the search, which feeds its choice back",
        Reference => "the right translation",
        Bleu => "the comparison with a person's translation",
        Loss => "the loss",
        Gradient => "the way back from the loss",
        Optimizer => "the optimizer",
        Checkpoint => "the checkpoint",
    }
}

fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for y in [ABOVE, BELOW] {
        shapes.extend(entrance(y));
    }
    shapes.extend(encoder());
    shapes.extend(decoder());
    shapes.extend(exit());
    shapes.extend(training());
    shapes
}

/// From a text to rows with positions.
fn entrance(y: f64) -> Vec<Shape> {
    let mut shapes = text(&[Text], 10.0, y);
    for x in [30.0, 37.0, 44.0] {
        shapes.push((&[Tokens], Form::Box((x, y), (5.0, 6.0))));
    }
    shapes.push((&[Embedding], Form::Box((62.0, y), (12.0, 16.0))));
    shapes.push((&[Position], Form::Box((83.0, y), (11.0, 11.0))));
    for (from, to) in [(19.0, 27.0), (47.0, 56.0), (68.0, 77.0), (89.0, 98.0)]
    {
        shapes.push(row(from, to, y));
    }
    shapes
}

/// A text, as four lines around a centre.
fn text(parts: &'static [Part], x: f64, y: f64) -> Vec<Shape> {
    let line = |(down, width): (f64, f64)| {
        let points = vec![(x - 8.0, y + down), (x - 8.0 + width, y + down)];
        (parts, Form::Line(points))
    };
    [(-6.0, 16.0), (-2.0, 13.0), (2.0, 16.0), (6.0, 9.0)].map(line).into()
}

/// A way of rows from left to right.
fn row(from: f64, to: f64, y: f64) -> Shape {
    (&[Rows], Form::Line(vec![(from, y), (to, y)]))
}

fn encoder() -> Vec<Shape> {
    vec![
        (&[Encoder], Form::Frame((98.0, 7.0), (169.0, 29.0))),
        (&[Encoder, Attention], tall(114.0, 20.0, ABOVE)),
        (&[Encoder, Layer], tall(129.0, 4.0, ABOVE)),
        (&[Encoder, Layer], tall(146.0, 20.0, ABOVE)),
        (&[Encoder, Layer], tall(161.0, 4.0, ABOVE)),
        (
            &[Bridge, Rows],
            Form::Line(vec![
                (169.0, ABOVE),
                (176.0, ABOVE),
                (176.0, 31.0),
                (146.0, 31.0),
                (146.0, 36.0),
            ]),
        ),
    ]
}

fn decoder() -> Vec<Shape> {
    vec![
        (&[Decoder], Form::Frame((98.0, 33.0), (201.0, 55.0))),
        (&[Decoder, Attention, Mask], tall(114.0, 20.0, BELOW)),
        (&[Decoder, Layer], tall(129.0, 4.0, BELOW)),
        (&[Decoder, Attention], tall(146.0, 20.0, BELOW)),
        (&[Decoder, Layer], tall(161.0, 4.0, BELOW)),
        (&[Decoder, Layer], tall(178.0, 20.0, BELOW)),
        (&[Decoder, Layer], tall(193.0, 4.0, BELOW)),
    ]
}

/// A box as high as a layer's parts.
fn tall(x: f64, width: f64, y: f64) -> Form {
    Form::Box((x, y), (width, 16.0))
}

/// From the decoder to the written translation, and back to its own entrance.
fn exit() -> Vec<Shape> {
    let mut shapes = text(&[Text, Bleu], 282.0, BELOW);
    shapes.push(row(201.0, 213.0, BELOW));
    for (x, height) in
        [(216.0, 4.0), (221.0, 14.0), (226.0, 7.0), (231.0, 3.0)]
    {
        let centre = (x, 52.0 - height / 2.0);
        shapes.push((&[Probabilities], Form::Box(centre, (4.0, height))));
    }
    for end in [36.0, BELOW, 52.0] {
        let fork = vec![(240.0, BELOW), (246.0, BELOW), (264.0, end)];
        shapes.push((&[Search], Form::Line(fork)));
    }
    let back = [(282.0, 54.0), (282.0, 60.0), (10.0, 60.0), (10.0, 54.0)];
    shapes.push((&[Search], Form::Line(back.into())));
    shapes
}

/// What judges the machine, and what changes it.
fn training() -> Vec<Shape> {
    let mut shapes = text(&[Reference, Bleu], 282.0, ABOVE);
    let lines: [(&[Part], &[Point]); 7] = [
        (&[Bleu], &[(294.0, ABOVE), (302.0, ABOVE), (302.0, 25.0)]),
        (&[Bleu], &[(294.0, BELOW), (302.0, BELOW), (302.0, 37.0)]),
        (&[Loss], &[(270.0, ABOVE), (232.0, ABOVE)]),
        (&[Loss], &[(223.0, 34.0), (223.0, 26.0)]),
        (
            &[Gradient],
            &[(223.0, 10.0), (223.0, 3.0), (62.0, 3.0), (62.0, 10.0)],
        ),
        (&[Optimizer], &[(193.0, 3.0), (193.0, 10.0)]),
        (&[Checkpoint], &[(223.0, 3.0), (326.0, 3.0), (326.0, 10.0)]),
    ];
    for (parts, points) in lines {
        shapes.push((parts, Form::Line(points.into())));
    }
    shapes.push((&[Bleu], Form::Box((302.0, 31.0), (12.0, 12.0))));
    shapes.push((&[Loss], Form::Box((223.0, ABOVE), (18.0, 16.0))));
    shapes.push((&[Optimizer], Form::Box((193.0, ABOVE), (16.0, 16.0))));
    shapes.push((&[Checkpoint], Form::Box((326.0, ABOVE), (16.0, 16.0))));
    shapes
}

// The map

/// Chapters, a place of the machine, and a row of the map: rows above the machine count upwards from 1,
/// those below it downwards from −1. Their titles are at one side of a pole.
type Flag = (&'static [&'static str], Point, i32, Side);

const FLAGS: [Flag; 17] = [
    (&["tasks"], (10.0, 10.0), 7, Side::Right),
    (&["tensor"], (23.0, 18.0), 6, Side::Right),
    (&["tokens"], (37.0, 14.0), 5, Side::Right),
    (&["embedding"], (59.0, 10.0), 4, Side::Right),
    (&["position"], (83.0, 12.0), 3, Side::Right),
    (&["encoder"], (114.0, 7.0), 1, Side::Right),
    (&["optimizer"], (193.0, 3.0), 2, Side::Left),
    (&["gradient"], (208.0, 3.0), 4, Side::Left),
    (&["loss"], (223.0, 3.0), 5, Side::Left),
    (&["training"], (282.0, 9.0), 6, Side::Left),
    (&["checkpoint"], (326.0, 10.0), 7, Side::Left),
    (&["mask"], (114.0, 52.0), -1, Side::Left),
    (
        &["recurrence", "dictionary", "attention", "heads"],
        (146.0, 52.0),
        -2,
        Side::Left,
    ),
    (&["layers"], (178.0, 52.0), -6, Side::Left),
    (&["decoder"], (201.0, 55.0), -7, Side::Left),
    (&["search"], (264.0, 52.0), -1, Side::Left),
    (&["bleu"], (302.0, 37.0), -8, Side::Left),
];

fn map() -> Figure {
    let all: Vec<_> = CHAPTERS
        .iter()
        .map(|(stem, explains, _)| format!("{}: {explains}", title(stem)))
        .collect();
    let description = format!(
        "The machine from left to right, the way of the source above, the way of the target below, \
         and the chapters at the parts they explain. {}.",
        all.join("; "),
    );
    let mut diagram =
        Diagram::new("The machine of this book", &description, 22.5, 22.25);
    for flag in &FLAGS {
        plant(&mut diagram, flag);
    }
    draw(&mut diagram, &[], zoomed);
    for (row, (of, stems)) in (10..).zip([
        ("the model", ["transformer", "costs", "parameters"].as_slice()),
        ("all of it", &["machine", "translation"]),
        ("smaller and faster", &["quantization", "speed"]),
        ("more", &["corpus", "cluster"]),
    ]) {
        let titles: Vec<_> = stems.iter().map(|stem| title(stem)).collect();
        let text = format!("{of}: {}", titles.join(", "));
        diagram.note((11.25, row_height(-row)), Side::On, &text);
    }
    diagram.draw()
}

/// A pole at a part of the machine, with the titles of chapters at its end.
fn plant(diagram: &mut Diagram, (stems, at, row, side): &Flag) {
    let (x, y) = zoomed(*at);
    for (line, stem) in (0..).zip(*stems) {
        let height = row_height(row - line);
        diagram.note((x, height), *side, &title(stem));
    }
    let last = row_height(row - stems.len() as i32 + 1);
    let end = if *row > 0 { last - 0.35 } else { last + 0.35 };
    diagram.line(&[(x, y), (x, end)], Hue::Rule);
}

/// The height of the middle of a row of titles.
fn row_height(row: i32) -> f64 {
    let edge = if row > 0 { 3.0 } else { 60.0 };
    zoomed((0.0, edge)).1 - 0.85 * f64::from(row)
}

fn zoomed((x, y): Point) -> Point {
    grid((CORNER.0 + ZOOM * x, CORNER.1 + ZOOM * y))
}

/// The title of a chapter after its number.
fn title(stem: &str) -> String {
    let (number, title) = chapter(stem);
    format!("{number} {title}")
}
