//! The book's model, as it is or with one change.

use crate::request::{Attention, Change, Head};
use all_you_need::attention::Mask;
use all_you_need::heads::MultiHead;
use all_you_need::position::sinusoidal;
use all_you_need::search::LanguageModel;
use all_you_need::tensor::Tensor;
use all_you_need::{Matrix, Token, Transformer, Translator};
use std::borrow::Cow;

/// A model, and how it is used.
#[derive(Debug)]
pub struct Variant<'a> {
    /// The model.
    pub model: Cow<'a, Transformer<Matrix<f32>>>,
    /// Whether tokens are embedded with their positions.
    has_positions: bool,
    /// Whether target tokens see only themselves and those before.
    is_causal: bool,
}

/// The rows of some tokens, and what they are the sum of: each n × d_model.
#[derive(Debug)]
pub struct Rows {
    /// The embeddings, times √d_model.
    pub embedding: Matrix<f32>,
    /// The encodings of the positions.
    pub position: Matrix<f32>,
    /// What the first layer reads.
    pub sum: Matrix<f32>,
}

impl<'a> Variant<'a> {
    /// The model of a translator with this change.
    ///
    /// # Errors
    /// If it has no such head.
    pub fn new(
        translator: &'a Translator,
        change: Option<Change>,
    ) -> Result<Self, String> {
        let mut model = Cow::Borrowed(&translator.model);
        match change {
            Some(Change::Scale) => drop_scale(model.to_mut()),
            Some(Change::Head(head)) => {
                let config = &translator.config;
                head.check(config.layers, config.heads)?;
                switch_off(model.to_mut(), head);
            }
            _ => {}
        }
        Ok(Self {
            model,
            has_positions: !matches!(change, Some(Change::Positions)),
            is_causal: !matches!(change, Some(Change::Mask)),
        })
    }

    /// Whether keys and values can be kept from step to step, as the
    /// library's cache keeps them.
    pub fn can_be_cached(&self) -> bool {
        self.has_positions && self.is_causal
    }

    /// The rows that go into the model for the tokens of a sentence.
    pub fn rows(&self, tokens: &[Token]) -> Rows {
        self.packed(tokens, tokens.len())
    }

    /// The rows of sentences end to end, of `length` tokens each.
    fn packed(&self, tokens: &[Token], length: usize) -> Rows {
        let embedding = self.model.embedding.embed(tokens);
        let places = (0..tokens.len()).map(|i| i % length);
        let places: Vec<usize> = places.collect();
        let mut position =
            embedding.constant(&sinusoidal(&places, embedding.ncols()));
        if !self.has_positions {
            position.fill(0.0);
        }
        let sum = embedding.add(&position);
        Rows { embedding, position, sum }
    }

    /// The mask for a target of n tokens: n × n.
    pub fn past(&self, n: usize) -> Mask {
        if self.is_causal { Mask::causal(n) } else { Mask::none(n, n) }
    }
}

/// All attentions of a model.
fn attentions(
    model: &mut Transformer<Matrix<f32>>,
) -> impl Iterator<Item = &mut MultiHead<Matrix<f32>>> {
    let Transformer { encoder, decoder, .. } = model;
    let own = encoder.layers.iter_mut().map(|layer| &mut layer.attention);
    let layers = decoder.layers.iter_mut();
    own.chain(layers.flat_map(|layer| {
        [&mut layer.self_attention, &mut layer.cross_attention]
    }))
}

/// Scores are divided by √d_k. Queries that are √d_k times as long undo it.
fn drop_scale(model: &mut Transformer<Matrix<f32>>) {
    for attention in attentions(model) {
        let d_k = attention.w_q.ncols() / attention.heads;
        attention.w_q *= (d_k as f32).sqrt();
    }
}

/// Puts zeros in those rows of W^O that read what this head has found.
fn switch_off(model: &mut Transformer<Matrix<f32>>, head: Head) {
    let Head { attention, layer, head } = head;
    let (encoder, decoder) = (&mut model.encoder, &mut model.decoder);
    let attention = match attention {
        Attention::Encoder => &mut encoder.layers[layer - 1].attention,
        Attention::Decoder => &mut decoder.layers[layer - 1].self_attention,
        Attention::Cross => &mut decoder.layers[layer - 1].cross_attention,
    };
    let d_v = attention.w_o.nrows() / attention.heads;
    attention.w_o.rows_mut((head - 1) * d_v, d_v).fill(0.0);
}

/// A variant that computes every step from its beginning, as it must where
/// earlier rows change with each new token, or have no positions.
#[derive(Debug)]
pub struct Uncached<'a> {
    variant: &'a Variant<'a>,
    /// The encoder's output, n × d_model.
    memory: Matrix<f32>,
    /// The tokens of each hypothesis.
    hypotheses: Vec<Vec<Token>>,
}

impl<'a> Uncached<'a> {
    /// Reads a source, which has one hypothesis without tokens.
    pub fn new(variant: &'a Variant, source: &[Token]) -> Self {
        let all = Mask::none(source.len(), source.len());
        let rows = variant.rows(source).sum;
        let memory = variant.model.encoder.forward(&rows, &all);
        Self { variant, memory, hypotheses: vec![Vec::new()] }
    }

    /// The decoder's output after the last token of each hypothesis. They
    /// are all of one length, and are decoded end to end.
    fn last_rows(&self) -> Matrix<f32> {
        let tokens = self.hypotheses.concat();
        let (count, n) = (self.hypotheses.len(), tokens.len());
        let lengths = vec![n / count; count];
        let rows = self.variant.packed(&tokens, lengths[0]).sum;
        let own = Mask::packed(&lengths, &lengths);
        let past = own.and(&self.variant.past(n));
        let read = Mask::none(n, self.memory.nrows());
        let decoder = &self.variant.model.decoder;
        let z = decoder.forward(&rows, &self.memory, &past, &read);
        let last = (1..=count).map(|i| i * lengths[0] - 1);
        z.gather(&last.collect::<Vec<_>>())
    }
}

impl LanguageModel<f32> for Uncached<'_> {
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<f32> {
        let longer = |(&parent, &token): (&usize, &Token)| {
            [&self.hypotheses[parent][..], &[token]].concat()
        };
        self.hypotheses = parents.iter().zip(tokens).map(longer).collect();
        let table = &self.variant.model.embedding.table;
        table.matmul_t(&self.last_rows())
    }
}
