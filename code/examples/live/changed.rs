//! The translation with something changed in the model, in how it is used, or
//! in the caption.

use super::{CAPTION, Place, Trial, place};
use all_you_need::attention::Mask;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::{Transformer, longest_target};
use all_you_need::translation::Translator;
use print::{Fixed, section, value};

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

/// How many words are printed of a translation that does not end.
const SHOWN: usize = 6;

impl Trial {
    /// The translation with something changed in the model.
    pub fn changes(&self) {
        section("What happens if");
        println!("{CAPTION}");
        let (head, _) = self.at_noun();
        let say = |name, text| println!("  {name:18}  {text}");
        say("untouched", self.translation());
        say("mask lifted", self.by(CAPTION, Use { mask: false, ..AS_IS }));
        say("positions left out", self.by(CAPTION, WITHOUT_POSITIONS));
        let changed = self.without_scale();
        let words: Vec<&str> = changed.split(' ').collect();
        say("√d_k dropped", format!("{} …", words[..SHOWN].join(" ")));
        say("that head off", self.without(&head));
        println!("\n{ORDER}");
        say("untouched", self.by(ORDER, AS_IS));
        say("positions left out", self.by(ORDER, WITHOUT_POSITIONS));
        section("Words");
        value("words without √d_k", words.len());
        self.missed();
    }

    /// How many heads of the cross-attention change the translation when they
    /// are off, each alone.
    fn missed(&self) {
        let layers = self.maps.cross.iter().enumerate();
        let all = layers.flat_map(|(layer, heads)| {
            (0..heads.len()).map(move |head| Place { layer, head })
        });
        let all: Vec<Place> = all.collect();
        let untouched = self.translation();
        let missed = |head: &&Place| self.without(head) != untouched;
        section("Heads");
        value("cross heads", all.len());
        value("missed", all.iter().filter(missed).count());
    }

    /// Captions that show something in one of the sections.
    pub fn to_try(&self) {
        section("Captions to try");
        for caption in HARD {
            println!("{caption}\n  {}", self.by(caption, AS_IS));
        }
        let tokenizer = &self.translator.tokenizer;
        let rare = tokenizer.encode_source(RARE);
        section("A rare word");
        value("order", ORDER);
        value("rare", RARE);
        value("its tokens", self.labels(&rare).join(" "));
        value("its translation", self.by(RARE, AS_IS));
        section("Another noun");
        let bench = Trial::of(BENCH);
        let written = place(&bench.labels(&bench.target), "·auf");
        let read = place(&bench.labels(&bench.source), "·bench");
        let (head, _) = self.at_noun();
        let map = &bench.maps.cross[head.layer][head.head];
        value("on a bench", bench.translation());
        value("preposition to bench", map[(written, read)].fixed(2));
        section("Doubts");
        let coat = Trial::of(HARD[0]);
        let steps = (0..coat.target.len()).map(|step| coat.likely(step));
        let doubt = steps.min_by(|a, b| a[0].1.total_cmp(&b[0].1));
        let doubt = doubt.expect("a step");
        for (name, (token, share)) in ["first", "second"].iter().zip(doubt) {
            value(format!("{name} in doubt"), coat.label(token));
            value(format!("{name} share"), share.fixed(2));
        }
        section("The same head");
        let (head, _) = self.at_colour();
        let source = tokenizer.encode_source(ORDER);
        let names = self.labels(&source);
        let start = [tokenizer.bos()];
        let all = self.translator.attention_maps(&source, &start);
        let map = &all.encoder[head.layer][head.head];
        for (noun, colour) in [("car", "red"), ("cat", "black")] {
            let place = |word| place(&names, &format!("·{word}"));
            let weight = map[(place(noun), place(colour))];
            value(format!("{noun} to {colour}"), weight.fixed(2));
        }
    }

    /// What the greedy search writes if the model is used like this.
    pub fn by(&self, caption: &str, usage: Use) -> String {
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
    pub fn without_scale(&self) -> String {
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
    pub fn without(&self, &Place { layer, head }: &Place) -> String {
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
}

/// How a model is used: with positions or without, and with the mask of the
/// decoder or without.
#[derive(Clone, Copy)]
pub struct Use {
    pub positions: bool,
    pub mask: bool,
}

pub const AS_IS: Use = Use { positions: true, mask: true };
pub const WITHOUT_POSITIONS: Use = Use { positions: false, ..AS_IS };

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
