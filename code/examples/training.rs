//! From words to a model that reverses them: `cargo run --example training`

use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::loss::{CrossEntropy, perplexity, shift_right, smoothed};
use all_you_need::optimizer::{Adam, learning_rate};
use all_you_need::parameters::{Parameters, gradient, parameter_count};
use all_you_need::tasks::{Task, date};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::training::{Example, Recipe, Training, validation_loss};
use all_you_need::transformer::Transformer;
use plot::{Chart, Diagram, Figure, HeatMaps, Hue, Panel, Side};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::thread;

fn main() {
    plot::read_arguments();
    one_example();
    draw_update();
    five_updates();
    two_epochs();
    draw_batch();
    rows_of_padding();
    three_sets();
    ten_ones();
    sums_in_another_order();
    let [run, sorted, padded, hard, neither, dropping, decaying, both] =
        in_parallel([
            || train(recipe(), &lessons(4000), 400),
            sorted,
            padded,
            unsmoothed,
            || sixty(0.0, 0.0),
            || sixty(0.1, 0.0),
            || sixty(0.0, 1.0),
            || sixty(0.1, 1.0),
        ]);
    watch(&run);
    looks(&run);
    two_losses(&run);
    answers_and_looks(&run);
    by_heart(&hard);
    without_shuffling(&run, &sorted);
    padding_counted(&run, &padded);
    sixty_words(&[
        ("neither", neither),
        ("dropout 0.1", dropping),
        ("decay 1", decaying),
        ("both", both),
    ]);
    another_start(&run);
    dates_and_words();
}

/// All at the same time: none of them knows of the others.
fn in_parallel<T: Send, const N: usize>(runs: [fn() -> T; N]) -> [T; N] {
    thread::scope(|scope| {
        runs.map(|run| scope.spawn(run)).map(|run| run.join().unwrap())
    })
}

/// One pair of texts, as tokens without a merge.
fn one_example() {
    let tokenizer = Tokenizer::default();
    let Example { source, target } = Example::new("stop", "pots", &tokenizer);
    let (fed, asked) = shift_right(&target);
    println!("== stop, pots");
    println!("read   {source:?}");
    println!("fed    {fed:?}");
    println!("asked  {asked:?}");
}

type Model = Transformer<Matrix>;

/// One update of a model. Returns the loss before it.
fn one_update(
    model: &mut Model,
    adam: &mut Adam<Model>,
    batch: &[Example],
    rate: f64,
) -> f64 {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let targets: Vec<_> = batch.iter().map(|one| &one.target).collect();
    let (loss, slopes) = gradient(model, |model: &Transformer<_>| {
        model.loss(&sources, &targets, 0.0)
    });
    adam.step(model, &slopes, rate);
    loss
}

/// A few updates of a new model.
fn five_updates() {
    println!("\n== Five updates");
    println!("update     rate   loss");
    let (recipe, examples) = (recipe(), lessons(4000));
    let Training { mut model, mut adam, .. } = newborn(&recipe);
    for (step, batch) in (1..=5).zip(recipe.batches(&examples, 0)) {
        let rate = learning_rate(recipe.peak_lr, step, recipe.warmup);
        let loss = one_update(&mut model, &mut adam, &batch, rate);
        println!("{step:6} {rate:8.5} {loss:6.3}");
    }
}

/// The circle of an update.
fn draw_update() {
    let mut figure = Diagram::new(
        "One update",
        "A circle of boxes. A batch goes into the model. Forward, the model \
         makes a loss of it. Backward, the loss makes a gradient. Adam turns \
         the gradient into a step, and the step changes the weights of the \
         model.",
        27.0,
        9.6,
    );
    let size = (5.0, 2.0);
    let batch = figure.block((3.0, 2.2), size, "batch", Hue::Sky);
    let model = figure.block((13.0, 2.2), size, "model", Hue::Blue);
    let loss = figure.block((23.0, 2.2), size, "loss", Hue::Orange);
    let slopes = figure.block((23.0, 7.4), size, "gradient", Hue::Orange);
    let adam = figure.block((13.0, 7.4), size, "Adam", Hue::Green);
    figure.arrow(&[batch.right(), model.left()], Hue::Ink);
    figure.arrow(&[model.right(), loss.left()], Hue::Ink);
    figure.arrow(&[loss.bottom(), slopes.top()], Hue::Ink);
    figure.arrow(&[slopes.left(), adam.right()], Hue::Ink);
    figure.arrow(&[adam.top(), model.bottom()], Hue::Ink);
    figure.note((18.0, 2.0), Side::Above, "forward");
    figure.note((23.2, 4.8), Side::Right, "backward");
    figure.note((12.8, 4.8), Side::Left, "new weights");
    plot::save("training-update", &figure.draw());
}

const LETTERS: &str = "aelnopst*.";
/// The letters, and start and end, which are written * and a full stop.
const VOCABULARY: usize = 10;
const START: Token = 8;
const END: Token = 9;

/// A word as ids of its letters.
fn ids(word: &str) -> Vec<Token> {
    let id = |c| LETTERS.find(c).expect("a letter") as Token;
    word.chars().map(id).collect()
}

fn spelled(ids: &[Token]) -> String {
    let letter = |&id: &Token| LETTERS.as_bytes()[id as usize];
    ids.iter().map(letter).map(char::from).collect()
}

/// A word, to be said from the end.
fn lesson(word: &[Token]) -> Example {
    let reversed: Vec<Token> = word.iter().rev().copied().collect();
    let target = [&[START], &reversed[..], &[END]].concat();
    Example { source: [word, &[END]].concat(), target }
}

/// What is to be said, without start and end.
fn said(example: &Example) -> &[Token] {
    &example.target[1..example.target_tokens()]
}

/// Three to six letters.
fn word(rng: &mut ChaCha8Rng) -> Vec<Token> {
    let length = rng.random_range(3..=6);
    (0..length).map(|_| rng.random_range(0..START)).collect()
}

/// *planet* and 99 more, in no lesson.
fn held_out() -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let words = std::iter::repeat_with(|| word(rng));
    let words: Vec<_> =
        [ids("planet")].into_iter().chain(words.take(99)).collect();
    words.iter().map(|word| lesson(word)).collect()
}

/// So many random words to learn from.
fn lessons(count: usize) -> Vec<Example> {
    let hidden: HashSet<Vec<Token>> =
        held_out().into_iter().map(|example| example.source).collect();
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let words = std::iter::repeat_with(|| lesson(&word(rng)));
    words.filter(|one| !hidden.contains(&one.source)).take(count).collect()
}

fn recipe() -> Recipe {
    Recipe {
        batch_tokens: 300,
        parts: 4,
        updates: 400,
        bidirectional_updates: 0,
        warmup: 100,
        peak_lr: 0.009,
        dropout: 0.0,
        weight_decay: 0.0,
        label_smoothing: 0.1,
        seed: 1,
    }
}

/// What is said in a batch, in letters, each word with its end.
fn line(batch: &[Example]) -> String {
    batch.iter().map(|one| spelled(&one.target[1..])).collect()
}

fn two_epochs() {
    let words = ["stop", "planet", "tea", "stone", "plate", "lost", "oat"];
    let examples = words.map(|word| lesson(&ids(word)));
    let recipe = Recipe { batch_tokens: 10, seed: 2, ..recipe() };
    println!("\n== Two epochs");
    for batch in recipe.batches(&examples, 0).take(6) {
        println!("{:16} {} tokens", line(&batch), line(&batch).len());
    }
}

/// How much of a batch would be words, if all were as long as the longest.
fn rows_of_padding() {
    let examples = lessons(4000);
    let (mut words, mut rows) = (0, 0);
    for batch in recipe().batches(&examples, 0).take(50) {
        let lengths = || batch.iter().map(Example::target_tokens);
        words += lengths().sum::<usize>();
        rows += batch.len() * lengths().max().unwrap();
    }
    println!("\n== Padded");
    println!("of 100 rows, padding = {}", 100 - 100 * words / rows);
}

/// The masks of a batch of two words.
fn draw_batch() {
    let batch = ["tea", "stop"].map(|word| lesson(&ids(word)));
    let letters = |tokens: Vec<Token>| -> Vec<String> {
        spelled(&tokens).chars().map(String::from).collect()
    };
    let read = letters(batch.each_ref().map(|one| &one.source[..]).concat());
    let fed = batch.each_ref().map(|one| &one.target[..one.target_tokens()]);
    let fed = letters(fed.concat());
    let sources = batch.each_ref().map(|one| one.source.len());
    let targets = batch.each_ref().map(Example::target_tokens);
    let causal = Mask::causal(targets.iter().sum());
    let masks = [
        ("encoder", Mask::packed(&sources, &sources), &read, &read),
        (
            "decoder",
            Mask::packed(&targets, &targets).and(&causal),
            &fed,
            &fed,
        ),
        ("across", Mask::packed(&targets, &sources), &fed, &read),
    ];
    let described = format!(
        "Three masks for the words tea and stop, end to end. In the encoder \
         each of the {} letters sees its own word. In the decoder each of the \
         {} sees its own word up to itself. Across, each letter of the \
         decoder sees the word of the encoder that it comes from.",
        read.len(),
        fed.len()
    );
    let mut figure = HeatMaps::new("A batch of two words", &described);
    for (title, mask, rows, columns) in &masks {
        let seen = mask.matrix().map(|x| f64::from(u8::from(x == 0.0)));
        let panel = Panel::new(&seen).title(title).full(1.0);
        let panel = panel.rows(rows).columns(columns).cell(15.0, 17.0);
        figure = figure.panel(panel.axes("queries", "keys"));
    }
    plot::save("training-batch", &figure.draw());
}

/// Three sets of examples, and what each is for.
fn three_sets() {
    let mut figure = Diagram::new(
        "Three sets of examples",
        "A list of examples, cut into a long part and two short ones. From \
         the training set the weights are learned, in every update. By the \
         validation set settings are chosen and the time to stop, every now \
         and then. The test set gives the number to report, once.",
        32.0,
        7.0,
    );
    for (left, right, name, hue, use_of_it) in [
        (
            0.5,
            15.5,
            "training set",
            Hue::Blue,
            "weights are learned,\nalways",
        ),
        (
            15.9,
            23.5,
            "validation set",
            Hue::Orange,
            "settings are chosen,\nnow and then",
        ),
        (23.9, 31.5, "test set", Hue::Green, "a result is reported,\nonce"),
    ] {
        let (middle, width) = ((left + right) / 2.0, right - left);
        let set = figure.block((middle, 2.0), (width, 2.2), name, hue);
        figure.note(set.bottom(), Side::Below, use_of_it);
    }
    plot::save("training-sets", &figure.draw());
}

fn ten_ones() {
    let tape = Tape::with_dropout(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(1, 10, 1.0));
    let row = ones.dropout();
    let cells = row.value().iter().map(|x| format!("{x:.2}"));
    println!("\n== Ten ones, a dropout of 0.3");
    println!("{}", cells.collect::<Vec<_>>().join("  "));
    let many = tape.variable(Matrix::<f64>::from_element(100, 100, 1.0));
    println!("\n== Ten thousand ones");
    println!("mean = {:.2}", many.dropout().value().mean());
}

fn newborn(recipe: &Recipe) -> Training<f64> {
    let config = Config {
        vocabulary: VOCABULARY,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    };
    Training::new(&config, recipe.clone())
}

/// The share of the weights that are not the same to the last bit.
fn unlike(one: &Model, other: &Model) -> f64 {
    let leaves = one.leaves().into_iter().zip(other.leaves());
    let unlike = leaves.map(|((_, one), (_, other))| {
        let cells = one.iter().zip(other);
        cells.filter(|(one, other)| one != other).count()
    });
    unlike.sum::<usize>() as f64 / parameter_count(one) as f64
}

/// A whole number with a comma before every three digits.
fn grouped(number: f32) -> String {
    let digits = format!("{number}");
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

const FINITE: &str = "a loss that is a number";

/// The same batches, from the front and from the back.
fn sums_in_another_order() {
    let large = 16_777_216f32;
    println!("\n== Another order");
    println!("from the left = {}", grouped((large + 1.0) + 1.0));
    println!("from the right = {}", grouped(large + (1.0 + 1.0)));
    let (examples, recipe) =
        (lessons(1000), Recipe { batch_tokens: 60, ..recipe() });
    let (mut one, mut other) = (newborn(&recipe), newborn(&recipe));
    for mut batch in recipe.batches(&examples, 0).take(100) {
        one.update(&batch).expect(FINITE);
        batch.reverse();
        other.update(&batch).expect(FINITE);
    }
    let part = 100.0 * unlike(&one.model, &other.model);
    println!("unlike after 100 = {part:.0} %");
}

/// What is left of a training run.
struct Run {
    /// The loss of every update.
    losses: Vec<f64>,
    /// The model before the first update, and after every tenth.
    models: Vec<Model>,
}

impl Run {
    fn last(&self) -> &Model {
        &self.models[self.models.len() - 1]
    }
}

fn train(recipe: Recipe, examples: &[Example], updates: usize) -> Run {
    follow(newborn(&recipe), recipe.batches(examples, 0).take(updates))
}

fn follow(
    mut training: Training<f64>,
    batches: impl Iterator<Item = Vec<Example>>,
) -> Run {
    let models = vec![training.model.clone()];
    let mut run = Run { losses: Vec::new(), models };
    for batch in batches {
        run.losses.push(training.update(&batch).expect(FINITE));
        if run.losses.len().is_multiple_of(10) {
            run.models.push(training.model.clone());
        }
    }
    run
}

/// The token with the highest score where each token is asked for.
fn guesses(
    model: &Model,
    Example { source, target }: &Example,
) -> Vec<Token> {
    let (fed, _) = shift_right(target);
    let scores = model.forward(&[source], &[fed]);
    let rows = scores.row_iter();
    rows.map(|row| row.transpose().argmax().0 as Token).collect()
}

/// How many are said without a mistake. A word is if each letter is right
/// that follows on right letters.
fn right(model: &Model, examples: &[Example]) -> usize {
    let correct = |one: &&Example| guesses(model, one) == one.target[1..];
    examples.iter().filter(correct).count()
}

/// Of a hundred letters, how many are right that follow on right letters.
fn letters(model: &Model, examples: &[Example]) -> f64 {
    let (mut hits, mut all) = (0, 0);
    for one in examples {
        let pairs = said(one).iter().zip(guesses(model, one));
        hits += pairs.filter(|(letter, guess)| *letter == guess).count();
        all += said(one).len();
    }
    100.0 * hits as f64 / all as f64
}

/// What each head of the cross-attention looks at, m × n: the target's rows
/// at the source's.
fn cross(model: &Model, Example { source, target }: &Example) -> Heads {
    let (fed, _) = shift_right(target);
    let x = model.encode(&[source]).rows;
    let y = model.embed(&[fed]).rows;
    let (m, n) = (y.nrows(), source.len());
    let layer = &model.decoder.layers[0];
    let said = layer.self_attention.forward(&y, &y, &Mask::causal(m));
    let asking = layer.self_norm.add_norm(&y, &said);
    layer.cross_attention.weights(&asking, &x, &Mask::none(m, n))
}

type Heads = Vec<Matrix>;

/// In how many rows of a hundred the largest weight lies on the letter that
/// is to be said, in the head where most do.
fn on_the_letter(model: &Model, examples: &[Example]) -> f64 {
    let mut hits = [0; 2];
    let mut rows = 0;
    for example in examples {
        let letters = said(example).len();
        rows += letters;
        for (hits, map) in hits.iter_mut().zip(cross(model, example)) {
            let best = |i: &usize| map.row(*i).transpose().argmax().0;
            *hits +=
                (0..letters).filter(|i| best(i) == letters - 1 - i).count();
        }
    }
    100.0 * hits[0].max(hits[1]) as f64 / rows as f64
}

/// The mean loss of the ten updates that end here.
fn loss_at(run: &Run, update: usize) -> f64 {
    let last = &run.losses[update.saturating_sub(10)..update.max(1)];
    last.iter().sum::<f64>() / last.len() as f64
}

fn watch(run: &Run) {
    let held_out = held_out();
    println!("\n== Step by step");
    println!("update  loss  held out  right of 100  planet becomes");
    for update in [0, 20, 50, 100, 200, 400] {
        let model = &run.models[update / 10];
        let (loss, left) =
            (loss_at(run, update), validation_loss(model, &held_out));
        let mut says =
            spelled(&model.greedy(&held_out[0].source, START, END));
        match says.len() {
            0 => says = "(nothing)".to_string(),
            1..=12 => {}
            _ => says = says[..10].to_string() + "…",
        }
        let right = right(model, &held_out);
        println!("{update:6} {loss:5.1} {left:9.1} {right:13}  {says}");
    }
    println!("\n== In the end");
    println!("parameters = {}", grouped(parameter_count(run.last()) as f32));
    let left = validation_loss(run.last(), &held_out);
    println!("nats = {left:.2}");
    println!("perplexity = {:.2}", perplexity(left));
    let best = smoothed::<f64>(&[0], VOCABULARY, 0.1).map(f64::ln);
    println!("floor, smoothed = {:.2}", best.cross_entropy(&[0], 0.1)[0]);
    println!("floor = {:.2}", best.cross_entropy(&[0], 0.0)[0]);
    let rows = on_the_letter(run.last(), &held_out);
    println!("rows of 100 = {rows:.0}");
}

fn looks(run: &Run) {
    let planet = lesson(&ids("planet"));
    let columns = ["p", "l", "a", "n", "e", "t", "end"];
    let rows = ["t", "e", "n", "a", "l", "p", "end"];
    let frame = |update: usize| -> Figure {
        let maps = cross(&run.models[update / 10], &planet);
        let panels = maps.iter().zip(["first head", "second head"]);
        let title = format!("Who looks where, after {update} updates");
        let mut figure = HeatMaps::new(&title, &described(&maps));
        for (map, head) in panels {
            let map = map.map(f64::from);
            let title = format!("{head}, update {update}");
            let panel = Panel::new(&map).title(&title).full(1.0);
            let panel = panel.rows(&rows).columns(&columns);
            let panel = panel.axes("to say", "read").cell(30.0, 26.0);
            figure = figure.panel(panel);
        }
        figure.draw()
    };
    let frames = [0, 50, 100, 150, 200, 300, 400].map(frame);
    plot::save_frames("training-looks", &frames);
}

/// Two maps in words.
fn described(maps: &Heads) -> String {
    let hits = maps.iter().map(|map| {
        let best = |i: &usize| map.row(*i).transpose().argmax().0;
        (0..6).filter(|i| best(i) == 5 - i).count()
    });
    let hits: Vec<usize> = hits.collect();
    format!(
        "Two maps of {0} × {0} weights: rows are the letters of tenalp and the \
         end, columns those of planet and the end. Of the six cells on the \
         diagonal from lower left to upper right, {1} are the largest of \
         their row in the first head, and {2} in the second.",
        maps[0].nrows(),
        hits[0],
        hits[1]
    )
}

/// Every tenth update, and what is true then.
fn curve(run: &Run, value: impl Fn(usize, &Model) -> f64) -> Vec<(f64, f64)> {
    let models = run.models.iter().enumerate();
    let point = |(i, model)| (10.0 * i as f64, value(10 * i, model));
    models.map(point).collect()
}

fn two_losses(run: &Run) {
    let held_out = held_out();
    let (hundred, floor) = (100, 0.5);
    let figure = Chart::new(
        "The loss while it learns",
        &format!(
            "The loss in training falls from {:.1} nats to {:.1} after \
             {hundred} updates and then levels off above a line at {floor:.2}. \
             What is paid for held-out words runs below it and levels off at \
             {:.1}.",
            loss_at(run, 0),
            loss_at(run, hundred),
            validation_loss(run.last(), &held_out)
        ),
    )
    .size(450.0, 290.0)
    .x("update")
    .y("nats a token")
    .line("in training", curve(run, |update, _| loss_at(run, update)))
    .line("held out", curve(run, |_, model| validation_loss(model, &held_out)))
    .guide_y(floor, "least, smoothed");
    plot::save("training-loss", &figure.draw());
}

fn answers_and_looks(run: &Run) {
    let held_out = held_out();
    let none = |model: &&Model| right(model, &held_out) == 0;
    let silent = 10 * (run.models.iter().take_while(none).count() - 1);
    let last = run.last();
    let figure = Chart::new(
        "Answers and looks",
        &format!(
            "Three curves over {} updates. Letters right, each after right \
             letters, rise first, to {:.0} of a full score in the end. Rows \
             whose largest weight lies on the letter to be said follow, to \
             {:.0}. Words right stay at zero for {silent} updates, then rise \
             steeply, to {}.",
            run.losses.len(),
            letters(last, &held_out),
            on_the_letter(last, &held_out),
            right(last, &held_out)
        ),
    )
    .size(450.0, 290.0)
    .x("update")
    .y("of 100")
    .line("letters right", curve(run, |_, m| letters(m, &held_out)))
    .line(
        "rows on the letter",
        curve(run, |_, m| on_the_letter(m, &held_out)),
    )
    .line("words right", curve(run, |_, m| right(m, &held_out) as f64));
    plot::save("training-answers", &figure.draw());
    let model = &run.models[15];
    println!("\n== After 150 updates");
    println!("letters = {:.0}", letters(model, &held_out));
    println!("rows = {:.0}", on_the_letter(model, &held_out));
}

/// The lessons in alphabetical order, batch after batch.
fn sorted() -> Run {
    let mut examples = lessons(4000);
    examples.sort_by(|a, b| a.source.cmp(&b.source));
    let batches = examples.chunks(55).map(<[Example]>::to_vec);
    follow(newborn(&recipe()), batches.cycle().take(200))
}

fn without_shuffling(run: &Run, sorted: &Run) {
    let held_out = held_out();
    println!("\n== In alphabetical order");
    let after = |run: &Run| right(&run.models[20], &held_out);
    println!("shuffled, right = {}", after(run));
    println!("sorted, right = {}", after(sorted));
}

/// Every answer six letters long, filled up with ends.
fn padded() -> Run {
    let mut examples = lessons(4000);
    for Example { target, .. } in &mut examples {
        target.resize(8, END);
    }
    let recipe = Recipe { batch_tokens: 55 * 7, ..recipe() };
    train(recipe, &examples, 100)
}

fn padding_counted(run: &Run, padded: &Run) {
    let held_out = held_out();
    println!("\n== After 100 updates, padding counted in");
    println!("           loss  held out  right of 100");
    for (what, run) in [("words", run), ("+ padding", padded)] {
        let (loss, model) = (loss_at(run, 100), &run.models[10]);
        let (left, right) =
            (validation_loss(model, &held_out), right(model, &held_out));
        println!("{what:10} {loss:4.1} {left:9.1} {right:13}");
    }
}

/// What a model with little to learn from costs on words that it has learned,
/// and on others.
fn by_heart(run: &Run) {
    let (learned, held_out) = (lessons(60), held_out());
    let known = curve(run, |_, model| validation_loss(model, &learned));
    let unknown = curve(run, |_, model| validation_loss(model, &held_out));
    let (stop, least) = lowest(&unknown);
    let last = unknown[unknown.len() - 1].1;
    println!("\n== By heart");
    println!("stop after = {stop}");
    println!("held out then = {least:.2}");
    println!("held out in the end = {last:.2}");
    println!("learned in the end = {:.2}", known[known.len() - 1].1);
    let figure = Chart::new(
        "Learned by heart",
        &format!(
            "The loss of {} words that are learned falls to {:.2}. That of \
             held-out words falls with it at first, is lowest with {least:.2} \
             after {stop} updates, and ends at {last:.2}.",
            learned.len(),
            known[known.len() - 1].1
        ),
    )
    .size(450.0, 290.0)
    .x("update")
    .y("nats a token")
    .line("learned", known)
    .line("held out", unknown)
    .guide_x(stop, "stop here");
    plot::save("training-overfitting", &figure.draw());
}

/// Where a curve is lowest, and how low.
fn lowest(curve: &[(f64, f64)]) -> (f64, f64) {
    let lowest = curve.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    *lowest.expect("a curve has points")
}

fn small_recipe(dropout: f64, weight_decay: f64) -> Recipe {
    Recipe {
        batch_tokens: 150,
        updates: 500,
        dropout,
        weight_decay,
        ..recipe()
    }
}

/// Trained with sixty words only.
fn sixty(dropout: f64, weight_decay: f64) -> Run {
    let recipe = small_recipe(dropout, weight_decay);
    let updates = recipe.updates;
    train(recipe, &lessons(60), updates)
}

/// The same without label smoothing.
fn unsmoothed() -> Run {
    let recipe = Recipe { label_smoothing: 0.0, ..small_recipe(0.0, 0.0) };
    let updates = recipe.updates;
    train(recipe, &lessons(60), updates)
}

/// What all updates leave of a weight that no gradient moves.
fn left(recipe: &Recipe) -> f64 {
    let Recipe { updates, warmup, peak_lr, weight_decay, .. } = *recipe;
    let kept =
        |step| 1.0 - learning_rate(peak_lr, step, warmup) * weight_decay;
    (1..=updates).map(kept).product()
}

fn sixty_words(runs: &[(&str, Run)]) {
    let (learned, held_out) = (lessons(60), held_out());
    println!("\n== Sixty words");
    println!("             learned  held out  right of 100    least  after");
    for (what, run) in runs {
        let model = run.last();
        let known = validation_loss(model, &learned);
        let (left, right) =
            (validation_loss(model, &held_out), right(model, &held_out));
        let held_out = curve(run, |_, m| validation_loss(m, &held_out));
        let (stop, least) = lowest(&held_out);
        print!("{what:12} {known:7.2} {left:9.2} {right:13} ");
        println!("{least:8.2} {stop:6}");
    }
    println!("left of a weight = {:.2}", left(&small_recipe(0.0, 1.0)));
    let least = |(_, run): &(&str, Run)| {
        let costs =
            run.models.iter().map(|model| validation_loss(model, &held_out));
        costs.fold(f64::MAX, f64::min)
    };
    let least: Vec<_> = runs
        .iter()
        .map(|run| format!("with {}, {:.1}", run.0, least(run)))
        .collect();
    let frame = Chart::new(
        "A few words to learn from",
        &format!(
            "What held-out words cost while {} others are learned. Each curve \
             falls, and some rise again; the least they come to is, {}.",
            learned.len(),
            least.join("; ")
        ),
    )
    .size(450.0, 290.0)
    .x("update")
    .y("nats, held out");
    let add = |figure: Chart, (what, run): &(&str, Run)| {
        figure.line(
            what,
            curve(run, |_, model| validation_loss(model, &held_out)),
        )
    };
    let figure = runs.iter().fold(frame, add);
    plot::save("training-dropout", &figure.draw());
}

/// Trained from one start, asked from another.
fn another_start(run: &Run) {
    let held_out = held_out();
    let model = run.last();
    let says = |start| {
        let correct =
            |e: &&Example| model.greedy(&e.source, start, END) == said(e);
        held_out.iter().filter(correct).count()
    };
    println!("\n== Another start");
    println!("from its start = {}", says(START));
    println!("from the end = {}", says(END));
}

/// A model that has learned a task, and examples that it has not seen.
struct Taught {
    task: Task,
    model: Model,
    held_out: Vec<(String, String)>,
}

impl Taught {
    fn new(task: Task) -> Self {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let held_out: Vec<_> = (0..200).map(|_| task.example(rng)).collect();
        let hidden: HashSet<_> = held_out.iter().cloned().collect();
        let lessons = std::iter::repeat_with(|| task.example(rng));
        let lessons = lessons.filter(|lesson| !hidden.contains(lesson));
        let examples: Vec<_> =
            lessons.take(20_000).map(|lesson| in_bytes(&lesson)).collect();
        let config = Config {
            layers: 1,
            d_model: 48,
            d_ff: 96,
            heads: 4,
            d_k: 12,
            d_v: 12,
            ..Config::toy()
        };
        let recipe = Recipe {
            batch_tokens: 400,
            updates: 800,
            warmup: 150,
            peak_lr: 0.006,
            ..recipe()
        };
        let mut training: Training = Training::new(&config, recipe);
        let on = |_: &Training, _| ControlFlow::<()>::Continue(());
        assert!(training.run(&examples, on).is_ok(), "{FINITE}");
        let model = training.model.map("", &mut |_, m| m.map(f64::from));
        Self { task, model, held_out }
    }

    /// What the heads attend to on average, m × n.
    fn looks(&self, lesson: &(String, String)) -> Matrix {
        let maps = cross(&self.model, &in_bytes(lesson));
        let count = maps.len() as f64;
        maps.into_iter().reduce(|a, b| a + b).expect("heads") / count
    }

    /// The looks as a figure.
    fn draw(&self, lesson: &(String, String)) -> Figure {
        let names = |text: &str| -> Vec<String> {
            let letters = text.chars().map(String::from);
            letters.chain(["end".to_string()]).collect()
        };
        let (text, answer) = lesson;
        let (looks, columns) = (self.looks(lesson), names(text));
        let most =
            looks.row_iter().zip(names(answer)).map(|(row, letter)| {
                format!("{letter} at {}", columns[row.transpose().argmax().0])
            });
        let description = format!(
            "A map of {} rows, the characters of {answer}, and {} columns, \
             those of {text}. Each row looks most at, from the top: {}.",
            looks.nrows(),
            looks.ncols(),
            most.collect::<Vec<_>>().join(", ")
        );
        let panel = Panel::new(&looks).rows(&names(answer));
        let panel = panel.columns(&columns).axes("to write", "read");
        let title = format!("Where the model looks: {}", self.task.name());
        let figure = HeatMaps::new(&title, &description);
        figure.panel(panel.full(1.0).cell(24.0, 22.0)).draw()
    }
}

/// A lesson in bytes.
fn in_bytes((text, answer): &(String, String)) -> Example {
    Example::new(text, answer, &Tokenizer::default())
}

/// Dates and sorted words.
fn dates_and_words() {
    let [dates, sort] = in_parallel([
        || Taught::new(Task::Dates),
        || Taught::new(Task::Sort),
    ]);
    println!("\n== Two more tasks");
    for taught in [&dates, &sort] {
        let asked: Vec<_> = taught.held_out.iter().map(in_bytes).collect();
        let right = 100 * right(&taught.model, &asked) / asked.len();
        println!("{}, right of a hundred = {right}", taught.task.name());
    }
    plot::save("training-dates", &dates.draw(&date(30_745)));
    let planet = ("planet".to_string(), "aelnpt".to_string());
    plot::save("training-sort", &sort.draw(&planet));
    println!("\n== Where a date looks");
    println!("to write  weekday  day  month  year  other");
    for (name, rows) in [("year", 0..4), ("month", 5..7), ("day", 8..10)] {
        let mut shares = [0.0; 5];
        for lesson in &dates.held_out {
            let looks = dates.looks(lesson);
            for (column, part) in parts(&lesson.0).into_iter().enumerate() {
                shares[part] +=
                    looks.column(column).rows_range(rows.clone()).sum();
            }
        }
        let all: f64 = shares.iter().sum();
        let [weekday, day, month, year, other] =
            shares.map(|share| 100.0 * share / all);
        print!("{name:8} {weekday:8.0} {day:4.0} ");
        println!("{month:6.0} {year:5.0} {other:6.0}");
    }
}

/// For each token of a date in words, which part it belongs to: weekday, day,
/// month, year, or none of them.
fn parts(text: &str) -> Vec<usize> {
    let mut part = 0;
    let letters = text.chars().map(|letter| match letter {
        ' ' => {
            part += 1;
            4
        }
        _ => part,
    });
    letters.chain([4]).collect()
}
