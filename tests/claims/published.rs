use super::common::compare::{close, largest};
use super::damage::{Raw, edit, rewrite};
use all_you_need::attention::Mask;
use all_you_need::checkpoint::Error;
use all_you_need::costs::{Bill, Shape};
use all_you_need::gradient::Variable;
use all_you_need::heads::{MultiHead, attend_by_head};
use all_you_need::layers::{FeedForward, Layer, LayerOps, Rowwise};
use all_you_need::parameters;
use all_you_need::parameters::{Parameters, check_gradient, parameter_count};
use all_you_need::plain::names::{self, Tensors};
use all_you_need::plain::published as plain;
use all_you_need::plain::softmax;
use all_you_need::published::{
    Config, Gelu, GroupedHeads, Project, Published, RmsNorm, Rotary, SwiGlu,
    by_group,
};
use all_you_need::search::Sampling;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::Token;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;
use safetensors::tensor::Dtype;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[path = "../../code/examples/published/oracle.rs"]
mod oracle;
#[path = "../../code/examples/published/slips.rs"]
mod slips;

use oracle::{TEXT, last_four, sine_gpt2, sine_llama};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/reference/published")
}

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

/// The texts of a folder, and the logits that transformers has computed.
fn expected(dir: &Path) -> Vec<(Vec<Token>, Matrix)> {
    let file = Tensors::open(&dir.join("expected.safetensors"));
    let find = |name: &str| file.find(name).unwrap();
    let texts = (0..3).map(|i| {
        let tokens = find(&format!("tokens.{i}"));
        let tokens = tokens.iter().map(|&t| t as Token).collect();
        (tokens, find(&format!("logits.{i}")))
    });
    texts.collect()
}

#[test]
fn logits_are_those_of_transformers_in_one_pass_and_in_several() {
    for folder in ["gpt2", "llama"] {
        let dir = fixtures().join(folder);
        let Published { model, .. } = Published::open(&dir).unwrap();
        for (tokens, logits) in expected(&dir) {
            assert!(largest(&logits) > 0.5, "numbers to compare with");
            for step in [1, 2, 5, tokens.len()] {
                let mut reading = model.read();
                let rows = tokens.chunks(step).map(|some| {
                    let scores = model.scores(&reading.feed(some));
                    scores.map(f64::from).transpose()
                });
                let rows: Vec<Matrix> = rows.collect();
                close(&Tensor::concat(&rows).transpose(), &logits, 1e-5);
                assert_eq!(reading.length(), tokens.len());
            }
        }
    }
}

#[test]
fn the_plain_functions_compute_the_same() {
    let text = |tokens: &[Token]| -> Vec<usize> {
        tokens.iter().map(|&token| token as usize).collect()
    };
    let [one, two] = ["gpt2", "llama"].map(|name| {
        Tensors::open(&fixtures().join(name).join("model.safetensors"))
    });
    let gpt2 = names::gpt2(4, 2, &one);
    let llama = names::llama((8, 500.0), 2, &two);
    for (tokens, logits) in expected(&fixtures().join("gpt2")) {
        close(&plain::gpt2(&gpt2, &text(&tokens)), &logits, 1e-6);
    }
    for (tokens, logits) in expected(&fixtures().join("llama")) {
        close(&plain::llama(&llama, &text(&tokens)), &logits, 1e-6);
    }
}

/// The plain model of a file whose tensors have no word before their names.
#[test]
fn the_plain_functions_find_tensors_by_their_short_names() {
    let [gpt2, llama] = ["gpt2", "llama"].map(copy);
    let short = |folder: &TempDir, word: &str| {
        let path = folder.path().join("model.safetensors");
        rewrite(&path, |raw| {
            let names: Vec<String> = raw.keys().cloned().collect();
            let mut renamed = 0;
            for name in names {
                if let Some(short) = name.strip_prefix(word) {
                    let tensor = raw.remove(&name).unwrap();
                    raw.insert(short.to_owned(), tensor);
                    renamed += 1;
                }
            }
            assert!(renamed > 10, "{renamed} names");
        });
        Tensors::open(&path)
    };
    let text = [7, 0, 5, 5];
    let long = Tensors::open(&fixtures().join("gpt2/model.safetensors"));
    let expected = plain::gpt2(&names::gpt2(4, 2, &long), &text);
    let found = names::gpt2(4, 2, &short(&gpt2, "transformer."));
    assert_eq!(plain::gpt2(&found, &text), expected);
    let turns = (8, 500.0);
    let long = Tensors::open(&fixtures().join("llama/model.safetensors"));
    let long = names::llama(turns, 2, &long);
    let expected = plain::llama(&long, &text);
    let found = names::llama(turns, 2, &short(&llama, "model."));
    assert_eq!(plain::llama(&found, &text), expected);
    // Without a table of scores that of the tokens is used.
    let path = llama.path().join("model.safetensors");
    rewrite(&path, |raw| drop(raw.remove("lm_head.weight").unwrap()));
    let tied = names::llama(turns, 2, &Tensors::open(&path));
    assert_eq!(tied.0[1], long.0[0]);
    assert_ne!(tied.0[1], long.0[1]);
}

#[test]
#[should_panic(expected = "no tensor h.2.ln_1.weight")]
fn a_plain_model_with_too_many_layers_panics() {
    let file = fixtures().join("gpt2/model.safetensors");
    let _ = names::gpt2(4, 3, &Tensors::open(&file));
}

/// How far the four printed logits of a model of sines are off.
fn off(found: &Matrix, right: &Matrix) -> f64 {
    (last_four(found) - last_four(right)).amax()
}

/// They are printed with four decimals.
const SEEN: f64 = 1e-2;

#[test]
fn the_models_of_sines_find_every_slip_of_the_table() {
    oracle::check();
    oracle::check_llama();
    let right = plain::gpt2(&sine_gpt2(), &TEXT);
    for (name, slip) in slips::GPT2 {
        let mut model = sine_gpt2();
        slip(&mut model);
        assert!(off(&plain::gpt2(&model, &TEXT), &right) > SEEN, "{name}");
    }
    let right = plain::llama(&sine_llama(), &TEXT);
    for (name, slip) in slips::LLAMA {
        let mut model = sine_llama();
        slip(&mut model);
        assert!(off(&plain::llama(&model, &TEXT), &right) > SEEN, "{name}");
    }
}

/// What a cache may do wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cached {
    Right,
    PlacesAnew,
    NoMask,
    OwnKeyMissing,
    GroupsInTurns,
}

/// What the rows of a part find among the keys and values of all tokens that
/// have been read, which are added to the cache.
fn look_back(
    d_k: usize,
    [q, k, v]: [Matrix; 3],
    cache: &mut Option<[Matrix; 2]>,
    cached: Cached,
) -> Matrix {
    let [k, v] = match cache.take() {
        None => [k, v],
        Some([keys, values]) => [(keys, k), (values, v)].map(|(old, new)| {
            let rows = old.row_iter().chain(new.row_iter());
            let rows: Vec<_> = rows.map(|row| row.into_owned()).collect();
            Matrix::from_rows(&rows)
        }),
    };
    let (h, g) = (q.ncols() / d_k, k.ncols() / d_k);
    let (n, all) = (q.nrows(), k.nrows());
    let read = all - n;
    let mask = Matrix::from_fn(n, all, |i, j| {
        let seen = match cached {
            Cached::NoMask => true,
            Cached::OwnKeyMissing if read > 0 => j < read + i,
            _ => j <= read + i,
        };
        if seen { 0.0 } else { f64::NEG_INFINITY }
    });
    let mut found = Matrix::zeros(n, q.ncols());
    for i in 0..h {
        let group = match cached {
            Cached::GroupsInTurns => i % g,
            _ => i / (h / g),
        };
        let own = |m: &Matrix, i| m.columns(i * d_k, d_k).into_owned();
        let scores = own(&q, i) * own(&k, group).transpose();
        let weights = softmax(&(scores / (d_k as f64).sqrt() + &mask));
        let head = weights * own(&v, group);
        found.columns_mut(i * d_k, d_k).copy_from(&head);
    }
    *cache = Some([k, v]);
    found
}

/// The logits of the last part.
fn gpt2_in_parts(parts: &[&[usize]], cached: Cached) -> Matrix {
    let plain::Gpt2([tokens, places], h, layers, last) = sine_gpt2();
    let mut caches = vec![None; layers.len()];
    let (mut read, mut logits) = (0, Matrix::zeros(0, 0));
    for part in parts {
        let first = if cached == Cached::PlacesAnew { 0 } else { read };
        let mut x =
            tokens.select_rows(*part) + places.rows(first, part.len());
        for (layer, cache) in layers.iter().zip(&mut caches) {
            let (norm1, qkv, out, norm2, inner, outer) = layer;
            let d = x.ncols();
            let all = plain::linear(qkv, &plain::norm(norm1, &x));
            let qkv = [0, 1, 2].map(|i| all.columns(i * d, d).into_owned());
            let found = look_back(d / h, qkv, cache, cached);
            x += plain::linear(out, &found);
            let hidden = plain::linear(inner, &plain::norm(norm2, &x));
            x += plain::linear(outer, &hidden.map(plain::gelu));
        }
        logits = plain::norm(&last, &x) * tokens.transpose();
        read += part.len();
    }
    logits
}

/// The logits of the last part.
fn llama_in_parts(parts: &[&[usize]], cached: Cached) -> Matrix {
    let plain::Llama([tokens, scores], (d_k, theta), layers, last) =
        sine_llama();
    let mut caches = vec![None; layers.len()];
    let (mut read, mut logits) = (0, Matrix::zeros(0, 0));
    for part in parts {
        let first = if cached == Cached::PlacesAnew { 0 } else { read };
        let turn = |rows: Matrix| {
            let rows = rows.insert_rows(0, first, 0.0);
            plain::turn(d_k, theta, &rows).remove_rows(0, first)
        };
        let mut x = tokens.select_rows(*part);
        for (layer, cache) in layers.iter().zip(&mut caches) {
            let (norm1, [w_q, w_k, w_v, w_o], norm2, think) = layer;
            let normed = plain::rms_norm(norm1, &x);
            let [q, k] = [w_q, w_k].map(|w| turn(&normed * w));
            let qkv = [q, k, &normed * w_v];
            x += look_back(d_k, qkv, cache, cached) * w_o;
            x += plain::swiglu(think, &plain::rms_norm(norm2, &x));
        }
        logits = plain::rms_norm(&last, &x) * scores.transpose();
        read += part.len();
    }
    logits
}

#[test]
fn the_models_of_sines_find_the_slips_of_a_cache() {
    type Run = fn(&[&[usize]], Cached) -> Matrix;
    let gpt2 = plain::gpt2(&sine_gpt2(), &TEXT);
    let llama = plain::llama(&sine_llama(), &TEXT);
    let runs: [(Run, Matrix); 2] =
        [(gpt2_in_parts, gpt2), (llama_in_parts, llama)];
    let parts = [&TEXT[..3], &TEXT[3..4], &TEXT[4..5], &TEXT[5..]];
    for (i, (run, right)) in runs.into_iter().enumerate() {
        let right = last_four(&right);
        let off = |cached| {
            let found = run(&parts, cached);
            (found.columns(0, 4) - &right).amax()
        };
        assert!(off(Cached::Right) < 1e-12);
        use Cached::{GroupsInTurns, NoMask, OwnKeyMissing, PlacesAnew};
        for slip in [PlacesAnew, NoMask, OwnKeyMissing] {
            assert!(off(slip) > SEEN, "{slip:?} in model {i}");
        }
        if i == 1 {
            assert!(off(GroupsInTurns) > SEEN);
        }
    }
}

#[derive(Deserialize)]
struct Strings {
    strings: Vec<String>,
    gpt2: Vec<Vec<Token>>,
    llama: Vec<Vec<Token>>,
}

#[test]
fn a_thousand_strings_have_the_tokens_that_transformers_gives_them() {
    let text = fs::read_to_string(fixtures().join("strings.json")).unwrap();
    let Strings { strings, gpt2, llama } =
        serde_json::from_str(&text).unwrap();
    assert_eq!(strings.len(), 1000);
    for (folder, ids) in [("gpt2", gpt2), ("llama", llama)] {
        let published = Published::open(&fixtures().join(folder)).unwrap();
        for (string, ids) in strings.iter().zip(ids) {
            let found = published.tokenizer.encode(string);
            assert_eq!(found, ids, "{folder}: {string:?}");
            assert_eq!(published.tokenizer.decode(&found), *string);
        }
    }
}

#[test]
fn a_text_begins_as_its_folder_says_and_never_has_a_special_token() {
    let open = |name| Published::open(&fixtures().join(name)).unwrap();
    let (gpt2, llama) = (open("gpt2"), open("llama"));
    assert_eq!(gpt2.prompt("").unwrap(), [0]);
    assert_eq!(llama.prompt("").unwrap(), [0]);
    assert_eq!(llama.prompt("a").unwrap()[0], 0);
    assert_eq!(gpt2.prompt("a").unwrap().len(), 1);
    for published in [gpt2, llama] {
        let tokens = published.tokenizer.encode("<|endoftext|>");
        assert!(tokens.len() > 2, "{tokens:?}");
        let long = published.prompt(&"x".repeat(100)).unwrap_err();
        assert!(long.contains("tokens; at most"), "{long}");
    }
}

#[test]
fn a_prompt_may_fill_the_context() {
    for (folder, context) in [("gpt2", 48), ("llama", 64)] {
        let published = Published::open(&fixtures().join(folder)).unwrap();
        assert_eq!(published.model.context(), context);
        let first = published.prompt("x").unwrap().len() - 1;
        let prompt = |x: usize| published.prompt(&"x".repeat(x - first));
        let full = prompt(context).unwrap();
        assert_eq!(full.len(), context);
        assert_eq!(published.model.read().feed(&full).nrows(), context);
        let long = prompt(context + 1).unwrap_err();
        let words = format!("at most {context} are possible");
        assert!(long.contains(&words), "{long}");
    }
}

#[test]
fn an_empty_prompt_is_the_beginning_if_the_model_has_one() {
    let open = |bos: &str| {
        let folder = copy("gpt2");
        let new = format!("\"bos_token_id\": {bos}");
        let config = folder.path().join("config.json");
        edit(&config, "\"bos_token_id\": 0", &new);
        Published::open(folder.path()).unwrap()
    };
    let five = open("5");
    assert_eq!(five.config.bos(), Some(5));
    assert_eq!(five.prompt("").unwrap(), [5]);
    let none = open("null");
    assert_eq!(none.config.bos(), None);
    assert_eq!(none.prompt("").unwrap_err(), "the model needs a beginning");
    assert_eq!(none.prompt("x").unwrap(), five.prompt("x").unwrap());
}

#[test]
fn it_writes_until_its_context_is_full_and_the_same_each_time() {
    let published = Published::open(&fixtures().join("gpt2")).unwrap();
    let prompt = published.prompt("the work").unwrap();
    let sampling = Sampling::new(0, 0);
    let write = || -> Vec<Token> {
        let rng = &mut rng();
        let tokens = published.tokens(&prompt, &sampling, rng);
        tokens.map(Result::unwrap).collect()
    };
    let written = write();
    assert_eq!(written, write());
    let ended = prompt.len() + written.len() < 48;
    assert!(ended || prompt.len() + written.len() == 49);
    assert!(!written.contains(&0), "the end is not written");
    // Each token is drawn by the scores after all those before it.
    let cold = Sampling { top_k: 1, ..sampling };
    let rng = &mut rng();
    let mut text = prompt.clone();
    for next in published.tokens(&prompt, &cold, rng).take(20) {
        let rows = published.model.read().feed(&text);
        let scores = published.model.scores(&rows);
        let last = scores.row(text.len() - 1).transpose();
        assert_eq!(next.unwrap() as usize, last.argmax().0);
        text.push(last.argmax().0 as Token);
    }
}

/// A copy of a fixture, to be damaged.
fn copy(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(fixtures().join(name)).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    folder
}

/// A copy of the small GPT-2 in which every text is followed by this token.
fn always(token: usize) -> TempDir {
    let folder = copy("gpt2");
    rewrite(&folder.path().join("model.safetensors"), |raw| {
        let mut set = |name: &str, step, number: &dyn Fn(usize) -> f32| {
            let name = format!("transformer.{name}");
            let (numbers, _) = raw.get_mut(&name).unwrap().2.as_chunks_mut();
            for (i, bytes) in numbers.iter_mut().step_by(step).enumerate() {
                *bytes = number(i).to_le_bytes();
            }
        };
        let only = |one, x| move |i| if i == one { x } else { 0.0 };
        // The last norm returns the same row for each text, and its product
        // with the matrix of the tokens is that one's first column.
        set("ln_f.weight", 1, &|_| 0.0);
        set("ln_f.bias", 1, &only(0, 100.0));
        set("wte.weight", 16, &only(token, 1.0));
    });
    folder
}

#[test]
fn it_writes_until_the_model_ends_the_text_or_can_read_no_more() {
    let all = 48 - 3 + 1; // the last token is drawn and not read
    for (token, ends, length) in [
        (7, "0", all),
        (0, "0", 0),
        (0, "null", all),
        (0, "[7, 8]", all),
        (8, "[7, 8]", 0),
    ] {
        let folder = always(token);
        let new = format!("\"eos_token_id\": {ends}");
        let config = folder.path().join("config.json");
        edit(&config, "\"eos_token_id\": 0", &new);
        let published = Published::open(folder.path()).unwrap();
        let sampling = Sampling::new(7, 7); // which do not matter
        let rng = &mut rng();
        let written = published.tokens(&[3, 4, 5], &sampling, rng);
        let written: Vec<Token> = written.map(Result::unwrap).collect();
        assert_eq!(written, vec![token as Token; length], "{ends}");
    }
}

/// That a folder is refused with all of these words.
#[track_caller]
fn refused(folder: &TempDir, words: &[&str]) {
    let error: Error = Published::open(folder.path()).unwrap_err();
    let error = error.to_string();
    for words in words {
        assert!(error.contains(words), "no `{words}` in: {error}");
    }
}

#[test]
fn a_setting_that_does_not_fit_is_refused_by_its_name() {
    let gpt2: [(&str, &str, &[&str]); 15] = [
        (
            "\"gpt2\"",
            "\"bert\"",
            &["config.json", "a model of type bert is not known"],
        ),
        ("\"n_head\": 4", "\"n_head\": 3", &["n_embd is 16", "n_head"]),
        ("\"n_head\": 4", "\"n_head\": 0", &["n_head cannot be 0"]),
        ("\"n_embd\": 16", "\"n_embd\": 32", &["wte.weight is [400, 16]"]),
        ("\"n_layer\": 2", "\"n_layer\": 3", &["no tensor", "h.2.ln_1"]),
        ("\"n_layer\": 2", "\"n_layer\": 1", &["h.1.attn.c_attn.bias does"]),
        ("\"n_embd\": 16", "\"n_embd\": -1", &["config.json", "line"]),
        (
            "\"n_embd\": 16",
            "\"n_embd\": 9223372036854775808",
            &["n_embd cannot be 9223372036854775808"],
        ),
        ("gelu_new", "relu", &["activation_function is \"relu\""]),
        ("1e-05", "0.0", &["layer_norm_epsilon cannot be 0"]),
        ("\"n_embd\": 16,", "", &["missing field `n_embd`"]),
        ("\"vocab_size\": 400", "\"vocab_size\": 9", &["a token 399"]),
        ("weights\": true", "weights\": false", &["scale_attn_weights is f"]),
        ("layer_idx\": false", "layer_idx\": true", &["layer_idx is true"]),
        (
            "cross_attention\": false",
            "cross_attention\": true",
            &["add_cross"],
        ),
    ];
    for (old, new, words) in gpt2 {
        let folder = copy("gpt2");
        edit(&folder.path().join("config.json"), old, new);
        refused(&folder, words);
    }
    let llama: [(&str, &str, &[&str]); 10] = [
        ("\"default\"", "\"yarn\"", &["rope_type is \"yarn\""]),
        ("\"silu\"", "\"gelu\"", &["hidden_act is \"gelu\""]),
        ("500.0", "-1.0", &["rope_theta cannot be -1"]),
        ("heads\": 2", "heads\": 4", &["which num_key_value_heads does"]),
        ("heads\": 2", "heads\": 3", &["k_proj.weight is [16, 24]"]),
        ("\"head_dim\": 8", "\"head_dim\": 7", &["a head is 7"]),
        ("embeddings\": false", "embeddings\": true", &[]),
        ("_bias\": false", "_bias\": true", &["no tensor", "q_proj.bias"]),
        ("mlp_bias\": false", "mlp_bias\": true", &["mlp_bias is true"]),
        // Without it, six heads share the 24 columns.
        ("\"head_dim\": 8,", "", &["q_proj.weight is [48, 24]", "[24, 24]"]),
    ];
    for (old, new, words) in llama {
        let folder = copy("llama");
        edit(&folder.path().join("config.json"), old, new);
        match words {
            [] => assert!(Published::open(folder.path()).is_ok(), "{old}"),
            _ => refused(&folder, words),
        }
    }
}

/// Those of GPT2Config and LlamaConfig in transformers.
#[test]
fn a_setting_that_is_left_out_has_the_value_that_transformers_gives_it() {
    let gpt2 = json!({
        "layer_norm_epsilon": 1e-5,
        "tie_word_embeddings": true,
        "scale_attn_weights": true,
        "scale_attn_by_inverse_layer_idx": false,
        "add_cross_attention": false,
    });
    let llama = json!({
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": false,
        "attention_bias": false,
        "mlp_bias": false,
    });
    for (name, defaults) in [("gpt2", gpt2), ("llama", llama)] {
        let folder = copy(name);
        let path = folder.path().join("config.json");
        let text = fs::read_to_string(&path).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        let open = |file: &Value| {
            fs::write(&path, file.to_string()).unwrap();
            Config::open(&path).unwrap()
        };
        for (setting, value) in defaults.as_object().unwrap() {
            let (mut with, mut without) = (file.clone(), file.clone());
            with[setting] = value.clone();
            without.as_object_mut().unwrap().remove(setting).unwrap();
            assert_eq!(open(&without), open(&with), "{setting}");
        }
    }
}

#[test]
fn a_tensor_that_does_not_fit_is_refused_by_its_name() {
    type Change = fn(&mut Raw);
    let name = "transformer.h.1.ln_2.bias";
    let changes: [(Change, &str); 5] = [
        (|raw| drop(raw.remove("transformer.h.1.ln_2.bias")), "no tensor"),
        (
            |raw| {
                let tensor = raw.get_mut("transformer.h.1.ln_2.bias");
                tensor.unwrap().1 = vec![4, 4];
            },
            "is [4, 4] and should be [16]",
        ),
        (
            |raw| {
                let tensor = raw.get_mut("transformer.h.1.ln_2.bias");
                tensor.unwrap().0 = Dtype::I32;
            },
            "should be F32, BF16 or F16",
        ),
        (
            |raw| {
                let tensor = raw.get_mut("transformer.h.1.ln_2.bias");
                let nan = f32::NAN.to_le_bytes();
                tensor.unwrap().2[..4].copy_from_slice(&nan);
            },
            "infinite or not a number",
        ),
        (
            |raw| {
                let tensor = raw["transformer.h.1.ln_2.bias"].clone();
                raw.insert("transformer.h.1.ln_2.bias.more".into(), tensor);
            },
            "does not belong",
        ),
    ];
    for (change, words) in changes {
        let folder = copy("gpt2");
        rewrite(&folder.path().join("model.safetensors"), change);
        refused(&folder, &["model.safetensors", name, words]);
    }
}

#[test]
fn the_masks_that_old_files_have_are_passed_over() {
    let folder = copy("gpt2");
    rewrite(&folder.path().join("model.safetensors"), |raw| {
        let mask = (Dtype::U8, vec![1, 1, 2, 2], vec![1, 0, 1, 1]);
        raw.insert("transformer.h.0.attn.bias".into(), mask);
        let names: Vec<String> = raw.keys().cloned().collect();
        for name in names {
            let tensor = raw.remove(&name).unwrap();
            let short = name.strip_prefix("transformer.").unwrap();
            raw.insert(short.to_owned(), tensor);
        }
    });
    let Published { model, .. } = Published::open(folder.path()).unwrap();
    let [_, (tokens, logits), _] = &expected(&fixtures().join("gpt2"))[..]
    else {
        panic!("three texts");
    };
    let scores = model.scores(&model.read().feed(tokens));
    close(&scores.map(f64::from), logits, 1e-5);
}

/// A copy of the small Llama whose layers add nothing to the row of a token,
/// and in which that of token 5 begins with these numbers of half precision.
fn halves(numbers: &[u16]) -> TempDir {
    let folder = copy("llama");
    rewrite(&folder.path().join("model.safetensors"), |raw| {
        for (name, (kind, _, bytes)) in raw {
            let is_output = ["o_proj.weight", "down_proj.weight"]
                .iter()
                .any(|end| name.ends_with(end));
            let is_table = name.ends_with("embed_tokens.weight");
            if is_output || is_table {
                bytes.fill(0);
            }
            if is_table {
                *kind = Dtype::F16;
                let (places, _) = bytes[5 * 24 * 2..].as_chunks_mut();
                for (place, number) in places.iter_mut().zip(numbers) {
                    *place = number.to_le_bytes();
                }
            }
        }
    });
    folder
}

#[test]
fn numbers_of_half_precision_are_read_exactly() {
    let numbers: [(u16, f32); 13] = [
        (0x0000, 0.0),
        (0x0001, 5.9604645e-8), // the least above 0: 2⁻²⁴
        (0x03ff, 6.097555e-5),  // the largest without a leading 1
        (0x0400, 6.1035156e-5), // the least with it: 2⁻¹⁴
        (0x3555, 0.33325195),
        (0x3bff, 0.9995117),
        (0x3c00, 1.0),
        (0x3c01, 1.0009766), // 1 + 2⁻¹⁰
        (0x4248, 3.140625),
        (0x7bff, 65504.0), // the largest
        (0x8001, -5.9604645e-8),
        (0xc000, -2.0),
        (0xfbff, -65504.0),
    ];
    let folder = halves(&numbers.map(|(half, _)| half));
    let Published { model, .. } = Published::open(folder.path()).unwrap();
    let row = model.read().feed(&[5]);
    for ((half, number), found) in numbers.into_iter().zip(&row) {
        assert_eq!(*found, number, "{half:#06x}");
    }
    for odd in [0x7c00, 0xfc00, 0x7e00] {
        let words =
            "embed_tokens.weight has numbers that are infinite or not";
        refused(&halves(&[odd]), &["model.safetensors", words]);
    }
}

#[test]
fn several_files_are_read_as_one() {
    let folder = copy("llama");
    let at = |name: &str| folder.path().join(name);
    let whole = at("model.safetensors");
    for (part, name) in [(0, "one.safetensors"), (1, "two.safetensors")] {
        fs::copy(&whole, at(name)).unwrap();
        rewrite(&at(name), |raw| {
            let mut i = 0;
            raw.retain(|_, _| {
                i += 1;
                i % 2 == part
            });
        });
    }
    fs::remove_file(whole).unwrap();
    let index = |two: &str| {
        let map = format!(
            "{{\"weight_map\":{{\"a\":\"one.safetensors\",\"b\":\"{two}\"}}}}"
        );
        fs::write(at("model.safetensors.index.json"), map).unwrap();
    };
    index("two.safetensors");
    let Published { model, .. } = Published::open(folder.path()).unwrap();
    for (tokens, logits) in expected(&fixtures().join("llama")) {
        let scores = model.scores(&model.read().feed(&tokens));
        close(&scores.map(f64::from), &logits, 1e-5);
    }
    index("one.safetensors");
    refused(&folder, &["there is no tensor model.layers.0."]);
    index("../two.safetensors");
    refused(&folder, &["index.json", "is not the name of a file"]);
    index("three.safetensors");
    refused(&folder, &["three.safetensors"]);
}

#[test]
fn a_damaged_file_is_an_error_that_names_it() {
    let files = ["config.json", "vocab.json", "merges.txt"];
    for name in files.into_iter().chain(["model.safetensors"]) {
        let folder = copy("gpt2");
        let path = folder.path().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let cut = Published::open(folder.path()).map(drop);
        if name != "merges.txt" {
            assert!(cut.unwrap_err().to_string().contains(name));
        } // Half of the merges are merges, too, if no line is cut.
        fs::write(&path, [0xff; 40]).unwrap();
        refused(&folder, &[name]);
        fs::remove_file(&path).unwrap();
        let missing = match name {
            "vocab.json" => "tokenizer.json",
            name => name,
        };
        refused(&folder, &[missing]);
    }
}

/// A file of tensors with this header, and some bytes behind it.
fn with_header(header: &str, bytes: usize) -> Vec<u8> {
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), &vec![0; bytes]].concat()
}

#[test]
fn a_header_that_lies_is_an_error() {
    let tensor = |shape: &str, end: u64| {
        format!(
            "{{\"transformer.wte.weight\":{{\"dtype\":\"F32\",\
             \"shape\":{shape},\"data_offsets\":[0,{end}]}}}}"
        )
    };
    let wrapping = "[4294967296,4294967296]";
    let files = [
        with_header(&tensor(wrapping, 0), 0),
        with_header(&tensor("[9223372036854775808,2]", 0), 0),
        with_header(&tensor("[2]", 8), 7),
        with_header(&tensor("[2]", 8), 9),
        with_header(&tensor("[2]", u64::MAX), 8),
        with_header("{", 0),
        u64::MAX.to_le_bytes().to_vec(),
        vec![1, 2, 3],
        Vec::new(),
    ];
    for bytes in files {
        let folder = copy("gpt2");
        fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
        refused(&folder, &["model.safetensors"]);
    }
}

#[test]
fn a_header_longer_than_its_file_cannot_be_right() {
    for (length, words) in [(8_u64, "cut short"), (9, "cannot be right")] {
        let folder = copy("gpt2");
        let path = folder.path().join("model.safetensors");
        fs::write(path, length.to_le_bytes()).unwrap();
        refused(&folder, &["model.safetensors", words]);
    }
}

#[test]
fn no_byte_that_is_changed_makes_it_panic() {
    for (folder, names) in [
        ("gpt2", &["config.json", "vocab.json", "merges.txt"][..]),
        ("llama", &["config.json", "tokenizer.json", "model.safetensors"]),
    ] {
        let folder = copy(folder);
        for name in names {
            let path = folder.path().join(name);
            let whole = fs::read(&path).unwrap();
            let places = (0..whole.len().min(2500)).step_by(7);
            for (i, place) in places.enumerate() {
                let mut bytes = whole.clone();
                bytes[place] = [b'9', b'"', 0, b'}', 0xff][i % 5];
                fs::write(&path, &bytes).unwrap();
                if let Ok(published) = Published::open(folder.path()) {
                    let prompt = published.prompt("a b");
                    let _ = published.model.read().feed(&prompt.unwrap());
                }
            }
            fs::write(&path, &whole).unwrap();
        }
    }
}

#[test]
fn a_byte_that_a_vocabulary_does_not_have_is_left_out() {
    let folder = copy("llama");
    edit(
        &folder.path().join("tokenizer.json"),
        "\"\u{104}\":", // byte 4
        "\"\u{104}\u{104}\u{104}\u{104}\":",
    );
    let tokenizer = Published::open(folder.path()).unwrap().tokenizer;
    let whole = tokenizer.encode("a\u{4}b");
    assert_eq!(
        whole,
        [tokenizer.encode("a"), tokenizer.encode("b")].concat()
    );
}

#[test]
fn a_tokenizer_of_another_kind_is_refused_by_its_name() {
    let changes: [(&str, &str, &str); 10] = [
        ("subword_prefix\":null", "subword_prefix\":\"##\"", "prefix \"##\""),
        ("\"normalizer\":null", "\"normalizer\":{\"type\":\"NFC\"}", "NFC"),
        ("\"type\":\"BPE\"", "\"type\":\"Unigram\"", "Unigram"),
        ("ignore_merges\":false", "ignore_merges\":true", "ignore_merges"),
        ("byte_fallback\":false", "byte_fallback\":true", "byte_fallback"),
        ("\"special\":true", "\"special\":false", "added token \"<s>\""),
        ("\"type\":\"Split\"", "\"type\":\"Metaspace\"", "Metaspace"),
        ("Isolated", "Removed", "a pre_tokenizer is not known"),
        ("(?i:", "(?<!x:", "look-around"),
        (
            "\"\u{120}\":",
            "\"\u{120}\u{120}\u{120}\u{120}\u{120}\":",
            "`\u{120}`",
        ),
    ];
    for (old, new, words) in changes {
        let folder = copy("llama");
        edit(&folder.path().join("tokenizer.json"), old, new);
        refused(&folder, &["tokenizer.json", words]);
    }
    let folder = copy("gpt2");
    edit(&folder.path().join("merges.txt"), "\n\u{120} t\n", "\n\u{120}t\n");
    refused(&folder, &["merges.txt", "line 3"]);
    let folder = copy("gpt2");
    edit(&folder.path().join("merges.txt"), "\n\u{120} t\n", "\nzz zz\n");
    refused(&folder, &["merges.txt", "`zz` is not in the vocabulary"]);
}

/// The small Llama with another part of `tokenizer.json`.
fn with_part(part: &str, value: Value) -> Result<Published, Error> {
    let folder = copy("llama");
    let path = folder.path().join("tokenizer.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut file: Value = serde_json::from_str(&text).unwrap();
    file[part] = value;
    fs::write(&path, file.to_string()).unwrap();
    Published::open(folder.path())
}

/// It cuts a text in these steps.
fn with_steps(steps: &[&Value]) -> Result<Published, Error> {
    let all = json!({"type": "Sequence", "pretokenizers": steps});
    with_part("pre_tokenizer", all)
}

/// Words and numbers are cut, since the file does not say otherwise.
fn byte_level(add_prefix_space: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": add_prefix_space})
}

fn digits(individual_digits: bool) -> Value {
    json!({"type": "Digits", "individual_digits": individual_digits})
}

#[test]
fn a_text_gets_a_space_in_front_if_the_file_says_so_and_it_has_none() {
    let with = with_steps(&[&byte_level(true)]).unwrap().tokenizer;
    assert_eq!(with.pieces("a b1"), [" a", " b", "1"]);
    assert_eq!(with.pieces(" a b1"), [" a", " b", "1"]);
    assert!(with.pieces("").is_empty());
    let without = with_steps(&[&byte_level(false)]).unwrap().tokenizer;
    assert_eq!(without.pieces("a b1"), ["a", " b", "1"]);
}

#[test]
fn every_digit_is_a_piece_if_the_file_says_so() {
    let steps = [&digits(true), &byte_level(false)];
    let tokenizer = with_steps(&steps).unwrap().tokenizer;
    let pieces = tokenizer.pieces("ab1cde²34 fg");
    assert_eq!(pieces, ["ab", "1", "cde", "²", "3", "4", " fg"]);
}

#[test]
fn steps_that_are_not_computed_are_refused() {
    for steps in [
        [&digits(false), &byte_level(false)],
        // Each number would get a space of its own.
        [&digits(true), &byte_level(true)],
    ] {
        let error = with_steps(&steps).unwrap_err().to_string();
        let words = "a pre_tokenizer is not known here";
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_pattern_that_finds_an_empty_piece_does_not_find_it_for_ever() {
    let split = json!({
        "type": "Split",
        "pattern": {"Regex": "x*"},
        "behavior": "Isolated",
        "invert": false,
    });
    let steps = [&split, &byte_level(false)];
    let tokenizer = with_steps(&steps).unwrap().tokenizer;
    assert_eq!(tokenizer.pieces("abxx c").concat(), "abxx c");
}

#[test]
fn a_text_begins_with_the_special_tokens_of_the_file() {
    let special = |id: &str| json!({"SpecialToken": {"id": id}});
    let text = json!({"Sequence": {"id": "A"}});
    let byte_level = json!({"type": "ByteLevel", "trim_offsets": false});
    let before = |tokens: &[&str]| {
        let ids = tokens.iter().map(|id| special(id));
        let after = [text.clone(), special("</s>")];
        let single: Vec<Value> = ids.chain(after).collect();
        let template =
            json!({"type": "TemplateProcessing", "single": single});
        json!({"type": "Sequence", "processors": [byte_level, template]})
    };
    let cases: [(Value, &[Token]); 4] = [
        (byte_level.clone(), &[]),
        (Value::Null, &[]),
        (before(&[]), &[]),
        (before(&["</s>", "<s>"]), &[1, 0]),
    ];
    for (post, first) in cases {
        let published = with_part("post_processor", post).unwrap();
        let tokens = published.tokenizer.encode("a cat");
        let found = published.prompt("a cat").unwrap();
        assert_eq!(found, [first, &tokens].concat());
    }
    let unknown = with_part("post_processor", before(&["<x>"]));
    let error = unknown.unwrap_err().to_string();
    assert!(error.contains("`<x>` is not an added token"), "{error}");
}

#[test]
fn files_without_a_kind_or_a_title_are_read_as_those_with_them() {
    for (name, file, old) in [
        ("llama", "tokenizer.json", "\"type\":\"BPE\","),
        ("gpt2", "merges.txt", "#version: 0.2\n"),
    ] {
        let folder = copy(name);
        edit(&folder.path().join(file), old, "");
        let [bare, whole] = [folder.path(), &fixtures().join(name)]
            .map(|dir| Published::open(dir).unwrap().tokenizer);
        let text = "the  "; // the spaces need the first merge
        assert_eq!(bare.encode(text), whole.encode(text));
    }
}

#[test]
#[should_panic(expected = "49 tokens, where 48 are the most")]
fn a_text_longer_than_the_context_panics() {
    let published = Published::open(&fixtures().join("gpt2")).unwrap();
    let mut reading = published.model.read();
    let _ = reading.feed(&[1; 40]);
    let _ = reading.feed(&[1; 9]);
}

#[test]
#[should_panic(expected = "no token 400 among 400")]
fn a_token_that_is_not_there_panics() {
    let published = Published::open(&fixtures().join("gpt2")).unwrap();
    let _ = published.model.read().feed(&[400]);
}

/// All small layers, to be trained together.
struct Layers<T> {
    norm: RmsNorm<T>,
    heads: GroupedHeads<T>,
    swiglu: SwiGlu<T>,
    gelu: Gelu<T>,
}

parameters!(Layers, [], [norm heads swiglu gelu], []);

impl<T: Project> Layers<T> {
    fn new(init: &mut impl Init<T>) -> Self {
        let heads = GroupedHeads::new([4, 2], 6, 4, init);
        Self {
            norm: RmsNorm::new(6, init),
            heads: GroupedHeads { rotary: Some(Rotary::new(4)), ..heads },
            swiglu: SwiGlu::new(6, 8, init),
            gelu: Gelu::new(6, 5, init),
        }
    }

    fn forward(&self, x: &T) -> T {
        let Self { norm, heads, swiglu, gelu } = self;
        let past = Mask::causal(3);
        let places = [4, 5, 6];
        let x = x.add(&heads.forward(&norm.forward(x), &places, &past));
        let x = x.add(&swiglu.forward(&norm.forward(&x)));
        x.add(&gelu.forward(&norm.forward(&x)))
    }
}

#[test]
fn the_gradients_of_all_small_layers_are_right() {
    let layers: Layers<Matrix> = Layers::new(&mut rng());
    let x: Matrix = rng().uniform(3, 6, 1.0);
    check_gradient(&layers, |layers: &Layers<Variable<f64>>| {
        let gain = &layers.norm.gain;
        let y = layers.forward(&gain.constant(&x));
        let rows = gain.constant(&Matrix::from_fn(1, 3, |_, j| j as f64));
        let columns = gain.constant(&Matrix::repeat(6, 1, 0.3));
        rows.matmul(&y.mul_cells(&y)).matmul(&columns)
    })
    .unwrap();
}

#[test]
fn shapes_count_them() {
    let layers: Layers<Shape> = Layers::new(&mut Bill::default());
    let heads = 6 * 16 + 2 * 6 * 8 + 16 * 6;
    let gelu = 6 * 5 + 5 + 5 * 6 + 6;
    assert_eq!(parameter_count(&layers), 6 + heads + 3 * 6 * 8 + gelu);
    let names: Vec<_> = layers.leaves().into_iter().map(|l| l.0).collect();
    assert!(names.contains(&"heads.w_k".to_owned()));
}

#[test]
fn with_as_many_groups_as_heads_it_is_the_attention_of_the_paper() {
    let grouped: GroupedHeads<Matrix> =
        GroupedHeads::new([3, 3], 6, 2, &mut rng());
    let GroupedHeads { heads, w_q, w_k, w_v, w_o, .. } = grouped.clone();
    let heads = MultiHead { heads, w_q, w_k, w_v, w_o };
    let x: Matrix = rng().uniform(4, 6, 1.0);
    let past = Mask::causal(4);
    let found = grouped.forward(&x, &[0, 1, 2, 3], &past);
    close(&found, &heads.forward(&x, &x, &past), 1e-14);
}

#[test]
fn grouped_heads_are_heads_whose_keys_and_values_are_repeated() {
    let rng = &mut rng();
    let q: Matrix = rng.uniform(5, 12, 1.0);
    let [k, v]: [Matrix; 2] = [(); 2].map(|()| rng.uniform(5, 6, 1.0));
    let past = Mask::causal(5);
    let found = by_group(&q, [4, 2], |q| attend_by_head(q, &k, &v, 2, &past));
    let repeat = |m: &Matrix| {
        let parts = m.chunk(2);
        Tensor::concat(&[0, 0, 1, 1].map(|i: usize| parts[i].clone()))
    };
    let repeated = attend_by_head(&q, &repeat(&k), &repeat(&v), 4, &past);
    close(&found, &repeated, 1e-14);
}

#[test]
#[should_panic(expected = "4 heads cannot share 3 keys and values")]
fn groups_of_different_sizes_panic() {
    let _: GroupedHeads<Matrix> = GroupedHeads::new([4, 3], 6, 2, &mut rng());
}

#[test]
#[should_panic(expected = "0 heads cannot share 2 keys and values")]
fn no_heads_panic() {
    let _: GroupedHeads<Matrix> = GroupedHeads::new([0, 2], 6, 2, &mut rng());
}

#[test]
fn turned_rows_know_how_far_they_are_apart_and_keep_their_length() {
    let (rotary, rng) = (Rotary::new(6), &mut rng());
    let [q, k]: [Matrix; 2] = [(); 2].map(|()| rng.uniform(1, 6, 1.0));
    let dot = |i: usize, j: usize| {
        rotary.turn(&q, &[i]).matmul_t(&rotary.turn(&k, &[j]))[0]
    };
    assert!((dot(3, 5) - dot(103, 105)).abs() < 1e-12);
    assert!((dot(3, 5) - dot(3, 6)).abs() > 1e-3);
    let turned = rotary.turn(&q, &[77]);
    assert!((turned.norm() - q.norm()).abs() < 1e-12);
    assert_eq!(rotary.turn(&q, &[0]), q);
    let two = rotary.turn(&Tensor::concat(&[k.clone(), q]), &[77]);
    close(&two.chunk(2)[1], &turned, 0.0);
}

#[test]
#[should_panic(expected = "rotary: 6 columns are no heads of 3")]
fn heads_of_odd_width_cannot_be_turned() {
    let x: Matrix = Matrix::zeros(1, 6);
    let _ = Rotary::new(3).turn(&x, &[0]);
}

#[test]
#[should_panic(expected = "rotary: 0 columns are no heads of 0")]
fn heads_without_columns_cannot_be_turned() {
    let x: Matrix = Matrix::zeros(1, 0);
    let _ = Rotary::new(0).turn(&x, &[0]);
}

#[test]
fn products_on_several_threads_are_products() {
    for (n, k, m) in [(1, 40, 30), (3, 33, 7), (4, 20, 1), (9, 50, 300)] {
        let rng = &mut rng();
        let x: Matrix = rng.uniform(n, k, 1.0);
        let w: Matrix = rng.uniform(k, m, 1.0);
        let [one, two, nine] = [1, 2, 9].map(|threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| x.project(&w))
        });
        close(&one, &(&x * &w), 1e-12);
        // To the last bit.
        assert!(one == two && one == nine, "{n}×{k}×{m}");
    }
    let none: Matrix = Matrix::zeros(0, 5);
    assert_eq!(none.project(&Matrix::zeros(5, 3)).shape(), (0, 3));
}

#[test]
fn a_row_has_the_size_one_after_the_norm() {
    let x: Matrix = rng().uniform(5, 16, 3.0);
    for row in RmsNorm::new(16, &mut rng()).forward(&x).row_iter() {
        assert!((row.norm_squared() / 16.0 - 1.0).abs() < 1e-4);
    }
}

#[test]
fn gelu_and_silu_are_what_pytorch_computes() {
    // torch.nn.functional.gelu(x, approximate="tanh") and silu(x)
    let golden: [(f64, f64, f64); 5] = [
        (-3.0, -0.0036373920817729943, -0.14227761953270035),
        (-0.5, -0.15428599017485606, -0.1887703343990727),
        (0.0, 0.0, 0.0),
        (1.0, 0.8411919906082768, 0.7310585786300049),
        (2.5, 2.484915733910001, 2.3103545499468914),
    ];
    for (x, gelu, silu) in golden {
        let cell = Matrix::repeat(1, 1, x);
        let found = all_you_need::published::gelu(&cell)[0];
        assert!((found - gelu).abs() < 1e-12, "{x}: {found}");
        let found = all_you_need::published::silu(&cell)[0];
        assert!((found - silu).abs() < 1e-12, "{x}: {found}");
        assert!((plain::gelu(x) - gelu).abs() < 1e-12);
        assert!((plain::silu(x) - silu).abs() < 1e-12);
    }
}

/// A network of the paper as large as a SwiGLU has d_ff wider by a half.
#[test]
fn a_swiglu_has_three_matrices_where_feed_forward_has_two() {
    let bill = &mut Bill::default();
    let swiglu: SwiGlu<Shape> = SwiGlu::new(12, 32, bill);
    let network: FeedForward<Shape> = FeedForward::new(12, 48, bill);
    let biases = 48 + 12;
    assert_eq!(parameter_count(&swiglu) + biases, parameter_count(&network));
    fn takes_any<T: LayerOps>(_: &impl Layer<T>) {}
    takes_any::<Shape>(&swiglu);
}
