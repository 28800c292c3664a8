//! Scores, weights and attention: `cargo run --example attention`

use all_you_need::attention::{Mask, Softmax, attention, scores, weights};
use all_you_need::dictionary;
use all_you_need::embedding::Embedding;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Vocabulary, words};
use all_you_need::translation::Translator;
use nalgebra::{DVector, dmatrix};
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    one_query();
    two_queries();
    draw_product();
    without_projections();
    one_projection();
    one_sentence();
    trained_sentence();
    variance();
    two_keys();
    four_scales();
    down_the_columns();
    draw_steps();
}

/// Independent numbers with mean 0 and standard deviation 1.
fn noise(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Init::uniform(rng, rows, cols, 1.0)
}

/// *fruit* as a vector, against three keys as vectors.
fn one_query() {
    let words = ["apple", "banana", "chair"];
    let fruit = dmatrix![2.0, 0.0];
    let keys = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0];
    let values = dmatrix![10.0; 5.0; 2.0];
    let mask = Mask::none(1, 3);
    let dots = &fruit * keys.transpose();
    let scores = scores(&fruit, &keys);
    let weights = weights(&fruit, &keys, &mask);
    let answer = attention(&fruit, &keys, &values, &mask)[0];
    println!("== Four words in two numbers");
    println!("        sweet  wooden  value");
    println!("fruit {:7} {:7}", fruit[0], fruit[1]);
    for (j, word) in words.iter().enumerate() {
        let (sweet, wooden) = (keys[(j, 0)], keys[(j, 1)]);
        println!("{word:6}{sweet:7} {wooden:7} {:6}", values[j]);
    }
    draw_arrows(&words, &fruit, &keys);
    println!("\n== One query");
    println!("key     dot product   ÷√2   weight  value");
    for (j, word) in words.iter().enumerate() {
        let (dot, score, weight) = (dots[j], scores[j], weights[j]);
        println!("{word:8}{dot:11} {score:5.2} {weight:8.3} {:6}", values[j]);
    }
    println!("\nfruit gets = {answer:.2}");
    println!("weight of apple = {:.2}", weights[0]);
    draw_query(&words, &scores, &weights, &values, answer);
}

/// Where in a figure of arrows a word is that is so sweet and so wooden.
fn place(sweet: f64, wooden: f64) -> (f64, f64) {
    (11.0 + 4.0 * sweet, 11.5 - 4.0 * wooden)
}

fn draw_axes(figure: &mut Diagram) {
    figure.line(&[place(-2.4, 0.0), place(2.6, 0.0)], Hue::Rule);
    figure.line(&[place(0.0, -0.3), place(0.0, 2.5)], Hue::Rule);
    figure.note(place(2.6, 0.0), Side::Right, "sweet");
    figure.note(place(0.0, 2.5), Side::Above, "wooden");
}

/// The query and the keys as arrows from the origin.
fn draw_arrows(words: &[&str], query: &Matrix, keys: &Matrix) {
    let angle = |j: usize| {
        let key = keys.row(j);
        let cosine = query.row(0).dot(&key) / (query.norm() * key.norm());
        format!("{}, {:.0} degrees", words[j], cosine.acos().to_degrees())
    };
    let angles: Vec<_> = (0..words.len()).map(angle).collect();
    let mut figure = Diagram::new(
        "Four words as arrows",
        &format!(
            "From the origin an arrow goes to each word. The angles to fruit \
             are: {}.",
            angles.join("; ")
        ),
        24.0,
        13.0,
    );
    draw_axes(&mut figure);
    let mut draw = |word: &str, m: &Matrix, j: usize, hue| {
        let (x, y) = (m[(j, 0)], m[(j, 1)]);
        let name = format!("{word} ({x}, {y})").replace('-', "−");
        figure.arrow(&[place(0.0, 0.0), place(x, y)], hue);
        figure.note(place(x, y), Side::Above, &name);
    };
    draw("fruit", query, 0, Hue::QUERIES);
    for (j, word) in words.iter().enumerate() {
        draw(word, keys, j, Hue::KEYS);
    }
    plot::save("attention-arrows", &figure.draw());
}

fn draw_query(
    words: &[&str],
    scores: &Matrix,
    weights: &Matrix,
    values: &Matrix,
    answer: f64,
) {
    let description = format!(
        "The query fruit meets the keys apple, banana and chair. Their scores \
         become weights, the weights multiply the values, and the sum is {answer:.2}."
    );
    let mut figure = Diagram::new(
        "One query against three keys",
        &description,
        22.4,
        13.0,
    );
    let query =
        figure.block((1.7, 6.5), (2.8, 2.0), "*q*\nfruit", Hue::QUERIES);
    let sum = figure.circle((18.5, 6.5), "Σ");
    for (j, word) in words.iter().enumerate() {
        let y = 2.5 + 4.0 * j as f64;
        let text = format!("*k*  {word}\nscore {:.2}", scores[j]);
        let text = text.replace('-', "−");
        let key = figure.block((6.6, y), (4.4, 2.4), &text, Hue::KEYS);
        let text = format!("weight\n{:.3}", weights[j]);
        let weight = figure.block((11.7, y), (3.2, 2.4), &text, Hue::WEIGHTS);
        let text = format!("*v*  {}", values[j]);
        let value = figure.block((15.6, y), (2.2, 2.0), &text, Hue::VALUES);
        figure.arrow(&[query.right(), key.left()], Hue::Ink);
        figure.arrow(&[key.right(), weight.left()], Hue::Ink);
        figure.arrow(&[weight.right(), value.left()], Hue::Ink);
        figure.arrow(&[value.right(), sum.left()], Hue::Ink);
    }
    let result = figure.block(
        (20.9, 6.5),
        (2.4, 2.0),
        &format!("{answer:.2}"),
        Hue::VALUES,
    );
    figure.arrow(&[sum.right(), result.left()], Hue::Ink);
    figure.note((9.4, 12.4), plot::Side::On, "softmax");
    figure.note((13.9, 12.4), plot::Side::On, "×");
    plot::save("attention-query", &figure.draw());
}

/// Two queries at a time: the weights of the keys, and the answers.
fn three_lines() -> (Matrix, Matrix) {
    let q = dmatrix![2.0, 0.0; 0.0, 2.0]; // 2 queries, fruit and furniture
    let k = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0]; // 3 keys
    let v = dmatrix![10.0; 5.0; 2.0]; // 3 values

    let scores = &q * k.transpose() / 2_f64.sqrt(); // 2 × 3
    let weights = softmax_of_rows(&scores); // 2 × 3
    let answers = &weights * &v; // 2 × 1

    (weights, answers)
}

/// The softmax of the dictionary, for each row by itself.
fn softmax_of_rows(scores: &Matrix) -> Matrix {
    let mut weights = scores.clone();
    for mut row in weights.row_iter_mut() {
        let scores: Vec<f64> = row.iter().copied().collect();
        row.copy_from_slice(&dictionary::softmax(&scores));
    }
    weights
}

fn two_queries() {
    let (weights, answers) = three_lines();
    println!("\n== Three lines");
    println!("             apple  banana   chair   answer");
    for (i, query) in ["fruit", "furniture"].iter().enumerate() {
        let row: String =
            weights.row(i).iter().map(|w| format!("{w:8.3}")).collect();
        println!("{query:10}{row} {:8.2}", answers[i]);
    }
}

/// Two queries, two keys of width 3: every matrix of equation (1).
fn draw_product() {
    let q = dmatrix![1.0, 0.0, 2.0; 0.0, 3.0, 0.0];
    let k = dmatrix![2.0, 0.0, 1.0; 0.0, 1.0, 1.0];
    let v = dmatrix![1.0, 0.0, 2.0; 5.0, 4.0, 0.0];
    let mask = Mask::none(2, 2);
    let weights = weights(&q, &k, &mask);
    let z = attention(&q, &k, &v, &mask);
    let panel = |m: &Matrix, title, hue, decimals| {
        Panel::new(m).title(title).hue(hue).numbers(decimals)
    };
    let [q_size, k_size, weights_size, v_size, z_size] =
        [&q, &k.transpose(), &weights, &v, &z]
            .map(|m| format!("{}×{}", m.nrows(), m.ncols()));
    let figure = HeatMaps::new(
        "Equation 1 with numbers",
        &format!(
            "Q, {q_size}, times K transposed, {k_size}, scaled, through \
             softmax, gives the weights, {weights_size}; these times V, \
             {v_size}, give the attention, {z_size}."
        ),
    )
    .sign("")
    .panel(panel(&q, "*Q*", Hue::QUERIES, 0))
    .sign("×")
    .panel(panel(&k.transpose(), "*K*ᵀ", Hue::KEYS, 0))
    .sign("÷√3 =")
    .panel(panel(&scores(&q, &k), "scores", Hue::Rule, 2))
    .next_row()
    .sign("softmax")
    .panel(panel(&weights, "weights", Hue::WEIGHTS, 2))
    .sign("×")
    .panel(panel(&v, "*V*", Hue::VALUES, 0))
    .sign("=")
    .panel(panel(&z, "attention", Hue::VALUES, 2));
    plot::save("attention-product", &figure.draw());
}

/// *The cat jumped over the fence*, embedded at random, looks at itself.
fn one_sentence() {
    let sentence = words("The cat jumped over the fence");
    let lower: Vec<_> = sentence.iter().map(|w| w.to_lowercase()).collect();
    let vocabulary = Vocabulary::of(&lower);
    let ids = vocabulary.encode(&lower).unwrap();
    let (n, d_model, d_k, d_v) = (ids.len(), 16, 4, 3);
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let embedding: Embedding<Matrix> =
        Embedding::new(vocabulary.len(), d_model, rng);
    let positions: Vec<usize> = (0..n).collect();
    let x = embedding.embed(&ids) + sinusoidal(&positions, d_model);
    let [w_q, w_k, w_v]: [Matrix; 3] =
        [d_k, d_k, d_v].map(|d| rng.weight(d_model, d));
    let (q, k, v) = (&x * w_q, &x * w_k, &x * w_v);
    let mask = Mask::none(n, n);
    let weights = weights(&q, &k, &mask);
    println!("\n== The cat jumped over the fence");
    let header: String = sentence.iter().map(|w| format!("{w:>8}")).collect();
    println!("{:8}{header}", "");
    for (word, row) in sentence.iter().zip(weights.row_iter()) {
        let row: String = row.iter().map(|w| format!("{w:8.2}")).collect();
        println!("{word:8}{row}");
    }
    let (rows, columns) = attention(&q, &k, &v, &mask).shape();
    let most = weights.row(5).transpose().argmax().0;
    println!("\n== Its last row");
    println!("most of fence = {}", sentence[most]);
    println!("shape of the result = {rows} × {columns}");
    let panel = Panel::new(&weights)
        .rows(&sentence)
        .columns(&sentence)
        .axes("queries", "keys")
        .hue(Hue::WEIGHTS)
        .numbers(2)
        .cell(52.0, 34.0);
    let figure = HeatMaps::new(
        "Who looks at whom",
        &format!(
            "A {n} × {n} map of weights, a row for each asking word, each row \
             one in all. With random projections no pattern means anything yet."
        ),
    )
    .panel(panel);
    plot::save("attention-sentence", &figure.draw());
}

/// A caption that the translator of the book has not seen.
const CAPTION: &str = "a dog jumps over a fence .";

/// Who looks at whom in one of the attentions of the trained translator: the
/// one whose tokens take most from other words.
fn trained_sentence() {
    let translator = Translator::captions();
    let tokenizer = &translator.tokenizer;
    let source = tokenizer.encode_source(CAPTION);
    let maps = translator.attention_maps(&source, &[tokenizer.bos()]);
    let end = source.len() - 1;
    let others = |map: &Matrix<f32>| -> f32 {
        let most = |i: usize| {
            let keys = (0..end).filter(|&j| j != i);
            keys.map(|j| map[(i, j)]).fold(0.0, f32::max)
        };
        (0..end).map(most).sum()
    };
    let all = maps.encoder.concat();
    let clearest = all.iter().max_by(|a, b| others(a).total_cmp(&others(b)));
    let map = clearest.expect("an attention");
    println!("\n== A trained attention");
    println!("jumps takes from dog = {:.2}", map[(2, 1)]);
    println!("over takes from jumps = {:.2}", map[(3, 2)]);
    println!("dog takes from a = {:.2}", map[(1, 0)]);
    let spelled = source.iter().map(|&id| tokenizer.decode(&[id]));
    let names: Vec<String> = spelled
        .map(|word| match word.trim() {
            "" => "end".to_owned(),
            word => word.to_owned(),
        })
        .collect();
    let description = format!(
        "A map of attention weights of “{CAPTION}” to itself. The largest \
         weight that a token gives to another word is {:.2} on average.",
        others(map) / end as f32
    );
    let panel = Panel::new(map).rows(&names).columns(&names);
    let panel = panel.axes("queries", "keys").numbers(2);
    let panel = panel.full(1.0).cell(44.0, 30.0);
    let figure = HeatMaps::new("A trained attention", &description);
    plot::save("attention-trained", &figure.panel(panel).draw());
}

/// How far dot products of `d` terms spread, and what softmax makes of it.
fn variance() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    println!("\n== The variance of q·k");
    println!("      variance   highest weight    slope of softmax");
    println!("   d    of q·k     raw   scaled      raw   scaled");
    let (mut raw_line, mut scaled_line) = (Vec::new(), Vec::new());
    let (mut at_512, mut slope_at_512) = (0.0, 0.0);
    for d in [1, 4, 16, 64, 256, 512, 1024] {
        let dot = |_| noise(1, d, rng).dot(&noise(1, d, rng));
        let dots = Matrix::from_iterator(1, 4000, (0..4000).map(dot));
        let variance = dots.variance();
        let [raw, scaled] = saturation(d, rng);
        println!(
            "{d:4} {variance:9.1} {:7.2} {:8.2} {:8.3} {:8.3}",
            raw.0, scaled.0, raw.1, scaled.1
        );
        raw_line.push((d as f64, variance));
        scaled_line.push((d as f64, variance / d as f64));
        if d == 512 {
            (at_512, slope_at_512) = (variance, raw.1);
        }
    }
    println!("\n== At 512");
    println!("variance at 512 = {at_512:.0}");
    println!("standard deviation at 512 = {:.0}", at_512.sqrt());
    println!("slope at 512, raw = {slope_at_512:.3}");
    let kept = || scaled_line.iter().map(|point| point.1);
    let (least, most) =
        (kept().fold(f64::MAX, f64::min), kept().fold(0.0, f64::max));
    let figure = Chart::new(
        "The variance of q·k against d",
        &format!(
            "On two logarithmic axes the variance of q·k rises in a straight \
             line, as fast as d; divided by √d the products keep a variance \
             between {least:.2} and {most:.2}."
        ),
    )
    .x("d_k, numbers in a query and a key")
    .y("variance")
    .size(450.0, 290.0)
    .log_x()
    .log_y()
    .line("q·k", raw_line)
    .line("q·k ÷ √d_k", scaled_line);
    plot::save("attention-variance", &figure.draw());
}

/// The mean highest weight of 16, and the mean slope of softmax, over 2,000
/// draws: of the scores as they are, and scaled.
fn saturation(d: usize, rng: &mut ChaCha8Rng) -> [(f64, f64); 2] {
    let draw = |_| noise(1, d, rng) * noise(16, d, rng).transpose();
    let draws: Vec<Matrix> = (0..2000).map(draw).collect();
    [1.0, 1.0 / (d as f64).sqrt()].map(|factor| {
        let (mut highest, mut sum) = (0.0, 0.0);
        for scores in &draws {
            let weights = (scores * factor).softmax(&Mask::none(1, 16));
            highest += weights.max() / 2000.0;
            sum += slope(&weights) / 2000.0;
        }
        (highest, sum)
    })
}

/// The size of softmax's Jacobian, diag(w) − w wᵀ, where it makes these
/// weights.
fn slope(weights: &Matrix) -> f64 {
    let w = weights.transpose();
    (Matrix::from_diagonal(&w.column(0)) - &w * weights).norm()
}

/// How far the weights of two keys move when one score rises, and the slope
/// for weights that are shared differently.
fn two_keys() {
    let mask = Mask::none(1, 2);
    println!("\n== Two keys");
    println!("scores      weights          first score + 0.1   moved by");
    for ahead in [0.0, 4.6, 23.0] {
        let before = dmatrix![ahead, 0.0].softmax(&mask);
        let after = dmatrix![ahead + 0.1, 0.0].softmax(&mask);
        println!(
            "{ahead:4.1}  0.0   {:.3}  {:.3}     {:.3}  {:.3} {:16.3}",
            before[0],
            before[1],
            after[0],
            after[1],
            after[0] - before[0]
        );
    }
    println!("\n== Shared by two or by sixteen");
    for (name, keys) in [("two", 2), ("sixteen", 16)] {
        let equal = Matrix::from_element(1, keys, 1.0 / keys as f64);
        println!("slope, {name} equal weights = {:.2}", slope(&equal));
    }
}

/// The fourth note's X, 16 × 32 between 0 and 1, and its listing's scale
/// beside three others.
fn four_scales() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let x: Matrix = Matrix::from_fn(16, 32, |_, _| rng.random());
    let mask = Mask::none(16, 16);
    let right = attention(&x, &x, &x, &mask);
    let d: f64 = 32.0;
    let hardest = (&x * x.transpose() * d * d).softmax(&mask);
    let own = on_diagonal(&hardest);
    println!("\n== Four scales");
    println!("QKᵀ times     is    highest weight    shape    off by");
    let mut figure = HeatMaps::new(
        "The weights under four scales",
        &format!(
            "Four {n} × {n} maps of weights. Divided by √{d} the scores make \
             them nearly even; as they are the diagonal stands out; times \
             √{d} a row has one or two dark cells; times {d}² it has one: in \
             {own} rows on the diagonal, in {others} in the column of the \
             longest row.",
            n = x.nrows(),
            others = x.nrows() - own,
        ),
    );
    for (name, factor) in [
        ("1/√32", d.powf(-0.5)),
        ("1", 1.0),
        ("√32", d.sqrt()),
        ("32²", d * d),
    ] {
        let weights = (&x * x.transpose() * factor).softmax(&mask);
        let highest: f64 =
            weights.row_iter().map(|row| row.max()).sum::<f64>() / 16.0;
        let out = &weights * &x;
        let (rows, columns) = out.shape();
        let off = (&out - &right).norm();
        println!(
            "{name:6} {factor:10.4} {highest:12.4} {rows:9}×{columns} {off:9.2}"
        );
        let panel = Panel::new(&weights).title(&format!("× {name}"));
        let panel = panel.axes("queries", "keys").cell(8.5, 8.5).full(1.0);
        let panel = panel.hue(Hue::WEIGHTS);
        figure = figure.panel(panel);
        if name == "1" {
            figure = figure.next_row();
        }
    }
    plot::save("attention-scales", &figure.draw());
    loudest_row(&x, &hardest);
}

/// How many rows take themselves, and how many the longest row.
fn loudest_row(x: &Matrix, weights: &Matrix) {
    let lengths = DVector::from_fn(x.nrows(), |i, _| x.row(i).norm());
    let loudest = lengths.argmax().0;
    let taken = |row: usize| weights.row(row).transpose().argmax().0;
    let takes_another =
        (0..x.nrows()).filter(|&row| taken(row) != row).count();
    let by_others =
        (0..x.nrows()).filter(|&i| i != loudest && taken(i) == loudest);
    assert_eq!(takes_another, by_others.count());
    println!("\n== The longest row");
    println!("rows that take themselves = {}", x.nrows() - takes_another);
    println!("rows that take the longest = {takes_another}");
    println!("the longest row = {:.1}", lengths.max());
    println!("a row on average = {:.1}", lengths.mean());
}

/// Softmax down the columns instead of along the rows.
fn down_the_columns() {
    let q = dmatrix![2.0, 0.0; 0.0, 2.0];
    let k = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0];
    let down = softmax_of_rows(&scores(&q, &k).transpose()).transpose();
    println!("\n== Down the columns");
    println!("             apple  banana   chair      sum");
    for (query, row) in ["fruit", "furniture"].iter().zip(down.row_iter()) {
        let weights: String =
            row.iter().map(|w| format!("{w:8.3}")).collect();
        println!("{query:10}{weights} {:8.2}", row.sum());
    }
}

/// With Q = K = X every word looks at itself.
fn without_projections() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let (n, d, draws) = (6, 64, 200);
    let mask = Mask::none(n, n);
    let (mut own, mut first) = ([0.0; 2], [0; 2]);
    for _ in 0..draws {
        let x = noise(n, d, rng);
        let [w_q, w_k]: [Matrix; 2] = [0; 2].map(|_| rng.weight(d, d));
        let ways = [(x.clone(), x.clone()), (&x * w_q, &x * w_k)];
        for (i, (q, k)) in ways.iter().enumerate() {
            let weights = weights(q, k, &mask);
            own[i] += weights.diagonal().mean() / f64::from(draws);
            first[i] += on_diagonal(&weights);
        }
    }
    let percent =
        |count: usize| 100.0 * count as f64 / (n as f64 * f64::from(draws));
    println!("\n== Without projections");
    println!("                      own weight   own weight is the largest");
    let names = ["rows as they are", "random projections"];
    for (i, name) in names.iter().enumerate() {
        let share = format!("{:.0} %", percent(first[i]));
        println!("{name:20}{:12.2} {share:>27}", own[i]);
    }
    println!("\n== Looks at itself");
    println!("looks at itself, unprojected = {:.0} %", percent(first[0]));
    println!("looks at itself, projected = {:.0} %", percent(first[1]));
}

/// A projection of the queries that turns round what is sweet.
fn one_projection() {
    let names = ["apple", "banana", "chair"];
    let x = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0];
    let w_q = dmatrix![-1.0, 0.0; 0.0, 1.0];
    let q = &x * w_q;
    let mask = Mask::none(3, 3);
    let (plain, projected) = (weights(&x, &x, &mask), weights(&q, &x, &mask));
    let row = |m: &Matrix, i: usize| -> String {
        m.row(i).iter().map(|w| format!("{w:8.2}")).collect()
    };
    let header: String = names.map(|name| format!("{name:>8}")).concat();
    println!("\n== One projection");
    println!("           row   {header}   row · W^Q {header}");
    for (i, name) in names.iter().enumerate() {
        println!(
            "{name:8}{:3}{:3}   {}{:8}{:3}  {}",
            x[(i, 0)],
            x[(i, 1)],
            row(&plain, i),
            q[(i, 0)],
            q[(i, 1)],
            row(&projected, i)
        );
    }
    draw_projected(&names, &x, &q);
}

/// The keys, and the queries that have gone through a projection.
fn draw_projected(words: &[&str], keys: &Matrix, queries: &Matrix) {
    let mut figure = Diagram::new(
        "Queries after a projection",
        "From the origin an arrow goes to each key, and one to each query. \
         The queries of apple and banana point up and to the left, as the key \
         of chair does. The query of chair points up and to the right, as the \
         keys of apple and banana do.",
        24.0,
        13.0,
    );
    draw_axes(&mut figure);
    for (m, hue, side) in
        [(keys, Hue::Blue, Side::Above), (queries, Hue::Orange, Side::Right)]
    {
        for (row, word) in m.row_iter().zip(words) {
            let end = place(row[0], row[1]);
            figure.arrow(&[place(0.0, 0.0), end], hue);
            figure.note(end, side, word);
        }
    }
    plot::save("attention-projected", &figure.draw());
}

/// How many rows have their largest number on the diagonal.
fn on_diagonal(m: &Matrix) -> usize {
    let rows = m.row_iter().enumerate();
    rows.filter(|(i, row)| row.transpose().argmax().0 == *i).count()
}

/// The steps of equation 1, from the bottom up.
fn draw_steps() {
    let mut figure = Diagram::new(
        "Scaled dot-product attention",
        "From below, Q and K enter a product; then come scale, mask and \
         softmax; V joins in a second product, which gives the result.",
        17.0,
        19.0,
    );
    let mut below: Option<plot::Block> = None;
    let steps = [
        ((6.0, 14.5), "matmul", "*n* × *m*", Hue::Rule),
        ((6.0, 11.5), "÷ √d_k", "*n* × *m*", Hue::Rule),
        ((6.0, 8.5), "mask, softmax", "*n* × *m*", Hue::WEIGHTS),
        ((9.0, 4.5), "matmul", "*n* × d_v", Hue::VALUES),
    ];
    for (at, text, shape, hue) in steps {
        let size = if at.0 > 8.0 { (12.0, 1.6) } else { (6.0, 1.6) };
        let block = figure.block(at, size, text, hue);
        if let Some(below) = below {
            let up = (below.top().0, block.bottom().1);
            let weights = at.0 > 8.0;
            let hue = if weights { Hue::WEIGHTS } else { Hue::Ink };
            figure.arrow(&[below.top(), up], hue);
            let middle = (up.0 + 0.2, (below.top().1 + up.1) / 2.0);
            figure.note(middle, plot::Side::Right, "*n* × *m*");
        }
        if shape == "*n* × d_v" {
            figure.arrow(&[block.top(), (9.0, 2.0)], Hue::VALUES);
            figure.note((9.2, 2.8), plot::Side::Right, shape);
        }
        below = Some(block);
    }
    for (x, top, text, hue) in [
        (4.5, 15.3, "*Q*\n*n* × d_k", Hue::QUERIES),
        (7.5, 15.3, "*K*\n*m* × d_k", Hue::KEYS),
        (13.0, 5.3, "*V*\n*m* × d_v", Hue::VALUES),
    ] {
        figure.arrow(&[(x, 16.8), (x, top)], hue);
        figure.note((x, 17.6), plot::Side::On, text);
    }
    plot::save("attention-steps", &figure.draw());
}
