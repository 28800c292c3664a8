//! What an answer says is what the library computes.

use super::{
    SESSION, TRANSLATOR, answered, captions, changed, greedy, ids, list,
    numbers,
};
use all_you_need::search::Cache;
use all_you_need::search::{Beam, Sampling, sample};
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use serde_json::{Value, json};

const TEXT: &str = "two boys are playing football in the rain .";

/// A head as a request names it.
fn head(attention: &str, layer: usize, head: usize) -> Value {
    json!({"head": {"attention": attention, "layer": layer, "head": head}})
}

/// The largest difference between two lists of numbers.
#[track_caller]
fn gap(one: &Value, other: &Value) -> f64 {
    let (one, other) = (numbers(one), numbers(other));
    assert_eq!(one.len(), other.len());
    let gaps = one.iter().zip(&other).map(|(a, b)| (a - b).abs());
    gaps.fold(0.0, f64::max)
}

fn json_of(matrix: &Matrix<f32>) -> Value {
    let rows = matrix.row_iter().map(|row| row.iter().copied().collect());
    json!(rows.collect::<Vec<Vec<f32>>>())
}

#[test]
fn a_text_is_read_as_captions_are_written() {
    for (typed, read) in [
        ("A dog runs.", "a dog runs ."),
        ("  a  dog\nruns . ", "a dog runs ."),
        (
            "A man’s hat, 3.5 feet wide…",
            "a man &apos;s hat , 3.5 feet wide . . .",
        ),
        ("“Hey!” — ÄRZTE", "&quot; hey ! &quot; - ärzte"),
    ] {
        assert_eq!(answered(&greedy(typed))["text"], read);
    }
}

#[test]
fn it_tells_a_page_what_can_be_asked() {
    let ready: Value = serde_json::from_str(&SESSION.ready()).unwrap();
    assert_eq!(ready["ready"]["layers"], 4);
    assert_eq!(ready["ready"]["vocabulary"], 10_000);
    assert_eq!(ready["ready"]["most_words"], 60);
}

#[test]
fn tokens_and_rows_are_those_of_the_model() {
    let answer = answered(&greedy(TEXT));
    let source = TRANSLATOR.tokenizer.encode_source(TEXT);
    assert_eq!(ids(&answer["source"]["tokens"]), source);
    let tokens = list(&answer["source"]["tokens"]).iter();
    let labels = tokens.map(|token| token["label"].as_str().unwrap());
    let labels = labels.collect::<String>().replace('·', " ");
    assert_eq!(labels, format!("{TEXT}<end>"));
    for side in ["source", "target"] {
        let side = &answer[side];
        let tokens = ids(&side["tokens"]);
        let model = &TRANSLATOR.model;
        let rows = model.embed(&[&tokens]).rows;
        assert!(gap(&side["sum"], &json_of(&rows)) < 1e-6);
        let embedding = model.embedding.embed(&tokens);
        assert!(gap(&side["embedding"], &json_of(&embedding)) < 1e-6);
        assert!(gap(&side["position"], &json_of(&(rows - embedding))) < 1e-6);
    }
}

#[test]
fn greedy_is_greedy_and_each_step_names_what_came() {
    for caption in captions().iter().take(10) {
        let answer = answered(&greedy(caption));
        let tokenizer = &TRANSLATOR.tokenizer;
        let source = tokenizer.encode_source(caption);
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let found = TRANSLATOR.model.greedy(&source, bos, eos).unwrap();
        assert_eq!(answer["translation"], tokenizer.decode(&found));
        assert_eq!(answer["complete"], true);
        assert_eq!(answer["tree"], Value::Null);
        let target = [&[bos], &found[..]].concat();
        assert_eq!(ids(&answer["target"]["tokens"]), target);
        let next = list(&answer["steps"]).iter().map(|step| {
            assert_eq!(step["next"]["id"], step["likely"][0]["id"]);
            step["next"]["id"].as_u64().unwrap() as u32
        });
        assert_eq!(next.collect::<Vec<_>>(), [&found[..], &[eos]].concat());
    }
}

/// The cache and one pass over all tokens are two ways to the same numbers.
#[test]
fn a_step_has_the_logits_of_its_row_of_one_pass() {
    let answer = answered(&greedy(TEXT));
    let [source, target] =
        ["source", "target"].map(|side| ids(&answer[side]["tokens"]));
    let logits = TRANSLATOR.model.forward(&[source], &[target]);
    for (t, step) in list(&answer["steps"]).iter().enumerate() {
        let row: Vec<f32> = logits.row(t).iter().copied().collect();
        let total: f64 = row.iter().map(|&x| f64::from(x).exp()).sum();
        let likely = list(&step["likely"]);
        assert_eq!(likely.len(), 10);
        for one in likely {
            let logit = f64::from(row[one["id"].as_u64().unwrap() as usize]);
            assert!((one["logit"].as_f64().unwrap() - logit).abs() < 1e-4);
            let p = one["probability"].as_f64().unwrap();
            assert!((p - logit.exp() / total).abs() < 1e-5);
        }
        let most = row.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        let first = likely[0]["logit"].as_f64().unwrap();
        assert!((first - f64::from(most)).abs() < 1e-4);
    }
}

#[test]
fn the_maps_are_those_of_the_library() {
    let answer = answered(&greedy(TEXT));
    let [source, target] =
        ["source", "target"].map(|side| ids(&answer[side]["tokens"]));
    let maps = TRANSLATOR.attention_maps(&source, &target);
    for (kind, layers) in [
        ("encoder", &maps.encoder),
        ("decoder", &maps.decoder),
        ("cross", &maps.cross),
    ] {
        let heads = |heads: &Vec<_>| heads.iter().map(json_of).collect();
        let expected: Vec<Vec<Value>> = layers.iter().map(heads).collect();
        assert!(gap(&answer["maps"][kind], &json!(expected)) < 1e-6);
    }
}

fn beam(text: &str, width: usize) -> Value {
    json!({"text": text, "search": {"beam": {"width": width}}})
}

#[test]
fn a_beam_finds_what_the_translator_finds() {
    for caption in captions().iter().take(5) {
        for width in [1, 2, 5] {
            let answer = answered(&beam(caption, width));
            let beam =
                TRANSLATOR.beam(width, super::Translator::CAPTIONS_ALPHA, 1);
            let found = TRANSLATOR.n_best(&[caption], &beam).unwrap();
            assert_eq!(answer["translation"], found[0][0].text);
            let ends = list(&answer["tree"]["steps"]).iter().flat_map(list);
            let best = ends
                .filter(|end| end["best"] == true)
                .find_map(|end| end["score"].as_f64());
            assert!((best.unwrap() - found[0][0].score).abs() < 1e-5);
        }
    }
}

/// Follows the tree from its root: all that goes on was considered, and
/// never more than the width.
#[test]
fn the_tree_leads_to_the_translation() {
    let answer = answered(&beam(TEXT, 3));
    let steps = list(&answer["tree"]["steps"]);
    let mut live = 1;
    for step in steps {
        let fate = |name: &str| {
            let step = list(step).iter();
            step.filter(|one| one["fate"] == name).collect::<Vec<_>>()
        };
        let (kept, finished) = (fate("kept"), fate("finished"));
        assert!(kept.len() + finished.len() <= 3);
        assert_eq!(list(step).len(), 3 * live);
        for one in list(step) {
            assert!((one["parent"].as_u64().unwrap() as usize) < live);
            assert_eq!(one["live"].is_u64(), one["fate"] == "kept");
            assert_eq!(one["score"].is_f64(), one["fate"] == "finished");
        }
        // What was left was not more probable than what goes on.
        let probability =
            |one: &&Value| one["log_probability"].as_f64().unwrap();
        let least = kept.iter().map(probability).fold(0.0, f64::min);
        if kept.len() == 3 {
            let left = fate("left")
                .iter()
                .map(probability)
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(left <= least);
        }
        live = kept.len();
    }
    assert_eq!(live, 0);
    let best = steps.iter().flat_map(list).filter(|one| one["best"] == true);
    let best: Vec<u32> =
        best.map(|one| one["id"].as_u64().unwrap() as u32).collect();
    let target = ids(&answer["target"]["tokens"]);
    assert_eq!(best[..best.len() - 1], target[1..]);
}

fn sampled(seed: u64, temperature: f64, top_k: usize, top_p: f64) -> Value {
    let sample = json!({
        "temperature": temperature, "top_k": top_k, "top_p": top_p,
        "seed": seed
    });
    json!({"text": TEXT, "search": {"sample": sample}})
}

#[test]
fn sampling_draws_what_the_library_draws() {
    for seed in 0..4 {
        let answer = answered(&sampled(seed, 1.3, 40, 0.95));
        let tokenizer = &TRANSLATOR.tokenizer;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let sampling =
            Sampling { temperature: 1.3, top_k: 40, top_p: 0.95, bos, eos };
        let source = tokenizer.encode_source(TEXT);
        let mut model = Cache::new(&TRANSLATOR.model, &[&source]);
        let mut rng = generator(seed, Stream::Data);
        let limit = source.len() + 50;
        let drawn = sample(&mut model, limit, &sampling, &mut rng).unwrap();
        assert_eq!(answer["translation"], tokenizer.decode(&drawn));
        assert_eq!(answer, answered(&sampled(seed, 1.3, 40, 0.95)));
    }
}

#[test]
fn a_token_that_is_cut_off_is_not_drawn() {
    let answer = answered(&sampled(1, 0.7, 3, 1.0));
    for step in list(&answer["steps"]) {
        let drawn = |one: &Value| one["drawn"].as_f64().unwrap();
        let drawn: Vec<f64> =
            list(&step["likely"]).iter().map(drawn).collect();
        assert!(drawn[..3].iter().all(|&p| p > 0.0));
        assert!(drawn[3..].iter().all(|&p| p == 0.0));
        assert!((drawn.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
    let most = answered(&sampled(7, 1.0, 1, 1.0));
    assert_eq!(most["translation"], answered(&greedy(TEXT))["translation"]);
}

/// At this temperature the end is hardly ever drawn.
#[test]
fn what_has_no_end_is_cut_off() {
    let answer = answered(&sampled(1, 100.0, 10_000, 1.0));
    assert_eq!(answer["complete"], false);
    let source = list(&answer["source"]["tokens"]).len();
    let target = list(&answer["target"]["tokens"]).len();
    assert_eq!(target, source + 50);
    assert_eq!(list(&answer["steps"]).len(), target);
    assert_eq!(list(&answer["maps"]["cross"][0][0]).len(), target);
}

#[test]
fn without_a_change_nothing_is_changed() {
    let answer = answered(&greedy(TEXT));
    assert_eq!(changed(greedy(TEXT), Value::Null), answer);
}

#[test]
fn a_head_switched_off_changes_what_comes_after_it() {
    let answer = answered(&greedy(TEXT));
    for kind in ["encoder", "decoder", "cross"] {
        let without = changed(greedy(TEXT), head(kind, 2, 3));
        assert_ne!(without["steps"], answer["steps"], "{kind}");
        assert_eq!(without["source"], answer["source"]);
        let map = |answer: &Value, layer: usize| {
            answer["maps"][kind][layer][0][0].clone()
        };
        // Layers 1 and 2 read what no head 3 of layer 2 has changed. The
        // first row of the decoder sees one token, with weight 1.
        assert_eq!(map(&without, 0), map(&answer, 0), "{kind}");
        assert_eq!(map(&without, 1), map(&answer, 1), "{kind}");
        if kind != "decoder" {
            assert_ne!(map(&without, 2), map(&answer, 2), "{kind}");
        }
    }
}

/// By hand: the same model with the head's rows of W^O at 0, searched by the
/// library.
#[test]
fn a_head_switched_off_is_a_head_whose_result_is_not_read() {
    let mut model = TRANSLATOR.model.clone();
    let w_o = &mut model.decoder.layers[3].cross_attention.w_o;
    for row in 32..64 {
        w_o.row_mut(row).fill(0.0);
    }
    let tokenizer = &TRANSLATOR.tokenizer;
    let source = tokenizer.encode_source(TEXT);
    let beam = Beam::greedy(tokenizer.bos(), tokenizer.eos());
    let found = model.search(&[source], &beam).unwrap();
    let said = tokenizer.decode(&found[0][0].tokens);
    let without = changed(greedy(TEXT), head("cross", 4, 2));
    assert_eq!(without["translation"], said);
}

#[test]
fn without_the_mask_a_token_sees_those_after_it() {
    let answer = answered(&greedy(TEXT));
    let without = changed(greedy(TEXT), json!("mask"));
    let above = |answer: &Value| {
        let map = &answer["maps"]["decoder"][0][0];
        numbers(&list(map)[0])[1..].iter().sum::<f64>()
    };
    assert_eq!(above(&answer), 0.0);
    assert!(above(&without) > 0.0);
    assert_eq!(without["maps"]["encoder"], answer["maps"]["encoder"]);
    // At the first step there is nothing to be hidden.
    let first = |answer: &Value| {
        let likely = list(&answer["steps"][0]["likely"]).to_vec();
        json!(
            likely.iter().map(|one| one["logit"].clone()).collect::<Vec<_>>()
        )
    };
    assert!(gap(&first(&answer), &first(&without)) < 1e-4);
}

/// Without positions a source is a bag of words.
#[test]
fn without_positions_the_order_does_not_matter() {
    let logits = |text: &str| {
        let answer = changed(greedy(text), json!("positions"));
        assert!(
            numbers(&answer["source"]["position"]).iter().all(|&x| x == 0.0)
        );
        assert_eq!(answer["source"]["sum"], answer["source"]["embedding"]);
        let likely = list(&answer["steps"][0]["likely"]).to_vec();
        json!(
            likely.iter().map(|one| one["logit"].clone()).collect::<Vec<_>>()
        )
    };
    let (one, other) = (
        logits("a big dog sees a small cat ."),
        logits("a small cat sees a big dog ."),
    );
    assert!(gap(&one, &other) < 1e-3);
}

#[test]
fn without_the_scale_the_weights_are_sharper() {
    let answer = answered(&greedy(TEXT));
    let without = changed(greedy(TEXT), json!("scale"));
    let sharpness = |answer: &Value| {
        let map = numbers(&answer["maps"]["encoder"][0]);
        map.iter().map(|p| p * p).sum::<f64>()
    };
    assert!(sharpness(&without) > 1.2 * sharpness(&answer));
}

/// The uncached way, which lifted masks need, is right where both can go.
#[test]
fn changes_can_be_searched_in_every_way() {
    for change in [
        json!("mask"),
        json!("positions"),
        json!("scale"),
        head("encoder", 1, 1),
    ] {
        for request in [greedy(TEXT), beam(TEXT, 2), sampled(1, 1.0, 10, 0.9)]
        {
            let answer = changed(request, change.clone());
            let rows = numbers(&answer["maps"]["cross"][3][3]);
            let target = list(&answer["target"]["tokens"]).len();
            assert!((rows.iter().sum::<f64>() - target as f64).abs() < 1e-3);
        }
    }
}
