//! Checks the exercises of the chapter on parameters.

use super::{Gated, clip, freeze, map};
use crate::expect::expect;
use all_you_need::layers::Linear;
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

checks! {
    exercise_2: a_gradient_gets_no_longer_than_the_limit,
    exercise_3: only_the_named_branch_is_frozen,
    exercise_4: a_walk_goes_through_all_leaves_by_name
}

fn a_gradient_gets_no_longer_than_the_limit() {
    let gradient: Linear<Matrix> =
        Linear { weight: dmatrix![3.0; 0.0], bias: dmatrix![4.0] };
    let mut short = gradient.clone();
    clip(&mut short, 6.0);
    let hint = "its length is 5, so a limit of 6 changes nothing";
    expect(&short.weight, &gradient.weight, hint);
    expect(&short.bias, &gradient.bias, hint);

    let mut long = gradient;
    clip(&mut long, 1.0);
    let hint = "the length of (3, 0, 4) is 5: one length for all leaves, so \
                all become a fifth";
    expect(&long.weight, &dmatrix![0.6; 0.0], hint);
    expect(&long.bias, &dmatrix![0.8], hint);
}

fn only_the_named_branch_is_frozen() {
    let one = || dmatrix![1.0];
    let layer = || Linear { weight: one(), bias: one() };
    let mut layers: Vec<Linear<Matrix>> = (0..12).map(|_| layer()).collect();
    freeze(&mut layers, "1");
    let hint = "branch 1 is to be frozen";
    expect(&layers[1].weight, &Matrix::zeros(1, 1), hint);
    expect(&layers[1].bias, &Matrix::zeros(1, 1), hint);
    for other in [0, 2, 10, 11] {
        let hint = format!("is branch {other} in branch 1?");
        expect(&layers[other].weight, &one(), &hint);
    }

    let pair = || vec![layer(), layer()];
    let mut stacks: Vec<Vec<Linear<Matrix>>> =
        (0..12).map(|_| pair()).collect();
    freeze(&mut stacks, "1.0");
    let hint = "branch 1.0, the first of two inside branch 1";
    expect(&stacks[1][0].weight, &Matrix::zeros(1, 1), hint);
    for (i, j) in [(1, 1), (0, 0), (11, 0)] {
        let hint = format!("is branch {i}.{j} in branch 1.0?");
        expect(&stacks[i][j].weight, &one(), &hint);
    }
}

fn a_walk_goes_through_all_leaves_by_name() {
    let inner = Linear { weight: 2, bias: 3 };
    let layer = Gated { gate: 1, inner };
    let mut names = Vec::new();
    let made = map(&layer, "block.", &mut |name, leaf| {
        names.push(name.to_owned());
        leaf * 10
    });
    let expected = ["block.gate", "block.inner.weight", "block.inner.bias"];
    let hint = "f gets the leaf first, then those of the part, and a part \
                adds its name and a dot";
    assert_eq!(names, expected, "{hint}");
    let Gated { gate, inner: Linear { weight, bias } } = made;
    let hint = "the new tree has what f made of each leaf";
    assert_eq!([gate, weight, bias], [10, 20, 30], "{hint}");
}
