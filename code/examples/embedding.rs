//! One-hot rows times a table: `cargo run --example embedding`

use all_you_need::costs::{Bill, Cost, Shape};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use plot::print::grouped;
use plot::{Chart, HeatMaps, Panel};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    product();
    price();
    rows();
    neighbours();
    angles();
    lengths();
    places();
    ids_as_numbers();
    straight_ahead();
}

/// The second note's sentence, in small letters.
fn fence() -> (Vec<String>, Vocabulary, Vec<Token>) {
    let sentence = words("the cat jumped over the fence");
    let vocabulary = Vocabulary::of(&sentence);
    let ids = vocabulary.encode(&sentence).unwrap();
    (sentence, vocabulary, ids)
}

/// Ids as numbers of rows.
fn indices(ids: &[Token]) -> Vec<usize> {
    ids.iter().map(|&id| id as usize).collect()
}

/// A random table, the same for every call with the same sizes.
fn table(vocabulary: usize, d_model: usize) -> Embedding<Matrix> {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    Embedding::new(vocabulary, d_model, rng)
}

/// Six one-hot rows times a table of five rows.
fn product() {
    let (sentence, vocabulary, ids) = fence();
    let x = one_hot(&ids, vocabulary.len());
    let w = dmatrix![
        1.0, 0.0, 2.0;
        3.0, -1.0, 0.0;
        0.0, 2.0, 1.0;
        -2.0, 1.0, 1.0;
        2.0, 2.0, -1.0
    ];
    let difference = (&x * &w - w.select_rows(&indices(&ids))).amax();
    println!("== One-hot times W");
    for (word, row) in sentence.iter().zip((&x * &w).row_iter()) {
        let row: String = row.iter().map(|v| format!("{v:4}")).collect();
        println!("{word:7}{row}");
    }
    println!("\nfrom the rows of W they differ by = {difference}");
    let names = vocabulary.decode(&[0, 1, 2, 3, 4]);
    let panel = |m: &Matrix, title| {
        Panel::new(m).title(title).numbers(0).cell(24.0, 24.0)
    };
    let (n, d) = (x.nrows(), w.ncols());
    let figure = HeatMaps::new(
        "A product that copies rows",
        &format!(
            "{n} one-hot rows times W, {} × {d}, give {n} rows of {d} \
             numbers: to each word its row of W, and to both thes the same.",
            w.nrows()
        ),
    )
    .panel(panel(&x, "one-hot").rows(&sentence).full(3.0))
    .sign("×")
    .panel(panel(&w, "W").rows(&names))
    .sign("=")
    .panel(panel(&(&x * &w), "X"));
    plot::save("embedding-product", &figure.draw());
}

/// What six words of the paper's vocabulary cost, multiplied and looked up.
fn price() {
    let (_, _, ids) = fence();
    let (vocabulary, d_model) = (37_000, 512);
    let cost = |run: &dyn Fn(&Bill, &Shape)| -> Cost {
        let bill = Bill::default();
        run(&bill, &bill.shape(vocabulary, d_model));
        bill.cost()
    };
    let multiplied = cost(&|bill, table| {
        let _ = bill.shape(ids.len(), vocabulary).matmul(table);
    });
    let looked_up = cost(&|_, table| {
        let _ = table.gather(&indices(&ids));
    });
    let table: Embedding<Shape> =
        Embedding::new(vocabulary, d_model, &mut Bill::default());
    let (rows, columns) = table.table.shape();
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut Bill::default());
    let share =
        100.0 * (rows * columns) as f64 / parameter_count(&model) as f64;
    println!("\n== The price");
    println!(
        "multiply-adds, product = {}",
        grouped(multiplied.multiply_adds)
    );
    println!("multiply-adds, look-up = {}", grouped(looked_up.multiply_adds));
    println!("numbers in the table = {}", grouped((rows * columns) as u64));
    println!("of all that the base model learns = {share:.0} %");
}

/// The sentence, embedded, and the same words in another order.
fn rows() {
    let (sentence, vocabulary, ids) = fence();
    let embedding = table(vocabulary.len(), 32);
    let x = embedding.embed(&ids);
    let turned = words("the fence jumped over the cat");
    let y = embedding.embed(&vocabulary.encode(&turned).unwrap());
    let found = y.row_iter().filter(|y| x.row_iter().any(|x| x == *y));
    println!("\n== The cat jumped over the fence");
    println!("rows and columns = {} × {}", x.nrows(), x.ncols());
    println!("between the and the = {}", (x.row(0) - x.row(4)).amax());
    println!("between the and cat = {:.2}", (x.row(0) - x.row(1)).amax());
    println!("rows that are back = {} of {}", found.count(), y.nrows());
    let figure = HeatMaps::new(
        "The rows of a sentence",
        &format!(
            "{} rows of {} random numbers, blue above zero and orange below. \
             The first row and the fifth, both for the, are the same; no \
             other two are.",
            x.nrows(),
            x.ncols()
        ),
    )
    .panel(
        Panel::new(&x)
            .rows(&sentence)
            .axes("tokens", "d_model")
            .cell(11.0, 22.0),
    );
    plot::save("embedding-rows", &figure.draw());
}

/// Words whose neighbours in the trained table are printed.
const KNOWN: [&str; 6] = ["dog", "red", "two", "jumps", "football", "schnee"];

/// The rows of the translator's table that are most similar to some words.
fn neighbours() {
    println!("\n== Neighbours");
    let Translator { model, tokenizer, .. } = Translator::captions();
    let table = model.embedding.table;
    let rows: Vec<_> = table.row_iter().map(|row| row.normalize()).collect();
    for word in KNOWN {
        let &[id] = &tokenizer.encode(&format!(" {word}"))[..] else {
            panic!("{word} is not a single token");
        };
        let cosine =
            |other: &Token| rows[id as usize].dot(&rows[*other as usize]);
        let begins_a_word = |other: &Token| {
            *other != id && tokenizer.decode(&[*other]).starts_with(' ')
        };
        let mut others: Vec<Token> =
            (0..tokenizer.bos()).filter(begins_a_word).collect();
        others.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)));
        let spell = |other: &Token| {
            let spelled = tokenizer.decode(&[*other]);
            format!("{} {:.2}", spelled.trim(), cosine(other))
        };
        let nearest: Vec<String> = others[..4].iter().map(spell).collect();
        println!("{word:9} {}", nearest.join(", "));
    }
}

/// The cosine of the angle between two rows.
fn cosine(a: &Matrix, b: &Matrix) -> f64 {
    a.dot(b) / (a.norm() * b.norm())
}

/// How alike the rows of a random table are, at several widths.
fn angles() {
    let words = 200;
    println!("\n== Random rows");
    println!("   d   typical   most alike   1/√d");
    let (mut typical, mut most) = (Vec::new(), Vec::new());
    for d in [2, 8, 32, 128, 512, 2048] {
        let mut rows = table(words, d).table;
        rows.row_iter_mut().for_each(|mut row| {
            row.normalize_mut();
        });
        let all = rows.matmul_t(&rows);
        let below = (0..words).flat_map(|i| (0..i).map(move |j| (i, j)));
        let cosines: Vec<f64> = below.map(|pair| all[pair]).collect();
        let squares: f64 = cosines.iter().map(|c| c * c).sum();
        let usual = (squares / cosines.len() as f64).sqrt();
        let highest = cosines.iter().copied().fold(0.0, f64::max);
        let root = 1.0 / (d as f64).sqrt();
        println!("{d:4}{usual:10.3}{highest:13.3}{root:7.3}");
        typical.push((d as f64, usual));
        most.push((d as f64, highest));
    }
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut unit = || {
        let row: Matrix = rng.uniform(1, 512, 1.0);
        row.normalize()
    };
    let first = unit();
    let highest = (1..37_000).map(|_| first.dot(&unit())).fold(0.0, f64::max);
    println!("\n== Among 37 000");
    println!("most like one of them = {highest:.2}");
    let figure = Chart::new(
        "How alike random rows are",
        &format!(
            "On two logarithmic axes the typical cosine of two random rows \
             falls in a straight line, as fast as √d rises; the most alike of \
             {words} rows fall too."
        ),
    )
    .size(450.0, 290.0)
    .x("d_model")
    .y("cosine")
    .log_x()
    .log_y()
    .line("the most alike of 200", most)
    .line("two at random", typical);
    plot::save("embedding-angles", &figure.draw());
}

/// The mean length of the rows.
fn length(rows: &Matrix) -> f64 {
    rows.row_iter().map(|row| row.norm()).sum::<f64>() / rows.nrows() as f64
}

/// How long words are, plain and times √d_model, and how long places are.
fn measured(d: usize) -> [f64; 3] {
    let embedding = table(100, d);
    let word = length(&embedding.table);
    let scaled = length(&embedding.embed(&Vec::from_iter(0..100)));
    [word, scaled, length(&sinusoidal(&Vec::from_iter(0..100), d))]
}

/// The word's part of the squares, in percent, when both are added.
fn share(word: f64, place: f64) -> f64 {
    100.0 * word * word / (word * word + place * place)
}

/// The three lengths at several widths.
fn lengths() {
    println!("\n== Lengths");
    println!("          length of            the word's share");
    println!("   d   row   × √d   place      row     × √d");
    let mut lines = [Vec::new(), Vec::new(), Vec::new()];
    for d in [8, 32, 128, 512, 2048] {
        let [row, scaled, place] = measured(d);
        let (without, with) = (share(row, place), share(scaled, place));
        println!(
            "{d:4}{row:6.2}{scaled:7.1}{place:8.1}{without:9.1} %{with:7.1} %"
        );
        for (line, length) in lines.iter_mut().zip([row, scaled, place]) {
            line.push((d as f64, length));
        }
    }
    let [row, scaled, place] = measured(512);
    println!("\n== At 512 columns");
    println!("row at 512 = {row:.2}");
    println!("row times √512 = {scaled:.1}");
    println!("share of the row at 512 = {:.1} %", share(row, place));
    println!("place at 512 = {place:.0}");
    let [row, scaled, place] = lines;
    let figure = Chart::new(
        "The lengths of words and places",
        &format!(
            "On two logarithmic axes a row of the table is {:.2} long at the \
             smallest width and {:.2} at the largest; the same times √d grows \
             as the square root of d, and so does the place, a little below.",
            row[0].1,
            row[row.len() - 1].1
        ),
    )
    .size(450.0, 290.0)
    .x("d_model")
    .y("length")
    .log_x()
    .log_y()
    .line("row of the table", row)
    .line("row × √d_model", scaled)
    .line("place, √(d/2)", place);
    plot::save("embedding-lengths", &figure.draw());
}

/// What is more alike: one word in two places, or two words in one?
fn places() {
    let embedding = table(5, 512);
    let place = |at: usize| sinusoidal(&[at], 512);
    let factor = 512f64.sqrt();
    println!("\n== Two words, two places");
    println!("                              plain   × √d");
    for (name, (a, at), (b, bt)) in [
        ("cat at 3 and cat at 30", (1, 3), (1, 30)),
        ("cat at 3 and fence at 3", (1, 3), (4, 3)),
        ("cat at 3 and fence at 30", (1, 3), (4, 30)),
    ] {
        let row = |id: Token| embedding.embed(&[id]);
        let plain = cosine(
            &(row(a) / factor + place(at)),
            &(row(b) / factor + place(bt)),
        );
        let scaled = cosine(&(row(a) + place(at)), &(row(b) + place(bt)));
        println!("{name:28}{plain:7.2}{scaled:7.2}");
    }
}

/// Every way of giving the ids 0 to 4 to five words.
fn numberings() -> Vec<Vec<usize>> {
    let all = (0..5usize.pow(5))
        .map(|n| (0..5).map(|i| n / 5usize.pow(i) % 5).collect::<Vec<_>>());
    all.filter(|ids| (0..5).all(|id| ids.contains(&id))).collect()
}

/// A weight and a bias shall tell things, *cat* and *fence*, from the rest.
fn ids_as_numbers() {
    let (_, vocabulary, _) = fence();
    let things = [1, 4];
    let separable = |ids: &&Vec<usize>| {
        let thing = |i: &usize| things.contains(i);
        let (yes, no): (Vec<usize>, Vec<usize>) = (0..5).partition(thing);
        let above = |a: &[usize], b: &[usize]| {
            a.iter().all(|&a| b.iter().all(|&b| ids[a] > ids[b]))
        };
        above(&yes, &no) || above(&no, &yes)
    };
    let all = numberings();
    let good = all.iter().filter(separable).count();
    println!("\n== Ids as numbers");
    let names = vocabulary.decode(&[0, 1, 2, 3, 4]);
    let ids = dmatrix![0.0; 1.0; 2.0; 3.0; 4.0];
    let products = ids.matmul_t(&ids);
    let header: String = names.iter().map(|n| format!("{n:>8}")).collect();
    println!("{:7}{header}", "");
    for (name, row) in names.iter().zip(products.row_iter()) {
        let row: String = row.iter().map(|v| format!("{v:8}")).collect();
        println!("{name:7}{row}");
    }
    let like = products.row(1).transpose().argmax().0;
    println!("\nmost like cat = {}", names[like]);
    println!("ways to number five words = {}", all.len());
    println!("of these with cat and fence at one end = {good}");
}

/// The first note's way: one-hot rows straight into three projections.
fn straight_ahead() {
    let (vocabulary, d) = (37_000u64, 512);
    println!("\n== Straight ahead");
    println!("three tables = {}", grouped(3 * vocabulary * d));
    let shared = vocabulary * d + 3 * d * d;
    println!("one table, three projections = {}", grouped(shared));
}
