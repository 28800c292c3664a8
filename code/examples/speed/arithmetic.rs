//! An exponential from sums and products, and a sum in strands.

use super::update::exponentials_taken;
use all_you_need::tensor::Float;
use print::{Fixed, section, value};
use std::f32::consts::LN_2;

/// e to the −3 with sums and products, as `exp` of the chapter has it.
pub fn by_hand() {
    let x = -3f64;
    let (ln_2, ratio) = (2f64.ln(), x / 2f64.ln());
    let n = ratio.round();
    let r = x - n * ln_2;
    section("One exponential");
    value("x / ln 2", minus(format!("{ratio:.3}")));
    value("n", minus(n.to_string()));
    value("r", minus(format!("{r:.5}")));
    section("The series");
    println!("term           value   sum so far");
    let (mut term, mut sum) = (1.0, 0.0);
    let names = ["1", "r", "r²/2", "r³/6", "r⁴/24", "r⁵/120", "r⁶/720"];
    for (i, name) in names.iter().enumerate() {
        sum += term;
        let value = minus(format!("{term:.7}"));
        println!("{name:8} {value:>11} {sum:12.7}");
        term *= r / (i + 1) as f64;
    }
    section("Its result");
    value("two to the n", n.exp2());
    value("the product", (sum * n.exp2()).fixed(7));
    value("the library's", x.exp().fixed(7));
}

/// With a true minus.
fn minus(number: String) -> String {
    number.replace('-', "−")
}

/// How an `f32` is stored, and how n gets into its exponent.
pub fn bits() {
    const WHOLE: f32 = 12_582_912.0;
    let shifted = -3.0 / LN_2 + WHOLE;
    let moved = f32::from_bits(shifted.to_bits() << 23);
    let sum = f32::from_bits(moved.to_bits().wrapping_add(1f32.to_bits()));
    section("Bits");
    println!("                  sign exponent  fraction");
    let numbers = [
        ("1", 1.0),
        ("1.5 · 2²³", WHOLE),
        ("−4.328 added", shifted),
        ("moved by 23", moved),
        ("and 1 added", sum),
    ];
    for (name, number) in numbers {
        let bits = format!("{:032b}", number.to_bits());
        let (sign, bits) = bits.split_at(1);
        let (exponent, fraction) = bits.split_at(8);
        println!("{name:18} {sign}   {exponent}  {fraction}");
    }
    assert_eq!(sum, 0.0625, "two to the minus four");
}

/// How far the exponential is off, at a million places.
pub fn exponentials() {
    let places: Vec<f32> =
        (0..1_000_000).map(|i| -40.0 * i as f32 / 1_000_000.0).collect();
    let mut powers = places.clone();
    f32::exp_all(&mut powers);
    let off = |powers: Vec<f32>| {
        let off = places.iter().zip(powers).map(|(&x, power)| {
            let exact = f64::from(x).exp();
            ((f64::from(power) - exact) / exact).abs()
        });
        off.fold(0.0, f64::max)
    };
    // With ln 2 in one part, rounded once, r is off by what n makes of it.
    let rest = |x: f32| x - (x / LN_2).round() * LN_2;
    let one_part = |x: f32| (x / LN_2).round().exp2() * rest(x).exp();
    let (worst, careless) =
        (off(powers), off(places.iter().map(|&x| one_part(x)).collect()));
    section("Exponentials");
    value("millions of exponentials", (exponentials_taken() / 1e6).fixed(0));
    value("worst of a million", scientific(worst));
    value("with one part", scientific(careless));
    value("at minus 40", scientific((-40f64).exp()));
    value("at minus 80", scientific((-80f64).exp()));
    value("smallest", scientific(f32::MIN_POSITIVE.into()));
}

/// `2.3 · 10⁻⁷`
fn scientific(number: f64) -> String {
    let text = format!("{number:.1e}");
    let (factor, power) = text.split_once('e').expect("a power");
    let small = |c: char| match c.to_digit(10) {
        Some(digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize).unwrap(),
        None => '⁻',
    };
    format!("{factor} · 10{}", power.chars().map(small).collect::<String>())
}

/// A hundred thousand times a tenth, one after the other and in strands.
pub fn strands() {
    let tenths = vec![0.1f32; 100_000];
    let in_a_row = tenths.iter().fold(0.0, |sum, x| sum + x);
    let mut strands = [0.0f32; 16];
    for (i, x) in tenths.iter().enumerate() {
        strands[i % 16] += x;
    }
    let in_strands = strands.iter().fold(0.0, |sum, x| sum + x);
    section("A hundred thousand tenths");
    value("in a row", in_a_row.fixed(2));
    value("in sixteen strands", in_strands.fixed(2));
}
