//! Matrices and their first numbers: `cargo run --example tensor`

use all_you_need::tensor::{Init, Matrix, Tensor};
use nalgebra::dmatrix;
use plot::{Chart, Diagram, Hue, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::panic::{self, AssertUnwindSafe};

fn main() {
    panic::set_hook(Box::new(|_| {})); // The panics below are on purpose.
    two_lookups();
    dot_and_cross();
    misfits();
    same_word_other_meaning();
    precision();
    first_numbers();
    single_floats();
    a_square_notices_nothing();
}

/// The sentence with which `work` panics.
fn complaint(work: impl FnOnce()) -> String {
    let panic = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_err();
    match panic.downcast::<String>() {
        Ok(sentence) => *sentence,
        Err(panic) => panic.downcast::<&str>().unwrap().to_string(),
    }
}

/// Rows × columns.
fn size(matrix: &impl Tensor) -> String {
    let (rows, columns) = matrix.shape();
    format!("{rows}×{columns}")
}

/// *fruit* and *seat* ask a dictionary whose values are rows of two numbers.
fn two_lookups() {
    let weights: Matrix = dmatrix![0.6, 0.4, 0.0; 0.0, 0.1, 0.9];
    let values = dmatrix![10.0, 8.0; 5.0, 6.0; 2.0, 0.0];
    let answers = weights.matmul(&values);
    println!("== Two look-ups");
    println!("        price   bites");
    for (query, row) in ["fruit", "seat"].iter().zip(answers.row_iter()) {
        println!("{query:6}{:7.1} {:7.1}", row[0], row[1]);
    }
    draw_product(&weights, &values, &answers);
}

/// Each cell of the product where its row and its column cross.
fn draw_product(weights: &Matrix, values: &Matrix, answers: &Matrix) {
    let terms =
        weights.row(0).transpose().zip_map(&values.column(0), |w, v| (w, v));
    let terms = terms.iter().map(|(w, v)| format!("{w:.1} · {v}"));
    let mut figure = Diagram::new(
        "A matrix product",
        &format!(
            "The weights, {}, stand at the left, the values, {}, above. Where \
             the row of fruit meets the column of the price is {} = {}.",
            size(weights),
            size(values),
            terms.collect::<Vec<_>>().join(" + "),
            answers[(0, 0)]
        ),
        18.0,
        12.5,
    );
    let x = |column: usize| 4.2 + 2.4 * column as f64;
    let y = |row: usize| 2.6 + 1.7 * row as f64;
    let mut cells = |matrix: &Matrix,
                     (row, column),
                     lit: &dyn Fn(_) -> bool| {
        for i in 0..matrix.nrows() {
            for j in 0..matrix.ncols() {
                let hue = if lit((i, j)) { Hue::Orange } else { Hue::Blue };
                let at = (x(column + j), y(row + i));
                let text = format!("{:.1}", matrix[(i, j)]);
                figure.block(at, (2.2, 1.5), &text, hue);
            }
        }
    };
    cells(values, (0, 4), &|(_, j): (usize, usize)| j == 0);
    cells(weights, (4, 0), &|(i, _): (usize, usize)| i == 0);
    cells(answers, (4, 4), &|at: (usize, usize)| at == (0, 0));
    for (l, key) in ["apple", "banana", "chair"].iter().enumerate() {
        figure.note((x(4) - 1.2, y(l)), Side::Left, key);
        figure.note((x(l), y(4) - 1.3), Side::On, key);
    }
    for (i, query) in ["fruit", "seat"].iter().enumerate() {
        figure.note((x(0) - 1.2, y(4 + i)), Side::Left, query);
    }
    for (c, feature) in ["price", "bites"].iter().enumerate() {
        figure.note((x(4 + c), y(0) - 1.3), Side::On, feature);
    }
    plot::save("tensor-product", &figure.draw());
}

fn dot_and_cross() {
    let a: Matrix = dmatrix![1.0, 2.0, 3.0];
    let four: Matrix = dmatrix![1.0, 2.0, 3.0, 4.0];
    println!("\n== Dot and cross");
    println!("a                 {}", literal(&a));
    println!("a · a             {}", a.matmul_t(&a)[0]);
    println!("a × a             {}", literal(&a.cross(&a)));
    let complaint = complaint(|| drop(four.cross(&four)));
    let start = complaint.split(':').next().unwrap();
    println!("four numbers      {start}");
}

/// What does not fit says so; nalgebra's own product does too, in fewer words.
fn misfits() {
    let a: Matrix = Matrix::zeros(2, 3);
    let b: Matrix = Matrix::zeros(2, 4);
    println!("\n== Misfits");
    println!("{}", complaint(|| drop(a.matmul(&b))));
    println!("{}", complaint(|| drop(Tensor::add(&a, &b))));
    println!("{}", complaint(|| drop(a.gather(&[1, 2]))));
    println!("{}", complaint(|| drop(a.chunk(2))));
    println!(
        "{}",
        complaint(|| drop(Matrix::concat(&[a.transpose(), b.clone()])))
    );
    println!("\n== By the operator");
    println!("nalgebra says = {}", complaint(|| drop(&a * &b)));
}

/// A matrix as one writes it in `dmatrix!`.
fn literal(m: &Matrix) -> String {
    let row = |row: nalgebra::DMatrixView<f64>| {
        let cells = row.iter().map(|x| format!("{x:.2}").replace(".00", ""));
        cells.collect::<Vec<_>>().join(", ")
    };
    let rows: Vec<_> = (0..m.nrows()).map(|i| row(m.rows(i, 1))).collect();
    format!("[{}]", rows.join("; "))
}

/// Methods of nalgebra that do not do what one may think.
fn same_word_other_meaning() {
    let a: Matrix = dmatrix![1.0, 2.0; 3.0, 4.0];
    let b = a.normalize();
    let c = Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, 4.0]);
    let lengths = [0, 1].map(|i| format!("{:.2}", b.row(i).norm()));
    println!("\n== Same word, other meaning");
    println!("a                {}", literal(&a));
    println!("a.matmul(&a)     {}", literal(&a.matmul(&a)));
    println!("a.dot(&a)        {}", a.dot(&a));
    println!("a.normalize()    {}", literal(&b));
    println!("  its rows' lengths  {}", lengths.join(" and "));
    println!("Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, 4.0])");
    println!("                 {}", literal(&c));
}

/// (X A) B: n × m.
fn left_first<T: Tensor>(x: &T, a: &T, b: &T) -> T {
    x.matmul(a).matmul(b)
}

/// X (A B), the same matrix.
fn right_first<T: Tensor>(x: &T, a: &T, b: &T) -> T {
    x.matmul(&a.matmul(b))
}

/// Six words of 512 numbers through 64 numbers and back.
fn sizes<T>(init: &mut impl Init<T>) -> [T; 3] {
    [init.uniform(6, 512, 1.0), init.weight(512, 64), init.weight(64, 512)]
}

/// Both orders in both precisions, held against the first order in `f64`.
fn precision() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let [x, a, b]: [Matrix; 3] = sizes(rng);
    let single = |m: &Matrix| m.map(|number| number as f32);
    let (x32, a32, b32) = (single(&x), single(&a), single(&b));
    let double = |m: Matrix<f32>| m.map(f64::from);
    let truth = left_first(&x, &a, &b);
    println!("\n== Two precisions");
    for (name, found) in [
        ("X (A B) in f64", right_first(&x, &a, &b)),
        ("(X A) B in f32", double(left_first(&x32, &a32, &b32))),
    ] {
        // Rounded up, with room for other processors' rounding.
        let off = (found - &truth).norm() / truth.norm();
        let order = (off.log10() + 0.3).ceil();
        println!("{name}   off by less than 10^{order}");
    }
}

/// How large numbers are after each of ten products, if the weights start
/// at `factor` times the usual deviation.
fn sizes_after(factor: f64) -> Vec<f64> {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut x: Matrix = rng.uniform(64, 256, 1.0);
    let mut deviations = vec![x.variance().sqrt()];
    for _ in 0..10 {
        let weight: Matrix = rng.weight(256, 256);
        x = x.matmul(&weight.scale(factor));
        deviations.push(x.variance().sqrt());
    }
    deviations
}

fn first_numbers() {
    let (half, usual, twice) =
        (sizes_after(0.5), sizes_after(1.0), sizes_after(2.0));
    println!("\n== The first numbers");
    println!("products      half   as below    twice");
    for n in [0, 1, 2, 5, 10] {
        let (half, usual, twice) = (half[n], usual[n], twice[n]);
        println!("{n:8} {half:9.4} {usual:9.2} {twice:9.0}");
    }
    let points = |deviations: Vec<f64>| {
        deviations.into_iter().enumerate().map(|(n, d)| (n as f64, d))
    };
    let last = usual.len() - 1;
    let figure = Chart::new(
        &format!("The size of numbers through {last} products"),
        &format!(
            "On a logarithmic axis three straight lines start at {:.1}. With \
             the usual deviation the line ends at {:.1}, with half of it at \
             {:.4}, with twice of it at {:.0}.",
            usual[0], usual[last], half[last], twice[last]
        ),
    )
    .x("products")
    .y("deviation of the numbers")
    .size(450.0, 290.0)
    .log_y()
    .line("twice", points(twice))
    .line("as derived below", points(usual))
    .line("half", points(half));
    plot::save("tensor-start", &figure.draw());
}

/// What becomes of `f32` in the end.
fn single_floats() {
    let plus_one = 16_777_216.0f32 + 1.0;
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let mut x: Matrix<f32> = rng.uniform(1, 64, 1.0);
    let mut products = 0;
    while x.iter().all(|number| number.is_finite()) {
        let weight: Matrix<f32> = rng.weight(64, 64);
        x = x.matmul(&weight.scale(2.0));
        products += 1;
    }
    println!("\n== Single floats");
    println!("one more than 16,777,216 = {}", grouped(plus_one as u64));
    println!("products to infinity = {products}");
}

/// The transpose forgotten, with square matrices and with others.
fn a_square_notices_nothing() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let mut noise = |rows| -> Matrix { rng.uniform(rows, 4, 1.0) };
    let (a, b) = (noise(4), noise(4));
    let (right, wrong) = (a.matmul_t(&b), a.matmul(&b));
    let gap = (&right - &wrong).abs();
    let equal = gap.iter().filter(|gap| **gap < 0.01).count();
    println!("\n== The transpose forgotten");
    println!("A    B      A Bᵀ   A B");
    println!("4×4  4×4    {}    {}", size(&right), size(&wrong));
    let (a, b) = (noise(3), noise(5));
    let wrong = complaint(|| drop(a.matmul(&b)));
    println!("3×4  5×4    {}    {wrong}", size(&a.matmul_t(&b)));
    println!("\n== Of the square");
    println!("cells that agree = {equal} of 16");
}
