//! A story that is learned by heart, with a causal mask and without.

use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::{TiedCrossEntropy, shift_right};
use all_you_need::search::{Sampling, sample};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, words};
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Half, Past, Text, Trainer, TrainingExample};
use print::{Fixed, section, value};

#[path = "../shared/story.rs"]
mod story;

use story::story;

/// An example that shows all of the text to every row.
#[derive(Clone)]
struct Unmasked(Text);

impl TrainingExample<Half<Variable<f32>>, Variable<f32>> for Unmasked {
    fn answers(&self) -> usize {
        self.0.0.len() - 1
    }

    fn loss(
        model: &Half<Variable<f32>>,
        examples: &[Self],
        label_smoothing: f64,
    ) -> Variable<f32> {
        let shifted = examples.iter().map(|Self(Text(t))| shift_right(t));
        let (inputs, answers): (Vec<_>, Vec<_>) = shifted.unzip();
        let (z, table) =
            (model.bidirectional(&inputs), &model.embedding.table);
        z.tied_cross_entropy(table, &answers.concat(), label_smoothing)
    }
}

/// The story is learned by heart, with a causal mask and without.
pub fn without_a_mask() {
    let (vocabulary, tokens) = story();
    let sizes = Config {
        vocabulary: vocabulary.len(),
        layers: 1,
        d_model: 32,
        d_ff: 64,
        d_k: 16,
        d_v: 16,
        ..Config::toy()
    };
    let steps = 150;
    let new = || -> Trainer<Half<Matrix<f32>>> {
        let recipe = Recipe {
            parts: 1,
            updates: steps,
            warmup: 20,
            peak_lr: 0.01,
            label_smoothing: 0.0,
            ..Recipe::toy()
        };
        Trainer::new(recipe, |rng| Half::new(&sizes, rng))
    };
    let says = |model: &Half<Matrix<f32>>| {
        let bos = vocabulary.encode(&words("the")).expect("a word")[0];
        // No end: the story is cut off.
        let greedy = Sampling { top_k: 1, ..Sampling::new(bos, Token::MAX) };
        let rng = &mut generator(1, Stream::Data);
        let said = sample(&mut Past::new(model), 8, &greedy, rng);
        vocabulary.decode(&said.expect("finite logits")).join(" ")
    };
    section("Without a mask");
    let (mut with, mut without) = (new(), new());
    let (mut loss, mut loss_without) = (0.0, 0.0);
    let example = Text(tokens);
    let unmasked = Unmasked(example.clone());
    for _ in 0..steps {
        let update = with.update(std::slice::from_ref(&example));
        loss = update.expect("a finite loss");
        let update = without.update(std::slice::from_ref(&unmasked));
        loss_without = update.expect("a finite loss");
    }
    value("steps", steps);
    value("loss with the mask", loss.fixed(3));
    value("loss without it", loss_without.fixed(3));
    value("with it", format!("the {}", says(&with.model)));
    value("without it", format!("the {}", says(&without.model)));
}
