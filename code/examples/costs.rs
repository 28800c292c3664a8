//! What a formula costs, before it is computed: `cargo run --example costs`

use all_you_need::attention::{Mask, attention, scores, weights};
use all_you_need::costs::{Bill, Cost, LayerKind, Shape, convolve};
use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::layers::FeedForward;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::Transformer;
use nalgebra::DVector;
use plot::{Bars, Chart, Diagram, Hue, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    first_bill();
    where_from();
    Work::of_base().print();
    convolved();
    layers_until_arrival();
    kernels();
    table_1();
    counted();
}

/// Rows × columns.
fn size(matrix: &impl Tensor) -> String {
    let (rows, columns) = matrix.shape();
    format!("{rows} × {columns}")
}

/// Queries and keys have four columns, values two.
const QUERIES: (usize, usize) = (3, 4);
const KEYS: (usize, usize) = (5, 4);
const VALUES: (usize, usize) = (5, 2);

/// What queries, keys and values under a mask become.
type Formula = fn([Shape; 3], &Mask) -> Shape;

/// The size of a formula's result, and its cost.
fn priced(formula: Formula) -> (String, Cost) {
    let bill = Bill::default();
    let inputs = [QUERIES, KEYS, VALUES].map(|(n, m)| bill.shape(n, m));
    let mask = Mask::none(QUERIES.0, KEYS.0);
    (size(&formula(inputs, &mask)), bill.cost())
}

/// The three functions of the chapter on attention, given shapes.
fn first_bill() {
    println!("== A first bill");
    println!("             result   multiply-adds   exponentials");
    let functions: [(&str, Formula); 3] = [
        ("scores", |[q, k, _], _| scores(&q, &k)),
        ("weights", |[q, k, _], mask| weights(&q, &k, mask)),
        ("attention", |[q, k, v], mask| attention(&q, &k, &v, mask)),
    ];
    for (name, function) in functions {
        let (size, cost) = priced(function);
        let (products, exponentials) =
            (cost.multiply_adds, cost.exponentials);
        println!("{name:12} {size:7}{products:15}{exponentials:15}");
    }
    let (size, cost) = priced(functions[2].1);
    draw_readings(&size, cost);
}

fn draw_readings(size: &str, cost: Cost) {
    let work = cost.multiply_adds;
    let mut figure = Diagram::new(
        "One formula, two implementations",
        &format!(
            "The formula attention(q, k, v, mask) is at the top. Given \
             matrices it returns {size} numbers; given shapes, the size \
             {size}, and {work} multiply-adds are on the bill."
        ),
        24.0,
        11.0,
    );
    let formula = "attention(q, k, v, mask)";
    let formula = figure.block((12.0, 1.4), (11.0, 1.8), formula, Hue::Rule);
    let matrix = figure.block((6.0, 5.5), (7.0, 1.8), "Matrix", Hue::Rule);
    let shape = figure.block((18.0, 5.5), (7.0, 1.8), "Shape", Hue::Rule);
    let numbers = format!("{size} numbers\nand no bill");
    let bill = format!("{size}\n{work} multiply-adds");
    for (reading, text) in [(matrix, numbers), (shape, bill)] {
        let (x, y) = reading.bottom();
        figure.arrow(&[formula.bottom(), reading.top()], Hue::Ink);
        figure.arrow(&[(x, y), (x, y + 1.8)], Hue::Ink);
        figure.note((x, y + 1.9), Side::Below, &text);
    }
    plot::save("costs-readings", &figure.draw());
}

fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

/// The parameters by what they are for, in the order of the model.
fn groups(config: &Config) -> Vec<(String, usize)> {
    let mut groups: Vec<(String, usize)> = Vec::new();
    shapes(config).map("", &mut |name, leaf| {
        let (stack, _) = name.split_once('.').unwrap_or((name, ""));
        let kind = ["norm", "feed_forward", "cross_attention", "attention"]
            .into_iter()
            .find(|kind| name.contains(kind));
        let group = match kind {
            None => "embedding table".to_string(),
            Some("norm") => format!("{stack}, norms"),
            Some("attention") => format!("{stack}, self-attention"),
            Some(kind) => format!("{stack}, {}", kind.replace('_', "-")),
        };
        let (rows, columns) = leaf.shape();
        match groups.iter_mut().find(|(found, _)| *found == group) {
            Some((_, size)) => *size += rows * columns,
            None => groups.push((group, rows * columns)),
        }
    });
    groups
}

/// Where the parameters of the paper's models are.
fn where_from() {
    let (base, big) = (Config::base(), Config::big());
    let millions = |(name, size): &(String, usize)| {
        format!("{name} {:.2}", *size as f64 / 1e6)
    };
    let list: Vec<_> = groups(&base).iter().map(millions).collect();
    let mut bars = Bars::new(
        "Where the parameters of the base model are",
        &format!("A bar for each group: {}.", list.join("; ")),
    )
    .heading("millions of parameters")
    .decimals(2);
    println!("\n== Where the parameters are");
    println!("{:26}{:>12}{:>14}", "", "base", "big");
    for ((name, small), (_, large)) in groups(&base).iter().zip(groups(&big))
    {
        println!("{name:26}{:>12}{:>14}", grouped(*small), grouped(large));
        bars = bars.bar(name, *small as f64 / 1e6);
    }
    let [small, large] = [&base, &big].map(|c| parameter_count(&shapes(c)));
    println!("{:26}{:>12}{:>14}", "in all", grouped(small), grouped(large));
    plot::save("costs-parameters", &bars.draw());

    let fitting = |millions: f64, size: usize, config: &Config| {
        let layers = size - config.vocabulary * config.d_model;
        let words = (millions * 1e6 - layers as f64) / config.d_model as f64;
        grouped((words / 100.0).round() as usize * 100)
    };
    let table = base.vocabulary * base.d_model;
    println!("\n== Sizes");
    println!("base = {}", grouped(small));
    println!("base, rounded = {:.1} million", small as f64 / 1e6);
    println!("big = {}", grouped(large));
    println!("big, rounded = {:.1} million", large as f64 / 1e6);
    println!("a second and a third table = {}", grouped(2 * table));
    let share = 100.0 * table as f64 / small as f64;
    println!("the table's share = {share:.0} %");
    println!("words for 65 million = {}", fitting(65.0, small, &base));
    println!("words for 213 million = {}", fitting(213.0, large, &big));
}

/// How many words the sentences have.
const WORDS: usize = 30;

/// What sentences cost in a model: the encoder, the decoder, and the product
/// with the embedding table.
struct Work {
    model: Transformer<Shape>,
    bill: Bill,
}

impl Work {
    fn of_base() -> Self {
        let bill = Bill::default();
        let model = Transformer::new(&Config::base(), &mut bill.clone());
        Self { model, bill }
    }

    /// What is on the bill because of this.
    fn cost(&self, work: impl FnOnce(&Transformer<Shape>)) -> Cost {
        let before = self.bill.cost();
        work(&self.model);
        let after = self.bill.cost();
        Cost {
            parameters: after.parameters - before.parameters,
            multiply_adds: after.multiply_adds - before.multiply_adds,
            exponentials: after.exponentials - before.exponentials,
            numbers: after.numbers - before.numbers,
        }
    }

    fn encoder(&self, n: usize) -> Cost {
        self.cost(|model| drop(model.encode(&[vec![0; n]])))
    }

    fn decoder(&self, n: usize, m: usize) -> Cost {
        let memory = self.model.encode(&[vec![0; m]]);
        self.cost(|model| drop(model.decode(&[vec![0; n]], &memory)))
    }

    fn table(&self, n: usize) -> Cost {
        let (_, width) = self.model.embedding.table.shape();
        let z = self.bill.shape(n, width);
        self.cost(|model| drop(model.logits(&z)))
    }

    fn print(&self) {
        let parts = [
            ("encoder", self.encoder(WORDS), self.encoder(2 * WORDS)),
            (
                "decoder",
                self.decoder(WORDS, WORDS),
                self.decoder(2 * WORDS, 2 * WORDS),
            ),
            (
                "product with the table",
                self.table(WORDS),
                self.table(2 * WORDS),
            ),
        ];
        println!("\n== Multiply-adds");
        println!("{:24}with parameters  between words  together", "");
        let mut sums = [0, 0];
        let line = |name: &str, [own, between]: [u64; 2]| {
            let columns = [own, between, own + between].map(millions);
            let [own, between, all] = columns;
            println!("{name:24}{own:>15}{between:>15}{all:>10}");
        };
        for (name, once, twice) in parts {
            // What grows with the square becomes four times as much when all
            // else becomes twice as much.
            let (once, twice) = (once.multiply_adds, twice.multiply_adds);
            let between = (twice - 2 * once) / 2;
            let columns = [once - between, between];
            line(name, columns);
            sums = [sums[0] + columns[0], sums[1] + columns[1]];
        }
        line("in all", sums);
        let forward = sums[0] + sums[1];
        let parameters = parameter_count(&self.model) as u64;
        let words = WORDS as u64;
        println!("\n== The rule of thumb");
        println!("products with parameters = {}", millions(sums[0]));
        println!("products between words = {}", millions(sums[1]));
        println!("words times parameters = {}", millions(words * parameters));
        println!(
            "all tokens times all = {}",
            millions(2 * words * parameters)
        );
        let exponentials = self.encoder(WORDS).exponentials
            + self.decoder(WORDS, WORDS).exponentials;
        println!("exponentials = {}", grouped(exponentials));
        let pass = self.cost(|model| {
            let sentence = [vec![0; WORDS]];
            drop(model.forward(&sentence, &sentence));
        });
        let written = pass.numbers as f64 / 1e6;
        println!("numbers written = {written:.1} million");
        println!("megabytes = {:.0}", 4.0 * written);
        self.one_by_one(forward);
    }

    /// The same sentence, one word at a time.
    fn one_by_one(&self, forward: u64) {
        let (words, width) = (WORDS as u64, D_MODEL as u64);
        let layers = self.model.decoder.layers.len() as u64;
        let rows: u64 = (1..=words).sum();
        let squares: u64 = (1..=words).map(|n| n * n).sum();
        let between = 2 * layers * width * (squares + rows * words);
        let memory = 2 * layers * width * width * words * words;
        let lengths = 1..=WORDS;
        let decoders = lengths.map(|n| self.decoder(n, WORDS).multiply_adds);
        let decoder: u64 = decoders.sum();
        let encoder = self.encoder(WORDS).multiply_adds;
        let table = words * self.table(1).multiply_adds;
        let all = encoder + decoder + table;
        println!("\n== One word at a time");
        println!("{:40}rows   millions", "");
        let line = |name: &str, rows: String, work: u64| {
            println!("{name:38}{rows:>6}{:>11}", millions(work));
        };
        line("encoder", words.to_string(), encoder);
        line("decoder, rows of the target", rows.to_string(), {
            decoder - memory - between
        });
        let again = (words * words).to_string();
        line("decoder, keys and values of the memory", again, memory);
        line("decoder, between words", String::new(), between);
        line("product with the table", words.to_string(), table);
        line("in all", String::new(), all);
        println!("\n== Seven times");
        println!("times as much = {:.1}", all as f64 / forward as f64);
    }
}

fn millions(n: u64) -> String {
    grouped((n as f64 / 1e6).round() as usize)
}

/// One convolution by hand.
fn convolved() {
    println!("\n== A convolution");
    let words = [2.0, 0.0, 4.0];
    let list = |numbers: &[f64]| {
        let numbers = numbers.iter().map(f64::to_string);
        numbers.collect::<Vec<_>>().join(", ")
    };
    println!("before the convolution = {}", list(&words));
    println!("convolved = {}", list(&convolve(&words, &[1.0, 0.5], 1)));
}

/// The first of `n` words is 1, the others are 0. Convolutions over the mean
/// of `k` words lie on top of each other until something reaches the last:
/// how many layers?
fn arrival(n: usize, k: usize, dilated: bool) -> usize {
    let kernel = vec![1.0 / k as f64; k];
    let mut x = vec![0.0; n];
    x[0] = 1.0;
    let mut step = 1;
    for layers in 1..=n {
        x = convolve(&x, &kernel, step);
        if x[n - 1] > 0.0 {
            return layers;
        }
        step *= if dilated { k } else { 1 };
    }
    panic!("nothing arrives")
}

fn layers_until_arrival() {
    println!("\n== Layers until the first word arrives");
    println!("   n   recurrence   convolution   dilated   attention");
    for n in [10, 100, 1000] {
        let (layers, dilated) = (arrival(n, 3, false), arrival(n, 3, true));
        let recurrence = LayerKind::Recurrent.path(n);
        let attention = LayerKind::Attention.path(n);
        println!("{n:4}{recurrence:13}{layers:14}{dilated:10}{attention:12}");
    }
    draw_kernels();
    draw_paths();
}

/// The ways from nine words to the last of them, through convolutions.
fn draw_kernels() {
    let mut figure = Diagram::new(
        "The ways to the last of nine words",
        &format!(
            "Two stacks of convolutions over nine words, with the lines that \
             lead to the last word at the top. Plain ones need {} layers until \
             the first word is reached, dilated ones {}.",
            arrival(9, 3, false),
            arrival(9, 3, true)
        ),
        30.0,
        12.0,
    );
    for (left, name, dilated) in [
        (1.5, "convolution, *k* = 3", false),
        (16.5, "dilated, *k* = 3", true),
    ] {
        let layers = arrival(9, 3, dilated);
        let place = |word: usize, layer: usize| {
            (left + 1.5 * word as f64, 9.5 - 2.0 * layer as f64)
        };
        let mut seen = vec![8];
        for layer in (1..=layers).rev() {
            let step = if dilated { 3usize.pow(layer as u32 - 1) } else { 1 };
            let reached = |&i: &usize| {
                let back = (0..3).filter_map(move |j| {
                    let below = i.checked_sub(j * step)?;
                    Some((i, below))
                });
                back.collect::<Vec<_>>()
            };
            let ways: Vec<_> = seen.iter().flat_map(reached).collect();
            for &(above, below) in &ways {
                let way = [place(above, layer), place(below, layer - 1)];
                figure.line(&way, Hue::Ink);
            }
            seen = ways.into_iter().map(|(_, below)| below).collect();
            seen.dedup();
        }
        for layer in 0..=layers {
            for word in 0..9 {
                figure.circle(place(word, layer), "");
            }
        }
        figure.note((left + 6.0, 10.8), Side::Below, name);
    }
    plot::save("costs-kernels", &figure.draw());
}

/// How many of six words move when the third of them does, *jumped*.
fn kernels() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let x: Matrix = rng.uniform(6, 8, 1.0);
    let mut changed = x.clone();
    changed.row_mut(2).add_scalar_mut(0.1);
    let layer: FeedForward<Matrix> = FeedForward::new(8, 32, rng);
    let moved = |name, f: &dyn Fn(&Matrix) -> Matrix| {
        let change = f(&changed) - f(&x);
        let moved = change.row_iter().filter(|row| row.norm() > 0.0).count();
        println!("words that move, {name} = {moved}");
    };
    let columns = |x: &Matrix, kernel: &[f64]| {
        let convolved = x.column_iter().map(|column| {
            let column: Vec<f64> = column.iter().copied().collect();
            DVector::from_vec(convolve(&column, kernel, 1))
        });
        Matrix::from_columns(&convolved.collect::<Vec<_>>())
    };
    println!("\n== A kernel of one");
    moved("kernel of 3", &|x| columns(x, &[0.5, 0.3, 0.2]));
    moved("feed-forward", &|x| layer.forward(x));
}

fn draw_paths() {
    let path = |layer: LayerKind| {
        let lengths = (2..=1000).step_by(2);
        lengths.map(move |n| (n as f64, layer.path(n) as f64))
    };
    let chart = Chart::new(
        "Steps from the first word to the last",
        "On two logarithmic axes recurrence and convolution rise side by \
         side in straight lines, dilated convolution goes up a few low \
         stairs, and attention stays at one.",
    )
    .x("words in the sentence")
    .y("layers or steps")
    .size(450.0, 290.0)
    .log_x()
    .log_y()
    .line("recurrence", path(LayerKind::Recurrent))
    .line("convolution, *k* = 3", path(LayerKind::Convolution(3)))
    .line("dilated, *k* = 3", path(LayerKind::Dilated(3)))
    .line("attention", path(LayerKind::Attention));
    plot::save("costs-path", &chart.draw());
}

/// The width of the paper's base model.
const D_MODEL: usize = 512;

/// The paper's table, with numbers in it.
fn table_1() {
    println!("\n== Table 1 with numbers");
    println!("                        million multiply-adds   rounds   path");
    println!("                     n = 30  n = 512  n = 2048      n = 2048");
    for (name, layer) in [
        ("attention", LayerKind::Attention),
        ("recurrence", LayerKind::Recurrent),
        ("convolution, k = 3", LayerKind::Convolution(3)),
        ("dilated, k = 3", LayerKind::Dilated(3)),
        ("attention, r = 16", LayerKind::Restricted(16)),
    ] {
        let cost = |n| layer.cost(n, D_MODEL) as f64 / 1e6;
        let (few, some, many) = (cost(30), cost(512), cost(2048));
        let (rounds, path) = (layer.rounds(2048), layer.path(2048));
        println!("{name:20}{few:7.1}{some:9.0}{many:10.0}{rounds:9}{path:7}");
    }
    let cost = |layer: LayerKind, n| layer.cost(n, D_MODEL);
    let dearer = |n: &usize| {
        cost(LayerKind::Attention, *n) >= cost(LayerKind::Recurrent, *n)
    };
    println!("\n== Equal costs");
    println!("as much work at n = {}", (1..).find(dearer).unwrap());
}

/// The multiply-adds of one attention, with all that the table leaves out.
fn attention_counted(n: usize) -> f64 {
    let mut bill = Bill::default();
    let heads: MultiHead<Shape> =
        MultiHead::new(8, D_MODEL, (D_MODEL / 8, D_MODEL / 8), &mut bill);
    let x = bill.shape(n, D_MODEL);
    let _ = heads.forward(&x, &x, &Mask::none(n, n));
    bill.cost().multiply_adds as f64
}

/// The same of a recurrent layer: for each gate, and for what is to be
/// remembered, one W and one U.
fn recurrence_counted(n: usize, gates: usize) -> f64 {
    let bill = Bill::default();
    let (words, table) =
        (bill.shape(n, D_MODEL), bill.shape(D_MODEL, D_MODEL));
    for _ in 0..2 * (gates + 1) {
        let _ = words.matmul(&table);
    }
    bill.cost().multiply_adds as f64
}

/// What a word costs, in d².
fn a_word(n: usize, cost: f64) -> f64 {
    cost / (n * D_MODEL * D_MODEL) as f64
}

fn counted() {
    let dearer =
        |n: &usize| attention_counted(*n) >= recurrence_counted(*n, 3);
    println!("\n== Counted to the end");
    let equal = (1..).find(dearer).unwrap();
    println!("as much as an LSTM at n = {}", grouped(equal));
    println!("attention = {:.1} d²", a_word(30, attention_counted(30)));
    println!("recurrence = {:.0} d²", a_word(30, recurrence_counted(30, 0)));
    println!("LSTM = {:.0} d²", a_word(30, recurrence_counted(30, 3)));
    draw_cost();
}

fn draw_cost() {
    let line = |cost: fn(usize) -> f64| {
        let lengths = (1..=32).map(|i| 64 * i);
        lengths.map(move |n| (n as f64, a_word(n, cost(n))))
    };
    let gated = |n| recurrence_counted(n, 3);
    let crossing = (1..).find(|&n| attention_counted(n) >= gated(n)).unwrap();
    let chart = Chart::new(
        "What a word costs",
        &format!(
            "Multiply-adds a word, in units of d². As Table 1 counts, \
             recurrence stays at one and attention rises through it at n = d. \
             Counted to the end, attention starts at {:.1}, passes the LSTM's \
             {:.0} at n = {crossing}, and is never below the {:.0} of a plain \
             recurrent layer.",
            a_word(1, attention_counted(1)),
            a_word(1, gated(1)),
            a_word(1, recurrence_counted(1, 0))
        ),
    )
    .x("words in the sentence, *d* = 512")
    .y("multiply-adds a word, in *d*²")
    .size(450.0, 330.0)
    .guide_x(D_MODEL as f64, "*n* = *d*")
    .guide_x(2.0 * D_MODEL as f64, "*n* = 2*d*")
    .line(
        "attention, Table 1",
        line(|n| LayerKind::Attention.cost(n, 512) as f64),
    )
    .line(
        "recurrence, Table 1",
        line(|n| LayerKind::Recurrent.cost(n, 512) as f64),
    )
    .line("attention, counted", line(attention_counted))
    .line("LSTM, counted", line(|n| recurrence_counted(n, 3)))
    .line("recurrence, counted", line(|n| recurrence_counted(n, 0)));
    plot::save("costs-cost", &chart.draw());
}
