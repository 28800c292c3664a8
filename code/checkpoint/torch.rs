//! The weights as PyTorch's `nn.Transformer` has them.

use super::Error;
use super::files::new_file;
use super::tensors::{Model, Stored, pack};
use crate::decoder::DecoderLayer;
use crate::encoder::{Config, EncoderLayer};
use crate::heads::MultiHead;
use crate::layers::{LayerNorm, Linear};
use crate::tensor::Matrix;
use std::path::Path;

/// A model's weights under PyTorch's names.
#[derive(Default)]
struct Torch(Vec<(String, Stored)>);

impl Torch {
    fn put(&mut self, name: String, shape: &[usize], numbers: &[f32]) {
        self.0.push((name, Stored::of(shape.to_vec(), numbers)));
    }

    /// PyTorch keeps Wᵀ row by row, which is W column by column: as it lies
    /// in our memory.
    fn linear(&mut self, name: &str, layer: &Linear<Matrix<f32>>) {
        let (d_in, d_out) = layer.weight.shape();
        let (weight, bias) = (&layer.weight, &layer.bias);
        self.put(format!("{name}.weight"), &[d_out, d_in], weight.as_slice());
        self.put(format!("{name}.bias"), &[d_out], bias.as_slice());
    }

    fn norm(&mut self, name: &str, norm: &LayerNorm<Matrix<f32>>) {
        let (gain, bias) = (norm.gain.as_slice(), norm.bias.as_slice());
        self.put(format!("{name}.weight"), &[gain.len()], gain);
        self.put(format!("{name}.bias"), &[bias.len()], bias);
    }

    /// PyTorch stacks the three projections, and all four have a bias.
    fn attention(&mut self, name: &str, own: &MultiHead<Matrix<f32>>) {
        let d = own.w_o.ncols();
        let three = [&own.w_q, &own.w_k, &own.w_v].map(|w| w.as_slice());
        let (weights, zeros) = (three.concat(), vec![0.0; 3 * d]);
        self.put(format!("{name}.in_proj_weight"), &[3 * d, d], &weights);
        self.put(format!("{name}.in_proj_bias"), &[3 * d], &zeros);
        let bias = Matrix::zeros(1, d);
        let weight = own.w_o.clone();
        self.linear(&format!("{name}.out_proj"), &Linear { weight, bias });
    }
}

impl Torch {
    fn encoder(&mut self, name: &str, layer: &EncoderLayer<Matrix<f32>>) {
        let name = |part| format!("{name}.{part}");
        self.attention(&name("self_attn"), &layer.attention);
        self.norm(&name("norm1"), &layer.attention_norm);
        self.linear(&name("linear1"), &layer.feed_forward.inner);
        self.linear(&name("linear2"), &layer.feed_forward.outer);
        self.norm(&name("norm2"), &layer.feed_forward_norm);
    }

    fn decoder(&mut self, name: &str, layer: &DecoderLayer<Matrix<f32>>) {
        let name = |part| format!("{name}.{part}");
        self.attention(&name("self_attn"), &layer.self_attention);
        self.norm(&name("norm1"), &layer.self_norm);
        self.attention(&name("multihead_attn"), &layer.cross_attention);
        self.norm(&name("norm2"), &layer.cross_norm);
        self.linear(&name("linear1"), &layer.feed_forward.inner);
        self.linear(&name("linear2"), &layer.feed_forward.outer);
        self.norm(&name("norm3"), &layer.feed_forward_norm);
    }

    fn new(model: &Model) -> Self {
        let mut torch = Self::default();
        let table = Stored::new(&model.embedding.table);
        torch.0.push(("embedding.weight".to_string(), table));
        for (i, layer) in model.encoder.layers.iter().enumerate() {
            torch.encoder(&format!("encoder.layers.{i}"), layer);
        }
        for (i, layer) in model.decoder.layers.iter().enumerate() {
            torch.decoder(&format!("decoder.layers.{i}"), layer);
        }
        torch
    }
}

/// Writes a model's weights to a new file as PyTorch's `nn.Transformer`
/// reads them, and the embedding table as `embedding.weight`.
///
/// # Errors
/// If the heads are not as wide as PyTorch has them, d_model / h, if there
/// is something at `path`, or if the file cannot be written.
pub fn export(
    config: &Config,
    model: &Model,
    path: &Path,
) -> Result<(), Error> {
    let &Config { d_model, heads, d_k, d_v, .. } = config;
    if heads * d_k != d_model || heads * d_v != d_model {
        return Err(Error::NotForTorch { d_model, heads, d_k, d_v });
    }
    let bytes = pack(&Torch::new(model).0).map_err(Error::invalid(path))?;
    new_file(path, &bytes)
}
