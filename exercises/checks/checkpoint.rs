//! Checks the exercises of the chapter on checkpoints.

use super::{fingerprint, follow};
use crate::expect::expect;
use all_you_need::checkpoint::Digest;
use nalgebra::dmatrix;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: a_follower_is_lower_in_the_bowl,
    exercise_4: other_examples_have_another_fingerprint
}

fn a_follower_is_lower_in_the_bowl() {
    let model = dmatrix![8.0, 1.0];
    let mut follower = dmatrix![0.0, 1.0];
    follow(&mut follower, &model, 0.0);
    expect(&follower, &dmatrix![0.0, 1.0], "no part of the way");
    follow(&mut follower, &model, 0.25);
    expect(&follower, &dmatrix![2.0, 1.0], "a quarter of the way");
    follow(&mut follower, &model, 0.5);
    expect(&follower, &dmatrix![5.0, 1.0], "half of what is left of it");
    follow(&mut follower, &model, 1.0);
    expect(&follower, &model, "all of the way");

    // A bowl, x² + y², with noise in every gradient.
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (mut model, mut height) = (model, [0.0, 0.0]);
    for step in 0..4000 {
        model =
            model.map(|x| x - 0.25 * (2.0 * x + rng.random_range(-3.0..3.0)));
        follow(&mut follower, &model, 0.05);
        if step >= 200 {
            height[0] += model.norm_squared();
            height[1] += follower.norm_squared();
        }
    }
    let times = height[0] / height[1];
    let hint = "at the bottom of a bowl the model should be higher than its \
                follower, about thirteen times";
    assert!((7.0..20.0).contains(&times), "{hint}, and not {times}");
}

fn other_examples_have_another_fingerprint() {
    let of = |pairs: &[(&str, &str)]| -> Digest {
        let own = |&(a, b): &(&str, &str)| (String::from(a), String::from(b));
        fingerprint(&pairs.iter().map(own).collect::<Vec<_>>())
    };
    let pair = of(&[("ab", "c")]);
    assert_eq!(pair, of(&[("ab", "c")]), "the same example");
    assert_ne!(pair, of(&[("ab", "d")]), "another answer");
    let hint = "ab → c, and a → bc. What do the bytes of the two have in \
                common?";
    assert_ne!(pair, of(&[("a", "bc")]), "{hint}");
    let hint = "two examples, cut at another place";
    let two = of(&[("a", "b"), ("c", "d")]);
    assert_ne!(two, of(&[("a", "bc"), ("", "d")]), "{hint}");
    let hint = "if texts are separated by a sign, a text can contain it";
    for sign in ["\n", "\t", "\0", " ", ",", "|"] {
        let text = format!("a{sign}");
        let other = format!("{sign}b");
        assert_ne!(of(&[(&text, "b")]), of(&[("a", &other)]), "{hint}");
    }
}
