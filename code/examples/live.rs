//! One caption on its way through the translator, as the page "Try it" shows it without a script: `cargo run --example live`

use all_you_need::attention::Mask;
use all_you_need::dictionary::softmax;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::{Transformer, longest_target};
use all_you_need::translation::{AttentionMaps, Translator};
use plot::{Bars, HeatMaps, Hue, Looks, Panel};
use print::grouped;

/// The first of the captions that the page offers.
const CAPTION: &str = "a black cat sleeps on a red sofa .";

/// Captions to try, and what the page says about them.
const RARE: &str = "an armadillo sleeps on a red sofa .";
const BENCH: &str = "a black cat sleeps on a red bench .";
const ORDER: &str = "a red car is parked behind a black cat .";
const HARD: [&str; 5] = [
    "a woman in a blue coat is reading a newspaper on a bench .",
    "a woman in a blue jacket is reading a newspaper on a bench .",
    "a man is standing in front of a bank .",
    "the man is not wearing a hat .",
    "the dog that the boy with the red cap is calling runs away .",
];

/// What the page loads after its reader asks for it.
const LOADED: [&[u8]; 4] = [
    include_bytes!("../../tools/live/live.wasm"),
    include_bytes!("../models/captions/config.toml"),
    include_bytes!("../models/captions/merges.txt"),
    include_bytes!("../models/captions/model.safetensors"),
];

/// How many columns of the rows are drawn, and how many bars.
const COLUMNS: usize = 24;
const BARS: usize = 10;

/// How many words are printed of a translation that does not end.
const SHOWN: usize = 6;

/// The widest beam of the page.
const WIDTH: usize = 5;

fn main() {
    size();
    let trial = Trial::of(Translator::captions());
    trial.tokens();
    trial.rows();
    let maps = trial.translator.attention_maps(&trial.source, &trial.target);
    trial.encoder(&maps);
    let head = trial.next(&maps);
    trial.search();
    trial.changes(&maps, &head);
    trial.to_try(&maps);
}

/// The scripts hold the bytes as base64, four letters for each three of them.
fn size() {
    let letters = |bytes: &[u8]| 4 * bytes.len().div_ceil(3);
    let all: usize = LOADED.into_iter().map(letters).sum();
    println!("megabytes = {:.1}", all as f64 / 1e6);
    println!("caption = {CAPTION}");
}

/// The same head as lines, which the page has first, with a note at one word.
fn draw_looks(
    written: &[String],
    read: &[String],
    head: &Matrix<f32>,
    (query, key): (usize, usize),
) {
    let words = |labels: &[String]| -> Vec<String> {
        labels.iter().map(|label| label.replace('·', "")).collect()
    };
    let (queries, keys) = (words(written), words(read));
    let description = format!(
        "Lines from the {} words of the translation to the words of the \
         caption. The strongest line of {} ends at {}, with a weight of {:.2}.",
        queries.len(),
        queries[query],
        keys[key],
        head[(query, key)],
    );
    let title = "Where one head looks while it translates";
    let weights = head.map(f64::from);
    let figure = Looks::new(title, &description, &queries, &keys, &weights);
    let note = format!("← looks at *{}*", keys[key]);
    let figure = figure.names("caption", "translation").note(query, &note);
    plot::save("live-looks", &figure.draw());
}

/// The caption, and what the translator makes of it.
struct Trial {
    translator: Translator,
    /// The tokens of the caption, and end of sequence.
    source: Vec<Token>,
    /// Begin of sequence, and the tokens of the translation.
    target: Vec<Token>,
}

impl Trial {
    fn of(translator: Translator) -> Self {
        let Translator { model, tokenizer, .. } = &translator;
        let source = tokenizer.encode_source(CAPTION);
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let said = model.greedy(&source, bos, eos).expect("finite logits");
        let target = [vec![bos], said].concat();
        Self { translator, source, target }
    }

    fn label(&self, token: Token) -> String {
        self.translator.tokenizer.label(token)
    }

    fn labels(&self, tokens: &[Token]) -> Vec<String> {
        tokens.iter().map(|&token| self.label(token)).collect()
    }

    fn tokens(&self) {
        println!("\n== Tokens");
        for &token in &self.source {
            println!("{:10}{token:6}", self.label(token));
        }
        println!("\n== Sizes");
        let vocabulary = self.translator.tokenizer.vocabulary();
        println!("vocabulary = {}", grouped(vocabulary));
        println!("numbers in a row = {}", self.translator.config.d_model);
        println!("columns shown = {COLUMNS}");
        println!("width of the beam = {WIDTH}");
    }

    /// Embedding, position and sum of the first columns.
    fn rows(&self) {
        let embedding = self.translator.model.embedding.embed(&self.source);
        let (rows, d_model) = embedding.shape();
        let places: Vec<usize> = (0..rows).collect();
        let position: Matrix<f32> = sinusoidal(&places, d_model).cast();
        let sum = &embedding + &position;
        let names = self.labels(&self.source);
        let panel = |title: &str, matrix: &Matrix<f32>| {
            let shown = matrix.columns(0, COLUMNS).into_owned();
            let panel = Panel::new(&shown).title(title).full(4.0);
            panel.rows(&names).cell(9.0, 16.0)
        };
        let description = format!(
            "Three heat maps of {rows} rows, one for each token, and {COLUMNS} \
             columns: the embedding, the position, and their sum."
        );
        let figure = HeatMaps::new("The rows that go in", &description)
            .panel(panel("embedding", &embedding))
            .next_row()
            .panel(panel("position", &position))
            .next_row()
            .panel(panel("sum", &sum));
        plot::save("live-rows", &figure.draw());
    }

    /// The head of the encoder that looks hardest from the cat to its colour.
    fn encoder(&self, maps: &AttentionMaps) {
        let names = self.labels(&self.source);
        let (cat, black) = (place(&names, "·cat"), place(&names, "·black"));
        let (place, head) = strongest(&maps.encoder, (cat, black));
        println!("\n== Encoder");
        place.print("encoder");
        let description = format!(
            "A map of weights with a row and a column for each token. The row \
             of “{}” has {:.2} at “{}”.",
            names[cat],
            head[(cat, black)],
            names[black],
        );
        let panel = Panel::new(head).rows(&names).columns(&names);
        let panel = panel.note(cat, &format!("looks at {}", names[black]));
        let panel = panel.axes("queries", "keys").hue(Hue::WEIGHTS);
        let figure = HeatMaps::new("One head of the encoder", &description);
        let figure = figure.panel(panel.full(1.0).cell(26.0, 20.0));
        plot::save("live-encoder", &figure.draw());
    }

    /// What may follow the preposition: an article that depends on a noun which comes later.
    /// Returns the head that looks at this noun.
    fn next(&self, maps: &AttentionMaps) -> Place {
        let step = place(&self.labels(&self.target), "·auf");
        let head = self.draw_cross(maps, step);
        println!("\n== Decoder");
        head.print("cross");
        let before = self.written(step);
        let likely = self.likely(step);
        let description = format!(
            "Bars for the most probable tokens after “{before}”. The longest, \
             {:.2}, belongs to “{}”.",
            likely[0].1,
            self.label(likely[0].0),
        );
        let heading = format!("probability to follow “{before}”");
        let mut bars =
            Bars::new("The next word", &description).heading(&heading);
        for (i, &(token, share)) in likely.iter().take(BARS).enumerate() {
            let hue = if i == 0 { Hue::HERE } else { Hue::TARGET };
            bars = bars.bar_in(hue, &self.label(token), share);
        }
        plot::save("live-next", &bars.decimals(4).draw());
        let drawn = likely.iter().take(BARS).map(|(_, share)| share);
        println!("\n== The next word");
        println!("bars = {BARS}");
        println!("drawn together = {:.2}", drawn.sum::<f64>());
        let ratio = likely[0].1 / likely[1].1;
        println!("first to second = {ratio:.0}");
        println!("first to second at 2 = {:.0}", ratio.sqrt());
        head
    }

    /// The tokens that have been written before a step.
    fn written(&self, step: usize) -> String {
        self.translator.tokenizer.decode(&self.target[..=step])
    }

    /// All tokens with the probabilities that they come next, the most probable first.
    fn likely(&self, step: usize) -> Vec<(Token, f64)> {
        let model = &self.translator.model;
        let logits = model.forward(&[&self.source], &[&self.target[..=step]]);
        let last = logits.row(step);
        let last: Vec<f64> = last.iter().map(|x| f64::from(*x)).collect();
        let mut likely: Vec<_> = (0..).zip(softmax(&last)).collect();
        likely.sort_by(|a, b| b.1.total_cmp(&a.1));
        likely
    }

    /// The head of the cross-attention that looks hardest at the noun at this step.
    fn draw_cross(&self, maps: &AttentionMaps, step: usize) -> Place {
        let (written, read) =
            (self.labels(&self.target), self.labels(&self.source));
        let (cat, sofa) = (place(&read, "·cat"), place(&read, "·sofa"));
        let (place, head) = strongest(&maps.cross, (step, sofa));
        println!("\n== Nouns");
        println!("translation = {}", self.translation());
        println!("start to cat = {:.2}", head[(0, cat)]);
        println!("preposition to sofa = {:.2}", head[(step, sofa)]);
        let heads = maps.cross.iter().flatten().map(|map| map[(step, sofa)]);
        let mut hardest: Vec<f32> = heads.collect();
        hardest.sort_by(|a, b| b.total_cmp(a));
        println!("another to sofa = {:.2}", hardest[1]);
        let description = format!(
            "A map of weights: a row for each token that has been written, a \
             column for each token of the caption. The row of “{}” has {:.2} \
             at “{}”, that of “{}” has {:.2} at “{}”.",
            written[0],
            head[(0, cat)],
            read[cat],
            written[step],
            head[(step, sofa)],
            read[sofa],
        );
        let panel = Panel::new(head).rows(&written).columns(&read);
        let panel =
            panel.axes("queries: written so far", "keys: the caption");
        let looks = |key: usize| format!("looks at {}", read[key]);
        let panel = panel.note(0, &looks(cat)).note(step, &looks(sofa));
        let panel = panel.hue(Hue::WEIGHTS).full(1.0).cell(17.5, 20.0);
        let title = "One head of the cross-attention";
        let figure = HeatMaps::new(title, &description).panel(panel);
        plot::save("live-cross", &figure.draw());
        draw_looks(&written, &read, head, (step, sofa));
        place
    }

    /// What a beam finds.
    fn search(&self) {
        let alpha = Translator::CAPTIONS_ALPHA;
        let beam = self.translator.beam(WIDTH, alpha, WIDTH);
        let found = self.translator.n_best(&[CAPTION], &beam);
        println!("\n== Search");
        println!(" score   translation");
        for best in &found.expect("the model's numbers are finite")[0] {
            println!("{:7.3}  {}", best.score, best.text);
        }
    }

    /// The translation with something changed in the model.
    fn changes(&self, maps: &AttentionMaps, head: &Place) {
        println!("\n== What happens if");
        println!("{CAPTION}");
        let say = |name, text| println!("  {name:18}  {text}");
        say("untouched", self.translation());
        say("mask lifted", self.by(CAPTION, Use { mask: false, ..AS_IS }));
        say("positions left out", self.by(CAPTION, WITHOUT_POSITIONS));
        let changed = self.without_scale();
        let words = changed.split(' ').count();
        let begin: Vec<&str> = changed.split(' ').take(SHOWN).collect();
        say("√d_k dropped", format!("{} …", begin.join(" ")));
        say("that head off", self.without(head));
        println!("\n{ORDER}");
        say("untouched", self.by(ORDER, AS_IS));
        say("positions left out", self.by(ORDER, WITHOUT_POSITIONS));
        println!("\n== Words");
        println!("words without √d_k = {words}");
        self.missed(maps);
    }

    /// How many heads of the cross-attention change the translation when they are off, each alone.
    fn missed(&self, maps: &AttentionMaps) {
        let layers = maps.cross.iter().enumerate();
        let all = layers.flat_map(|(layer, heads)| {
            (0..heads.len()).map(move |head| Place { layer, head })
        });
        let all: Vec<Place> = all.collect();
        let untouched = self.translation();
        let missed = |head: &&Place| self.without(head) != untouched;
        println!("\n== Heads");
        println!("cross heads = {}", all.len());
        println!("missed = {}", all.iter().filter(missed).count());
    }

    /// What the greedy search writes if the model is used like this.
    fn by(&self, caption: &str, usage: Use) -> String {
        let Translator { model, tokenizer, .. } = &self.translator;
        let source = tokenizer.encode_source(caption);
        let n = source.len();
        let rows = usage.rows(model, &source);
        let memory = model.encoder.forward(&rows, &Mask::none(n, n));
        let (mut target, eos) = (vec![tokenizer.bos()], tokenizer.eos());
        while target.last() != Some(&eos)
            && target.len() <= longest_target(&source)
        {
            let k = target.len();
            let rows = usage.rows(model, &target);
            let (past, read) = (usage.past(k), Mask::none(k, n));
            let z = model.decoder.forward(&rows, &memory, &past, &read);
            let logits = model.logits(&z.rows(k - 1, 1).into_owned());
            target.push(logits.row(0).transpose().argmax().0 as Token);
        }
        tokenizer.decode(&target)
    }

    /// Queries √d_k times as long have scores that are not divided by it.
    fn without_scale(&self) -> String {
        let Translator { config, model, .. } = &self.translator;
        let mut model = model.clone();
        let root = (config.d_k as f32).sqrt();
        for layer in &mut model.encoder.layers {
            layer.attention.w_q *= root;
        }
        for layer in &mut model.decoder.layers {
            layer.self_attention.w_q *= root;
            layer.cross_attention.w_q *= root;
        }
        self.translation_by(&model)
    }

    /// A head is off when nothing of what it finds is mixed into the row.
    fn without(&self, &Place { layer, head }: &Place) -> String {
        let Translator { config, model, .. } = &self.translator;
        let mut model = model.clone();
        let cross = &mut model.decoder.layers[layer].cross_attention;
        cross.w_o.rows_mut(head * config.d_v, config.d_v).fill(0.0);
        self.translation_by(&model)
    }

    fn translation_by(&self, model: &Transformer<Matrix<f32>>) -> String {
        let tokenizer = &self.translator.tokenizer;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        tokenizer.decode(
            &model.greedy(&self.source, bos, eos).expect("finite logits"),
        )
    }

    fn translation(&self) -> String {
        self.translator.tokenizer.decode(&self.target)
    }

    /// Captions that show something in one of the sections.
    fn to_try(&self, maps: &AttentionMaps) {
        println!("\n== Captions to try");
        for caption in HARD {
            println!("{caption}\n  {}", self.by(caption, AS_IS));
        }
        let rare = self.translator.tokenizer.encode_source(RARE);
        println!("\n== A rare word");
        println!("order = {ORDER}");
        println!("rare = {RARE}");
        println!("its tokens = {}", self.labels(&rare).join(" "));
        println!("its translation = {}", self.by(RARE, AS_IS));
        println!("\n== Another noun");
        println!("on a bench = {}", self.by(BENCH, AS_IS));
        println!("\n== The same head");
        let names = self.labels(&self.source);
        let (cat, black) = (place(&names, "·cat"), place(&names, "·black"));
        let (head, _) = strongest(&maps.encoder, (cat, black));
        let source = self.translator.tokenizer.encode_source(ORDER);
        let names = self.labels(&source);
        let start = [self.translator.tokenizer.bos()];
        let all = self.translator.attention_maps(&source, &start);
        let map = &all.encoder[head.layer][head.head];
        for (noun, colour) in [("car", "red"), ("cat", "black")] {
            let place = |word| place(&names, &format!("·{word}"));
            let weight = map[(place(noun), place(colour))];
            println!("{noun} to {colour} = {weight:.2}");
        }
    }
}

/// How a model is used: with positions or without, and with the mask of the decoder or without.
#[derive(Clone, Copy)]
struct Use {
    positions: bool,
    mask: bool,
}

const AS_IS: Use = Use { positions: true, mask: true };
const WITHOUT_POSITIONS: Use = Use { positions: false, ..AS_IS };

impl Use {
    fn rows(
        self,
        model: &Transformer<Matrix<f32>>,
        tokens: &[Token],
    ) -> Matrix<f32> {
        let embedding = model.embedding.embed(tokens);
        if !self.positions {
            return embedding;
        }
        let places: Vec<usize> = (0..tokens.len()).collect();
        let position = sinusoidal(&places, embedding.ncols());
        embedding + position.cast::<f32>()
    }

    /// What each of n written tokens sees of the others.
    fn past(self, n: usize) -> Mask {
        if self.mask { Mask::causal(n) } else { Mask::none(n, n) }
    }
}

/// Where a token is in a sentence.
fn place(tokens: &[String], label: &str) -> usize {
    let place = tokens.iter().position(|token| token == label);
    place.expect("it is a token of the sentence")
}

/// Which of the heads of an attention it is, counted from 0.
struct Place {
    layer: usize,
    head: usize,
}

impl Place {
    /// The page counts from 1.
    fn print(&self, attention: &str) {
        println!("{attention} layer = {}", self.layer + 1);
        println!("{attention} head = {}", self.head + 1);
    }
}

/// The head whose weight in this cell is the largest.
fn strongest(
    layers: &[Vec<Matrix<f32>>],
    cell: (usize, usize),
) -> (Place, &Matrix<f32>) {
    let heads = layers.iter().enumerate().flat_map(|(layer, heads)| {
        let place = move |(head, map)| (Place { layer, head }, map);
        heads.iter().enumerate().map(place)
    });
    let most = heads.max_by(|(_, a), (_, b)| a[cell].total_cmp(&b[cell]));
    most.expect("a model has heads")
}
