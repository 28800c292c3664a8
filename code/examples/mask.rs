//! Masks, and what leaks without them: `cargo run --example mask`

use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::costs::{Bill, Cost};
use all_you_need::embedding::Embedding;
use all_you_need::heads::MultiHead;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use nalgebra::dmatrix;
use plot::print::grouped;
use plot::{Diagram, HeatMaps, Hue, Panel};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    i_am_fine();
    predictions();
    prefixes();
    next_word();
    draw_flow();
    all_sentences();
    padding_and_packing();
    work();
    windows();
    draw_kinds();
    too_late();
    nothing_to_see();
    upside_down();
}

/// Independent numbers with mean 0 and standard deviation 1.
fn noise(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Init::uniform(rng, rows, cols, 1.0)
}

/// A difference for the page; when it is only rounding, its digits are not
/// the same on every machine.
fn gap(apart: f64) -> String {
    if apart < 1e-12 {
        "less than 10⁻¹²".to_string()
    } else {
        format!("{apart:.3}")
    }
}

const NAMES: [&str; 3] = ["I", "am", "fine"];

/// What each word makes of each, already divided by √d_k.
fn scores() -> Matrix {
    dmatrix![1.0, 2.0, 0.0; 1.0, 1.0, 2.0; 0.0, 1.0, 1.0]
}

/// Softmax that knows of no mask.
fn plain_softmax(scores: &Matrix) -> Matrix {
    scores.softmax(&Mask::none(scores.nrows(), scores.ncols()))
}

fn print_rows(title: &str, rows: &Matrix) {
    println!("{title:18}{:>6}{:>7}{:>7}", "I", "am", "fine");
    for (name, row) in NAMES.iter().zip(rows.row_iter()) {
        let row: String = row.iter().map(|x| format!("{x:7.2}")).collect();
        println!("  {name:15}{row}");
    }
}

/// Scores + mask, and their softmax, in both ways.
fn i_am_fine() {
    let (scores, mask) = (scores(), Mask::causal(3));
    let masked = &scores + mask.matrix();
    let weights = plain_softmax(&masked);
    println!("== I am fine");
    print_rows("without a mask", &plain_softmax(&scores));
    println!();
    print_rows("with the mask", &weights);
    let apart = (weights.clone() - scores.softmax(&mask)).amax();
    println!("\n== Added, and left out");
    println!("apart = {}", gap(apart));
    let panel = |m: &Matrix, title| {
        let panel = Panel::new(m).title(title).full(2.0).numbers(0);
        panel.columns(&NAMES).cell(36.0, 28.0)
    };
    let row = |i: usize| {
        let seen = weights.row(i).columns(0, i + 1).into_owned();
        let numbers = seen.iter().map(|w| format!("{w:.2}"));
        numbers.collect::<Vec<_>>().join(", ")
    };
    let figure = HeatMaps::new(
        "Scores, mask, weights",
        &format!(
            "The scores of I, am and fine, plus a mask with zeros on and below \
             the diagonal and minus infinity above it, are the masked scores. \
             Their softmax has zeros above the diagonal: {}; {}; {}.",
            row(0),
            row(1),
            row(2)
        ),
    )
    .sign("")
    .panel(panel(&scores, "scores").rows(&NAMES))
    .sign("+")
    .panel(panel(&mask.matrix(), "mask"))
    .next_row()
    .sign("=")
    .panel(panel(&masked, "masked scores").rows(&NAMES))
    .sign("→")
    .panel(
        panel(&weights, "weights").numbers(2).full(1.0).hue(Hue::WEIGHTS),
    );
    plot::save("mask-sum", &figure.draw());
}

const SENTENCE: &str = "the cat jumped over the fence";

/// What each row of one pass has read, and what it has to guess.
fn predictions() {
    let words = words(SENTENCE);
    println!("\n== One pass");
    println!("row   has read                        has to guess");
    for i in 1..=words.len() {
        let next = words.get(i).map_or("the end", String::as_str);
        println!("{i:3}   {:32}{next}", words[..i].join(" "));
    }
}

/// A head that looks one place to the right. What does it put on the word
/// that comes next?
fn next_word() {
    let sentence = words(SENTENCE);
    let vocabulary = Vocabulary::of(&sentence);
    let ids = vocabulary.encode(&sentence).unwrap();
    let column = |i: usize| ids[i] as usize;
    let n = ids.len();
    let places: Vec<Token> = (0..=n as Token).collect();
    let word = one_hot(&ids, vocabulary.len());
    let ask = one_hot(&places[1..], n + 1) * 100.0;
    let place = one_hot(&places[..n], n + 1);
    let guesses = |mask: &Mask| attention(&ask, &place, &word, mask);
    let line = |guess: &dyn Fn(usize) -> f64| -> String {
        (0..n - 1).map(|i| format!("{:8.2}", guess(i))).collect()
    };
    let (open, causal) =
        (guesses(&Mask::none(n, n)), guesses(&Mask::causal(n)));
    let beginning = |i: usize| {
        let rows = |m: &Matrix| m.rows(0, i + 1).into_owned();
        let mask = Mask::none(i + 1, i + 1);
        let seen = attention(&rows(&ask), &rows(&place), &rows(&word), &mask);
        seen[(i, column(i + 1))]
    };
    let header = |words: &[String]| -> String {
        words.iter().map(|word| format!("{word:>8}")).collect()
    };
    println!("\n== The next word");
    println!("row of            {}", header(&sentence[..n - 1]));
    println!("next is           {}", header(&sentence[1..]));
    println!("no mask           {}", line(&|i| open[(i, column(i + 1))]));
    println!("causal mask       {}", line(&|i| causal[(i, column(i + 1))]));
    println!("nothing after yet {}", line(&beginning));
}

/// Attentions one on top of the other.
fn up(layers: &[MultiHead<Matrix>], x: &Matrix, mask: &Mask) -> Matrix {
    let forward =
        |x: Matrix, layer: &MultiHead<Matrix>| layer.forward(&x, &x, mask);
    layers.iter().fold(x.clone(), forward)
}

/// A sentence of five words, and its first three alone.
fn prefixes() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let two = [0; 2].map(|_| MultiHead::new(2, 8, (4, 3), rng));
    let x = noise(5, 8, rng);
    let beginning = x.rows(0, 3).into_owned();
    println!("\n== The first three of five words");
    for (name, long, short) in [
        ("with the mask", Mask::causal(5), Mask::causal(3)),
        ("without it", Mask::none(5, 5), Mask::none(3, 3)),
    ] {
        let whole = up(&two, &x, &long).rows(0, 3).into_owned();
        let apart = (whole - up(&two, &beginning, &short)).amax();
        println!("{name} = {}", gap(apart));
    }
    println!("\n== The last word");
    for (name, layers) in [("one attention", 1), ("two attentions", 2)] {
        let last = |mask| up(&two[..layers], &x, &mask).row(4).into_owned();
        let apart = (last(Mask::causal(5)) - last(Mask::none(5, 5))).amax();
        println!("{name} = {}", gap(apart));
    }
    let once = price(&[(30, Mask::causal(30))]);
    let beginnings: Vec<_> = (1..=30).map(|n| (n, Mask::causal(n))).collect();
    let again = price(&beginnings);
    let ratio = again.multiply_adds as f64 / once.multiply_adds as f64;
    println!("\n== Thirty words");
    println!("beginning by beginning costs = {ratio:.1}");
}

/// From which words to which word, through two attentions.
fn draw_flow() {
    let mut figure = Diagram::new(
        "Which way things flow",
        "Two attentions over I, am and fine. Thin arrows go straight up or to \
         the right. Thick ones, which the mask forbids, go from fine to am \
         and to I and from am to I; from there thin ones lead on to fine in \
         the second attention.",
        22.4,
        12.0,
    );
    let at = |level: usize, word: usize| {
        (2.0 + 6.1 * word as f64, 10.6 - 4.6 * level as f64)
    };
    let hues = [Hue::SOURCE, Hue::Rule, Hue::Rule];
    let names = ["words", "one attention", "two attentions"];
    for (level, name) in names.iter().enumerate() {
        figure.note((16.1, at(level, 2).1), plot::Side::Right, name);
    }
    let blocks: Vec<Vec<_>> = (0..3)
        .map(|level| {
            let block = |word: usize| {
                let size = (3.2, 1.5);
                figure.block(at(level, word), size, NAMES[word], hues[level])
            };
            (0..3).map(block).collect()
        })
        .collect();
    for (level, from, to) in (0..18)
        .map(|i| (i / 9, i / 3 % 3, i % 3))
        .filter(|a| a.0 == 0 || a.1 <= a.2)
    {
        let shift = 0.25 * (from as f64 - to as f64);
        let start = blocks[level][from].along(-shift, -0.5);
        let end = blocks[level + 1][to].along(shift, 0.5);
        let hue = if from <= to { Hue::Ink } else { Hue::Here };
        figure.arrow(&[start, end], hue);
    }
    plot::save("mask-flow", &figure.draw());
}

/// What one attention of the base model costs, run on each of these.
fn price(runs: &[(usize, Mask)]) -> Cost {
    let bill = Bill::default();
    let heads = MultiHead::new(8, 512, (64, 64), &mut bill.clone());
    for (n, mask) in runs {
        let x = bill.shape(*n, 512);
        let _ = heads.forward(&x, &x, mask);
    }
    bill.cost()
}

/// A guesser with three words. How probable are all sentences of three
/// words together?
fn all_sentences() {
    let (words, begin, n, d_model) = (3, 3, 3, 8);
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let embedding: Embedding<Matrix> =
        Embedding::new(words + 1, d_model, rng);
    let heads: MultiHead<Matrix> = MultiHead::new(2, d_model, (4, 4), rng);
    let last = noise(d_model, words, rng) * 3.0;
    let positions = sinusoidal(&[0, 1, 2], d_model);
    let together = |mask: &Mask| -> f64 {
        let sentences = (0..27).map(|i| [i / 9, i / 3 % 3, i % 3]);
        let probability = |[a, b, c]: [usize; 3]| {
            let x = embedding.embed(&[begin, a, b].map(|id| id as Token))
                + &positions;
            let guess = plain_softmax(&(heads.forward(&x, &x, mask) * &last));
            guess[(0, a)] * guess[(1, b)] * guess[(2, c)]
        };
        sentences.map(probability).sum()
    };
    println!("\n== All 27 sentences of three words");
    println!("together, with the mask = {:.3}", together(&Mask::causal(n)));
    println!("together, without it = {:.3}", together(&Mask::none(n, n)));
}

/// Three sentences in a rectangle, and end to end.
fn padding_and_packing() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let lengths = [5, 11, 30];
    let (longest, all) = (30, 46);
    let heads: MultiHead<Matrix> = MultiHead::new(2, 16, (8, 4), rng);
    let x = noise(all, 16, rng);
    let packed = heads.forward(&x, &x, &Mask::packed(&lengths, &lengths));
    let (mut start, mut apart, mut silenced) = (0, 0.0, 0.0);
    for n in lengths {
        let own = x.rows(start, n).into_owned();
        let alone = heads.forward(&own, &own, &Mask::none(n, n));
        let mask = Mask::padding(longest, longest, n);
        let mut visible = mask.visible().to_vec();
        visible[n..].fill(0..0);
        let silent = Mask::new(visible, longest);
        // Other numbers in the place of PAD each time, and large ones.
        let [one, other, without] = [&mask, &mask, &silent].map(|mask| {
            let mut padded = noise(longest, 16, rng) * 9.0;
            padded.rows_mut(0, n).copy_from(&own);
            heads.forward(&padded, &padded, mask).rows(0, n).into_owned()
        });
        let packed = packed.rows(start, n).into_owned();
        for ways in [one, other, packed] {
            apart = f64::max(apart, (ways - &alone).amax());
        }
        silenced = f64::max(silenced, (without - alone).amax());
        start += n;
    }
    println!("\n== Padded and packed");
    println!("padded or packed, apart = {}", gap(apart));
    println!("without PAD's queries, apart = {}", gap(silenced));
}

/// The work for the same three sentences, in three ways.
fn work() {
    let lengths = [5, 11, 30];
    println!("\n== The work for 5, 11 and 30 words");
    println!("               rows   million multiply-adds   exponentials");
    let alone = lengths.map(|n| (n, Mask::none(n, n)));
    let padded = lengths.map(|n| (30, Mask::padding(30, 30, n)));
    let packed = [(46, Mask::packed(&lengths, &lengths))];
    for (name, runs) in [
        ("one by one", alone.as_slice()),
        ("padded to 30", &padded),
        ("packed", &packed),
    ] {
        let rows: usize = runs.iter().map(|run| run.0).sum();
        let cost = price(runs);
        println!(
            "{name:15}{rows:4} {:23.1} {:14}",
            cost.multiply_adds as f64 / 1e6,
            cost.exponentials
        );
    }
}

/// What a window saves, and how many attentions it takes until the first
/// word hears of the last.
fn windows() {
    let (r, mut saved) = (100, (0, 0));
    println!("\n== Windows");
    println!("            weights in each attention     attentions from");
    println!("  words     all keys   {r} on each side   last to first");
    for n in [100, 1000, 10_000] {
        let mask = Mask::window(n, r);
        let seen: usize = mask.visible().iter().map(|keys| keys.len()).sum();
        let (mut heard, mut count) = (0, 0);
        while heard < n - 1 {
            heard = mask.visible()[heard].end - 1;
            count += 1;
        }
        saved = (n * n / seen, count);
        let [n, all, seen] = [n, n * n, seen].map(grouped);
        println!("{n:>7} {all:>12} {seen:>18} {count:>15}");
    }
    println!("\n== The longest text");
    println!("times fewer weights = {}", saved.0);
    println!("attentions from last to first = {}", saved.1);
}

/// Six masks for six words.
fn draw_kinds() {
    let (n, lengths) = (6, [2, 4]);
    let packed = Mask::packed(&lengths, &lengths);
    let masks = [
        ("causal(6)", Mask::causal(n)),
        ("padding(6, 6, 4)", Mask::padding(n, n, 4)),
        ("packed [2, 4]", packed.clone()),
        ("causal and packed", Mask::causal(n).and(&packed)),
        ("window(6, 1)", Mask::window(n, 1)),
        ("causal and window", Mask::causal(n).and(&Mask::window(n, 1))),
    ];
    let mut figure = HeatMaps::new(
        "Six masks",
        &format!(
            "Six {n} × {n} maps, filled where a query, a row, sees a key, a \
             column. Causal: a triangle on and below the diagonal. Padding: \
             the first four columns. Packed: a square of {} and one of {}. \
             Causal and packed: two triangles. Window: the diagonal and its \
             neighbours. Causal and window: the diagonal and its left \
             neighbour.",
            lengths[0], lengths[1]
        ),
    );
    for (i, (name, mask)) in masks.iter().enumerate() {
        let seen = mask.matrix().map(|x| if x == 0.0 { 0.7 } else { 0.0 });
        let panel = Panel::new(&seen).title(name).cell(21.0, 21.0).full(1.0);
        figure = figure.panel(panel);
        if i == 2 {
            figure = figure.next_row();
        }
    }
    plot::save("mask-kinds", &figure.draw());
}

/// Zeros after the softmax, and zeros for infinities.
fn too_late() {
    let (scores, mask) = (scores(), Mask::causal(3));
    let hidden = mask.matrix();
    let mut after = plain_softmax(&scores);
    after.zip_apply(&hidden, |w, m| *w = if m < 0.0 { 0.0 } else { *w });
    let sums = after.row_iter().map(|row| format!("{:.2}", row.sum()));
    println!("\n== Zeros");
    println!(
        "rows, if weights are zeroed = {}",
        sums.collect::<Vec<_>>().join(", ")
    );
    let zeros = scores.zip_map(&hidden, |s, m| if m < 0.0 { 0.0 } else { s });
    let weights = plain_softmax(&zeros);
    println!("I to fine, if the score is zeroed = {:.2}", weights[(0, 2)]);
}

/// A row that may see nothing.
fn nothing_to_see() {
    let scores = scores().rows(1, 1).into_owned();
    let mask = Mask::padding(1, 3, 0);
    let large = scores.map(|_| -1e9);
    println!("\n== Nothing to see");
    println!("                       I     am   fine");
    for (name, weights) in [
        ("−∞ added", plain_softmax(&(&scores + mask.matrix()))),
        ("replaced by −1e9", plain_softmax(&large)),
        ("an empty range", scores.softmax(&mask)),
    ] {
        let row: String =
            weights.iter().map(|w| format!("{w:7.2}")).collect();
        println!("{name:17}{row}");
    }
}

/// The causal mask, read the wrong way round.
fn upside_down() {
    let hidden = Mask::causal(3).matrix();
    let turned =
        scores().zip_map(&hidden, |s, m| if m < 0.0 { s } else { -1e9 });
    println!("\n== Upside down");
    print_rows("true is false", &plain_softmax(&turned));
}
