//! Checks the exercises of the chapter on what each part is good for.

use super::{by_chance, to_compare};
use all_you_need::ablation::Switch;
use all_you_need::parameters::Parameters;

checks! {
    exercise_2: luck_is_counted,
    exercise_3: only_one_thing_is_changed
}

fn luck_is_counted() {
    let close = |found: f64, right: f64| (found - right).abs() < 1e-12;
    let hint = "one against one: either may be the lower";
    assert!(close(by_chance(1, 1), 0.5), "{hint}");
    let hint = "one of three is the lowest, and each is as likely";
    assert!(close(by_chance(1, 2), 1.0 / 3.0), "{hint}");
    let hint = "the lowest is one of the two with 2/4, and then the next one \
                is the other with 1/3";
    assert!(close(by_chance(2, 2), 1.0 / 6.0), "{hint}");
    assert!(close(by_chance(5, 10), 1.0 / 3003.0), "five and ten");
    assert!(close(by_chance(0, 3), 1.0), "without any, there is no doubt");
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
