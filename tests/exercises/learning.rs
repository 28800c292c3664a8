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
// Each halving adds ln 2 to every −ln p, and so to their mean, 0.69. From
// ln 27 to twice that takes log₂ 27 halvings, about 4.75.
#[test]
fn a_halved_probability_adds_the_logarithm_of_2() {
    let halvings = 27f64.ln() / 2f64.ln();
    assert!((halvings - 4.75).abs() < 0.01);
    let halved = 0.5f64.powf(halvings) / 27.0;
    assert!((-halved.ln() - 2.0 * 27f64.ln()).abs() < 1e-12);
}
