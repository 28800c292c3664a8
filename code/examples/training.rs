//! From words to a model that reverses them: `cargo run --example training`

use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::loss::{CrossEntropy, perplexity, shift_right, smoothed};
use all_you_need::optimizer::{Adam, learning_rate};
use all_you_need::parameters::{Parameters, gradient, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::training::{Example, Recipe, Training, validation_loss};
use all_you_need::transformer::Transformer;
use plot::{Chart, Diagram, Figure, HeatMaps, Hue, Panel, Side};
use print::grouped;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::thread;

fn main() {
    one_example();
    draw_update();
    five_updates();
    two_epochs();
    draw_batch();
    ten_ones();
    sums_in_another_order();
    let [run, sorted, hard, neither, dropping, decaying, both] =
        in_parallel([
            || train(recipe(), &lessons(4000), 400),
            sorted,
            unsmoothed,
            || sixty(0.0, 0.0),
            || sixty(0.1, 0.0),
            || sixty(0.0, DECAY),
            || sixty(0.1, DECAY),
        ]);
    how_it_is_trained();
    watch(&run);
    looks(&run);
    two_losses(&run);
    answers_and_looks(&run);
    by_heart(&hard);
    without_shuffling(&run, &sorted);
    sixty_words(&[
        ("neither", neither),
        ("dropout 0.1", dropping),
        (&format!("decay {DECAY}"), decaying),
        ("both", both),
    ]);
    two_more_tasks();
    where_a_date_looks();
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
    lr: f64,
) -> f64 {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let targets: Vec<_> = batch.iter().map(|one| &one.target).collect();
    let (loss, gradients) = gradient(model, |model: &Transformer<_>| {
        model.loss(&sources, &targets, 0.0)
    });
    adam.step(model, &gradients, lr);
    loss
}

/// A few updates of a new model.
fn five_updates() {
    println!("\n== Five updates");
    println!("update     lr   loss");
    let (recipe, examples) = (recipe(), lessons(4000));
    let Training { mut model, mut adam, .. } = newborn(&recipe);
    for (step, batch) in (1..=5).zip(recipe.batches(&examples, 0).flatten()) {
        let lr = learning_rate(recipe.peak_lr, step, recipe.warmup);
        let loss = one_update(&mut model, &mut adam, &batch, lr);
        println!("{step:6} {lr:8.5} {loss:6.3}");
    }
}

/// The circle of an update.
fn draw_update() {
    let mut figure = Diagram::new(
        "One update",
        "A circle of boxes. A batch goes into the model. Forward, the model \
         makes a loss of it. Backward, the loss makes a gradient. Adam turns \
         the gradient into a step, and the step changes the parameters of the \
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
    figure.note((12.8, 4.8), Side::Left, "new parameters");
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
    for batch in recipe.batches(&examples, 0).flatten().take(6) {
        println!("{:16} {} tokens", line(&batch), line(&batch).len());
    }
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

fn ten_ones() {
    let tape = Tape::with_dropout(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(1, 10, 1.0));
    let row = ones.dropout();
    let cells = row.value().iter().map(|x| format!("{x:.2}"));
    println!("\n== Ten ones, a dropout of 0.3");
    println!("{}", cells.collect::<Vec<_>>().join("  "));
    let dropped = row.value().iter().filter(|&&x| x == 0.0).count();
    let many = tape.variable(Matrix::<f64>::from_element(100, 100, 1.0));
    println!("\n== Ten thousand ones");
    println!("mean = {:.2}", many.dropout().value().mean());
    println!("dropped of ten = {dropped}");
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

/// The part of the parameters that are not the same to the last bit.
fn unlike(one: &Model, other: &Model) -> f64 {
    let leaves = one.leaves().into_iter().zip(other.leaves());
    let unlike = leaves.map(|((_, one), (_, other))| {
        let cells = one.iter().zip(other);
        cells.filter(|(one, other)| one != other).count()
    });
    unlike.sum::<usize>() as f64 / parameter_count(one) as f64
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
    for mut batch in recipe.batches(&examples, 0).flatten().take(100) {
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
    follow(
        newborn(&recipe),
        recipe.batches(examples, 0).flatten().take(updates),
    )
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

/// In how many rows of a hundred the largest weight is on the letter that is
/// to be written, in the head where most do.
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
        let mut says = spelled(
            &model
                .greedy(&held_out[0].source, START, END)
                .expect("finite logits"),
        );
        match says.len() {
            0 => says = "(nothing)".to_string(),
            1..=12 => {}
            _ => says = says[..10].to_string() + "…",
        }
        let right = right(model, &held_out);
        println!("{update:6} {loss:5.1} {left:9.1} {right:13}  {says}");
    }
    println!("\n== In the end");
    println!("parameters = {}", grouped(parameter_count(run.last())));
    let left = validation_loss(run.last(), &held_out);
    println!("nats = {left:.2}");
    println!("perplexity = {:.2}", perplexity(left));
    let best = smoothed::<f64>(&[0], VOCABULARY, 0.1);
    println!("p of the right token = {:.2}", best[0]);
    let best = best.map(f64::ln);
    println!("floor, smoothed = {:.2}", best.cross_entropy(&[0], 0.1)[0]);
    println!("floor = {:.2}", best.cross_entropy(&[0], 0.0)[0]);
    let rows = on_the_letter(run.last(), &held_out);
    println!("rows of 100 = {rows:.0}");
}

fn how_it_is_trained() {
    let Recipe { batch_tokens, warmup, peak_lr, .. } = recipe();
    println!("\n== How it is trained");
    println!("batch = {batch_tokens}");
    println!("warm-up = {warmup}");
    println!("peak = {peak_lr}");
}

fn looks(run: &Run) {
    let planet = lesson(&ids("planet"));
    let columns = ["p", "l", "a", "n", "e", "t", "end"];
    let rows = ["t", "e", "n", "a", "l", "p", "end"];
    let frame = |update: usize| -> Figure {
        let maps = cross(&run.models[update / 10], &planet);
        let panels = maps.iter().zip(["first head", "second head"]);
        let title = format!("Where the heads look after {update} updates");
        let mut figure = HeatMaps::new(&title, &described(&maps));
        for (map, head) in panels {
            let map = map.map(f64::from);
            let title = format!("{head}, update {update}");
            let panel = Panel::new(&map).title(&title).full(1.0);
            let panel = panel.rows(&rows).columns(&columns);
            let panel = panel.hue(Hue::WEIGHTS);
            let panel = panel.axes("to write", "read").cell(30.0, 26.0);
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
             That of held-out words runs below it and levels off at {:.1}.",
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
    let (last, all) = (run.last(), 100);
    let figure = Chart::new(
        "Answers and looks",
        &format!(
            "Three curves over {} updates. Letters right, each after right \
             letters, rise first, to {:.0} of {all} in the end. Rows whose \
             largest weight is on the letter to be written follow, to {:.0}. \
             Words right stay at zero for {silent} updates, then rise \
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
    let then = &run.models[(stop / 10.0) as usize];
    println!("right then = {}", right(then, &held_out));
    println!("right in the end = {}", right(run.last(), &held_out));
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

/// λ of the weight decay.
const DECAY: f64 = 0.5;

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

/// What all updates leave of a parameter that no gradient moves.
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
    let left = left(&small_recipe(0.0, DECAY));
    println!("\n== What decay leaves");
    println!("left of a parameter = {left:.2}");
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
            "The loss of held-out words while {} others are learned. Each curve \
             falls, and some rise again. The lowest losses are: {}.",
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

/// What `src/logs/training.sh` has found: how many answers are right.
const SCORES: &str = include_str!("../../src/logs/training-scores.tsv");
/// Where the model for dates looks, and that for sorting.
const DATES: &str = include_str!("../../src/logs/training-dates.tsv");
const SORT: &str = include_str!("../../src/logs/training-sort.tsv");
/// How many percent of the weights go to each part of a date.
const PARTS: &str = include_str!("../../src/logs/training-parts.tsv");

/// A table of numbers, with a name for each row and each column.
struct Table {
    rows: Vec<String>,
    columns: Vec<String>,
    numbers: Matrix,
}

impl Table {
    fn parse(log: &str) -> Self {
        let cells = |line: &str| -> Vec<String> {
            line.split('\t').map(String::from).collect()
        };
        let mut lines = log.lines().map(cells);
        let columns = lines.next().expect("a head").split_off(1);
        let (mut rows, mut numbers) = (Vec::new(), Vec::new());
        for mut line in lines {
            numbers.extend(line.split_off(1));
            rows.extend(line);
        }
        let numbers = numbers.iter().map(|cell| cell.parse::<f64>());
        let numbers: Vec<_> = numbers.collect::<Result<_, _>>().unwrap();
        let numbers =
            Matrix::from_row_slice(rows.len(), columns.len(), &numbers);
        Self { rows, columns, numbers }
    }

    /// What each row looks at most, in words.
    fn most(&self) -> String {
        let rows = self.numbers.row_iter().zip(&self.rows);
        let most = rows.map(|(row, letter)| {
            let best = row.transpose().argmax().0;
            format!("{letter} at {}", self.columns[best])
        });
        most.collect::<Vec<_>>().join(", ")
    }

    /// The map, with the end written like this.
    fn draw(&self, title: &str, end: &str) -> Figure {
        let (rows, columns) = (&self.rows, &self.columns);
        let description = format!(
            "A map of {} rows, the characters of {} and the end, and {} \
             columns, those of {} and the end. Each row looks most at, from \
             the top: {}.",
            rows.len(),
            rows[..rows.len() - 1].concat(),
            columns.len(),
            columns[..columns.len() - 1].concat(),
            self.most()
        );
        let names = |tokens: &[String]| -> Vec<String> {
            tokens.iter().map(|token| token.replace("end", end)).collect()
        };
        let panel = Panel::new(&self.numbers);
        let panel = panel.rows(&names(rows)).columns(&names(columns));
        let panel = panel.axes("to write", "read").hue(Hue::WEIGHTS);
        let figure = HeatMaps::new(title, &description);
        figure.panel(panel.full(1.0).cell(26.0, 22.0)).draw()
    }
}

/// Dates and sorted letters.
fn two_more_tasks() {
    println!("\n== Two more tasks");
    let Table { rows, columns, numbers } = Table::parse(SCORES);
    for (i, task) in rows.iter().enumerate() {
        for (j, count) in columns.iter().enumerate() {
            println!("{task}, {count} = {}", numbers[(i, j)]);
        }
    }
    let dates = Table::parse(DATES);
    let figure = dates.draw("Where the model for dates looks", ".");
    plot::save("training-dates", &figure);
    let sort = Table::parse(SORT);
    let figure = sort.draw("Where the sorting model looks", ".");
    plot::save("training-sort", &figure);
    let letters = sort.rows.iter().zip(sort.numbers.row_iter());
    let own = letters.filter_map(|(letter, row)| {
        let place = sort.columns.iter().position(|read| read == letter)?;
        (letter != "end").then_some(row[place])
    });
    println!("least = {:.2}", own.fold(1.0, f64::min));
}

fn where_a_date_looks() {
    let Table { rows, columns, numbers } = Table::parse(PARTS);
    println!("\n== Where a date looks");
    print!("to write");
    columns.iter().for_each(|column| print!("  {column}"));
    println!();
    for (name, row) in rows.iter().zip(numbers.row_iter()) {
        print!("{name:8}");
        for (share, column) in row.iter().zip(&columns) {
            let width = column.len() + 2;
            print!("{share:>width$.0}");
        }
        println!();
    }
    println!("\n== On the weekday");
    for (name, weekday) in rows.iter().zip(numbers.column(0).iter()) {
        println!("weekday, {name} = {weekday:.0}");
    }
}
