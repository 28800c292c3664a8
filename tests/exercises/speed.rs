use all_you_need::attention::Mask;
use all_you_need::tensor::Float;

/// How many stretches of rows whose ranges begin at the same key.
fn blocks(mask: &Mask) -> usize {
    mask.visible().chunk_by(|a, b| a.start == b.start).count()
}

// Exercise 1
// One, one, seven. In a window nearly every row begins elsewhere; only the
// first three all begin at key 0.
#[test]
fn a_window_falls_into_small_blocks() {
    assert_eq!(blocks(&Mask::none(9, 9)), 1);
    assert_eq!(blocks(&Mask::causal(9)), 1);
    assert_eq!(blocks(&Mask::window(9, 2)), 7);
}

// Exercise 2
// Sixteen sums of 65,536 halves are 32,768 each, and exact. In a row, the
// sum of so many tenths has long lost its last digits.
#[test]
fn halves_are_exact_in_any_order() {
    let sum = |x: f32| vec![x; 1 << 20].iter().fold(0.0, |sum, x| sum + x);
    assert_eq!(sum(0.5), 524_288.0);
    assert!((sum(0.1) - 104_857.6f32).abs() > 1000.0);
}

// Exercise 3
// Both become 0. In a softmax the highest exponential is 1, and a sum of
// `f32`s that includes a 1 is the same with e⁻⁴⁰ and without. It would matter
// where the small number itself is needed: e⁻¹⁰⁰ is 4·10⁻⁴⁴, which `f64` has.
#[test]
fn beside_a_one_it_is_nothing() {
    let mut powers = [-100.0f32, -1000.0];
    f32::exp_all(&mut powers);
    assert_eq!(powers, [0.0, 0.0]);
    assert_eq!(1.0 + (-40f32).exp(), 1.0);
    assert!((-100f64).exp() > 3e-44);
}
