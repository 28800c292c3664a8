//! What a page may ask for.

use serde::Deserialize;

/// The largest width of a beam: more cannot be drawn.
pub const MOST_WIDTH: usize = 5;

/// A text, and what to do with it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The text as it was typed.
    pub text: String,
    /// How the translation is looked for.
    pub search: Search,
    /// What is changed in the model, if anything is.
    #[serde(default)]
    pub change: Option<Change>,
}

/// How a translation is looked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum Search {
    /// The most probable token at each step.
    Greedy,
    /// Beam search with the length penalty of the book's model.
    Beam {
        /// How many hypotheses are extended at a time.
        width: usize,
    },
    /// Tokens are drawn; the fields are those of the library's `Sampling`.
    Sample {
        /// By which the logits are divided.
        temperature: f64,
        /// How many of the most probable tokens can be drawn.
        top_k: usize,
        /// Which part of the probability can be drawn.
        top_p: f64,
        /// The seed of the generator of random numbers.
        seed: u64,
    },
}

/// One change in the model.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum Change {
    /// Target tokens attend to those after them, too.
    Mask,
    /// Source and target are embedded without their positions.
    Positions,
    /// Scores are not divided by √d_k, in any attention.
    Scale,
    /// What one head finds is not used.
    Head(Head),
}

/// One head of the model.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The kind of its attention.
    pub attention: Attention,
    /// The layer, counted from 1.
    pub layer: usize,
    /// The head in this layer, counted from 1.
    pub head: usize,
}

/// The three kinds of attention.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attention {
    /// Of source tokens to each other.
    Encoder,
    /// Of target tokens to themselves and those before.
    Decoder,
    /// Of target tokens to source tokens.
    Cross,
}

impl Request {
    /// The request that a JSON text makes.
    ///
    /// # Errors
    /// If it makes none.
    pub fn parse(json: &str) -> Result<Self, String> {
        let request: Self = serde_json::from_str(json)
            .map_err(|error| format!("This is no request: {error}."))?;
        request.search.check()?;
        Ok(request)
    }
}

impl Search {
    /// The settings must be such as the library can work with.
    fn check(&self) -> Result<(), String> {
        let (what, is_possible) = match *self {
            Self::Greedy => return Ok(()),
            Self::Beam { width } => (
                format!("A beam has a width from 1 to {MOST_WIDTH}."),
                (1..=MOST_WIDTH).contains(&width),
            ),
            Self::Sample { temperature, top_k, top_p, .. } => (
                "Sampling needs a temperature from 0.01 to 100, a top-k of \
                 1 or more, and a top-p above 0 and up to 1."
                    .to_owned(),
                (0.01..=100.0).contains(&temperature)
                    && top_k >= 1
                    && top_p > 0.0
                    && top_p <= 1.0,
            ),
        };
        if is_possible { Ok(()) } else { Err(what) }
    }
}

impl Head {
    /// An error, unless a model with so many layers and heads has this one.
    pub fn check(self, layers: usize, heads: usize) -> Result<(), String> {
        let Self { layer, head, .. } = self;
        match (1..=layers).contains(&layer) && (1..=heads).contains(&head) {
            true => Ok(()),
            false => Err(format!(
                "There is no head {head} in layer {layer}: the model has \
                 layers 1 to {layers}, with heads 1 to {heads}."
            )),
        }
    }
}
