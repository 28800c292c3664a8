//! The best translator from before 2017: recurrent, with additive attention
//! (Bahdanau et al., 2015), to be trained beside a Transformer.
//!
//! ```
//! use all_you_need::rival::Rival;
//! use all_you_need::tensor::Matrix;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let rng = &mut ChaCha8Rng::seed_from_u64(1);
//! let model: Rival<Matrix> = Rival::new(20, 8, rng);
//! let (sources, targets) = ([[5, 6, 19]], [[18, 7, 19]]);
//! let loss = model.loss(&sources, &targets, 0.0)[0];
//! assert!(loss > 1.0);
//! ```

use crate::embedding::Embedding;
use crate::gradient::Variable;
use crate::layers::{LayerOps, Linear};
use crate::loss::{TiedCrossEntropy, forced};
use crate::search::{Beam, Hypothesis, LanguageModel, search};
use crate::tensor::{Float, Init, Matrix, Tensor};
use crate::tokens::Token;
use crate::training::{self, Example};
use crate::transformer::{NotFinite, Transformer, longest_target};
use crate::writer::TrainingExample;
use std::cmp::Reverse;
use std::ops::Range;

/// What a recurrent translator computes with.
pub trait RecurrentOps: LayerOps {
    /// σ(x) = 1 / (1 + e⁻ˣ), cell by cell: a gate.
    #[must_use]
    fn sigmoid(&self) -> Self;

    /// tanh x, cell by cell.
    #[must_use]
    fn tanh(&self) -> Self;

    /// For each of n sentences a mixture of its own rows of `self`, m × d, in
    /// proportion to the softmax of their `scores`, m × 1: n × d. The rows of
    /// a sentence are one after the other, and `lengths` says how many each
    /// has.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    fn mixture(&self, scores: &Self, lengths: &[usize]) -> Self;
}

/// 1 / (1 + e⁻ˢˣ), cell by cell, with the exponentials of all cells together,
/// which is faster than one after the other.
fn logistic<F: Float>(x: &Matrix<F>, s: f64) -> Matrix<F> {
    let mut y = Tensor::scale(x, -s);
    F::exp_all(y.as_mut_slice());
    y.apply(|e| *e = F::one() / (F::one() + *e));
    y
}

/// The rows of each sentence, when they are one after the other.
fn ranges(lengths: &[usize]) -> Vec<Range<usize>> {
    let end = |end: &mut usize, &length: &usize| {
        *end += length;
        Some(*end - length..*end)
    };
    lengths.iter().scan(0, end).collect()
}

/// The softmax of the scores of each sentence.
fn shares<F: Float>(scores: &Matrix<F>, lengths: &[usize]) -> Matrix<F> {
    let mut shares = scores.clone();
    for own in ranges(lengths) {
        let own = &mut shares.as_mut_slice()[own];
        let most = own.iter().copied().fold(own[0], F::max);
        own.iter_mut().for_each(|score| *score -= most);
        F::exp_all(own);
        let sum = own.iter().fold(F::zero(), |sum, &e| sum + e);
        own.iter_mut().for_each(|e| *e /= sum);
    }
    shares
}

/// For each column of `values` and each sentence, Σ share · value.
fn mix<F: Float>(
    shares: &Matrix<F>,
    values: &Matrix<F>,
    lengths: &[usize],
) -> Matrix<F> {
    assert!(
        shares.shape() == (lengths.iter().sum(), 1)
            && shares.nrows() == values.nrows(),
        "mixture: {} scores for {} rows of {} sentences",
        shares.nrows(),
        values.nrows(),
        lengths.len()
    );
    let (ranges, shares) = (ranges(lengths), shares.as_slice());
    let sum = |own: &Range<usize>, column: &[F]| {
        let pairs = shares[own.clone()].iter().zip(&column[own.clone()]);
        pairs.fold(F::zero(), |sum, (&share, &value)| sum + share * value)
    };
    let cells = values
        .as_slice()
        .chunks(values.nrows())
        .flat_map(|column| ranges.iter().map(move |own| sum(own, column)));
    Matrix::from_iterator(lengths.len(), values.ncols(), cells)
}

impl<F: Float> RecurrentOps for Matrix<F> {
    fn sigmoid(&self) -> Self {
        logistic(self, 1.0)
    }

    fn tanh(&self) -> Self {
        let two = F::one() + F::one();
        logistic(self, 2.0).map(|y| two * y - F::one())
    }

    fn mixture(&self, scores: &Self, lengths: &[usize]) -> Self {
        mix(&shares(scores, lengths), self, lengths)
    }
}

impl<F: Float> RecurrentOps for Variable<F> {
    fn sigmoid(&self) -> Self {
        let y = self.value().sigmoid();
        Self::operation([self], y.clone(), move |g| {
            [g.zip_map(&y, |g, y| g * y * (F::one() - y))]
        })
    }

    fn tanh(&self) -> Self {
        let y = self.value().tanh();
        Self::operation([self], y.clone(), move |g| {
            [g.zip_map(&y, |g, y| g * (F::one() - y * y))]
        })
    }

    fn mixture(&self, scores: &Self, lengths: &[usize]) -> Self {
        let shares = shares(scores.value(), lengths);
        let (values, own) = (self.value().clone(), ranges(lengths));
        let mixed = mix(&shares, &values, lengths);
        Self::operation([self, scores], mixed, move |g| {
            // Every row has the gradient of its sentence's mixture.
            let mut each = Matrix::zeros(values.nrows(), values.ncols());
            let columns = each.column_iter_mut().zip(g.column_iter());
            for (mut each, g) in columns {
                for (own, &g) in own.iter().zip(&g) {
                    each.as_mut_slice()[own.clone()].fill(g);
                }
            }
            let to_shares = each.component_mul(&values).column_sum();
            each.column_iter_mut().for_each(|mut column| {
                column.component_mul_assign(&shares.column(0));
            });
            let mut to_scores = shares.clone();
            for own in own {
                let mean = shares.rows_range(own.clone());
                let mean = mean.dot(&to_shares.rows_range(own.clone()));
                for i in own {
                    to_scores[i] *= to_shares[i] - mean;
                }
            }
            [each, to_scores]
        })
    }
}

/// A gated recurrent unit, GRU (Cho et al., 2014), in the form that needs one
/// product with the state at each step.
#[derive(Clone, Debug)]
pub struct Gru<T> {
    /// W and b, from an input to both gates and the new content: d_in × 3d.
    pub input: Linear<T>,
    /// U, from the last state to the same: d × 3d.
    pub state: T,
}

parameters!(Gru, [state], [input], []);

impl<T: RecurrentOps> Gru<T> {
    /// A random unit for inputs of d_in numbers and states of d.
    pub fn new(d_in: usize, d: usize, init: &mut impl Init<T>) -> Self {
        let state = init.weight(d, 3 * d);
        Self { input: Linear::new(d_in, 3 * d, init), state }
    }

    /// The next states of n sentences, n × d, from the last ones and from
    /// what [`input`](Self::input) has made of what is read, n × 3d.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn step(&self, x: &T, h: &T) -> T {
        let (x, u) = (x.chunk(3), h.matmul(&self.state).chunk(3));
        let keep = x[0].add(&u[0]).sigmoid();
        let reset = x[1].add(&u[1]).sigmoid();
        let new = x[2].add(&reset.mul_cells(&u[2])).tanh();
        // f h + (1 − f) new, as f (h − new) + new.
        keep.mul_cells(&h.add(&new.scale(-1.0))).add(&new)
    }
}

/// In which order a step takes a token of each sentence, when the tokens of
/// all sentences are laid end to end.
struct Turns {
    /// The sentences, the longest first: those that go on are always the
    /// first ones, and no step has a row for one that has ended.
    order: Vec<usize>,
    /// The rows of each sentence, in this order.
    rows: Vec<Range<usize>>,
}

impl Turns {
    fn new(lengths: &[usize]) -> Self {
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&i| Reverse(lengths[i]));
        let ranges = ranges(lengths);
        let rows = order.iter().map(|&i| ranges[i].clone()).collect();
        Self { order, rows }
    }

    /// At each step the rows of the tokens that are read, from the first to
    /// the last of each sentence, or from the last to the first.
    fn steps(&self, backwards: bool) -> impl Iterator<Item = Vec<usize>> {
        let longest = self.rows.first().map_or(0, ExactSizeIterator::len);
        (0..longest).map(move |t| {
            let live = self.rows.iter().take_while(|rows| t < rows.len());
            let row = |rows: &Range<usize>| match backwards {
                true => rows.end - 1 - t,
                false => rows.start + t,
            };
            live.map(row).collect()
        })
    }
}

/// The rows that were made step by step, laid end to end: those of step t
/// belong to the rows `taken[t]`.
fn end_to_end<T: Tensor>(made: &[T], taken: &[Vec<usize>]) -> T {
    let columns: Vec<T> = made.iter().map(T::transpose).collect();
    let taken = taken.concat();
    let mut place = vec![0; taken.len()];
    for (i, &row) in taken.iter().enumerate() {
        place[row] = i;
    }
    T::concat(&columns).transpose().gather(&place)
}

/// The first n rows, those of the sentences that go on.
fn first<T: Tensor>(x: &T, n: usize) -> T {
    match x.shape().0 == n {
        true => x.clone(),
        false => x.gather(&Vec::from_iter(0..n)),
    }
}

impl<T: RecurrentOps> Gru<T> {
    /// The states after each token of some sentences, m × d, given their rows
    /// end to end, m × d_in.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn read(&self, x: &T, lengths: &[usize], backwards: bool) -> T {
        let (d, _) = self.state.shape();
        let x = self.input.forward(x);
        let mut h = x.constant(&Matrix::zeros(lengths.len(), d));
        let (mut states, mut taken) = (Vec::new(), Vec::new());
        for rows in Turns::new(lengths).steps(backwards) {
            h = self.step(&x.gather(&rows), &first(&h, rows.len()));
            states.push(h.clone());
            taken.push(rows);
        }
        end_to_end(&states, &taken)
    }
}

/// A recurrent translator with additive attention (Bahdanau et al., 2015).
#[derive(Clone, Debug)]
pub struct Rival<T> {
    /// v, 1 × d: how much each number counts in a score.
    pub v: T,
    /// From a context to the gates and the new content of the writer: 2d × 3d.
    pub context: T,
    /// One table for the tokens of both languages and for the answers.
    pub embedding: Embedding<T>,
    /// Reads from the first word to the last.
    pub forward: Gru<T>,
    /// Reads from the last word to the first.
    pub backward: Gru<T>,
    /// From the reader's states at the first word to the writer's first state.
    pub start: Linear<T>,
    /// W₁, from the writer's state to a query.
    pub query: Linear<T>,
    /// W₂, from the reader's two states to a key.
    pub key: Linear<T>,
    /// Writes.
    pub writer: Gru<T>,
    /// From state, context and last word to a row that meets the table.
    pub output: Linear<T>,
}

parameters!(
    Rival,
    [v context],
    [embedding forward backward start query key writer output],
    []
);

/// What has been read of some sentences.
#[derive(Clone, Debug)]
pub struct Memory<T> {
    /// Both states at each word, m × 2d.
    pub values: T,
    /// The key of each word, m × d.
    pub keys: T,
    /// How many words each sentence has.
    pub lengths: Vec<usize>,
}

impl<T: Tensor> Memory<T> {
    /// The memory of these sentences, in this order.
    fn select(&self, sentences: &[usize]) -> Self {
        let ranges = ranges(&self.lengths);
        let rows = sentences.iter().flat_map(|&i| ranges[i].clone());
        let rows: Vec<usize> = rows.collect();
        Self {
            values: self.values.gather(&rows),
            keys: self.keys.gather(&rows),
            lengths: sentences.iter().map(|&i| self.lengths[i]).collect(),
        }
    }
}

impl<T: RecurrentOps> Rival<T> {
    /// A random model with d numbers for a word, and for a state in each
    /// direction.
    pub fn new(vocabulary: usize, d: usize, init: &mut impl Init<T>) -> Self {
        Self {
            v: init.weight(1, d),
            context: init.weight(2 * d, 3 * d),
            embedding: Embedding::new(vocabulary, d, init),
            forward: Gru::new(d, d, init),
            backward: Gru::new(d, d, init),
            start: Linear::new(2 * d, d, init),
            query: Linear::new(d, d, init),
            key: Linear::new(2 * d, d, init),
            writer: Gru::new(d, d, init),
            output: Linear::new(4 * d, d, init),
        }
    }

    /// Reads sentences whose embedded rows are end to end, m × d.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn read(&self, rows: &T, lengths: &[usize]) -> Memory<T> {
        let values = T::concat(&[
            self.forward.read(rows, lengths, false),
            self.backward.read(rows, lengths, true),
        ]);
        let keys = self.key.forward(&values);
        Memory { values, keys, lengths: lengths.to_vec() }
    }

    /// The writer's states before the first word: n × d.
    fn first_states(&self, memory: &Memory<T>) -> T {
        let ranges = ranges(&memory.lengths).into_iter();
        let starts: Vec<usize> = ranges.map(|rows| rows.start).collect();
        self.start.forward(&memory.values.gather(&starts)).tanh()
    }

    /// What n writers find in their sentences: n × 2d.
    fn look(&self, states: &T, memory: &Memory<T>) -> T {
        let each = memory.lengths.iter().enumerate();
        let own = each.flat_map(|(i, &length)| vec![i; length]);
        let queries = self.query.forward(states);
        let queries = queries.gather(&own.collect::<Vec<_>>());
        let scores = queries.add(&memory.keys).tanh().matmul_t(&self.v);
        memory.values.mixture(&scores, &memory.lengths)
    }

    /// One word more: the writers' next states, and what they looked at, given
    /// what the writer's [`input`](Gru::input) makes of the last words.
    fn write(&self, word: &T, states: &T, memory: &Memory<T>) -> (T, T) {
        let seen = self.look(states, memory);
        let input = word.add(&seen.matmul(&self.context));
        (self.writer.step(&input, states), seen)
    }

    /// A row for each input token, n × d, whose products with the table are
    /// the logits of the next.
    ///
    /// # Panics
    /// If there are not as many texts as in the memory, or a token is not in
    /// the vocabulary.
    #[must_use]
    pub fn decode<S: AsRef<[Token]>>(
        &self,
        inputs: &[S],
        memory: &Memory<T>,
    ) -> T {
        let lengths = inputs.iter().map(|input| input.as_ref().len());
        let turns = Turns::new(&lengths.collect::<Vec<_>>());
        let words = self.embed(inputs);
        let x = self.writer.input.forward(&words);
        let mut memory = memory.select(&turns.order);
        let mut state = self.first_states(&memory);
        let (mut made, mut taken) = (Vec::new(), Vec::new());
        for rows in turns.steps(false) {
            let n = rows.len();
            if n < memory.lengths.len() {
                memory = memory.select(&Vec::from_iter(0..n));
            }
            let seen;
            (state, seen) =
                self.write(&x.gather(&rows), &first(&state, n), &memory);
            made.push(T::concat(&[state.clone(), seen]));
            taken.push(rows);
        }
        let made = end_to_end(&made, &taken);
        self.output.forward(&T::concat(&[made, words]).dropout())
    }

    /// The embedded rows of these texts, end to end.
    fn embed<S: AsRef<[Token]>>(&self, texts: &[S]) -> T {
        let tokens: Vec<&[Token]> = texts.iter().map(S::as_ref).collect();
        self.embedding.embed(&tokens.concat()).dropout()
    }

    /// Reads texts: see [`read`](Self::read).
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn encode<S: AsRef<[Token]>>(&self, sources: &[S]) -> Memory<T> {
        let lengths = sources.iter().map(|source| source.as_ref().len());
        self.read(&self.embed(sources), &lengths.collect::<Vec<_>>())
    }
}

impl<T: RecurrentOps + TiedCrossEntropy> Rival<T> {
    /// The mean cross-entropy of the targets, each from `bos` to `eos`: nats
    /// per answer, 1 × 1.
    ///
    /// # Panics
    /// If there are not as many targets as sources, none at all, a target is
    /// not at least `bos` and `eos`, or a token is not in the vocabulary.
    #[must_use]
    pub fn loss<S: AsRef<[Token]>>(
        &self,
        sources: &[S],
        targets: &[S],
        label_smoothing: f64,
    ) -> T {
        let targets = targets.iter().map(AsRef::as_ref);
        forced(targets, &self.embedding.table, label_smoothing, |inputs| {
            self.decode(inputs, &self.encode(sources))
        })
    }
}

impl<T: RecurrentOps + TiedCrossEntropy> TrainingExample<Rival<T>, T>
    for Example
{
    fn answers(&self) -> usize {
        self.target_tokens()
    }

    fn loss(model: &Rival<T>, examples: &[Self], smoothing: f64) -> T {
        let sources: Vec<_> = examples.iter().map(|e| &e.source).collect();
        let targets: Vec<_> = examples.iter().map(|e| &e.target).collect();
        model.loss(&sources, &targets, smoothing)
    }
}

/// The same loop trains a Transformer, with the same batches.
impl<T: LayerOps + TiedCrossEntropy> TrainingExample<Transformer<T>, T>
    for Example
{
    fn answers(&self) -> usize {
        self.target_tokens()
    }

    fn loss(model: &Transformer<T>, examples: &[Self], smoothing: f64) -> T {
        training::loss(model, examples, smoothing)
    }
}

/// Hypotheses that a rival continues: of each its state, and its sentence.
struct Hypotheses<'a, T> {
    model: &'a Rival<T>,
    memory: Memory<T>,
    states: T,
}

impl<F: Float> LanguageModel<F> for Hypotheses<'_, Matrix<F>> {
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<F> {
        let model = self.model;
        self.memory = self.memory.select(parents);
        let last = self.states.gather(parents);
        let words = model.embed(&[tokens]);
        let x = model.writer.input.forward(&words);
        let (states, seen) = model.write(&x, &last, &self.memory);
        self.states = states.clone();
        let z = model.output.forward(&Matrix::concat(&[states, seen, words]));
        model.embedding.table.matmul_t(&z)
    }
}

impl<F: Float> Rival<Matrix<F>> {
    /// For each source the best translations that a beam search finds, as
    /// [`Transformer::search`] has them.
    ///
    /// # Errors
    /// If the logits are not finite.
    ///
    /// # Panics
    /// As [`search`] does, or if a token is not in the vocabulary.
    pub fn search<S: AsRef<[Token]>>(
        &self,
        sources: &[S],
        beam: &Beam,
    ) -> Result<Vec<Vec<Hypothesis>>, NotFinite> {
        let limits = sources.iter().map(|s| longest_target(s.as_ref()));
        let limits: Vec<usize> = limits.collect();
        let memory = self.encode(sources);
        let states = self.first_states(&memory);
        search(&mut Hypotheses { model: self, memory, states }, &limits, beam)
    }
}
