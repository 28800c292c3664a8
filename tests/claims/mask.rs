use all_you_need::attention::{Mask, Softmax, attention, weights};
use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::layers::Rowwise;
use all_you_need::loss::shift_right;
use all_you_need::mask::{leaks, moved};
use all_you_need::position::sinusoidal;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use nalgebra::RowDVector;
use proptest::collection::vec;
use proptest::prop_oneof;
use proptest::strategy::Strategy;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::ops::Range;

use crate::golden::{SplitMix64, close, largest, noise, normal, row};
use crate::property::for_any;

const HIDE: f64 = f64::NEG_INFINITY;

fn plain_softmax(scores: &Matrix) -> Matrix {
    scores.softmax(&Mask::none(scores.nrows(), scores.ncols()))
}

/// Any mask of this size, with rows that see nothing.
fn of_size(queries: usize, keys: usize) -> impl Strategy<Value = Mask> {
    let range = (0..=keys, 0..=keys).prop_map(|(a, b)| a.min(b)..a.max(b));
    vec(range, queries).prop_map(move |ranges| Mask::new(ranges, keys))
}

/// Any mask, square or not, and one of every kind more often than by chance.
pub fn any_mask() -> impl Strategy<Value = Mask> {
    let any = (0..20usize, 0..20usize).prop_flat_map(|(n, m)| of_size(n, m));
    let lengths = || vec(0..7usize, 4);
    let packed = (lengths(), lengths())
        .prop_map(|(queries, keys)| Mask::packed(&queries, &keys));
    let past = lengths().prop_map(|n| {
        Mask::causal(n.iter().sum()).and(&Mask::packed(&n, &n))
    });
    let window =
        (0..20usize, 0..20usize).prop_map(|(n, r)| Mask::window(n, r));
    prop_oneof![any, packed, past, window]
}

/// The matrix of a mask that shows a key to a query if this says so.
fn matrix(
    queries: usize,
    keys: usize,
    shows: impl Fn(usize, usize) -> bool,
) -> Matrix {
    let cell = |i, j| if shows(i, j) { 0.0 } else { HIDE };
    Matrix::from_fn(queries, keys, cell)
}

#[test]
fn a_mask_shows_what_its_name_says() {
    for_any(64, (0..20usize, 0..20usize, 0..20usize), |(n, m, r)| {
        assert_eq!(Mask::none(n, m).matrix(), matrix(n, m, |_, _| true));
        assert_eq!(Mask::causal(n).matrix(), matrix(n, n, |i, j| j <= i));
        let near = matrix(n, n, |i, j| i.abs_diff(j) <= r);
        assert_eq!(Mask::window(n, r).matrix(), near);
        let real = r.min(m);
        let padded = matrix(n, m, |_, j| j < real);
        assert_eq!(Mask::padding(n, m, real).matrix(), padded);
    });
    let lengths = || vec(0..5usize, 5);
    for_any(64, (lengths(), lengths()), |(queries, keys)| {
        let sentences = |lengths: &[usize]| -> Vec<usize> {
            let each = lengths.iter().enumerate();
            each.flat_map(|(i, &length)| vec![i; length]).collect()
        };
        let (q, k) = (sentences(&queries), sentences(&keys));
        let own = matrix(q.len(), k.len(), |i, j| q[i] == k[j]);
        assert_eq!(Mask::packed(&queries, &keys).matrix(), own);
    });
}

#[test]
fn a_word_sees_itself_and_what_came_before() {
    let literal = Matrix::from_row_slice(
        3,
        3,
        &[0.0, HIDE, HIDE, 0.0, 0.0, HIDE, 0.0, 0.0, 0.0],
    );
    assert_eq!(Mask::causal(3).matrix(), literal);
}

#[test]
fn adding_the_matrix_before_a_plain_softmax_is_the_same() {
    for_any(64, any_mask(), |mask| {
        let scores = noise(mask.queries(), mask.keys(), 1);
        let added = plain_softmax(&(&scores + mask.matrix()));
        // A row that sees nothing.
        let added = added.map(|x| if x.is_nan() { 0.0 } else { x });
        close(&scores.softmax(&mask), &added, 1e-15);
    });
}

#[test]
fn future_words_get_no_attention() {
    let (q, k) = (noise(5, 3, 1), noise(5, 3, 2));
    let weights = weights(&q, &k, &Mask::causal(5));
    for (i, j) in (0..25).map(|cell| (cell / 5, cell % 5)) {
        assert_eq!(weights[(i, j)] > 0.0, j <= i);
        assert_eq!(weights[(i, j)] == 0.0, j > i);
    }
}

#[test]
fn what_two_masks_show_is_what_neither_hides() {
    let two = (0..9usize, 0..9usize)
        .prop_flat_map(|(n, m)| (of_size(n, m), of_size(n, m)));
    for_any(128, two, |(one, other)| {
        let both = one.matrix() + other.matrix();
        assert_eq!(one.and(&other).matrix(), both);
        assert_eq!(other.and(&one).matrix(), both);
    });
}

fn stack() -> [MultiHead<Matrix>; 2] {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    [0; 2].map(|_| MultiHead::new(2, 8, (4, 3), rng))
}

fn up(x: &Matrix, mask: &Mask) -> Matrix {
    let layers = stack();
    layers.iter().fold(x.clone(), |x, layer| layer.forward(&x, &x, mask))
}

#[test]
fn a_later_word_moves_no_earlier_row() {
    let x = noise(5, 8, 4);
    let mut other = x.clone();
    other.row_mut(3).fill(9.0);
    let [before, after] = [&x, &other].map(|x| up(x, &Mask::causal(5)));
    assert_eq!(before.rows(0, 3), after.rows(0, 3));
    let moved = (before - after).rows(3, 2).into_owned();
    assert!(moved.iter().all(|number| number.abs() > 1e-6));
}

#[test]
fn what_stands_in_the_padding_does_not_matter() {
    let x = noise(5, 8, 5);
    let mut other = x.clone();
    other.rows_mut(3, 2).fill(9.0);
    let mask = Mask::padding(5, 5, 3);
    let [one, two] =
        [&x, &other].map(|x| up(x, &mask).rows(0, 3).into_owned());
    assert_eq!(one, two);
    let alone = up(&x.rows(0, 3).into_owned(), &Mask::none(3, 3));
    close(&one, &alone, 1e-15);
}

#[test]
fn packed_sentences_are_as_if_alone() {
    let heads = &stack()[0];
    let (x, y) = (noise(6, 8, 6), noise(9, 8, 7));
    let (queries, keys) = ([1, 3, 2], [4, 2, 3]);
    let packed = heads.forward(&x, &y, &Mask::packed(&queries, &keys));
    let (mut i, mut j) = (0, 0);
    for (n, m) in queries.into_iter().zip(keys) {
        let (x, y) = (x.rows(i, n).into_owned(), y.rows(j, m).into_owned());
        let alone = heads.forward(&x, &y, &Mask::none(n, m));
        close(&packed.rows(i, n).into_owned(), &alone, 1e-15);
        (i, j) = (i + n, j + m);
    }
}

#[test]
fn packed_sentences_and_their_past_are_as_if_alone() {
    let x = noise(7, 8, 8);
    let mask = Mask::packed(&[3, 4], &[3, 4]).and(&Mask::causal(7));
    let second = up(&x.rows(3, 4).into_owned(), &Mask::causal(4));
    close(&up(&x, &mask).rows(3, 4).into_owned(), &second, 1e-15);
}

#[test]
fn a_window_needs_more_layers_to_reach_as_far() {
    for (n, r) in [(9, 1), (9, 2), (9, 3), (9, 8), (2, 5)] {
        let even = Matrix::zeros(n, 1);
        let mut heard = Matrix::zeros(n, 1);
        heard[n - 1] = 1.0;
        let layers = (n - 1).div_ceil(r);
        for layer in 0..layers {
            assert_eq!(heard[0], 0.0, "n {n}, r {r}, layer {layer}");
            heard = attention(&even, &even, &heard, &Mask::window(n, r));
        }
        assert!(heard[0] > 0.0, "n {n}, r {r}");
    }
}

#[test]
fn a_mask_has_the_ranges_it_was_made_of() {
    let ranges = vec![0..0, 2..5, 5..5, 0..5];
    let mask = Mask::new(ranges.clone(), 5);
    assert_eq!((mask.queries(), mask.keys()), (4, 5));
    assert_eq!(mask.visible(), ranges);
}

#[test]
#[should_panic(expected = "mask: query 1 cannot see keys 2..6 of 5")]
fn a_range_beyond_the_keys_is_refused() {
    Mask::new(vec![0..5, 2..6], 5);
}

#[test]
#[should_panic(expected = "mask: query 0 cannot see keys 3..2 of 5")]
fn a_range_that_ends_before_it_starts_is_refused() {
    Mask::new(vec![Range { start: 3, end: 2 }], 5);
}

#[test]
#[should_panic(expected = "mask: query 2 cannot see keys 6..6 of 5")]
fn an_empty_range_beyond_the_keys_is_refused() {
    Mask::new(vec![0..1, 0..2, 6..6], 5);
}

#[test]
#[should_panic(expected = "6 of 5 keys cannot be real")]
fn more_words_than_keys_are_refused() {
    Mask::padding(3, 5, 6);
}

#[test]
#[should_panic(expected = "as many sentences on both sides")]
fn sentences_without_a_partner_are_refused() {
    Mask::packed(&[1, 2], &[3]);
}

#[test]
#[should_panic(expected = "two masks of one size")]
fn masks_of_two_sizes_are_refused() {
    Mask::causal(3).and(&Mask::none(3, 4));
}

/// What the ledger calls E10: *I am fine*, three rows of 8 numbers.
struct Ledger {
    x: Matrix,
    w: [Matrix; 3],
    source: SplitMix64,
}

impl Ledger {
    fn new(seed: u64, n: usize) -> Self {
        let mut source = SplitMix64(seed);
        let x = normal(&mut source, n, 8);
        let w = projections(&mut source);
        Self { x, w, source }
    }

    fn scores(&self) -> Matrix {
        let [q, k, _] = self.w.each_ref().map(|w| &self.x * w);
        q * k.transpose() / 8f64.sqrt()
    }
}

fn projections(source: &mut SplitMix64) -> [Matrix; 3] {
    [0; 3].map(|_| normal(source, 8, 8) / 8f64.sqrt())
}

fn attend(x: &Matrix, w: &[Matrix; 3], mask: &Mask) -> Matrix {
    let [q, k, v] = w.each_ref().map(|w| x * w);
    attention(&q, &k, &v, mask)
}

/// Attention with the sum and the norm that the next chapter puts around it.
fn layer(x: &Matrix, w: &[Matrix; 3], mask: &Mask) -> Matrix {
    (x + attend(x, w, mask)).standardize()
}

#[test]
fn am_does_not_consider_fine() {
    let mut ledger = Ledger::new(41, 3);
    let (causal, open) = (Mask::causal(3), Mask::none(3, 3));
    let golden = [
        [1.0, 0.0, 0.0],
        [0.631505, 0.368495, 0.0],
        [0.326414, 0.213363, 0.460223],
    ];
    let weights = ledger.scores().softmax(&causal);
    close(&weights, &Matrix::from_fn(3, 3, |i, j| golden[i][j]), 1e-6);
    let mut other = ledger.x.clone();
    other.row_mut(2).copy_from(&normal(&mut ledger.source, 1, 8));
    let moved = |mask: &Mask| {
        let gap = attend(&ledger.x, &ledger.w, mask)
            - attend(&other, &ledger.w, mask);
        largest(gap.rows(0, 2).iter())
    };
    assert_eq!(moved(&causal), 0.0);
    assert!((moved(&open) - 0.6493839767381535).abs() < 1e-14);
}

#[test]
fn zeros_in_the_wrong_place_are_no_mask() {
    let scores = Ledger::new(41, 3).scores();
    let hidden = Mask::causal(3).matrix();
    let zeroed = |cells: &Matrix| {
        cells.zip_map(&hidden, |x, m| if m < 0.0 { 0.0 } else { x })
    };
    let after = zeroed(&plain_softmax(&scores));
    let sums = row(after.column_sum().as_slice());
    close(&sums, &row(&[0.312487, 0.846022, 1.0]), 1e-6);
    let before = plain_softmax(&zeroed(&scores));
    let leak = row(&[0.364778, 0.317611, 0.317611]);
    close(&before.rows(0, 1).into_owned(), &leak, 1e-6);
}

#[test]
fn a_row_that_sees_nothing_is_all_zero_and_neither_nan_nor_even() {
    let (scores, mask) = (noise(1, 3, 9), Mask::padding(1, 3, 0));
    assert_eq!(scores.softmax(&mask), Matrix::zeros(1, 3));
    let added = plain_softmax(&(&scores + mask.matrix()));
    assert!(added.iter().all(|weight| weight.is_nan()));
    let replaced = plain_softmax(&Matrix::from_element(1, 3, -1e9));
    close(&replaced, &row(&[1.0 / 3.0; 3]), 1e-15);
}

#[test]
fn one_layer_forgives_a_missing_mask_in_the_last_row_and_two_do_not() {
    let mut ledger = Ledger::new(41, 3);
    normal(&mut ledger.source, 1, 8);
    let [first, second] = [0; 2].map(|_| projections(&mut ledger.source));
    let x = normal(&mut ledger.source, 5, 8);
    let run = |x: &Matrix, mask: &Mask| {
        let one = layer(x, &first, mask);
        let two = layer(&one, &second, mask);
        (one, two)
    };
    let (causal, open) =
        (run(&x, &Mask::causal(5)), run(&x, &Mask::none(5, 5)));
    let last = |a: &Matrix, b: &Matrix| largest((a - b).row(4).iter());
    assert!(last(&causal.0, &open.0) < 1e-15);
    let two = last(&causal.1, &open.1);
    assert!((two - 0.24352948503728866).abs() < 1e-14);

    let three = x.rows(0, 3).into_owned();
    let apart = |whole: &Matrix, mask: &Mask| {
        largest(&(whole.rows(0, 3) - run(&three, mask).1))
    };
    assert!(apart(&causal.1, &Mask::causal(3)) < 1e-14);
    assert!(apart(&open.1, &Mask::none(3, 3)) > 2.0);
}

/// What the ledger calls E21: all 27 sentences of three words out of three.
#[test]
fn guesses_multiply_to_probabilities_only_with_the_mask() {
    let source = &mut SplitMix64(91);
    let table = normal(source, 4, 8);
    let w = projections(source);
    let last = normal(source, 8, 3);
    let positions = sinusoidal(&[0, 1, 2], 8);
    let together = |mask: &Mask| -> f64 {
        let sentences = (0..27).map(|i| [i / 9, i / 3 % 3, i % 3]);
        let probability = |[a, b, c]: [usize; 3]| {
            let x = table.select_rows(&[3, a, b]) + &positions;
            let guess = plain_softmax(&(layer(&x, &w, mask) * &last));
            guess[(0, a)] * guess[(1, b)] * guess[(2, c)]
        };
        sentences.map(probability).sum()
    };
    assert!((together(&Mask::causal(3)) - 1.0).abs() < 1e-14);
    let without = together(&Mask::none(3, 3));
    assert!((without - 0.9470010030297604).abs() < 1e-13);
}

#[test]
fn a_window_wider_than_every_sentence_sees_all() {
    for r in [3, usize::MAX - 1, usize::MAX] {
        assert_eq!(Mask::window(3, r), Mask::none(3, 3));
    }
}

#[test]
#[should_panic(expected = "a matrix of 4×4611686018427387904 has more")]
fn a_mask_that_is_too_large_for_a_matrix_is_refused() {
    let _ = Mask::none(4, 1 << 62).matrix();
}

#[test]
#[should_panic(expected = "fewer than 2⁶⁴ keys")]
fn more_keys_than_can_be_counted_are_refused() {
    let _ = Mask::packed(&[1, 1], &[usize::MAX, 2]);
}

/// The rows of a matrix, to be changed one at a time.
fn rows(x: &Matrix) -> Vec<RowDVector<f64>> {
    x.row_iter().map(|row| row.into_owned()).collect()
}

fn larger(row: &RowDVector<f64>) -> RowDVector<f64> {
    row.add_scalar(1.0)
}

#[test]
fn an_output_moves_with_the_inputs_that_its_mask_shows_and_no_others() {
    for_any(24, any_mask(), |mask| {
        let (x, y) = (noise(mask.queries(), 8, 1), noise(mask.keys(), 8, 2));
        let moved = moved(&rows(&y), larger, |y| {
            let y = Matrix::from_fn(y.len(), 8, |i, j| y[i][j]);
            stack()[0].forward(&x, &y, &mask)
        });
        let visible = mask.visible().iter().cloned().map(Vec::from_iter);
        assert_eq!(moved, visible.collect::<Vec<_>>());
    });
}

#[test]
fn two_attentions_under_a_window_see_twice_as_far() {
    let (near, far) = (Mask::window(9, 1), Mask::window(9, 2));
    let x = rows(&noise(9, 8, 9));
    let found =
        |mask| leaks(mask, &x, larger, |x| up(&Matrix::from_rows(x), &near));
    assert_eq!(found(&far), []);
    assert_eq!(found(&near).len(), 2 * 7);
}

#[test]
fn a_mask_that_is_missing_or_upside_down_leaks() {
    let x = rows(&noise(3, 8, 10));
    let causal = Mask::causal(3);
    let later = Mask::new(vec![1..3, 2..3, 3..3], 3);
    let found = |mask: &Mask| {
        leaks(&causal, &x, larger, |x| {
            stack()[0].forward(
                &Matrix::from_rows(x),
                &Matrix::from_rows(x),
                mask,
            )
        })
    };
    assert_eq!(found(&causal), []);
    assert_eq!(found(&Mask::none(3, 3)), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(found(&later), [(0, 1), (0, 2), (1, 2)]);
}

/// Row i predicts token i + 1 of the target, and may know those before.
#[test]
fn a_target_that_is_not_shifted_leaks_every_answer() {
    let config = Config { vocabulary: 12, ..Config::toy() };
    let rng = &mut ChaCha8Rng::seed_from_u64(11);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let (source, target): ([Token; 3], [Token; 5]) =
        ([3, 4, 11], [10, 5, 6, 7, 11]);
    let before = Mask::new((0..4).map(|i| 0..i + 1).collect(), 5);
    let found = |cut: fn(&[Token]) -> &[Token]| {
        let other = |&token: &Token| (token + 1) % 12;
        leaks(&before, &target, other, |target| {
            model.forward(&[source], &[cut(target)])
        })
    };
    assert_eq!(found(|target| shift_right(target).0), []);
    let answers: Vec<_> = (0..4).map(|i| (i, i + 1)).collect();
    assert_eq!(found(|target| &target[1..]), answers);
    // Every row sees the whole source.
    let other = |&token: &Token| (token + 1) % 12;
    let by_source = moved(&source, other, |source| {
        model.forward(&[source], &[&target[..4]])
    });
    assert_eq!(by_source, vec![vec![0, 1, 2]; 4]);
}

#[test]
fn a_row_that_is_not_a_number_moves_with_everything() {
    let nan = |x: &[f64]| Matrix::from_element(1, 1, f64::NAN * x[0]);
    assert_eq!(moved(&[1.0, 2.0], |x| x + 1.0, nan), [[0, 1]]);
}

#[test]
#[should_panic(expected = "moved: 1 rows became 2 with input 0")]
fn a_model_whose_rows_depend_on_the_input_is_refused() {
    moved(&[1], |x| x + 1, |x| Matrix::<f64>::zeros(x[0], 1));
}

#[test]
#[should_panic(expected = "leaks: 2 rows and 3 inputs under a mask 3×3")]
fn a_mask_of_another_size_than_the_model_is_refused() {
    leaks(
        &Mask::causal(3),
        &[1, 2, 3],
        |x| x + 1,
        |_| Matrix::<f64>::zeros(2, 1),
    );
}
