//! What the book says of the crate, one module a chapter.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod golden;
#[path = "../common/property.rs"]
mod property;

mod ablation;
mod assistant;
mod attention;
mod bleu;
mod checkpoint;
mod classifier;
mod cluster;
mod corpus;
mod costs;
mod decoder;
mod dictionary;
mod embedding;
mod encoder;
mod gaps;
mod generic;
mod gradient;
mod heads;
mod labels;
mod layers;
mod learner;
mod loss;
mod mask;
mod ngram;
mod optimizer;
mod parameters;
mod plain;
mod position;
mod published;
mod quantization;
mod recurrence;
mod rival;
mod search;
mod speed;
mod tasks;
mod tensor;
mod today;
mod tokens;
mod training;
mod transformer;
mod translation;
mod writer;
