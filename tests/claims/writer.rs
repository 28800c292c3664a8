use crate::damage::{edit, sign};
use crate::golden::{close, largest, noise, sizes};
use all_you_need::attention::Mask;
use all_you_need::checkpoint::{Checkpoint, Digest, RunData};
use all_you_need::costs::{Bill, Shape};
use all_you_need::decoder::DecoderLayer;
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::layers::LayerNorm;
use all_you_need::optimizer::Adam;
use all_you_need::parameters::{Parameters, gradient, parameter_count};
use all_you_need::search::Sampling;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::{Recipe, Stream, Training, Update, generator};
use all_you_need::translation::Translator;
use all_you_need::writer::{
    Draft, Half, Past, Text, Trainer, TrainingExample,
};
use all_you_need::writer::{
    Writer, config, mean_loss, recipe, running, windows,
};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;
use std::fs;
use std::ops::ControlFlow;
use tempfile::tempdir;

fn half(seed: u64) -> Half<Matrix> {
    Half::new(&sizes(11), &mut ChaCha8Rng::seed_from_u64(seed))
}

fn texts(texts: &[&[Token]]) -> Vec<Text> {
    texts.iter().map(|text| Text(text.to_vec())).collect()
}

// One half

/// A decoder layer whose cross-attention says nothing, and whose norm after
/// it changes nothing, is an encoder layer under a causal mask.
#[test]
fn without_cross_attention_a_decoder_layer_is_an_encoder_layer() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut decoder: DecoderLayer<Matrix> =
        DecoderLayer::new(&sizes(11), rng);
    decoder.cross_attention.w_o.fill(0.0);
    let encoder = EncoderLayer {
        attention: decoder.self_attention.clone(),
        attention_norm: decoder.self_norm.clone(),
        feed_forward: decoder.feed_forward.clone(),
        feed_forward_norm: decoder.feed_forward_norm.clone(),
    };
    let (y, memory) = (noise(5, 8, 2), noise(3, 8, 3));
    let (past, source) = (Mask::causal(5), Mask::none(5, 3));
    let all = decoder.forward(&y, &memory, &past, &source);
    // A row that is normed is normed once more, which changes it by ε.
    close(&encoder.forward(&y, &past), &all, 1e-4);
    assert!(largest(&(encoder.forward(&y, &Mask::none(5, 5)) - all)) > 0.01);
}

#[test]
fn a_norm_after_a_norm_changes_nothing_but_epsilon() {
    let norm: LayerNorm<Matrix> =
        LayerNorm::new(8, &mut ChaCha8Rng::seed_from_u64(1));
    let (x, nothing) = (noise(5, 8, 2), Matrix::zeros(5, 8));
    let once = norm.add_norm(&x, &nothing);
    close(&norm.add_norm(&once, &nothing), &once, 1e-4);
}

#[test]
fn a_half_has_less_than_half_of_the_parameters() {
    let config = Config::base();
    let half: Half<Shape> = Half::new(&config, &mut Bill::default());
    let all = config.parameters() as usize;
    assert_eq!(parameter_count(&half), 37_000 * 512 + 6 * 3_150_336);
    assert!(parameter_count(&half) < all);
}

#[test]
fn a_causal_row_does_not_know_what_comes_after_it() {
    let (half, text) = (half(1), [9, 1, 2, 3, 4]);
    let other = [9, 1, 2, 7, 8];
    let [one, two] = [text, other].map(|text| half.causal(&[text]));
    close(&one.rows(0, 3).into(), &two.rows(0, 3).into(), 1e-12);
    let [one, two] = [text, other].map(|text| half.bidirectional(&[text]));
    assert!(largest(&(one.rows(0, 1) - two.rows(0, 1))) > 1e-3);
}

#[test]
fn texts_do_not_know_each_other() {
    let half = half(1);
    let (one, other) = (vec![9, 1, 2], vec![9, 3, 4, 5]);
    let both = [one.clone(), other.clone()];
    for read in [Half::causal, Half::bidirectional] {
        let packed: Matrix = read(&half, &both);
        close(
            &packed.rows(0, 3).into(),
            &read(&half, &[one.clone(), vec![]]),
            1e-12,
        );
        close(
            &packed.rows(3, 4).into(),
            &read(&half, &[other.clone(), vec![]]),
            1e-12,
        );
    }
}

// Learning

#[test]
fn the_loss_is_the_mean_surprise_at_each_next_token() {
    let (half, text) = (half(1), [9, 1, 2, 10]);
    let logits = half.causal(&[&text[..3]]).matmul_t(&half.embedding.table);
    let surprise = |i: usize| {
        let row = logits.row(i);
        let sum: f64 = row.iter().map(|z| z.exp()).sum();
        sum.ln() - row[text[i + 1] as usize]
    };
    let mean = (0..3).map(surprise).sum::<f64>() / 3.0;
    let loss: Matrix = Text::loss(&half, &texts(&[&text]), 0.0);
    close(&loss, &dmatrix![mean], 1e-12);
}

/// Against the quotient of differences, number by number.
#[test]
fn the_gradient_of_a_half_is_its_derivative() {
    let text = texts(&[&[9, 1, 2, 10], &[9, 4, 10]]);
    let (_, slopes) =
        gradient(&half(1), |half: &Half<_>| Text::loss(half, &text, 0.1));
    let slopes = slopes
        .leaves()
        .into_iter()
        .map(|(name, leaf)| (name, leaf[leaf.len() / 2]));
    for (i, (name, slope)) in slopes.enumerate() {
        let nudged = |by: f64| {
            let mut half = half(1);
            let leaf = &mut half.leaves_mut()[i];
            let middle = leaf.len() / 2;
            leaf[middle] += by;
            let loss: Matrix = Text::loss(&half, &text, 0.1);
            loss[0]
        };
        let quotient = (nudged(1e-5) - nudged(-1e-5)) / 2e-5;
        assert!((slope - quotient).abs() < 1e-7, "{name} {slope} {quotient}");
    }
}

fn short_recipe(parts: usize) -> Recipe {
    Recipe { parts, batch_tokens: 20, updates: 5, ..Recipe::toy() }
}

/// A run goes on after each update.
fn on<L>(_: &Trainer<L>, _: Update<f32>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn small(recipe: Recipe) -> Trainer<Half<Matrix<f32>>> {
    Trainer::new(recipe, |rng| Half::new(&sizes(11), rng))
}

fn examples() -> Vec<Text> {
    let text = |i: u32| Text(vec![9, i % 7, (i + 1) % 7, i % 3, 10]);
    (0..12).map(text).collect()
}

#[test]
fn parts_of_a_batch_have_the_gradient_of_the_batch() {
    let [one, four] = [1, 4].map(|parts| {
        let mut learning = small(short_recipe(parts));
        let loss = learning.update(&examples()).unwrap();
        let mean = learning.adam.mean.stack.layers[0].attention.w_q.clone();
        (loss, mean.map(f64::from))
    });
    assert!((one.0 - four.0).abs() < 1e-5);
    close(&one.1, &four.1, 1e-6);
}

#[test]
fn a_run_is_the_same_for_any_number_of_threads() {
    let trained = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let recipe = Recipe { dropout: 0.2, ..short_recipe(4) };
            let mut learning = small(recipe);
            assert!(learning.run(&examples(), on).is_ok());
            learning.model
        })
    };
    assert_eq!(trained(1).leaves(), trained(3).leaves());
}

#[test]
fn the_mean_loss_is_that_of_all_texts_together() {
    let model = small(short_recipe(1)).model;
    let texts: Vec<Text> =
        (0..40).map(|i| Text(vec![9; 2 + i % 5])).collect();
    let together: Matrix<f32> = Text::loss(&model, &texts, 0.0);
    let apart = mean_loss(&model, &texts);
    assert!((apart - f64::from(together[0])).abs() < 1e-5);
}

/// Twelve texts of four answers each, and twenty answers fill a batch.
#[test]
fn a_batch_ends_when_it_is_full_and_with_the_epoch() {
    let mut answers = Vec::new();
    let end = small(short_recipe(1)).run(&examples(), |_, update| {
        answers.push(update.target_tokens);
        ControlFlow::<()>::Continue(())
    });
    assert!(end.is_ok());
    assert_eq!(answers, [20, 20, 8, 20, 20]);
}

#[test]
fn beyond_its_last_update_a_learning_changes_nothing() {
    let mut learning = small(short_recipe(1));
    assert!(learning.run(&examples(), on).is_ok());
    let model = learning.model.clone();
    learning.update(&examples()).unwrap();
    assert_eq!(learning.model.leaves(), model.leaves());
}

/// The numbers of the chapter, which its runs in `src/logs/writer-run-*.tsv`
/// have: a model of 690,304 parameters, with 500 merges, 256 bytes and two
/// special tokens, and an update by eight windows of 128 tokens, 3000 times.
/// The chapter shows the rest of the recipe, and no log has it.
#[test]
fn the_small_writer_is_the_one_of_the_chapter() {
    let half: Half<Shape> =
        Half::new(&config(500 + 256 + 2), &mut Bill::default());
    assert_eq!(half.stack.layers.len(), 3);
    assert_eq!(parameter_count(&half), 690_304);
    let expected = Recipe {
        batch_tokens: 1024,
        parts: 4,
        updates: 3000,
        bidirectional_updates: 0,
        warmup: 200,
        peak_lr: 0.004,
        dropout: 0.2,
        weight_decay: 0.1,
        label_smoothing: 0.0,
        seed: 5,
    };
    assert_eq!(recipe(5), expected);
    let run = include_str!("../../src/logs/writer-run-5.tsv");
    assert!(run.lines().last().unwrap().starts_with("3000\t"));
}

#[test]
fn a_learning_that_diverges_says_so() {
    let mut learning = small(short_recipe(1));
    learning.model.embedding.table.fill(f32::NAN);
    let before = learning.adam.steps;
    assert_eq!(learning.update(&examples()).unwrap_err().update, 1);
    assert_eq!(learning.adam.steps, before);
}

#[test]
fn a_gradient_too_large_to_be_squared_stops_a_learning() {
    let mut learning = small(short_recipe(1));
    let last = learning.model.stack.layers.last_mut().unwrap();
    last.feed_forward_norm.gain.fill(1e20);
    assert!(mean_loss(&learning.model, &examples()).is_finite());
    assert_eq!(learning.update(&examples()).unwrap_err().update, 1);
}

// Writing

#[test]
fn the_cache_has_the_logits_of_the_complete_pass() {
    let (half, text) = (half(1), [9, 1, 2, 3, 1, 2, 5, 6]);
    let mut past = Past::new(&half);
    for n in 1..=text.len() {
        let logits = past.feed(text[n - 1]);
        let z = half.causal(&[&text[..n]]);
        let row: Matrix = z.rows(n - 1, 1).into();
        let whole = row.matmul_t(&half.embedding.table);
        close(&logits.transpose(), &whole, 1e-11);
    }
}

/// A writer that knows two sentences by heart.
fn parrot() -> Writer {
    let lines = ["a cat sat on a mat", "the dog ran to the log"];
    let tokenizer = Tokenizer::new(Bpe::train(&lines.join(" "), 10));
    let config = Config {
        vocabulary: tokenizer.vocabulary(),
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    };
    let recipe = Recipe {
        batch_tokens: 40,
        updates: 120,
        warmup: 20,
        peak_lr: 0.01,
        label_smoothing: 0.0,
        ..Recipe::toy()
    };
    let mut learning = Trainer::new(recipe, |rng| Half::new(&config, rng));
    let text = |line: &&str| Text(running(&[line], &tokenizer));
    let texts: Vec<Text> = lines.iter().map(text).collect();
    assert!(learning.run(&texts, on).is_ok());
    let Trainer { recipe, model, .. } = learning;
    let text = Digest::of(b"two lines");
    Writer { config, model, tokenizer, recipe, text }
}

fn written(writer: &Writer, beginning: &str, seed: u64) -> String {
    let Writer { tokenizer, .. } = writer;
    let sampling = Sampling {
        temperature: 0.5,
        ..Sampling::new(tokenizer.bos(), tokenizer.eos())
    };
    let mut rng = generator(seed, Stream::Data);
    let drawn = writer.tokens(beginning, &sampling, &mut rng).take(30);
    let tokens: Result<Vec<Token>, _> = drawn.collect();
    beginning.to_owned() + &tokenizer.decode(&tokens.unwrap())
}

#[test]
fn what_was_learned_by_heart_is_written_to_its_end() {
    let writer = parrot();
    assert_eq!(written(&writer, "a cat", 1), "a cat sat on a mat");
    assert_eq!(written(&writer, "the", 2), "the dog ran to the log");
    assert_eq!(written(&writer, "the", 2), written(&writer, "the", 2));
}

#[test]
fn what_was_saved_is_loaded() {
    let (writer, folder) = (parrot(), tempdir().unwrap());
    let dir = folder.path().join("writer");
    writer.save(&dir).unwrap();
    let loaded = Writer::load(&dir).unwrap();
    assert_eq!(loaded.model.leaves(), writer.model.leaves());
    assert_eq!(loaded.config, writer.config);
    assert_eq!(loaded.tokenizer, writer.tokenizer);
    assert_eq!(loaded.recipe, writer.recipe);
    assert_eq!(loaded.text, writer.text);
    let again = writer.save(&dir).unwrap_err().to_string();
    assert!(again.contains("is there already"), "{again}");
}

/// Also on the disk, with the moments of its gradients.
#[test]
fn a_draft_that_was_saved_learns_on_as_if_it_had_not_been() {
    let (writer, folder) = (parrot(), tempdir().unwrap());
    let dir = folder.path().join("00000002");
    let text = running(&["a cat sat on a mat"], &writer.tokenizer);
    let examples = windows(&text, 3, 1);
    let (recipe, model) = (writer.recipe.clone(), writer.model.clone());
    let adam = Adam::new(&model);
    let mut whole = Trainer { recipe, model, adam };
    whole.update(&examples).unwrap();
    whole.update(&examples[..2]).unwrap();
    let Trainer { model, adam, .. } = whole.clone();
    let draft = Draft { writer: Writer { model, ..writer }, adam };
    draft.save(&dir).unwrap();
    assert!(Writer::load(&dir).is_ok(), "it writes, too");

    let Draft { writer, adam } = Draft::load(&dir).unwrap();
    let (recipe, model) = (writer.recipe.clone(), writer.model.clone());
    let mut parts = Trainer { recipe, model, adam };
    assert_eq!(parts.adam.steps, 2);
    for trainer in [&mut whole, &mut parts] {
        trainer.update(&examples[1..]).unwrap();
    }
    assert_eq!(whole.model.leaves(), parts.model.leaves());
    let complete = folder.path().join("complete");
    writer.save(&complete).unwrap();
    let error = Draft::load(&complete).unwrap_err().to_string();
    assert!(error.contains("it has learned"), "{error}");
}

#[test]
fn a_change_in_a_file_is_noticed() {
    let (writer, folder) = (parrot(), tempdir().unwrap());
    let dir = folder.path().join("writer");
    writer.save(&dir).unwrap();
    for name in ["config.toml", "merges.txt", "model.safetensors"] {
        let file = dir.join(name);
        let bytes = fs::read(&file).unwrap();
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&file, changed).unwrap();
        let error = Writer::load(&dir).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        fs::write(&file, bytes).unwrap();
    }
    edit(&dir.join("config.toml"), "layers = 1", "layers = 2");
    sign(&dir);
    let error = Writer::load(&dir).unwrap_err().to_string();
    assert!(error.contains("stack.layers.1"), "{error}");
}

/// A writer does not translate, and a translator does not write.
#[test]
fn another_kind_of_model_is_refused_with_a_sentence() {
    let (writer, folder) = (parrot(), tempdir().unwrap());
    let [one, other] =
        ["writer", "translator"].map(|name| folder.path().join(name));
    writer.save(&one).unwrap();
    let (config, recipe) = (Config::toy(), Recipe::toy());
    let checkpoint = Checkpoint {
        training: Training::new(&config, recipe),
        tokenizer: Tokenizer::default(),
        run: RunData::new("reverse", &[], &[]),
        config,
    };
    checkpoint.save(&other).unwrap();
    let error = Translator::open(&one).unwrap_err().to_string();
    let sentence = "it is of format 4, a model that writes, and cannot \
                    translate; this program reads format 2";
    assert!(error.contains(sentence), "{error}");
    let error = Writer::load(&other).unwrap_err().to_string();
    let sentence = "it is of format 2, a checkpoint; this program reads \
                    format 4";
    assert!(error.contains(sentence), "{error}");
}

#[test]
fn a_running_text_has_an_end_before_and_after_each_paragraph() {
    let tokenizer = Tokenizer::default();
    let text = running(&["ab", "c"], &tokenizer);
    let (a, eos) = (Token::from(b'a'), tokenizer.eos());
    assert_eq!(text, [eos, a, a + 1, eos, a + 2, eos]);
}

/// Of windows that do not overlap, every token but the first is an answer
/// once, unless it is left over at the end.
#[test]
fn windows_ask_for_each_token_once() {
    let text: Vec<Token> = (0..20).collect();
    let windows = windows(&text, 6, 6);
    let answers = windows.iter().flat_map(|Text(window)| &window[1..]);
    assert_eq!(answers.copied().collect::<Vec<_>>(), text[1..19]);
    let answers =
        TrainingExample::<Half<Matrix>, Matrix>::answers(&windows[0]);
    assert_eq!(answers, 6);
}

#[test]
fn a_text_that_is_too_short_has_no_windows() {
    let text: Vec<Token> = (0..20).collect();
    assert_eq!(windows(&text, 19, usize::MAX).len(), 1);
    for length in [20, usize::MAX] {
        assert!(windows(&text, length, length).is_empty());
    }
}

#[test]
#[should_panic(expected = "windows need a step of 1 token or more")]
fn windows_do_not_stay_where_they_are() {
    let _ = windows(&[0, 1], 0, 0);
}

#[test]
#[should_panic(expected = "nothing can be learned without examples")]
fn without_lessons_there_is_no_learning() {
    let none: [Text; 0] = [];
    let _ = small(Recipe::toy()).run(&none, on);
}

#[test]
#[should_panic(expected = "no model can learn by this recipe: warmup")]
fn a_recipe_that_cannot_be_followed_is_refused_before_learning() {
    let _ = small(Recipe { warmup: 0, ..Recipe::toy() });
}

#[test]
#[should_panic(expected = "a target of 0 tokens")]
fn a_text_without_tokens_has_no_answers() {
    let _ =
        TrainingExample::<Half<Matrix>, Matrix>::answers(&Text(Vec::new()));
}

#[test]
#[should_panic(expected = "no model has these sizes: heads cannot be 0")]
fn a_half_of_impossible_sizes_is_refused() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let _: Half<Matrix> = Half::new(&Config { heads: 0, ..sizes(11) }, rng);
}

#[test]
fn a_run_that_is_ended_goes_on_as_if_it_had_not() {
    let recipe = Recipe { dropout: 0.1, ..short_recipe(2) };
    let [mut whole, mut parts] = [(); 2].map(|()| small(recipe.clone()));
    assert!(whole.run(&examples(), on).is_ok());
    let end = parts.run(&examples(), |_, Update { step, .. }| match step {
        2 => ControlFlow::Break("enough"),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(end, Ok(ControlFlow::Break("enough")));
    assert_eq!(parts.adam.steps, 2);
    assert!(parts.run(&examples(), on).is_ok());
    assert_eq!(parts.adam.steps, recipe.updates);
    let models = [&whole.model, &parts.model].map(Parameters::leaves);
    for ((name, a), (_, b)) in models[0].iter().zip(&models[1]) {
        assert_eq!(a, b, "{name}");
    }
}

#[test]
#[should_panic(expected = "a batch of no examples")]
fn a_batch_of_nothing_is_misuse() {
    let none: [Text; 0] = [];
    let _ = small(short_recipe(2)).update(&none);
}
