use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::{Parameters, Transformer};
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[test]
fn the_whole_models_gradients_agree_with_finite_differences() {
    let config = Config {
        vocabulary: 7,
        layers: 2,
        d_model: 6,
        d_ff: 5,
        heads: 2,
        d_k: 3,
        d_v: 4,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let sources = [vec![1, 2, 3, 4], vec![5, 6]];
    let targets = [vec![3, 0, 1], vec![2, 0, 1, 2]];
    let direction: Matrix = rng.noise(7, 7, 1.0);
    let loss = |model: &Transformer<Matrix>| {
        model.forward(&sources, &targets).dot(&direction)
    };
    let tape = Tape::default();
    let variables: Transformer<Variable<f64>> =
        model.map("", &mut |_, m| tape.variable(m.clone()));
    let logits = variables.forward(&sources, &targets);
    let ones =
        |rows, cols| tape.variable(Matrix::from_element(rows, cols, 1.0));
    let mut cells = Vec::new();
    for (i, row) in direction.row_iter().enumerate() {
        let picked = logits.gather(&[i]);
        cells.push(picked.matmul_t(&tape.variable(Matrix::from_row_slice(
            1,
            7,
            row.transpose().as_slice(),
        ))));
    }
    let all = Tensor::concat(&cells).matmul(&ones(7, 1));
    assert!((all.value()[0] - loss(&model)).abs() < 1e-10);
    let gradients = tape.gradients(&all);
    let h = 1e-5;
    let mut at = 0;
    let mut worst: f64 = 0.0;
    let mut tested = 0;
    variables.map("", &mut |name, variable| {
        let gradient = gradients.of(variable);
        for cell in (0..gradient.len()).step_by(3) {
            let nudged = |by: f64| {
                let mut place = 0;
                loss(&model.map("", &mut |_, m| {
                    let mut m = m.clone();
                    if place == at {
                        m[cell] += by;
                    }
                    place += 1;
                    m
                }))
            };
            let slope = (nudged(h) - nudged(-h)) / (2.0 * h);
            let gap = (slope - gradient[cell]).abs() / slope.abs().max(1e-3);
            assert!(gap < 1e-5, "{name} {cell}: {slope} {}", gradient[cell]);
            worst = worst.max(gap);
            tested += 1;
        }
        at += 1;
    });
    println!("worst {worst:e} of {tested}");
}
