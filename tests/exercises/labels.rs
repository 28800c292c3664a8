use all_you_need::classifier::{
    Classifier, Kind, Labelled, config, vocabulary,
};
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use all_you_need::writer::TrainingExample;

#[path = "../../exercises/checks/labels.rs"]
mod check;

// Exercise 1
//
// No, as many. The text without labels says which words go together, and not
// which of the two sides is praise: it reads the same if praise and blame are
// exchanged everywhere. That side has to be learned from labels in any case,
// and the wrong one is as near as the right one. With the two columns of the
// new output matrix exchanged, the loss of exchanged labels is the same number.
#[test]
fn exchanged_labels_are_as_easy() {
    let words = vocabulary();
    let rng = &mut generator(1, Stream::Data);
    let reviews = (0..20).flat_map(|_| Kind::Double.draw(rng));
    let reviews: Vec<Labelled> = reviews.map(|r| r.label(&words)).collect();
    let exchanged = reviews.iter().map(|Labelled { text, class }| Labelled {
        text: text.clone(),
        class: 1 - class,
    });
    let exchanged: Vec<Labelled> = exchanged.collect();
    let rng = &mut generator(1, Stream::Weights);
    let model: Classifier<Matrix> =
        Classifier::new(&config(words.len()), 2, rng);
    let mut other = model.clone();
    other.output.weight.swap_columns(0, 1);
    let [right, wrong] = [(&model, &reviews), (&other, &exchanged)]
        .map(|(model, reviews)| Labelled::loss(model, reviews, 0.0)[0]);
    assert!((right - wrong).abs() < 1e-12, "{right} {wrong}");
}

// Exercise 2
//
// The number of a word is its place in the vocabulary and the row of the
// table, so each word is looked for in the old vocabulary and takes its row
// along. Nothing in the layers has to change: they never see a number.

/// The rows of a table in the order of another vocabulary.
pub fn renumbered(table: &Matrix, old: &[&str], new: &[&str]) -> Matrix {
    let row = |word: &&str| {
        let at = old.iter().position(|other| other == word);
        at.expect("a word of the old vocabulary")
    };
    let rows: Vec<usize> = new.iter().map(row).collect();
    table.select_rows(&rows)
}

// Exercise 3
//
// The rate is chosen by the test set, so what is reported is the luckiest of
// several runs and not what new reviews would show. With few labels the runs
// lie far apart, and so the gain is large. The validation set may choose,
// because nothing is reported of it.

/// A run with one of several learning rates.
pub struct Tried {
    pub rate: f64,
    pub validation: f64,
    pub test: f64,
}

/// The rate that is best for the validation set, and the test with it.
pub fn reported(tried: &[Tried]) -> (f64, f64) {
    let best =
        tried.iter().max_by(|a, b| a.validation.total_cmp(&b.validation));
    let best = best.expect("a run");
    (best.rate, best.test)
}
