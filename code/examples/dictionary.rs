//! A dictionary, asked hard and softly: `cargo run --example dictionary`

use all_you_need::dictionary::{
    hard_lookup, soft_lookup, softmax, sum_of_matches,
};
use plot::{Bars, Chart};

const KEYS: [&str; 3] = ["apple", "banana", "chair"];
const VALUES: [f64; 3] = [10.0, 5.0, 2.0];

fn main() {
    yes_or_no();
    six_parts_apple();
    other_weights();
    scores_to_weights();
    draw_step();
    temperature();
    sigmoids();
    shares_of_scores();
    without_subtraction();
    never_zero();
    two_apples();
}

/// How much *fruit* is like each key. The exponentials of the first two are
/// 0.6 and 0.4.
fn fruit(chair: f64) -> [f64; 3] {
    [0.6f64.ln(), 0.4f64.ln(), chair]
}

/// What the weights of these scores make of the three values.
fn answer(scores: &[f64]) -> f64 {
    soft_lookup(&softmax(scores), &VALUES)
}

/// Numbers beside each other, with three decimals.
fn row(numbers: &[f64]) -> String {
    numbers.iter().map(|number| format!("{number:7.3}")).collect()
}

fn yes_or_no() {
    let pairs = [("apple", 10.0), ("banana", 5.0), ("chair", 2.0)];
    println!("== Yes or no");
    println!("ask for    look-up       sum");
    for query in ["apple", "chair", "fruit"] {
        let found = format!("{:?}", hard_lookup(&pairs, query));
        let sum = sum_of_matches(&pairs, query);
        println!("{query:10} {found:12} {sum:4}");
    }
}

fn six_parts_apple() {
    let weights = [0.6, 0.4, 0.0];
    println!("\n== Six parts apple");
    println!("key      weight  value  product");
    for ((key, weight), value) in KEYS.iter().zip(weights).zip(VALUES) {
        let part = weight * value;
        println!("{key:8} {weight:6.1} {value:6} {part:8}");
    }
    println!("\nfruit gets = {}", soft_lookup(&weights, &VALUES));
}

fn other_weights() {
    println!("\n== Other weights");
    println!("apple banana chair in all answer");
    for weights in
        [[0.6, 0.4, 0.0], [1.2, 0.8, 0.0], [1.5, -0.5, 0.0], [1.0, 1.0, 1.0]]
    {
        let [apple, banana, chair] = weights;
        let total: f64 = weights.iter().sum();
        let answer = soft_lookup(&weights, &VALUES);
        println!("{apple:5.1} {banana:6.1} {chair:5.1} {total:6} {answer:6}");
    }
}

fn scores_to_weights() {
    let scores = fruit(-5.0);
    let powers = scores.map(f64::exp);
    let weights = softmax(&scores);
    println!("\n== Scores to weights");
    println!("key     score  power  weight  value");
    for j in 0..3 {
        println!(
            "{:7}{:6.2} {:6.4} {:7.4} {:6}",
            KEYS[j], scores[j], powers[j], weights[j], VALUES[j]
        );
    }
    let (powers, weights): (f64, f64) =
        (powers.iter().sum(), weights.iter().sum());
    println!("in all {powers:13.4} {weights:7.4}");
    println!("\nfruit softly gets = {:.2}", answer(&scores));
}

/// The answer while *banana* overtakes *apple*, hard and soft.
fn draw_step() {
    let at = |ahead: f64| (ahead, answer(&[0.0, ahead, -5.0]));
    let soft = (-60..=60).map(|tenth| at(f64::from(tenth) / 10.0));
    let [apple, banana, _] = VALUES;
    let hard = [(-6.0, apple), (0.0, apple), (0.0, banana), (6.0, banana)];
    let figure = Chart::new(
        "The answer while banana overtakes apple",
        &format!(
            "The hard answer is {apple} as long as apple's score is higher, \
             and drops to {banana} at once where banana's passes it. The soft \
             answer slides down from {apple} to {banana} without a jump."
        ),
    )
    .x("banana's score less apple's")
    .y("what fruit gets")
    .y_range(4.0..11.0)
    .size(450.0, 290.0)
    .line("hard", hard)
    .line("soft", soft);
    plot::save("dictionary-step", &figure.draw());
}

/// The same scores, divided by a temperature.
fn temperature() {
    println!("\n== Temperature");
    println!("   T   apple banana  chair   gets");
    let mut frames = Vec::new();
    for t in [0.05, 0.2, 0.5, 1.0, 3.0, 10.0, 100.0] {
        let scores = fruit(-5.0).map(|score| score / t);
        let weights = softmax(&scores);
        let answer = answer(&scores);
        println!("{t:4} {} {answer:6.2}", row(&weights));
        let description = format!(
            "At temperature {t} apple has the weight {:.3}, banana {:.3} and \
             chair {:.3}.",
            weights[0], weights[1], weights[2]
        );
        let mut bars =
            Bars::new(&format!("Weights at T = {t}"), &description)
                .heading(&format!("T = {t}:  fruit gets {answer:.2}"))
                .full(1.0)
                .decimals(3);
        for (key, weight) in KEYS.iter().zip(&weights) {
            bars = bars.bar(key, *weight);
        }
        frames.push(bars.draw());
    }
    let mean = VALUES.iter().sum::<f64>() / 3.0;
    println!("\nmean of the values = {mean:.2}");
    plot::save_frames("dictionary-temperature", &frames);
}

/// 1 / (1 + e^−x): from 0 to 1, each number on its own.
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The same added to every score, for softmax and for three sigmoids.
fn sigmoids() {
    println!("\n== Sigmoids");
    println!("scores        apple banana  chair in all  gets");
    let mut sigmoids_get = Vec::new();
    for added in [0.0, 3.0] {
        let scores = fruit(-30.0).map(|score| score + added);
        let print = |name: &str, weights: &[f64]| {
            let total: f64 = weights.iter().sum();
            let answer = soft_lookup(weights, &VALUES);
            let weights = row(weights);
            println!("+ {added}  {name}{weights}{total:7.3}{answer:6.2}");
            answer
        };
        print("softmax", &softmax(&scores));
        sigmoids_get.push(print("sigmoid", &scores.map(sigmoid)));
    }
    println!("\n== What the sigmoids get");
    println!("sigmoids get = {:.2}", sigmoids_get[0]);
    println!("three higher, they get = {:.2}", sigmoids_get[1]);
    draw_shift();
}

fn draw_shift() {
    let shifts = || (-60..=80).map(|tenth| f64::from(tenth) / 10.0);
    let shifted = |added| fruit(-5.0).map(|score| score + added);
    let softly = shifts().map(|added| (added, answer(&shifted(added))));
    let each = shifts().map(|added| {
        let weights = shifted(added).map(sigmoid);
        (added, soft_lookup(&weights, &VALUES))
    });
    let figure = Chart::new(
        "The same number added to every score",
        &format!(
            "With softmax the answer is a level line at {:.2}. With a sigmoid \
             for each score it climbs from nothing to {}, the sum of all values.",
            answer(&fruit(-5.0)),
            VALUES.iter().sum::<f64>()
        ),
    )
    .x("added to every score")
    .y("what fruit gets")
    .guide_y(10.0, "the largest value")
    .size(450.0, 290.0)
    .line("softmax", softly)
    .line("sigmoid", each);
    plot::save("dictionary-shift", &figure.draw());
}

/// Scores divided by their total, without an exponential.
fn shares_of_scores() {
    println!("\n== Shares of the scores");
    println!("  scores         shares       answer");
    for scores in [[2.0, 1.0, 1.0], [2.0, 1.0, -1.0], [2.0, 1.0, -3.0]] {
        let total: f64 = scores.iter().sum();
        let shares = scores.map(|score| score / total);
        let [a, b, c] = scores;
        let answer = soft_lookup(&shares, &VALUES);
        println!("{a:2} {b:2} {c:2} {}{answer:8.2}", row(&shares));
    }
}

/// The formula word for word, and no number taken off first.
fn naive_softmax(scores: &[f64]) -> Vec<f64> {
    let total: f64 = scores.iter().map(|s| s.exp()).sum();
    scores.iter().map(|s| s.exp() / total).collect()
}

fn without_subtraction() {
    println!("\n== Without the subtraction");
    println!("added    as it stands         highest taken off");
    for added in [0.0, 700.0, 710.0, 800.0, -744.0, -800.0] {
        let scores = fruit(-5.0).map(|score| score + added);
        let (naive, careful) = (naive_softmax(&scores), softmax(&scores));
        println!("{added:5}{} {}", row(&naive), row(&careful));
    }
    println!("\n== The largest number");
    println!("logarithm of the largest f64 = {:.1}", f64::MAX.ln());
}

fn never_zero() {
    println!("\n== Never quite 0");
    println!("chair's score  weight  fruit gets");
    for chair in [-5.0, -10.0, -20.0, -700.0, -800.0, f64::NEG_INFINITY] {
        let scores = fruit(chair);
        let weight = match softmax(&scores)[2] {
            0.0 => "0".to_string(),
            weight => format!("{weight:.1e}"),
        };
        println!("{chair:11} {weight:>9} {:11.8}", answer(&scores));
    }
}

fn two_apples() {
    let [apple, banana, chair] = fruit(-5.0);
    let again = softmax(&[chair, apple, banana]);
    let twice = softmax(&[apple, apple, banana, chair]);
    let pairs = [("apple", 10.0), ("apple", 10.0), ("banana", 5.0)];
    println!("\n== Two apples");
    println!(
        "in another order = {:.2}",
        soft_lookup(&again, &[2.0, 10.0, 5.0])
    );
    println!(
        "with apple twice = {:.2}",
        soft_lookup(&twice, &[10.0, 10.0, 5.0, 2.0])
    );
    println!(
        "sum of matches, apple twice = {}",
        sum_of_matches(&pairs, "apple")
    );
}
