use all_you_need::dictionary::{soft_lookup, softmax};

// Exercise 1
// Their logarithms: the exponential undoes them, and the total is 1
// already. Add any number to all three, and it is another answer.
#[test]
fn the_logarithms_of_the_weights_are_scores_for_them() {
    let wanted = [0.5, 0.3, 0.2];
    for added in [0.0, 7.0, -40.0] {
        let scores = wanted.map(|weight: f64| weight.ln() + added);
        for (found, wanted) in softmax(&scores).iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-14);
        }
    }
}

// Exercise 2
// Weights lie between 0 and 1, so as scores they are at most 1 apart. The
// best that can happen is 1, 0, 0, and that makes e / (e + 2) = 0.576. A
// softmax too many hardly listens.
#[test]
fn softmax_twice_cannot_make_up_its_mind() {
    let once = softmax(&[1000.0, 0.0, 0.0]);
    let twice = softmax(&once);
    assert_eq!(once[0], 1.0);
    assert!((twice[0] - 0.576).abs() < 0.001);
}

// Exercise 3
// It moves by weight · (value − answer) for each unit of the score. If the
// value is less than what fruit gets now, more of it brings fruit down.
#[test]
fn a_value_below_the_answer_pulls_it_down() {
    let values = [10.0, 5.0, 2.0];
    let scores = [0.6f64.ln(), 0.4f64.ln(), -5.0];
    let weights = softmax(&scores);
    let answer = soft_lookup(&weights, &values);
    for j in 0..3 {
        let mut raised = scores;
        raised[j] += 0.001;
        let moved = soft_lookup(&softmax(&raised), &values) - answer;
        let rule = 0.001 * weights[j] * (values[j] - answer);
        assert!((moved - rule).abs() < 1e-6);
        assert_eq!(moved > 0.0, j == 0);
    }
}
