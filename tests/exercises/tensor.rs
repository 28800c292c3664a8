use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

#[path = "../../exercises/checks/tensor.rs"]
mod check;

// Exercise 1
//
// Each row of the left matrix says how much to take of each row on the right.
// To turn the rows upside down, its first row takes the last one, and so on;
// for the mean, its only row takes a third of each.
#[test]
fn a_product_from_the_left_mixes_rows() {
    let v: Matrix = dmatrix![10.0, 8.0; 5.0, 6.0; 2.0, 0.0];
    let turn = dmatrix![0.0, 0.0, 1.0; 0.0, 1.0, 0.0; 1.0, 0.0, 0.0];
    assert_eq!(turn * &v, dmatrix![2.0, 0.0; 5.0, 6.0; 10.0, 8.0]);
    let mean = Matrix::from_element(1, 3, 1.0 / 3.0);
    let mean = mean * &v;
    assert!((mean[0] - 17.0 / 3.0).abs() < 1e-14);
    assert!((mean[1] - 14.0 / 3.0).abs() < 1e-14);
}

// Exercise 2
//
// In the first order each word costs 2 · 64 · 512 multiplications, which is
// 65,536. In the second, $AB$ costs 2,097,152 once, and after that a word
// costs only 4,096, so up to 34 words the first order is cheaper. A product
// without the words is worth computing first if there are many of them.
#[test]
fn many_words_pay_for_the_product_of_a_and_b() {
    let cost = |n: usize, k: usize, m: usize| n * k * m;
    for n in 1..100 {
        let first = cost(n, 64, 512) + cost(n, 512, 64);
        let second = cost(64, 512, 64) + cost(n, 64, 64);
        assert_eq!(first < second, n <= 34);
    }
}

// Exercise 3
//
// The same products of numbers are added up in both, in another order of the
// loops. Where a number of A is 0, the second way can pass over a whole row.

/// Each cell is the dot product of a row of A and a column of B.
pub fn by_comparing(a: &Matrix, b: &Matrix) -> Matrix {
    let cell = |i: usize, j: usize| {
        (0..a.ncols()).map(|l| a[(i, l)] * b[(l, j)]).sum()
    };
    Matrix::from_fn(a.nrows(), b.ncols(), cell)
}

/// Each row is a sum of rows of B.
pub fn by_mixing(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = Matrix::zeros(a.nrows(), b.ncols());
    for i in 0..a.nrows() {
        for l in 0..a.ncols() {
            let mut row = product.row_mut(i);
            row += a[(i, l)] * b.row(l);
        }
    }
    product
}

// Exercise 4
//
// `rows.concat()` lists the numbers row by row, and `from_vec` fills a matrix
// column by column. A matrix with a single row does not show the mistake.

/// The matrix with these rows, n × m.
pub fn from_rows(rows: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}
