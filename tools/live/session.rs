//! A model that has been loaded, and what it answers.

use crate::answer::Answer;
use crate::playground::{Began, Learned};
use crate::record::Method;
use crate::request::{MOST_WIDTH, Request};
use crate::text::{MOST_WORDS, prepared};
use crate::variant::Variant;
use all_you_need::Translator;
use all_you_need::checkpoint::Error;
use all_you_need::quantization::QuantizedModel;
use serde::Serialize;

/// The most tokens that a text may become: more maps of more rows cannot be
/// drawn.
const MOST_TOKENS: usize = 128;

/// The most bytes of a request. Those of 60 words are far fewer.
pub const MOST_BYTES: usize = 1 << 16;

/// The book's model, ready to answer.
#[derive(Debug)]
pub struct Session {
    translator: Translator,
}

impl Session {
    /// A session with the model in the content of these files: `config.toml`,
    /// `merges.txt` and `model.safetensors` of a quantized model.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn new(
        settings: &[u8],
        merges: &[u8],
        model: &[u8],
    ) -> Result<Self, Error> {
        let model = QuantizedModel::parse(settings, merges, model)?;
        Ok(Self { translator: model.into() })
    }

    /// What a page has to know before it asks, as JSON.
    pub fn ready(&self) -> String {
        let config = &self.translator.config;
        Reply::Ready(Ready {
            vocabulary: config.vocabulary,
            layers: config.layers,
            heads: config.heads,
            d_model: config.d_model,
            d_k: config.d_k,
            most_words: MOST_WORDS,
            most_tokens: MOST_TOKENS,
            most_width: MOST_WIDTH,
            alpha: Translator::CAPTIONS_ALPHA,
        })
        .json()
    }
}

/// The sizes of a model and of what can be asked of it.
#[derive(Debug, Serialize)]
pub struct Ready {
    vocabulary: usize,
    layers: usize,
    heads: usize,
    d_model: usize,
    d_k: usize,
    most_words: usize,
    most_tokens: usize,
    most_width: usize,
    alpha: f64,
}

/// What is sent back.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    Ready(Ready),
    Answer(Box<Answer>),
    Began(Began),
    Learned(Learned),
    Error(String),
}

impl Reply {
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("it has no keys but texts")
    }
}

/// A sentence that says what is wrong, as JSON.
pub fn error(sentence: impl Into<String>) -> String {
    Reply::Error(sentence.into()).json()
}

/// What is sent back to a request of more than [`MOST_BYTES`].
pub fn too_long(bytes: usize) -> String {
    error(format!(
        "This text is too long: {bytes} bytes, where at most {MOST_BYTES} \
         are read."
    ))
}

/// The answer to a request, both as JSON. To a request that cannot be
/// answered it is a sentence that says why.
pub fn answer(session: &Session, request: &str) -> String {
    if request.len() > MOST_BYTES {
        return too_long(request.len());
    }
    match session.answer(request) {
        Ok(answer) => Reply::Answer(Box::new(answer)).json(),
        Err(sentence) => error(sentence),
    }
}

impl Session {
    fn answer(&self, request: &str) -> Result<Answer, String> {
        let Request { text, search, change } = Request::parse(request)?;
        let Translator { tokenizer, .. } = &self.translator;
        let text = prepared(&text)?;
        let source = tokenizer.encode_source(&text);
        let tokens = source.len();
        if tokens > MOST_TOKENS {
            return Err(format!(
                "This text becomes {tokens} tokens, and at most \
                 {MOST_TOKENS} can be drawn."
            ));
        }
        let variant = Variant::new(&self.translator, change)?;
        let method = Method::new(&search, &self.translator);
        Answer::new(text, &source, &variant, &method, tokenizer)
    }
}
