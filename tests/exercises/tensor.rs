use all_you_need::costs::{Bill, Shape};
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;

// Exercise 1
// Each row of the left matrix says what to take of each row on the right:
// for the first row of the result, the last. For the mean, a third of each.
#[test]
fn a_product_from_the_left_mixes_rows() {
    let v: Matrix = dmatrix![10.0, 8.0; 5.0, 6.0; 2.0, 1.0];
    let turn = dmatrix![0.0, 0.0, 1.0; 0.0, 1.0, 0.0; 1.0, 0.0, 0.0];
    assert_eq!(turn.matmul(&v), dmatrix![2.0, 1.0; 5.0, 6.0; 10.0, 8.0]);
    assert_eq!(turn.matmul(&v), v.gather(&[2, 1, 0]));
    let mean = Matrix::from_element(1, 3, 1.0 / 3.0);
    assert!((mean.matmul(&v)[0] - 17.0 / 3.0).abs() < 1e-14);
    assert!((mean.matmul(&v)[1] - 5.0).abs() < 1e-14);
}

// Exercise 2
// From the left a word costs 2·64·512 = 65,536. From the right A B costs
// 64·512·64 = 2,097,152 once, and then a word only 64·64 = 4,096. Up to 34
// words the left is cheaper.
#[test]
fn many_words_pay_for_the_product_of_the_weights() {
    let cost = |n, formula: fn(&Shape, &Shape, &Shape) -> Shape| {
        let bill = Bill::default();
        let (a, b) = (bill.shape(64, 512), bill.shape(512, 64));
        let _ = formula(&bill.shape(n, 64), &a, &b);
        bill.cost().multiply_adds
    };
    for n in 1..100 {
        let left = cost(n, |x, a, b| x.matmul(a).matmul(b));
        let right = cost(n, |x, a, b| x.matmul(&a.matmul(b)));
        assert_eq!(left < right, n <= 34);
    }
}

// Exercise 3
// Nothing in a formula says that a tensor has numbers in it. A name will do.
#[test]
fn a_third_reading_writes_the_formula_down() {
    #[derive(Clone)]
    struct Name(String);

    impl Tensor for Name {
        fn shape(&self) -> (usize, usize) {
            unimplemented!("a name has no size")
        }

        fn matmul(&self, other: &Self) -> Self {
            Name(format!("({} {})", self.0, other.0))
        }

        fn transpose(&self) -> Self {
            Name(format!("{}ᵀ", self.0))
        }

        fn add(&self, other: &Self) -> Self {
            Name(format!("({} + {})", self.0, other.0))
        }

        fn scale(&self, factor: f64) -> Self {
            Name(format!("{factor} {}", self.0))
        }

        fn gather(&self, rows: &[usize]) -> Self {
            Name(format!("{}[{rows:?}]", self.0))
        }

        fn split(&self, parts: usize) -> Vec<Self> {
            (1..=parts).map(|i| Name(format!("{}_{i}", self.0))).collect()
        }

        fn concat(parts: &[Self]) -> Self {
            let names: Vec<_> = parts.iter().map(|p| p.0.as_str()).collect();
            Name(format!("[{}]", names.join(", ")))
        }

        fn constant(&self, _: &Matrix) -> Self {
            Name("C".into())
        }
    }

    let [x, a, b] = ["X", "A", "B"].map(|name| Name(name.into()));
    assert_eq!(x.matmul(&a).matmul(&b).0, "((X A) B)");
    assert_eq!(x.matmul(&a.matmul(&b)).0, "(X (A B))");
    assert_eq!(x.matmul(&a).matmul_t(&x.add(&b)).0, "((X A) (X + B)ᵀ)");
}
