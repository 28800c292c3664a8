//! The figures of the chapter on matrices.

#[path = "../code/examples/tensor.rs"]
#[expect(dead_code, reason = "the figures need some of its functions")]
mod example;

use all_you_need::tensor::Matrix;
use example::weights;
use nalgebra::dmatrix;
use plot::{Diagram, Figure, HeatMaps, Hue, Panel, Side};

const KEYS: [&str; 3] = ["apple", "banana", "chair"];
const QUERIES: [&str; 2] = ["fruit", "furniture"];
const FEATURES: [&str; 2] = ["price", "bites"];

pub fn draw() {
    plot::save("tensor-product", &product());
    plot::save("tensor-mixing", &mixing());
    plot::save("tensor-comparing", &comparing());
}

/// The price of each key, and the bites in it.
fn values() -> Matrix {
    dmatrix![10.0, 8.0; 5.0, 6.0; 2.0, 0.0]
}

/// Each cell of the product where its row and its column cross.
fn product() -> Figure {
    let (weights, values) = (weights(), values());
    let answers = &weights * &values;
    let terms =
        weights.row(0).transpose().zip_map(&values.column(0), |w, v| (w, v));
    let terms = terms.iter().map(|(w, v)| format!("{w:.2} · {v}"));
    let description = format!(
        "The weights, two rows of three, stand at the left, and the values, \
         three rows of two, above. Where the row of fruit meets the column of \
         the price is {} = {:.2}.",
        terms.collect::<Vec<_>>().join(" + "),
        answers[(0, 0)]
    );
    let mut figure =
        Diagram::new("A matrix product", &description, 18.0, 12.5);
    let x = |column: usize| 4.2 + 2.4 * column as f64;
    let y = |row: usize| 2.6 + 1.7 * row as f64;
    let mut cells = |matrix: &Matrix, (row, column): (usize, usize), digits: usize, hue| {
        for i in 0..matrix.nrows() {
            for j in 0..matrix.ncols() {
                let at = (x(column + j), y(row + i));
                let text = format!("{:.digits$}", matrix[(i, j)]);
                figure.block(at, (2.2, 1.5), &text, hue);
            }
        }
    };
    cells(&values, (0, 4), 0, Hue::VALUES);
    cells(&weights, (4, 0), 2, Hue::WEIGHTS);
    cells(&answers, (4, 4), 2, Hue::Rule);
    for (from, to) in [((4, 0), (5, 3)), ((0, 4), (3, 5)), ((4, 4), (5, 5))] {
        let (left, right) = (x(from.1) - 1.2, x(to.1) - 1.2);
        let (top, bottom) = (y(from.0) - 0.85, y(to.0) - 0.85);
        let corners = [
            (left, top),
            (right, top),
            (right, bottom),
            (left, bottom),
            (left, top),
        ];
        figure.line(&corners, Hue::HERE);
    }
    for (l, key) in KEYS.iter().enumerate() {
        figure.note((x(4) - 1.2, y(l)), Side::Left, key);
        figure.note((x(l), y(4) - 1.3), Side::On, key);
    }
    for (i, query) in QUERIES.iter().enumerate() {
        figure.note((x(0) - 1.2, y(4 + i)), Side::Left, query);
    }
    for (c, feature) in FEATURES.iter().enumerate() {
        figure.note((x(4 + c), y(0) - 1.3), Side::On, feature);
    }
    figure.draw()
}

/// The row of *fruit* as a mixture of the rows of the keys.
fn mixing() -> Figure {
    let (weights, values) = (weights(), values());
    let row = |m: &Matrix, i: usize| m.rows(i, 1).into_owned();
    let answer = row(&(&weights * &values), 0);
    let description = format!(
        "The rows of apple, {} and {}, and of banana, {} and {}, times {:.2} \
         and {:.2}, make the row of fruit, {:.1} and {:.1}; that of chair adds \
         nearly nothing.",
        values[(0, 0)],
        values[(0, 1)],
        values[(1, 0)],
        values[(1, 1)],
        weights[(0, 0)],
        weights[(0, 1)],
        answer[0],
        answer[1],
    );
    let panel = |m: &Matrix, title: &str| {
        let panel = Panel::new(m).title(title).columns(&FEATURES);
        panel.hue(Hue::VALUES).numbers(1).full(10.0).cell(56.0, 28.0)
    };
    let part = |i: usize| {
        let weight = weights[(0, i)];
        panel(&row(&values, i), &format!("{weight:.2} × {}", KEYS[i]))
    };
    let figure = HeatMaps::new("A row as a mixture of rows", &description);
    let figure = figure.panel(part(0)).sign("+").panel(part(1)).sign("=");
    figure.panel(panel(&answer, QUERIES[0])).draw()
}

/// Rows of two numbers as arrows from one point, each with its dot product
/// with the first.
fn comparing() -> Figure {
    let rows = [[2.0, 1.0], [1.0, -2.0], [-2.0, -1.0]];
    let names = rows.map(|[x, y]| format!("({x}, {y})").replace('-', "−"));
    let [_, others @ ..] = rows.map(|[x, y]| rows[0][0] * x + rows[0][1] * y);
    let [across, opposite] = others.map(|n| n.to_string().replace('-', "−"));
    let description = format!(
        "Three arrows from one point. That of {} is at a right angle to that \
         of {}, and their dot product is {across}. That of {} points the \
         opposite way, and the dot product is {opposite}.",
        names[1], names[0], names[2],
    );
    let mut figure = Diagram::new("Rows as arrows", &description, 18.0, 8.6);
    let at = |[x, y]: [f64; 2]| (9.0 + 2.2 * x, 3.3 - 2.2 * y);
    let hues = [Hue::QUERIES, Hue::KEYS, Hue::KEYS];
    for (row, hue) in rows.into_iter().zip(hues) {
        figure.arrow(&[at([0.0, 0.0]), at(row)], hue);
    }
    figure.note(at(rows[0]), Side::Right, &names[0]);
    let text = format!("{} · {} = {across}", names[0], names[1]);
    figure.note(at(rows[1]), Side::Right, &text);
    let text = format!("{} · {} = {opposite}", names[0], names[2]);
    figure.note(at(rows[2]), Side::Below, &text);
    figure.draw()
}
