//! Fifty captions, which were written before the model was trained, and what
//! it makes of them.

use super::log;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::translation::{HeadWeights, Translator};
use print::log::{file, table};
use print::{Fixed, section, value};

/// A caption, what the model makes of it, and what we think of that.
pub struct Judged {
    pub english: String,
    pub german: String,
    pub verdict: String,
    /// What the German says, in English.
    pub gloss: String,
}

/// All of them. They were judged once: if the model says something else one
/// day, the example fails, and they have to be judged again.
pub fn judged(translator: &Translator) -> Vec<Judged> {
    let english: Vec<&str> = file("translation-own.en").lines().collect();
    let beam = translator.beam(5, Translator::CAPTIONS_ALPHA, 1);
    let said = translator.translate(&english, &beam).expect("short lines");
    let judged = table(log("judged")).zip(english).zip(said);
    let judged = judged.map(|(([german, verdict, gloss], english), said)| {
        assert_eq!(said, german, "{english}");
        let [verdict, gloss] = [verdict, gloss].map(str::to_owned);
        Judged { english: english.to_owned(), german: said, verdict, gloss }
    });
    judged.collect()
}

/// How many of the fifty are like the captions the model has learned from;
/// the others are meant to be difficult.
const ORDINARY: usize = 30;

/// Which of them are shown first, and drawn.
pub const SHOWN: [usize; 3] = [0, 3, 8];

/// Which of them the page prints in sight: some that are right, and those of
/// which it speaks.
const TEN: [usize; 10] = [4, 9, 14, 19, 21, 31, 34, 39, 40, 44];

pub fn what_it_says(translator: &Translator) {
    let all = judged(translator);
    section("Three captions");
    for Judged { english, german, .. } in SHOWN.map(|i| &all[i]) {
        println!("{english}\n    {german}");
    }
    let (ten, others): (Vec<_>, Vec<_>) =
        all.iter().enumerate().partition(|(i, _)| TEN.contains(i));
    section("Ten of fifty captions");
    ten.into_iter().for_each(show);
    section("The others");
    others.into_iter().for_each(show);
    count(&all);
    two_looks(translator, &all[SHOWN[2]]);
}

fn show((i, judged): (usize, &Judged)) {
    let Judged { english, german, verdict, gloss } = judged;
    let kind = if i < ORDINARY { "ordinary" } else { "difficult" };
    println!("{english}\n    {german}\n    {kind}, {verdict}: {gloss}");
}

/// How many there are of each verdict.
fn count(all: &[Judged]) {
    section("Counted");
    println!("                     right  slip  wrong");
    let of = |some: &[Judged], verdict: &str| {
        some.iter().filter(|judged| judged.verdict == verdict).count()
    };
    let (ordinary, difficult) = all.split_at(ORDINARY);
    let both = [("ordinary", ordinary), ("difficult", difficult)];
    for (name, some) in both.into_iter().chain([("all", all)]) {
        let [right, slip, wrong] =
            ["right", "slip", "wrong"].map(|verdict| of(some, verdict));
        let n = some.len();
        assert_eq!(right + slip + wrong, n);
        println!("{name:9} {n:>3} {right:>12} {slip:>5} {wrong:>6}");
    }
    section("Verdicts");
    value("right of all", of(all, "right"));
    value("ordinary", ordinary.len());
    value("difficult", difficult.len());
    for (name, some) in both {
        let [low, high] = wilson(of(some, "right"), some.len());
        let range = [100.0 * low, 100.0 * high].fixed(0).join(" to ");
        value(format!("interval of the {name}"), range + " %");
    }
}

/// The interval in which a share is with 95 per cent, if so many of n were
/// counted (Wilson, 1927).
fn wilson(counted: usize, n: usize) -> [f64; 2] {
    let (z, n) = (1.96_f64, n as f64);
    let share = counted as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let all = 1.0 + z * z / n;
    [(middle - half) / all, (middle + half) / all]
}

/// The cross-attention of the decoder's last layer.
pub struct Looks {
    /// The tokens of the translation, which are queries.
    pub rows: Vec<String>,
    /// The tokens of the caption, which are keys.
    pub columns: Vec<String>,
    pub heads: HeadWeights,
}

pub fn looks(translator: &Translator, judged: &Judged) -> Looks {
    let Translator { tokenizer, .. } = translator;
    let source = tokenizer.encode_source(&judged.english);
    let mut target = tokenizer.encode_target(&judged.german);
    // After the end of the sequence nothing is looked for.
    target.pop();
    let mut maps = translator.attention_maps(&source, &target);
    let spell = |ids: &[Token]| -> Vec<String> {
        ids.iter().map(|&id| tokenizer.name(id)).collect()
    };
    let heads = maps.cross.pop().expect("a layer");
    Looks { rows: spell(&target), columns: spell(&source), heads }
}

/// What one head looks at for two words that German has in the other order:
/// the head that is the surest of both.
fn two_looks(translator: &Translator, judged: &Judged) {
    section("Two looks");
    let Looks { rows, columns, heads } = looks(translator, judged);
    let place = |tokens: &[String], word| {
        tokens.iter().position(|token| token == word).expect("a token")
    };
    let looks = [("nachts", "night"), ("straße", "street")];
    let looks = looks.map(|(german, english)| {
        (german, place(&rows, german) - 1, place(&columns, english))
    });
    let surest = |head: &Matrix<f32>| {
        let weights = looks.iter().map(|&(_, row, key)| head[(row, key)]);
        weights.fold(1.0, f32::min)
    };
    let best = |&a: &usize, &b: &usize| {
        surest(&heads[a]).total_cmp(&surest(&heads[b]))
    };
    let head = (0..heads.len()).max_by(best).expect("a head");
    value("jumping head", head + 1);
    for (word, row, key) in looks {
        let weight = heads[head][(row, key)];
        value(format!("before {word}, weight"), weight.fixed(2));
    }
}
