use all_you_need::attention::Mask;
use all_you_need::costs::Bill;
use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::heads::attend_by_head;
use all_you_need::parameters::Parameters;
use all_you_need::search::{
    Beam, Cache, CacheOps, Hypothesis, LanguageModel, Sampling,
    length_penalty, sample, search,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::{NotFinite, Transformer};
use nalgebra::{DVector, dmatrix};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::Index;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::cell::Cell;

use crate::golden::{Highest, close};
use crate::property::for_any;

const BOS: Token = 0;
const EOS: Token = 1;

/// A made-up language: what may come next, by what was said.
struct Toy<P> {
    said: Vec<Vec<Token>>,
    probabilities: P,
}

impl<P: Fn(&[Token]) -> Vec<f64>> LanguageModel<f64> for Toy<P> {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        let grown = parents.iter().zip(tokens);
        self.said = grown
            .map(|(&i, &token)| [&self.said[i][..], &[token]].concat())
            .collect();
        let column = |said: &Vec<Token>| {
            DVector::from_vec((self.probabilities)(&said[1..])).map(f64::ln)
        };
        let columns: Vec<_> = self.said.iter().map(column).collect();
        Matrix::from_columns(&columns)
    }
}

/// One sentence of a toy language, of at most `limit` tokens.
fn find(
    probabilities: impl Fn(&[Token]) -> Vec<f64>,
    limit: usize,
    beam: &Beam,
) -> Vec<Hypothesis> {
    let mut toy = Toy { said: vec![vec![]], probabilities };
    search(&mut toy, &[limit], beam).unwrap().swap_remove(0)
}

fn wide(width: usize, alpha: f64) -> Beam {
    Beam { width, alpha, ..Beam::greedy(BOS, EOS) }
}

/// The ledger's tree: a 0.6, b 0.4; then x, y, z; then the end.
fn tree(said: &[Token]) -> Vec<f64> {
    let [a, b, x] = [2, 3, 4];
    match said {
        [] => vec![0.0, 0.0, 0.6, 0.4, 0.0, 0.0, 0.0],
        [t] if *t == a => vec![0.0, 0.0, 0.0, 0.0, 0.35, 0.33, 0.32],
        [t] if *t == b => vec![0.0, 0.0, 0.0, 0.0, 0.9, 0.05, 0.05],
        [_, t] if *t >= x => vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        said => panic!("{said:?} is in no sentence"),
    }
}

fn config(vocabulary: usize) -> Config {
    Config {
        vocabulary,
        layers: 2,
        d_model: 12,
        d_ff: 20,
        heads: 2,
        d_k: 5,
        d_v: 3,
    }
}

fn model(vocabulary: usize, seed: u64) -> Transformer<Matrix> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut model = Transformer::new(&config(vocabulary), rng);
    // Louder than before training, or all words are much alike; and the end
    // loudest, or it is hardly ever said.
    model.embedding.table *= 2.0;
    model.embedding.table.row_mut(EOS as usize).scale_mut(1.5);
    model
}

/// The same decoder without a cache: everything anew for every token.
struct Plain<'a> {
    model: &'a Transformer<Matrix>,
    sources: &'a [Vec<Token>],
    said: Vec<(usize, Vec<Token>)>,
}

impl<'a> Plain<'a> {
    fn new(
        model: &'a Transformer<Matrix>,
        sources: &'a [Vec<Token>],
    ) -> Self {
        let said = (0..sources.len()).map(|i| (i, vec![])).collect();
        Self { model, sources, said }
    }
}

impl LanguageModel<f64> for Plain<'_> {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        let grown = parents.iter().zip(tokens).map(|(&parent, &token)| {
            let (sentence, said) = &self.said[parent];
            (*sentence, [&said[..], &[token]].concat())
        });
        self.said = grown.collect();
        let column = |(sentence, said): &(usize, Vec<Token>)| {
            let source = [self.sources[*sentence].clone()];
            let fed = std::slice::from_ref(said);
            let logits = self.model.forward(&source, fed);
            logits.row(said.len() - 1).transpose()
        };
        let columns: Vec<_> = self.said.iter().map(column).collect();
        Matrix::from_columns(&columns)
    }
}

fn sources() -> Vec<Vec<Token>> {
    vec![vec![2, 3, 4, 5, 6], vec![7], vec![5, 5, 2], vec![]]
}

/// ln P(Y | X), token by token, from one pass over the whole sentence.
fn log_probability(
    model: &Transformer<Matrix>,
    source: &[Token],
    tokens: &[Token],
) -> f64 {
    let fed = [&[BOS], tokens].concat();
    let said = [tokens, &[EOS]].concat();
    let logits = model.forward(&[source.to_vec()], &[fed]).transpose();
    let columns = logits.column_iter().zip(said);
    columns
        .map(|(scores, token)| {
            let highest = scores.max();
            let total = scores.map(|s| (s - highest).exp()).sum();
            scores[token as usize] - highest - total.ln()
        })
        .sum()
}

/// Every sentence of at most `limit` tokens, the end left out.
fn all_sentences(vocabulary: Token, limit: usize) -> Vec<Vec<Token>> {
    let mut all = vec![vec![]];
    let mut longest = all.clone();
    for _ in 0..limit {
        let longer = longest.iter().flat_map(|tokens| {
            let next = (0..vocabulary).filter(|&token| token != EOS);
            next.map(|token| [&tokens[..], &[token]].concat())
        });
        longest = longer.collect();
        all.extend(longest.clone());
    }
    all
}

#[test]
fn a_beam_finds_what_greedy_misses() {
    let greedy = &find(tree, 5, &Beam::greedy(BOS, EOS))[0];
    assert_eq!(greedy.tokens, [2, 4]);
    assert!((greedy.log_probability.exp() - 0.21).abs() < 1e-15);
    for beam in [wide(2, 0.0), wide(6, 0.0), Beam::paper(BOS, EOS)] {
        let found = &find(tree, 5, &beam)[0];
        assert_eq!(found.tokens, [3, 4]);
        assert!((found.log_probability.exp() - 0.36).abs() < 1e-15);
    }
}

#[test]
fn the_length_penalty_is_the_ledgers() {
    assert!((length_penalty(5, 0.6) - 1.3586551826765378).abs() < 1e-15);
    assert!((length_penalty(10, 0.6) - 1.7328621078878659).abs() < 1e-15);
    assert_eq!(length_penalty(1, 0.6), 1.0);
    assert_eq!(length_penalty(17, 0.0), 1.0);
    assert_eq!(length_penalty(7, 1.0), 2.0);
}

#[test]
fn the_penalty_counts_the_end_and_not_the_start() {
    let found = &find(tree, 5, &wide(2, 0.6))[0];
    let penalty = length_penalty(3, 0.6);
    assert!((found.score - 0.36f64.ln() / penalty).abs() < 1e-15);
}

/// At whatever step, and for whichever of the tokens.
#[test]
fn a_search_among_scores_that_are_no_numbers_is_an_error() {
    for wrong in [f64::NAN, f64::INFINITY] {
        for (place, length) in [(0, 0), (1, 1), (2, 0), (3, 3)] {
            let broken = |said: &[Token]| {
                let mut probabilities = vec![0.3, 0.1, 0.3, 0.3];
                if said.len() == length {
                    probabilities[place] = wrong;
                }
                probabilities
            };
            let said = vec![vec![]; 2];
            let mut toy = Toy { said, probabilities: broken };
            let found = search(&mut toy, &[5, 5], &wide(3, 0.6));
            assert_eq!(found, Err(NotFinite));
        }
    }
    let silent = |_: &[Token]| vec![0.0; 4];
    let mut toy = Toy { said: vec![vec![]], probabilities: silent };
    assert_eq!(search(&mut toy, &[5], &wide(3, 0.6)), Err(NotFinite));
}

#[test]
fn weights_that_overflow_are_an_error() {
    let mut model = model(9, 1);
    model.leaves_mut().into_iter().for_each(|leaf| leaf.fill(1e300));
    let found = model.search(&sources(), &Beam::paper(BOS, EOS));
    assert_eq!(found, Err(NotFinite));
    let said = NotFinite.to_string();
    assert!(said.contains("the weights are too large"), "{said}");
}

#[test]
fn a_cached_decoder_gives_the_scores_of_a_plain_one() {
    let (model, sources) = (model(9, 1), sources());
    // Who goes on from whom: copied, dropped, and in another order.
    let step = vec((any::<Index>(), 0..9 as Token), 1..8);
    for_any(24, vec(step, 1..6), |steps| {
        let mut cached = Cache::new(&model, &sources);
        let mut plain = Plain::new(&model, &sources);
        let mut hypotheses = sources.len();
        for step in steps {
            let parent = |place: Index| place.index(hypotheses);
            let step = step.into_iter().map(|(p, token)| (parent(p), token));
            let (parents, tokens): (Vec<_>, Vec<_>) = step.unzip();
            let found = cached.next_logits(&parents, &tokens);
            assert_eq!(found.shape(), (9, tokens.len()));
            close(&found, &plain.next_logits(&parents, &tokens), 1e-12);
            hypotheses = tokens.len();
        }
    });
}

#[test]
fn a_search_finds_the_same_with_and_without_a_cache() {
    for seed in 0..10 {
        let (model, sources) = (model(9, seed), sources());
        let limits = [8, 4, 6, 3];
        let beam = Beam { n_best: 3, ..Beam::paper(BOS, EOS) };
        let cached =
            search(&mut Cache::new(&model, &sources), &limits, &beam)
                .unwrap();
        let plain = search(&mut Plain::new(&model, &sources), &limits, &beam)
            .unwrap();
        same(&cached, &plain, 1e-12);
    }
}

/// The same sentences in the same order, with the same scores.
#[track_caller]
fn same(found: &[Vec<Hypothesis>], expected: &[Vec<Hypothesis>], gap: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found.tokens, expected.tokens);
            let apart = found.log_probability - expected.log_probability;
            assert!(apart.abs() < gap);
            assert!((found.score - expected.score).abs() < gap);
        }
    }
}

#[test]
fn a_beam_of_one_is_greedy() {
    let (mut ended, mut cut) = (0, 0);
    for seed in 0..16 {
        let (model, sources) = (model(9, seed), sources());
        let beam = Beam { width: 1, ..Beam::paper(BOS, EOS) };
        let found = model.search(&sources, &beam).unwrap();
        for (source, found) in sources.iter().zip(&found) {
            let greedy = model.greedy(source, BOS, EOS).unwrap();
            assert_eq!(found[0].tokens, greedy);
            let is_cut = greedy.len() == source.len() + 50;
            ended += usize::from(!is_cut);
            cut += usize::from(is_cut);
        }
    }
    assert!(ended > 5 && cut > 5, "{ended} ended and {cut} were cut");
}

#[test]
fn single_precision_says_the_same() {
    let (model, sources) = (model(9, 3), sources());
    let quick: Transformer<Matrix<f32>> =
        model.map("", &mut |_, leaf| leaf.map(|x| x as f32));
    let beam = Beam { n_best: 2, ..Beam::paper(BOS, EOS) };
    let found = quick.search(&sources, &beam).unwrap();
    same(&found, &model.search(&sources, &beam).unwrap(), 1e-4);
}

#[test]
fn a_sentence_finds_the_same_alone_as_in_company() {
    let (model, sources) = (model(9, 5), sources());
    let beam = Beam { n_best: 4, ..Beam::paper(BOS, EOS) };
    let together = model.search(&sources, &beam).unwrap();
    let alone = sources
        .iter()
        .map(|source| model.search(&[source], &beam).unwrap().swap_remove(0));
    same(&together, &alone.collect::<Vec<_>>(), 1e-12);
}

#[test]
fn a_beam_wide_enough_finds_the_best_of_all() {
    let (vocabulary, limit) = (4, 5);
    let source = vec![2, 3, 3];
    for (seed, alpha) in [(1, 0.0), (2, 0.6), (3, 1.0), (4, 3.0)] {
        let model = model(vocabulary as usize, seed);
        let mut all: Vec<(f64, Vec<Token>)> =
            all_sentences(vocabulary, limit)
                .into_iter()
                .map(|tokens| {
                    let penalty = length_penalty(tokens.len() + 1, alpha);
                    let log = log_probability(&model, &source, &tokens);
                    (log / penalty, tokens)
                })
                .collect();
        assert_eq!(all.len(), 364);
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let beam = Beam { n_best: 20, ..wide(364, alpha) };
        let sources = [source.clone()];
        let mut cache = Cache::new(&model, &sources);
        let found =
            search(&mut cache, &[limit], &beam).unwrap().swap_remove(0);
        assert_eq!(found.len(), 20);
        for (found, (score, tokens)) in found.iter().zip(all) {
            assert_eq!(found.tokens, tokens);
            assert!((found.score - score).abs() < 1e-12);
        }
    }
}

#[test]
fn a_log_probability_is_the_sum_along_the_sentence() {
    let (model, sources) = (model(9, 8), sources());
    let beam = Beam { n_best: 4, ..Beam::paper(BOS, EOS) };
    for (source, found) in
        sources.iter().zip(model.search(&sources, &beam).unwrap())
    {
        assert_eq!(found.len(), 4);
        for found in found {
            let log = log_probability(&model, source, &found.tokens);
            let penalty = length_penalty(found.tokens.len() + 1, 0.6);
            assert!((found.log_probability - log).abs() < 1e-12);
            assert!((found.score - log / penalty).abs() < 1e-12);
        }
    }
}

#[test]
fn a_constant_added_to_all_scores_changes_nothing() {
    struct Louder<'a>(Cache<'a, Matrix>);
    impl LanguageModel<f64> for Louder<'_> {
        fn next_logits(
            &mut self,
            parents: &[usize],
            tokens: &[Token],
        ) -> Matrix {
            let mut scores = self.0.next_logits(parents, tokens);
            for (mut column, &token) in scores.column_iter_mut().zip(tokens) {
                column.add_scalar_mut(10.0 * f64::from(token));
            }
            scores
        }
    }
    let (model, sources) = (model(9, 5), sources());
    let (limits, beam) = ([9; 4], Beam::paper(BOS, EOS));
    let found =
        search(&mut Cache::new(&model, &sources), &limits, &beam).unwrap();
    let mut louder = Louder(Cache::new(&model, &sources));
    same(&search(&mut louder, &limits, &beam).unwrap(), &found, 1e-12);
}

#[test]
fn of_equals_the_first_token_and_the_first_hypothesis_win() {
    let even = |_: &[Token]| vec![0.25; 4];
    let beam = Beam { n_best: 3, ..wide(3, 0.0) };
    let found = find(even, 3, &beam);
    let tokens: Vec<_> = found.iter().map(|f| &f.tokens[..]).collect();
    assert_eq!(tokens, [&[][..], &[0], &[0, 0]]);
    assert_eq!(found, find(even, 3, &beam));
}

#[test]
fn nothing_of_probability_zero_is_said() {
    let found = find(tree, 5, &Beam { n_best: 20, ..wide(20, 0.0) });
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|found| found.log_probability.is_finite()));
}

#[test]
fn at_the_limit_the_end_is_said_and_counted() {
    let endless = |_: &[Token]| vec![0.0, 0.1, 0.9];
    let found = &find(endless, 4, &Beam::greedy(BOS, EOS))[0];
    assert_eq!(found.tokens, [2; 4]);
    let expected = 4.0 * 0.9f64.ln() + 0.1f64.ln();
    assert!((found.log_probability - expected).abs() < 1e-14);
}

#[test]
fn every_sentence_has_its_own_limit() {
    let endless = |_: &[Token]| vec![0.0, 0.1, 0.9];
    let said = vec![vec![]; 3];
    let mut toy = Toy { said, probabilities: endless };
    let found =
        search(&mut toy, &[4, 0, 7], &Beam::greedy(BOS, EOS)).unwrap();
    let lengths: Vec<_> = found.iter().map(|f| f[0].tokens.len()).collect();
    assert_eq!(lengths, [4, 0, 7]);
}

#[test]
fn a_sentence_that_ends_early_keeps_its_place() {
    // One word and the end, 0.4; or ten words and the end, 0.3.
    let two = |said: &[Token]| match said {
        [] => vec![0.0, 0.0, 0.4, 0.6],
        [2] => vec![0.0, 1.0, 0.0, 0.0],
        [3] => vec![0.0, 0.0, 0.5, 0.5],
        said if said.len() < 10 => vec![0.0, 0.0, 0.0, 1.0],
        _ => vec![0.0, 1.0, 0.0, 0.0],
    };
    let found = find(two, 20, &wide(2, 0.0));
    assert_eq!(found[0].tokens, [2]);
    let found = find(two, 20, &wide(2, 1.0));
    assert_eq!(found[0].tokens.len(), 10);
}

#[test]
fn the_search_stops_when_no_hypothesis_can_win() {
    let steps = Cell::new(0);
    let endless = |said: &[Token]| {
        steps.set(steps.get().max(said.len() + 1));
        vec![0.0, 0.5, 0.3, 0.2]
    };
    // 0.5 has ended, 0.3 is live and can only fall.
    let found = find(endless, 50, &wide(2, 0.0));
    assert!(found[0].tokens.is_empty());
    assert_eq!(steps.take(), 1);
    // The second best sentence may still come: 0.3 · 0.5 against 0.3.
    let beam = Beam { n_best: 2, ..wide(4, 0.0) };
    assert_eq!(find(endless, 50, &beam)[1].tokens, [2]);
    assert_eq!(steps.take(), 2);
    // A penalty makes long sentences better than they are now.
    let found = find(endless, 50, &wide(4, 1.0));
    assert!(found[0].tokens.is_empty());
    assert!(steps.take() > 1);
}

#[test]
fn an_impatient_search_stops_when_enough_is_complete() {
    let steps = Cell::new(0);
    let endless = |said: &[Token]| {
        steps.set(steps.get().max(said.len() + 1));
        vec![0.0, 0.5, 0.3, 0.2]
    };
    // With so high a penalty a long sentence may always still win, and every
    // step completes the best of two hypotheses.
    let patient = wide(2, 9.0);
    find(endless, 50, &patient);
    assert_eq!(steps.take(), 51);
    for (patience, complete) in [(1.0, 2), (2.0, 4), (2.5, 5)] {
        find(endless, 50, &Beam { patience, ..patient.clone() });
        assert_eq!(steps.take(), complete);
    }
}

#[test]
#[should_panic(expected = "a search needs a patience of 1 or more")]
fn a_search_that_gives_up_at_once_is_refused() {
    find(tree, 5, &Beam { patience: f64::NAN, ..wide(2, 0.6) });
}

#[test]
fn a_wider_beam_may_find_less() {
    // Greedy goes by 0.55 · 0.4 = 0.22 and is safe from there. Both ways on
    // from 0.45 look better, 0.225, and then scatter.
    let scattered = |said: &[Token]| match said {
        [] => vec![0.0, 0.0, 0.55, 0.45, 0.0, 0.0, 0.0],
        [2] => vec![0.0, 0.0, 0.4, 0.2, 0.2, 0.2, 0.0],
        [3] => vec![0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0],
        [2, 2] | [_, _, _] => vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [_, _] => vec![0.0, 0.0, 0.2, 0.2, 0.2, 0.2, 0.2],
        said => panic!("{said:?} is in no sentence"),
    };
    let found = |width| {
        find(scattered, 5, &wide(width, 0.0))[0].log_probability.exp()
    };
    assert!((found(1) - 0.22).abs() < 1e-15);
    assert!((found(2) - 0.045).abs() < 1e-15);
    assert!((found(3) - 0.22).abs() < 1e-15);
}

#[test]
fn without_sources_there_are_no_hypotheses() {
    let model = model(9, 1);
    let found = model.search::<[Token; 0]>(&[], &Beam::paper(BOS, EOS));
    assert_eq!(found, Ok(vec![]));
}

#[test]
#[should_panic(expected = "a beam of 2 does not end with 3 sentences")]
fn more_sentences_than_the_beam_is_wide_are_refused() {
    find(tree, 5, &Beam { n_best: 3, ..wide(2, 0.6) });
}

/// It needs no more room than there are hypotheses.
#[test]
fn a_beam_may_be_wider_than_memory() {
    let [all, widest] =
        [20, usize::MAX].map(|width| find(tree, 5, &wide(width, 0.6)));
    assert_eq!(widest, all);
}

#[test]
#[should_panic(expected = "a length penalty needs an α of 0 or more")]
fn a_penalty_on_length_is_refused() {
    find(tree, 5, &wide(2, -0.6));
}

#[test]
#[should_panic(expected = "end token 9 is not in a vocabulary of 7")]
fn an_end_that_is_not_in_the_vocabulary_is_refused() {
    find(tree, 5, &Beam { eos: 9, ..wide(2, 0.6) });
}

#[test]
fn columns_are_appended() {
    let mut columns = dmatrix![1., 2.; 3., 4.];
    columns.append_columns(&dmatrix![5.; 6.]);
    assert_eq!(columns, dmatrix![1., 2., 5.; 3., 4., 6.]);
    let bill = Bill::default();
    let mut shape = bill.shape(2, 2);
    shape.append_columns(&bill.shape(2, 1));
    assert_eq!(Tensor::shape(&shape), (2, 3));
    let mut none = Matrix::zeros(2, 0);
    none.append_columns(&columns);
    assert_eq!(none, columns);
}

#[test]
#[should_panic(expected = "rows")]
fn columns_of_another_height_are_not_appended() {
    let mut columns: Matrix = dmatrix![1., 2.; 3., 4.];
    columns.append_columns(&dmatrix![5.; 6.; 7.]);
}

/// The keys and values of any columns, in any order, also more than once.
#[test]
fn attention_to_columns_is_attention() {
    let number = |i: usize, j: usize| ((3 * i + 5 * j) as f64).sin();
    let q = Matrix::from_fn(3, 8, number);
    let k_t = Matrix::from_fn(8, 40, |i, j| number(j, i) * 2.0);
    let v_t = Matrix::from_fn(6, 40, |i, j| number(i + 1, j));
    let columns: [Vec<usize>; 3] =
        [vec![7], vec![39, 0, 7, 0], (0..40).rev().collect()];
    let out = Matrix::attend_columns(&q, &k_t, &v_t, 2, &columns);
    for (i, columns) in columns.iter().enumerate() {
        let [k, v] = [&k_t, &v_t].map(|x| x.select_columns(columns));
        let all = Mask::none(1, columns.len());
        let [q, k, v] = [q.rows(i, 1).into(), k.transpose(), v.transpose()];
        let expected = attend_by_head(&q, &k, &v, 2, &all);
        assert!((out.rows(i, 1) - expected).norm() < 1e-12);
    }
}

#[test]
#[should_panic]
fn a_column_that_is_not_there_is_refused() {
    let x: Matrix = Matrix::from_element(2, 2, 1.0);
    let _ = Matrix::attend_columns(&x, &x, &x, 1, &[vec![0], vec![2]]);
}

/// Draws every token as the model says.
fn plain() -> Sampling {
    Sampling::new(BOS, EOS)
}

/// The same probabilities, to the twelfth digit.
#[track_caller]
fn alike(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let near = (found - expected).abs() < 1e-12;
        assert!(near, "{found} and not {expected}");
    }
}

const LOGITS: [f64; 5] = [1.0, -2.0, 3.0, 0.5, 2.0];

#[test]
fn without_settings_a_token_is_as_probable_as_the_model_says() {
    alike(&plain().probabilities(&LOGITS).unwrap(), &softmax(&LOGITS));
    let single = LOGITS.map(|logit| logit as f32);
    alike(&plain().probabilities(&single).unwrap(), &softmax(&LOGITS));
}

#[test]
fn a_temperature_divides_the_logits() {
    for temperature in [0.1, 0.5, 1.0, 2.0, 50.0] {
        let sampling = Sampling { temperature, ..plain() };
        let divided = LOGITS.map(|logit| logit / temperature);
        alike(&sampling.probabilities(&LOGITS).unwrap(), &softmax(&divided));
    }
    let cold = Sampling { temperature: 1e-300, ..plain() };
    alike(&cold.probabilities(&LOGITS).unwrap(), &[0.0, 0.0, 1.0, 0.0, 0.0]);
}

/// Twice the largest would be more than an `f64` can hold.
#[test]
fn logits_near_the_largest_number_have_probabilities() {
    let found = plain().probabilities(&[f64::MAX, 0.9 * f64::MAX]).unwrap();
    alike(&found, &[1.0, 0.0]);
}

#[test]
fn top_k_keeps_the_most_probable_tokens_in_their_proportions() {
    let p = softmax(&LOGITS);
    let sampling = Sampling { top_k: 3, ..plain() };
    let sum = p[0] + p[2] + p[4];
    let expected = [p[0] / sum, 0.0, p[2] / sum, 0.0, p[4] / sum];
    alike(&sampling.probabilities(&LOGITS).unwrap(), &expected);
    let all = Sampling { top_k: 5, ..plain() };
    alike(&all.probabilities(&LOGITS).unwrap(), &p);
}

#[test]
fn top_p_keeps_the_fewest_tokens_that_have_enough() {
    let p = [0.1, 0.05, 0.5, 0.15, 0.2];
    let logits = p.map(f64::ln);
    let kept = |top_p| {
        let kept =
            Sampling { top_p, ..plain() }.probabilities(&logits).unwrap();
        assert!((kept.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        kept
    };
    alike(&kept(0.4), &[0.0, 0.0, 1.0, 0.0, 0.0]);
    alike(&kept(0.6), &[0.0, 0.0, 0.5 / 0.7, 0.0, 0.2 / 0.7]);
    let (three, sum) = (kept(0.8), 0.85);
    alike(&three, &[0.0, 0.0, 0.5 / sum, 0.15 / sum, 0.2 / sum]);
    alike(&kept(1.0), &p);
}

/// Top-p counts what top-k has left as all there is.
#[test]
fn top_k_comes_before_top_p() {
    let logits = [0.4f64, 0.3, 0.2, 0.1].map(f64::ln);
    let both = Sampling { top_k: 2, top_p: 0.5, ..plain() };
    alike(&both.probabilities(&logits).unwrap(), &[1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn of_equal_tokens_the_first_are_kept() {
    let sampling = Sampling { top_k: 2, ..plain() };
    alike(&sampling.probabilities(&[1.0; 4]).unwrap(), &[0.5, 0.5, 0.0, 0.0]);
}

/// So many sentences of a toy language.
fn draws(
    probabilities: impl Fn(&[Token]) -> Vec<f64>,
    sampling: &Sampling,
    count: usize,
) -> Vec<Vec<Token>> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut toy = Toy { said: vec![], probabilities };
    let mut draw = || {
        toy.said = vec![vec![]];
        sample(&mut toy, 8, sampling, rng).unwrap()
    };
    (0..count).map(|_| draw()).collect()
}

#[test]
fn a_sentence_is_drawn_as_often_as_it_is_probable() {
    let drawn = draws(tree, &plain(), 10_000);
    for (sentence, p) in [([2, 4], 0.21), ([3, 4], 0.36), ([3, 6], 0.02)] {
        let count = drawn.iter().filter(|said| **said == sentence).count();
        assert!((count as f64 / 1e4 - p).abs() < 0.015, "{sentence:?}");
    }
}

#[test]
fn the_only_token_that_is_left_is_greedys() {
    let one = Sampling { top_k: 1, ..plain() };
    let cold = Sampling { temperature: 1e-3, ..plain() };
    let narrow = Sampling { top_p: 1e-3, ..plain() };
    for sampling in [one, cold, narrow] {
        let drawn = draws(tree, &sampling, 20);
        assert!(drawn.iter().all(|said| *said == [2, 4]));
    }
}

/// Of the largest number below 1, n times an nth leaves a little for some n.
#[test]
fn what_rounding_leaves_belongs_to_the_last_probable_token() {
    for n in 10..40 {
        let even = vec![1.0 / n as f64; n];
        let probabilities = |_: &[Token]| [&even[..], &[0.0; 2]].concat();
        let mut toy = Toy { said: vec![vec![]], probabilities };
        let drawn = sample(&mut toy, 1, &plain(), &mut Highest).unwrap();
        assert_eq!(drawn, [n as Token - 1]);
    }
}

#[test]
fn a_sentence_that_is_drawn_ends_at_its_limit() {
    let endless = |_: &[Token]| vec![0.0, 0.0, 1.0];
    assert_eq!(draws(endless, &plain(), 1), [[2; 8]]);
}

#[test]
fn nothing_is_drawn_among_scores_that_are_no_numbers() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    for wrong in [f64::NAN, f64::INFINITY] {
        let probabilities = |_: &[Token]| vec![0.5, wrong, 0.2];
        let mut toy = Toy { said: vec![vec![]], probabilities };
        assert_eq!(sample(&mut toy, 5, &plain(), rng), Err(NotFinite));
    }
}

#[test]
#[should_panic(expected = "no temperature of 0")]
fn a_temperature_of_nothing_is_refused() {
    Sampling { temperature: 0.0, ..plain() }.probabilities(&LOGITS).unwrap();
}

#[test]
#[should_panic(expected = "one of 0 tokens cannot be drawn")]
fn a_choice_among_no_tokens_is_refused() {
    Sampling { top_k: 0, ..plain() }.probabilities(&LOGITS).unwrap();
}

#[test]
#[should_panic(expected = "top_p = 1.5 is not above 0 and up to 1")]
fn more_than_all_probability_is_refused() {
    Sampling { top_p: 1.5, ..plain() }.probabilities(&LOGITS).unwrap();
}

#[test]
#[should_panic(expected = "top_p = 0 is not above 0 and up to 1")]
fn no_part_of_the_probability_is_refused() {
    Sampling { top_p: 0.0, ..plain() }.probabilities(&LOGITS).unwrap();
}

#[test]
fn logits_that_are_not_numbers_have_no_probabilities() {
    for logits in [[0.0, f64::NAN], [0.0, f64::INFINITY]] {
        assert_eq!(plain().probabilities(&logits), Err(NotFinite));
    }
    assert_eq!(
        plain().probabilities(&[0.0, f64::NEG_INFINITY]),
        Ok(vec![1.0, 0.0])
    );
}
