use all_you_need::attention::Mask;
use all_you_need::classifier::{Classifier, Kind, config, means, vocabulary};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::training::{Stream, generator};

#[path = "../../exercises/checks/classifier.rs"]
mod check;

// Exercise 1
//
// Yes, in principle: under a causal mask a row is a mixture of the words
// before it and its own, so its numbers depend on which words those are. In the
// two reviews of a pair the same clauses come in another order, so a word has
// other words before it, and the means of the rows differ. A random model shows
// it: its logits differ with the mask, and agree without it but for rounding.
#[test]
fn a_causal_mask_knows_something_of_the_order() {
    let vocabulary = vocabulary();
    let pair = Kind::Pair.draw(&mut generator(1, Stream::Data));
    let sizes = config(vocabulary.len());
    let rng = &mut generator(1, Stream::Weights);
    let model: Classifier<Matrix> = Classifier::new(&sizes, 2, rng);
    let apart = |mask: fn(usize) -> Mask| {
        let logits = [0, 1].map(|i| {
            let text = pair[i].label(&vocabulary).text;
            let rows = model.half.embedding.embed(&text);
            let rows = model.half.stack.forward(&rows, &mask(text.len()));
            model.output.forward(&means(&rows, &[text.len()]))
        });
        (&logits[0] - &logits[1]).amax()
    };
    assert!(apart(|n| Mask::none(n, n)) < 1e-12);
    assert!(apart(Mask::causal) > 1e-3);
}

// Exercise 2
//
// A text begins where the one before it has ended, so the first rows are
// given by a running sum of the lengths. `gather` takes these rows and works
// for variables, too: on the way back each gradient goes to the row that was
// taken, and all other rows of the last layer get none.

/// The first row of each text.
pub fn first_rows<T: Tensor>(rows: &T, lengths: &[usize]) -> T {
    let starts = lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end - length)
    });
    rows.gather(&starts.collect::<Vec<_>>())
}

// Exercise 3
//
// The sum of a text's rows is divided by the length of the longest text, so
// the mean rows of the shorter ones become too small, and a text's
// probabilities (and, through b, even its class) depend on the texts that are
// packed with it. This happens easily when texts are
// padded to one length: rows of padding are set to 0, so that they add nothing
// to the sum, but are counted.

/// The mean of each text's rows.
pub fn mean_rows(rows: &Matrix, lengths: &[usize]) -> Matrix {
    let mut means = Matrix::zeros(lengths.len(), rows.ncols());
    let mut start = 0;
    for (i, &length) in lengths.iter().enumerate() {
        let sum = rows.rows(start, length).row_sum();
        means.set_row(i, &(sum / length as f64));
        start += length;
    }
    means
}

// Exercise 4
//
// With one clause before it, the review has two, a form that was learned.
// There was no review of three clauses to learn from, so nothing in training
// said what to do with a third one, or with words in places that no review of
// two clauses has. (Which of the two it is, this test does not separate.) All
// seeds have learned the same answers for two clauses. But different computations can give these, and for three
// clauses they need not agree. A result on new sentences of a known form says
// little about sentences of a new form.
#[test]
fn what_was_not_learned_differs_from_seed_to_seed() {
    let logs = [
        include_str!("../../src/logs/classifier-run-1.tsv"),
        include_str!("../../src/logs/classifier-run-2.tsv"),
        include_str!("../../src/logs/classifier-run-3.tsv"),
        include_str!("../../src/logs/classifier-run-4.tsv"),
        include_str!("../../src/logs/classifier-run-5.tsv"),
    ];
    let double = |what: &str| {
        logs.map(|log| -> f64 {
            let line = log.lines().find(|line| line.starts_with(what));
            line.unwrap().split('\t').nth(5).unwrap().parse().unwrap()
        })
    };
    let range = |shares: [f64; 5]| {
        let most = shares.iter().copied().fold(0.0, f64::max);
        most - shares.iter().copied().fold(1.0, f64::min)
    };
    assert!(double("encoder").iter().all(|share| *share > 0.99));
    assert!(double("one clause more").iter().all(|share| *share < 0.99));
    let [known, new] =
        ["encoder", "one clause more"].map(|w| range(double(w)));
    assert!(new > known + 0.1, "{known} {new}");
}
