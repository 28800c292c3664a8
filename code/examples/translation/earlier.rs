//! Runs before the one of the book, and words that are rare in what it read.

use super::logged::{TESTS, log, of_all_seeds, rows};
use print::log::{number, table};
use print::{Fixed, most, section, value};

/// Earlier runs, and what each did for the first time.
const EARLIER: [(&str, &str); 4] = [
    ("first", ""),
    ("second", "smaller initial parameters"),
    ("third", "weight decay"),
    ("fourth", "both directions, larger batches"),
];

pub fn four_earlier_runs() {
    section("Four earlier runs");
    println!(
        "run     new in it                        million tokens    val  \
         test2016"
    );
    let (mut fourth, mut alpha) = ("", "");
    for (name, what) in EARLIER {
        let rows = rows(log(&format!("{name}-run")));
        let tokens = rows[rows.len() - 1].tokens / 1e6;
        let scores = log(&format!("{name}-scores"));
        let scores: Vec<[&str; 6]> = table(scores).collect();
        let is_test = |row: &&[&str; 6]| row[0] == "test2016";
        let test = scores.iter().find(is_test).expect("a test");
        let same =
            |row: &&[&str; 6]| row[0] == "val" && row[1..5] == test[1..5];
        let val = scores.iter().find(same).expect("a score on val");
        println!(
            "{name:7} {what:32} {tokens:14.0} {:>6} {:>9}",
            val[5], test[5]
        );
        (fourth, alpha) = (test[5], test[4]);
    }
    section("The same recipe");
    value("fourth on test2016", number::<f64>(fourth));
    value("α of the fourth", alpha);
    let seeds = of_all_seeds(TESTS[0].0);
    value("best seed on test2016", most(&seeds).fixed(2));
}

/// In how many training captions the words are that went wrong.
pub fn rare_words() {
    section("Words in the training captions");
    println!("word        captions  in German");
    for [word, captions, german, with_it] in table(log("words")) {
        let with_it = match german {
            "" => String::new(),
            _ => format!("{german} in {with_it}"),
        };
        println!("{}", format!("{word:11} {captions:>8}  {with_it}").trim());
    }
}
