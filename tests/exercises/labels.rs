use all_you_need::classifier::{BLAME, Classifier, Kind, Labelled, PRAISE};
use all_you_need::classifier::{config, vocabulary};
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use all_you_need::writer::TrainingExample;

#[path = "../../exercises/checks/labels.rs"]
mod check;

// Exercise 1
//
// No, just as many. The text without labels says which words go together, and not
// which of the two sides is praise: it reads the same if praise and blame are
// exchanged everywhere. That side has to be learned from labels in any case,
// and the wrong one is as near as the right one. The filler does not matter
// for this: whatever rows an encoder makes, exchanged labels have the same loss
// if the two columns of the output matrix are exchanged, and these are random.
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
// Without *not* in any clause, which 4/9 of all reviews have, the adjectives
// of a contrast are of two camps. With one *not*, 4/9, they are of one camp,
// and with two, 1/9, of two camps again. So 5/9 of all have one of each, or
// 56 %. If every fourth review with *not* is kept, these three weigh 16, 4 and
// 1, and (16 + 1) / 21 is 81 %.
#[test]
fn fewer_not_leave_more_contrasts_of_two_kinds() {
    let share = |kept: f64| {
        let [none, one, two] = [4.0 / 9.0, 4.0 / 9.0 * kept, kept / 9.0];
        (none + two) / (none + one + two)
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(near(share(1.0), 5.0 / 9.0) && near(share(0.25), 17.0 / 21.0));
    let rng = &mut generator(1, Stream::Data);
    let texts = (0..4000).flat_map(|_| Kind::Pair.draw(rng)).map(|r| r.text);
    let has = |text: &str, side: [&str; 8]| {
        text.split(' ').any(|word| side.contains(&word))
    };
    let of_two = texts.filter(|text| has(text, PRAISE) && has(text, BLAME));
    assert!((of_two.count() as f64 / 8000.0 - share(1.0)).abs() < 0.03);
}

// Exercise 3
//
// The number of a word is its place in the vocabulary and the row of the
// table, so each word is looked for in the old vocabulary and takes its row
// along. Nothing in the layers has to change: they never see a token. A word
// without a row could get random numbers, too, but the mean of all rows lies
// amid those that the layers know.

/// The rows of a table in the order of another vocabulary.
pub fn renumbered(table: &Matrix, old: &[&str], new: &[&str]) -> Matrix {
    let row = |word: &&str| match old.iter().position(|other| other == word) {
        Some(at) => table.row(at).into_owned(),
        None => table.row_mean(),
    };
    Matrix::from_rows(&new.iter().map(row).collect::<Vec<_>>())
}

// Exercise 4
//
// It compares texts with a gap to reviews of the test, which have none, so
// nothing is ever left out. The reviews have to be compared before their last
// words are hidden.

/// The texts that are not in the test, each with a gap for its last word.
pub fn to_fill(reviews: &[&str], test: &[&str]) -> Vec<String> {
    let others = reviews.iter().filter(|review| !test.contains(review));
    let gap = |review: &&str| {
        let (before, _) = review.rsplit_once(' ').expect("two words");
        format!("{before} ___")
    };
    others.map(gap).collect()
}
