use all_you_need::attention::Mask;
use all_you_need::tensor::Float;

/// How many stretches of rows whose ranges begin at the same key.
fn blocks(mask: &Mask) -> usize {
    mask.visible.chunk_by(|a, b| a.start == b.start).count()
}

/// One, one, seven. In a window nearly every row begins elsewhere; only the
/// first three all begin at key 0.
#[test]
fn exercise_1_a_window_falls_into_small_blocks() {
    assert_eq!(blocks(&Mask::none(9, 9)), 1);
    assert_eq!(blocks(&Mask::causal(9)), 1);
    assert_eq!(blocks(&Mask::window(9, 2)), 7);
}

/// Sixteen sums of 65,536 halves are 32,768 each, and exact. In a row, the
/// sum of so many tenths has long lost its last digits.
#[test]
fn exercise_2_halves_are_exact_in_any_order() {
    let sum = |x: f32| vec![x; 1 << 20].iter().fold(0.0, |sum, x| sum + x);
    assert_eq!(sum(0.5), 524_288.0);
    assert!((sum(0.1) - 104_857.6f32).abs() > 1000.0);
}

/// It ends at e⁻⁸⁷, 1.6·10⁻³⁸, and not at 0. As a share of a softmax that is
/// as good as nothing, since the highest power there is 1.
#[test]
fn exercise_3_the_exponential_has_a_floor() {
    let mut powers = [-100.0f32, -1000.0];
    f32::exp_all(&mut powers);
    assert_eq!(powers[0], powers[1]);
    assert!(powers[0] > 0.0 && powers[0] < 2e-38);
}
