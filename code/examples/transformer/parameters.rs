//! What a model has learned, part by part.

use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::translation::Translator;
use print::{grouped, section, table, value};

/// How many parameters each kind of part has.
pub fn table_of(translator: &Translator) {
    let leaves = translator.model.leaves();
    let line = |(name, is_of, leaves_of_one): (
        &'static str,
        &'static str,
        usize,
    )| {
        let own = leaves.iter().filter(|(path, _)| path.contains(is_of));
        let sizes: Vec<usize> = own.map(|(_, leaf)| leaf.len()).collect();
        let parts = sizes.len() / leaves_of_one;
        let all: usize = sizes.iter().sum();
        let [one, all] = [all / parts, all].map(grouped);
        (name, parts, one, all)
    };
    section("Parameters");
    let parts = [
        ("embedding table", "embedding.", 1),
        ("attention", "attention.", 4),
        ("feed-forward", "feed_forward.", 4),
        ("layer norm", "norm.", 2),
    ];
    table(["", "parts", "of one", "together"], parts.map(line));
    section("In all");
    value("in all", grouped(parameter_count(&translator.model)));
}
