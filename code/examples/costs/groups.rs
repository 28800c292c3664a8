//! Where the parameters of a model are.

use super::shapes;
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Tensor;
use print::{Fixed, grouped, section, table, value};

/// The parameters by what they are for, in the order of the model.
pub fn groups(config: &Config) -> Vec<(String, usize)> {
    let mut groups: Vec<(String, usize)> = Vec::new();
    for (name, leaf) in shapes(config).leaves() {
        let (stack, _) = name.split_once('.').expect("a part and a leaf");
        let kinds = ["norm", "feed_forward", "cross_attention", "attention"];
        let group = match kinds.iter().find(|kind| name.contains(*kind)) {
            None => "embedding table".to_owned(),
            Some(&"norm") => format!("{stack}, norms"),
            Some(&"attention") => format!("{stack}, self-attention"),
            Some(kind) => format!("{stack}, {}", kind.replace('_', "-")),
        };
        let (rows, columns) = leaf.shape();
        match groups.iter_mut().find(|(found, _)| *found == group) {
            Some((_, size)) => *size += rows * columns,
            None => groups.push((group, rows * columns)),
        }
    }
    groups
}

pub fn where_the_parameters_are() {
    let (base, big) = (Config::base(), Config::big());
    let [small, large] = [&base, &big].map(|c| parameter_count(&shapes(c)));
    section("Where the parameters are");
    let both = groups(&base).into_iter().zip(groups(&big));
    let rows = both.map(|((name, a), (_, b))| (name, [a, b].map(grouped)));
    let all = ("in all".to_owned(), [small, large].map(grouped));
    table(["", "base", "big"], rows.chain([all]));
    let one = base.vocabulary * base.d_model;
    section("Sizes");
    value("base", grouped(small));
    value("base, rounded", format!("{:.1} million", small as f64 / 1e6));
    value("big", grouped(large));
    value("big, rounded", format!("{:.1} million", large as f64 / 1e6));
    value("a second and a third table", grouped(2 * one));
    value("the table's share", (one as f64 / small as f64).percent(0));
}
