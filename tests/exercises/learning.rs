// Exercise 1
//
// Yes, but by a hair. Its loss is (9 · 0.001 + 6.908) / 10 = 0.6917, and
// −ln 0.5 is 0.6931. One sure mistake costs nearly as much as nine sure hits
// save, and two would cost twice as much.
#[test]
fn one_sure_mistake_costs_what_nine_hits_save() {
    let sure = -(9.0 * 0.999f64.ln() + 0.001f64.ln()) / 10.0;
    let unsure = -0.5f64.ln();
    assert!((sure - 0.692).abs() < 0.001 && (unsure - 0.693).abs() < 0.001);
    let mistaken_twice = -(8.0 * 0.999f64.ln() + 2.0 * 0.001f64.ln()) / 10.0;
    assert!(sure < unsure && unsure < mistaken_twice);
}

// Exercise 2
//
// By 27. Dividing a probability by 27 adds ln 27 to its −ln p, and if that
// happens to every p, it is added to their mean. So a model with a loss of
// 6.59 in place of 3.30 gives the right tokens a 27th of the probability.
#[test]
fn a_27th_of_the_probability_adds_the_logarithm_of_27() {
    let loss = |p: f64| -p.ln();
    let p = 1.0 / 27.0;
    assert!((loss(p / 27.0) - 2.0 * loss(p)).abs() < 1e-12);
}
