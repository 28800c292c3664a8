//! Checks the exercises of the chapter on what each part is good for.

use super::{as_low_by_luck, to_compare};
use all_you_need::ablation::Switch;
use all_you_need::parameters::Parameters;

checks! {
    exercise_2: luck_is_counted,
    exercise_3: only_one_thing_is_changed
}

fn luck_is_counted() {
    let check = |changed: &[f64], unchanged: &[f64], expected: f64, hint| {
        let found = as_low_by_luck(changed, unchanged);
        assert!((found - expected).abs() < 1e-12, "{found}: {hint}");
    };
    check(&[1.0], &[2.0], 0.5, "one against one: either may be the lower");
    check(&[2.0], &[1.0], 1.0, "both are as low as the higher one");
    check(&[1.0], &[2.0, 3.0], 1.0 / 3.0, "one of three is the lowest");
    let hint = "1 and 2 are the lowest of six pairs";
    check(&[1.0, 2.0], &[3.0, 4.0], 1.0 / 6.0, hint);
    let hint = "1 and 4 have the mean 2.5. Of the six pairs four have no \
                higher one: 1 and 2, 1 and 3, 1 and 4, 2 and 3";
    check(&[1.0, 4.0], &[2.0, 3.0], 4.0 / 6.0, hint);
    let hint = "0.1, 0.2 and 0.3 in another order have the same mean";
    check(&[0.3, 0.2, 0.1], &[0.1, 0.2, 0.3], 14.0 / 20.0, hint);
    let all: Vec<f64> = (0..15).map(f64::from).collect();
    let hint = "five that are all below the other ten";
    check(&all[..5], &all[5..], 1.0 / 3003.0, hint);
}

fn only_one_thing_is_changed() {
    for switch in [Switch::Residual, Switch::Tying] {
        let [paper, changed] = to_compare(1, switch);
        assert!(!paper.switches.has(switch), "the first is the paper's");
        assert!(changed.switches.has(switch), "the second is changed");
        let both =
            paper.model.leaves().into_iter().zip(changed.model.leaves());
        for ((name, one), (_, other)) in both {
            let hint = "a part that both models have begins differently, so \
                        more than one thing is changed";
            assert_eq!(one, other, "{name}: {hint}");
        }
    }
    let tables = [1, 2].map(|seed| {
        let [paper, _] = to_compare(seed, Switch::Norm);
        paper.model.embedding.table
    });
    let differ = tables[0] != tables[1];
    assert!(differ, "another seed, other numbers");
}
