//! A model as a tree: `cargo run --example parameters`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::layers::Linear;
use all_you_need::optimizer::descend;
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use print::{Fixed, grouped, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    taxi();
    counts();
    names();
    beginnings();
    forgotten();
}

/// Two rides: how many kilometres, and what was paid.
const RIDES: [(f64, f64); 2] = [(1.0, 7.0), (3.0, 13.0)];

/// The learning rate.
pub const LR: f64 = 0.05;

/// A price of 4 for a kilometre and a base fare of 2, as a linear layer.
pub fn guess() -> Linear<Matrix> {
    Linear { weight: dmatrix![4.0], bias: dmatrix![2.0] }
}

/// The squared error of one ride in a taxi.
fn squared_error(
    taxi: &Linear<Variable<f64>>,
    (km, paid): (f64, f64),
) -> Variable<f64> {
    let number = |x| taxi.bias.constant(&dmatrix![x]);
    let error = taxi.forward(&number(km)).add(&number(-paid));
    error.matmul(&error)
}

/// The loss of both rides.
pub fn both_rides(taxi: &Linear<Variable<f64>>) -> Variable<f64> {
    let [short, long] = RIDES.map(|ride| squared_error(taxi, ride));
    short.add(&long)
}

/// Takes so many steps against the gradient.
fn train(taxi: &mut Linear<Matrix>, steps: usize) {
    for _ in 0..steps {
        let (_, slopes) = gradient(taxi, both_rides);
        descend(taxi, &slopes, LR);
    }
}

fn taxi() {
    let mut taxi = guess();
    let [(_, short), (_, long)] =
        RIDES.map(|ride| gradient(&taxi, |taxi| squared_error(taxi, ride)));
    let mut sum = short.clone();
    add_into(&mut sum, &long);
    let trees = [&taxi, &short, &long, &sum];
    let names = ["parameters", "short ride", "long ride", "both, added"];
    section("The taxi as a layer");
    let row = |(name, tree): (&'static str, &Linear<Matrix>)| {
        let cell = |leaf: &Matrix| grouped(leaf[0]);
        (name, cell(&tree.weight), cell(&tree.bias))
    };
    table(["", "weight", "bias"], names.into_iter().zip(trees).map(row));
    section("The taxi, trained");
    value("at the start", gradient(&taxi, both_rides).0.fixed(2));
    train(&mut taxi, 200);
    value("weight", taxi.weight[0].fixed(2));
    value("bias", taxi.bias[0].fixed(2));
    value("with both", gradient(&taxi, both_rides).0.fixed(2));
}

/// Rows × columns.
fn size(m: &impl Tensor) -> String {
    let (rows, columns) = m.shape();
    format!("{rows} × {columns}")
}

fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

fn counts() {
    section("Counts");
    let model = shapes(&Config::base());
    let all = parameter_count(&model);
    let layers = all - parameter_count(&model.embedding);
    value(
        "share of the layers, base",
        (layers as f64 / all as f64).percent(0),
    );
    value("leaves in all", model.leaves().len());
    let translator = shapes(&Config::tiny());
    value("leaves of the translator", translator.leaves().len());
}

/// The parameters of one layer of the base model.
fn names() {
    let model = shapes(&Config::base());
    let leaves = model.leaves().into_iter();
    section("One layer");
    let rows = leaves.filter_map(|(name, leaf)| {
        let of_layer = name.starts_with("encoder.layers.0.");
        of_layer.then(|| [name, size(leaf)])
    });
    table(["leaf", "shape"], rows);
}

/// How many different columns a matrix has.
fn different_columns(m: &Matrix) -> usize {
    let new = |&j: &usize| {
        (0..j).all(|i| (m.column(i) - m.column(j)).amax() > 1e-12)
    };
    (0..m.ncols()).filter(new).count()
}

/// Makes all hidden units of the encoder's first feed-forward network equal:
/// each reads its input with the same column, and writes with the same row.
fn equal_units(mut model: Transformer<Matrix>) -> Transformer<Matrix> {
    let net = &mut model.encoder.layers[0].feed_forward;
    let (read, write) = (&mut net.inner.weight, &mut net.outer.weight);
    let (column, row) =
        (read.column(0).into_owned(), write.row(0).into_owned());
    *read = Matrix::from_fn(read.nrows(), read.ncols(), |i, _| column[i]);
    *write = Matrix::from_fn(write.nrows(), write.ncols(), |_, j| row[j]);
    model
}

/// For four beginnings of a small model: how many leaves have a gradient at
/// all, and how many different columns that of the first layer's inner matrix
/// has.
fn beginnings() {
    let random = Transformer::<Matrix>::new(
        &Config { vocabulary: 12, ..Config::toy() },
        &mut ChaCha8Rng::seed_from_u64(1),
    );
    let filled = |number: f64| {
        random.map("", &mut |name, leaf: &Matrix| match name {
            name if name.contains("norm") => leaf.clone(),
            _ => leaf.map(|_| number),
        })
    };
    let sentences = [vec![10, 3, 1, 4, 11], vec![10, 5, 9, 11]];
    let equal = equal_units(random.clone());
    let models = [filled(0.0), filled(0.1), equal, random.clone()];
    section("Four beginnings");
    let slopes_of = |model: &Transformer<Matrix>| {
        let loss = |model: &Transformer<Variable<f64>>| {
            model.loss(&sentences, &sentences, 0.0)
        };
        gradient(model, loss).1
    };
    let row = |(name, model): (&'static str, &Transformer<Matrix>)| {
        let slopes = slopes_of(model);
        let leaves = slopes.leaves().into_iter();
        let moving = leaves.filter(|(_, leaf)| leaf.amax() > 1e-12);
        let inner = &slopes.encoder.layers[0].feed_forward.inner.weight;
        let columns = match inner.amax() > 1e-12 {
            true => different_columns(inner).to_string(),
            false => "all zero".to_string(),
        };
        (name, moving.count(), columns)
    };
    let names = ["zeros", "0.1 everywhere", "random, equal units", "random"];
    let names = names.into_iter();
    table(
        ["", "leaves with a gradient", "different columns"],
        names.zip(&models).map(row),
    );
    section("Four beginnings, in the text");
    value("leaves of this model", random.leaves().len());
    let inner =
        &slopes_of(&random).encoder.layers[0].feed_forward.inner.weight;
    let shut = inner.column_iter().filter(|column| column.amax() == 0.0);
    value("columns of the inner matrix", inner.ncols());
    value("columns of zeros", shut.count());
}

/// Training that forgets the fare, which stays as it was.
fn forgotten() {
    let mut taxi = guess();
    for _ in 0..200 {
        train(&mut taxi, 1);
        taxi.bias = guess().bias;
    }
    section("Forgetting the fare");
    value("without the fare", gradient(&taxi, both_rides).0.fixed(2));
}
