//! How large the model is.

use crate::flags::{self, misuse};
use all_you_need::encoder::Config;
use all_you_need::training::Recipe;
use clap::{Args, ValueEnum};

/// How large the model is.
#[derive(Args)]
pub struct ModelSize {
    /// Sizes and hyperparameters to begin with, which other flags change;
    /// toy for a task, tiny for files. Their values are below.
    #[arg(long)]
    preset: Option<Preset>,
    /// The number of byte pairs that become tokens.
    #[arg(long, value_parser = flags::count_or_none)]
    merges: Option<usize>,
    #[command(flatten)]
    sizes: Sizes,
}

/// How deep and how wide it is.
#[derive(Args)]
pub struct Sizes {
    /// The number of layers; an encoder and a decoder have as many each.
    #[arg(long, value_parser = flags::layers)]
    layers: Option<usize>,
    /// The width of the rows between the layers.
    #[arg(long, value_parser = flags::count)]
    d_model: Option<usize>,
    /// The number of hidden units in each feed-forward network.
    #[arg(long, value_parser = flags::count)]
    d_ff: Option<usize>,
    /// The number of heads in every attention.
    #[arg(long, value_parser = flags::count)]
    heads: Option<usize>,
}

/// Sizes, and hyperparameters that suit them.
#[derive(Clone, Copy, ValueEnum)]
pub enum Preset {
    /// Learns a task in a few minutes.
    Toy,
    /// Learns to translate captions in a few hours.
    Tiny,
    /// The paper's base model.
    Base,
    /// The paper's big model.
    Big,
}

/// The tokens that are not merged: the bytes and two special ones.
pub const UNMERGED: usize = 256 + 2;

impl Preset {
    pub fn config(self) -> Config {
        match self {
            Self::Toy => Config::toy(),
            Self::Tiny => Config::tiny(),
            Self::Base => Config::base(),
            Self::Big => Config::big(),
        }
    }

    pub fn recipe(self) -> Recipe {
        match self {
            Self::Toy => Recipe::toy(),
            Self::Tiny => Recipe::tiny(),
            Self::Base => Recipe::base(),
            Self::Big => Recipe::big(),
        }
    }
}

/// What each preset sets, as a table for the help.
pub fn presets() -> String {
    let all = Preset::value_variants();
    let row = |name: &str, cell: &dyn Fn(Config, Recipe) -> String| {
        let cells = all.iter().map(|p| cell(p.config(), p.recipe()));
        let cells: String = cells.map(|cell| format!("{cell:>11}")).collect();
        format!("  {name:22}{cells}\n")
    };
    let name = |preset: &Preset| preset.to_possible_value();
    let names = all.iter().filter_map(name);
    let names = names.map(|name| format!("{:>11}", name.get_name()));
    let head = format!("{:24}{}\n", "Presets:", names.collect::<String>());
    let merges = |c: Config| c.vocabulary - UNMERGED;
    [
        head,
        row("merges", &|c, _| merges(c).to_string()),
        row("layers", &|c, _| c.layers.to_string()),
        row("d-model", &|c, _| c.d_model.to_string()),
        row("d-ff", &|c, _| c.d_ff.to_string()),
        row("heads", &|c, _| c.heads.to_string()),
        row("batch-tokens", &|_, r| r.batch_tokens.to_string()),
        row("parts", &|_, r| r.parts.to_string()),
        row("updates", &|_, r| r.updates.to_string()),
        row("bidirectional-updates", &|_, r| {
            r.bidirectional_updates.to_string()
        }),
        row("warmup", &|_, r| r.warmup.to_string()),
        row("peak-lr", &|_, r| format!("{:.6}", r.peak_lr)),
        row("dropout", &|_, r| r.dropout.to_string()),
        row("weight-decay", &|_, r| r.weight_decay.to_string()),
        row("label-smoothing", &|_, r| r.label_smoothing.to_string()),
    ]
    .concat()
}

impl ModelSize {
    /// The preset to begin with, if there are files or not.
    pub fn preset(&self, files: bool) -> Preset {
        let usual = if files { Preset::Tiny } else { Preset::Toy };
        self.preset.unwrap_or(usual)
    }

    /// The sizes of the model, with as many tokens as are asked for: the texts
    /// may have fewer. A task is learned letter by letter.
    pub fn config(&self, preset: Preset, files: bool) -> Config {
        let preset = preset.config();
        let merges = if files { preset.vocabulary - UNMERGED } else { 0 };
        let vocabulary = self.merges.unwrap_or(merges) + UNMERGED;
        self.sizes.of(Config { vocabulary, ..preset })
    }
}

impl Sizes {
    /// A model with what the flags change of this one.
    pub fn of(&self, usual: Config) -> Config {
        let layers = self.layers.unwrap_or(usual.layers);
        let d_model = self.d_model.unwrap_or(usual.d_model);
        let d_ff = self.d_ff.unwrap_or(usual.d_ff);
        let heads = self.heads.unwrap_or(usual.heads);
        if !d_model.is_multiple_of(heads) {
            misuse(format!(
                "{heads} heads do not divide a width of {d_model}"
            ));
        }
        let (d_k, d_v) = (d_model / heads, d_model / heads);
        let config =
            Config { layers, d_model, d_ff, heads, d_k, d_v, ..usual };
        config.check().unwrap_or_else(|error| misuse(error));
        config
    }
}
