//! The weights as PyTorch's `nn.Transformer` has them.

use super::Error;
use super::files::{new_file, read};
use super::tensors::{Model, Stored, Tensors, most_bytes, pack_with, sizes};
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

/// The name of the sizes in the header of the file.
const CONFIG: &str = "config";

/// Writes a model's weights to a new file as PyTorch's `nn.Transformer`
/// reads them, and the embedding table as `embedding.weight`. The header has
/// the text `config`: the sizes and the number of heads, as TOML.
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
    let sizes = toml::to_string(config).expect("numbers");
    let bytes = pack_with(&Torch::new(model).0, Some((CONFIG, sizes)));
    new_file(path, &bytes.map_err(Error::invalid(path))?)
}

/// A file with PyTorch's names that is being read.
struct Import<'a>(Tensors<'a>);

impl Import<'_> {
    fn linear(
        &mut self,
        name: &str,
        own: &mut Linear<Matrix<f32>>,
    ) -> Result<(), String> {
        let (d_in, d_out) = own.weight.shape();
        let Self(file) = self;
        let weight = format!("{name}.weight");
        let weight = file.numbers::<f32>(&weight, &[d_out, d_in])?;
        own.weight.copy_from_slice(&weight);
        let bias = file.numbers::<f32>(&format!("{name}.bias"), &[d_out])?;
        own.bias.copy_from_slice(&bias);
        Ok(())
    }

    fn norm(
        &mut self,
        name: &str,
        own: &mut LayerNorm<Matrix<f32>>,
    ) -> Result<(), String> {
        let (Self(file), d) = (self, own.gain.ncols());
        let gain = file.numbers::<f32>(&format!("{name}.weight"), &[d])?;
        own.gain.copy_from_slice(&gain);
        let bias = file.numbers::<f32>(&format!("{name}.bias"), &[d])?;
        own.bias.copy_from_slice(&bias);
        Ok(())
    }

    /// Our attention has no biases, so PyTorch's must be zeros.
    fn attention(
        &mut self,
        name: &str,
        own: &mut MultiHead<Matrix<f32>>,
    ) -> Result<(), String> {
        let d = own.w_o.ncols();
        let Self(file) = self;
        let stacked = format!("{name}.in_proj_weight");
        let stacked = file.numbers::<f32>(&stacked, &[3 * d, d])?;
        let three = [&mut own.w_q, &mut own.w_k, &mut own.w_v];
        for (own, part) in three.into_iter().zip(stacked.chunks(d * d)) {
            own.copy_from_slice(part);
        }
        let biases = format!("{name}.in_proj_bias");
        let mut biases = file.numbers::<f32>(&biases, &[3 * d])?;
        let (weight, bias) = (own.w_o.clone(), Matrix::zeros(1, d));
        let mut out = Linear { weight, bias };
        self.linear(&format!("{name}.out_proj"), &mut out)?;
        biases.extend(&out.bias);
        if biases.iter().any(|&bias| bias != 0.0) {
            return Err(format!("{name} has biases, and ours has none"));
        }
        own.w_o = out.weight;
        Ok(())
    }
}

impl Import<'_> {
    fn encoder(
        &mut self,
        name: &str,
        layer: &mut EncoderLayer<Matrix<f32>>,
    ) -> Result<(), String> {
        let name = |part| format!("{name}.{part}");
        self.attention(&name("self_attn"), &mut layer.attention)?;
        self.norm(&name("norm1"), &mut layer.attention_norm)?;
        self.linear(&name("linear1"), &mut layer.feed_forward.inner)?;
        self.linear(&name("linear2"), &mut layer.feed_forward.outer)?;
        self.norm(&name("norm2"), &mut layer.feed_forward_norm)
    }

    fn decoder(
        &mut self,
        name: &str,
        layer: &mut DecoderLayer<Matrix<f32>>,
    ) -> Result<(), String> {
        let name = |part| format!("{name}.{part}");
        self.attention(&name("self_attn"), &mut layer.self_attention)?;
        self.norm(&name("norm1"), &mut layer.self_norm)?;
        self.attention(&name("multihead_attn"), &mut layer.cross_attention)?;
        self.norm(&name("norm2"), &mut layer.cross_norm)?;
        self.linear(&name("linear1"), &mut layer.feed_forward.inner)?;
        self.linear(&name("linear2"), &mut layer.feed_forward.outer)?;
        self.norm(&name("norm3"), &mut layer.feed_forward_norm)
    }

    /// Reads all weights of a model of these sizes.
    fn model(
        mut self,
        config: &Config,
        model: &mut Model,
    ) -> Result<(), String> {
        if let Some(sizes) = self.0.text(CONFIG) {
            let found: Config =
                toml::from_str(sizes).map_err(|e| e.to_string())?;
            if found != *config {
                return Err("it has other sizes or heads".to_owned());
            }
        }
        let table = model.embedding.table.shape();
        model.embedding.table = self.0.take("embedding.weight", table)?;
        for (i, layer) in model.encoder.layers.iter_mut().enumerate() {
            self.encoder(&format!("encoder.layers.{i}"), layer)?;
        }
        for (i, layer) in model.decoder.layers.iter_mut().enumerate() {
            self.decoder(&format!("decoder.layers.{i}"), layer)?;
        }
        self.0.finish()
    }
}

/// Puts the weights of a file that [`export`] has written, or PyTorch with the
/// same names, into a model of the same sizes.
///
/// PyTorch's attention may have biases, and ours has none, so they must be
/// zeros. If the header has `config`, it must be this one: the names and shapes
/// alone do not say how many heads there are.
///
/// # Errors
/// If the file cannot be read, or is not of a model of these sizes. Then some
/// weights may have been replaced, and others not.
pub fn import(
    config: &Config,
    model: &mut Model,
    path: &Path,
) -> Result<(), Error> {
    let most = 2 * most_bytes(&sizes(&*model, ""));
    let bytes = read(path, most)?;
    let read = Tensors::parse(&bytes)
        .and_then(|file| Import(file).model(config, model));
    read.map_err(Error::invalid(path))
}
