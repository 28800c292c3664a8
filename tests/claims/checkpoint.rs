use all_you_need::checkpoint::{
    Checkpoint, average, checkpoints, find, keep, newest, place,
};
use all_you_need::encoder::Config;
use all_you_need::optimizer::{Adam, gradient};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::BytePairs;
use all_you_need::training::{Recipe, Training};
use all_you_need::transformer::{Parameters, Transformer};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

type Model = Transformer<Matrix<f32>>;

/// No two sizes are equal, so that nothing fits by chance.
fn sizes() -> Config {
    Config {
        vocabulary: 262,
        layers: 2,
        d_model: 4,
        d_ff: 7,
        heads: 2,
        d_k: 3,
        d_v: 1,
    }
}

fn recipe() -> Recipe {
    Recipe {
        tokens: 4096,
        updates: 8000,
        both_ways: 4000,
        warmup: 2000,
        peak: 0.1 + 0.2,
        dropout: 0.3,
        weight_decay: 0.1,
        smoothing: 0.1,
        seed: 1,
    }
}

fn random(config: &Config, seed: u64) -> Model {
    Transformer::new(config, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// A run before its first update.
fn unborn() -> Checkpoint {
    let (config, model) = (sizes(), random(&sizes(), 1));
    let adam = Adam::new(&model);
    Checkpoint {
        config,
        training: Training { recipe: recipe(), model, adam },
        tokens: BytePairs::train("the hat, the cat,\n\nthe ü, ü", 100),
    }
}

/// Some updates of a training run.
fn train(checkpoint: &mut Checkpoint, updates: usize) {
    let Training { model, adam, .. } = &mut checkpoint.training;
    for _ in 0..updates {
        let source = vec![vec![adam.steps as usize, 101, 102]];
        let target = vec![vec![7, 8]];
        let (_, slopes) = gradient(&*model, |model: &Transformer<_>| {
            model.loss(&source, &target, 260, 261, 0.1)
        });
        *model = adam.step(model, &slopes, 0.01);
    }
}

/// After three of them.
fn trained() -> Checkpoint {
    let mut checkpoint = unborn();
    train(&mut checkpoint, 3);
    checkpoint
}

/// A checkpoint that is saved, and its place.
fn saved(checkpoint: &Checkpoint) -> (TempDir, PathBuf) {
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("00000003");
    checkpoint.save(&dir).unwrap();
    (run, dir)
}

/// All files of a directory, hidden ones as well.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    let named =
        |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let read = |entry: fs::DirEntry| {
        let bytes = fs::read(entry.path()).unwrap();
        (named(entry), bytes)
    };
    entries.map(read).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

/// Why it cannot be loaded.
#[track_caller]
fn complaint(dir: &Path) -> String {
    match Checkpoint::load(dir) {
        Ok(_) => panic!("this should not have been loaded"),
        Err(error) => format!("{error:#}"),
    }
}

#[track_caller]
fn complains(dir: &Path, expected: &str) {
    let complaint = complaint(dir);
    let given = dir.display().to_string();
    assert!(complaint.starts_with(&given), "no place in: {complaint}");
    assert!(complaint.contains(expected), "{complaint}");
}

/// A file with `old` in it, and then with `new` instead.
#[track_caller]
fn edit(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "no {old} in {text}");
    fs::write(file, text.replacen(old, new, 1)).unwrap();
}

/// The tensors of a file, after somebody has been at them.
fn tamper(
    file: &Path,
    change: impl Fn(&mut BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>),
) {
    let bytes = fs::read(file).unwrap();
    let read = SafeTensors::deserialize(&bytes).unwrap();
    let raw = |(name, t): (String, TensorView)| {
        (name, (t.dtype(), t.shape().to_vec(), t.data().to_vec()))
    };
    let mut tensors = read.tensors().into_iter().map(raw).collect();
    change(&mut tensors);
    let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
        (name, TensorView::new(*dtype, shape.clone(), bytes).unwrap())
    });
    fs::write(file, serialize(views, None).unwrap()).unwrap();
}

fn bits(model: &Model) -> Vec<u32> {
    let mut bits = Vec::new();
    model.map("", &mut |_, leaf| bits.extend(leaf.map(f32::to_bits).iter()));
    bits
}

#[test]
fn what_is_loaded_is_what_was_saved() {
    let checkpoint = trained();
    let (_run, dir) = saved(&checkpoint);
    let loaded = Checkpoint::load(&dir).unwrap();
    assert_eq!(loaded.config, checkpoint.config);
    assert_eq!(loaded.tokens, checkpoint.tokens);
    let (found, expected) = (&loaded.training, &checkpoint.training);
    assert_eq!(found.recipe, expected.recipe);
    assert_eq!(bits(&found.model), bits(&expected.model));
    assert_eq!(found.adam.steps, 3);
    assert_eq!(found.adam.betas, expected.adam.betas);
    assert_eq!(found.adam.epsilon, expected.adam.epsilon);
    assert_eq!(found.adam.moments.len(), expected.adam.moments.len());
    for (one, other) in found.adam.moments.iter().zip(&expected.adam.moments)
    {
        assert_eq!(one.mean, other.mean);
        assert_eq!(one.square, other.square);
    }
}

#[test]
fn saved_again_it_is_the_same_to_the_byte() {
    let mut other = trained();
    other.training.adam.betas = (0.8, 0.95);
    other.training.adam.epsilon = 1e-7;
    for checkpoint in [trained(), unborn(), other] {
        let (run, dir) = saved(&checkpoint);
        let again = run.path().join("again");
        Checkpoint::load(&dir).unwrap().save(&again).unwrap();
        assert_eq!(files(&again), files(&dir));
    }
}

#[test]
fn a_run_that_was_interrupted_ends_with_the_same_bytes() {
    let mut checkpoint = unborn();
    train(&mut checkpoint, 2);
    let (run, dir) = saved(&checkpoint);
    let mut resumed = Checkpoint::load(&dir).unwrap();
    train(&mut resumed, 3);
    let mut uninterrupted = unborn();
    train(&mut uninterrupted, 5);
    for (name, end) in [("resumed", resumed), ("not", uninterrupted)] {
        end.save(&run.path().join(name)).unwrap();
    }
    let end = |name| files(&run.path().join(name));
    assert_eq!(end("resumed"), end("not"));
}

#[test]
fn a_directory_holds_four_files_and_no_memory_if_there_is_none() {
    let (_run, dir) = saved(&trained());
    let all = [
        "adam.safetensors",
        "config.toml",
        "model.safetensors",
        "tokens.txt",
    ];
    assert_eq!(names(&dir), all);
    let (_run, dir) = saved(&unborn());
    assert_eq!(names(&dir), all[1..]);
    let adam = Checkpoint::load(&dir).unwrap().training.adam;
    assert!(adam.moments.iter().all(|own| own.mean.amax() == 0.0));
}

#[test]
fn the_settings_and_the_merges_can_be_read_by_people() {
    let (_run, dir) = saved(&trained());
    let text = |name| fs::read_to_string(dir.join(name)).unwrap();
    let config = text("config.toml");
    for line in [
        "format = 1",
        "d_model = 4",
        "peak = 0.30000000000000004",
        "steps = 3",
    ] {
        assert!(config.lines().any(|found| found == line), "{config}");
    }
    let merges = text("tokens.txt");
    assert!(merges.starts_with("104 101 \"he\"\n116 256 \"the\"\n"));
    // Whatever a token spells, its line is one line.
    assert_eq!(merges.lines().count(), trained().tokens.merges().len());
}

/// As numpy and PyTorch read them.
#[test]
fn a_file_has_its_numbers_row_after_row_the_lowest_byte_first() {
    let mut checkpoint = trained();
    let w = dmatrix![
        1.0, 2.0, 3.0, 4.0, 5.0, 6.0;
        7.0, 8.0, 9.0, 0.5, 1.5, 2.5;
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0;
        0.0, 0.0, 0.0, 0.0, 0.0, -1.0
    ];
    checkpoint.training.model.encoder.layers[1].attention.w_q = w;
    let (_run, dir) = saved(&checkpoint);
    let bytes = fs::read(dir.join("model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let w = file.tensor("encoder.layers.1.attention.w_q").unwrap();
    assert_eq!((w.dtype(), w.shape()), (Dtype::F32, &[4, 6][..]));
    assert_eq!(w.data()[..8], [0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]);
    let row: Vec<f32> = (w.data().as_chunks().0.iter().take(8))
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect();
    assert_eq!(row, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn a_file_cut_short_anywhere_is_refused_by_its_name() {
    let (_run, dir) = saved(&trained());
    for (name, bytes) in files(&dir) {
        let file = dir.join(&name);
        let some = (0..bytes.len()).step_by(1 + bytes.len() / 200);
        for length in some.chain([bytes.len() - 1]) {
            fs::write(&file, &bytes[..length]).unwrap();
            complains(&dir, &name);
        }
        fs::write(&file, &bytes).unwrap();
    }
}

#[test]
fn a_byte_that_has_changed_is_never_a_panic() {
    let (_run, dir) = saved(&trained());
    for (name, bytes) in files(&dir) {
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 150) {
            let mut bytes = bytes.clone();
            bytes[at] = bytes[at].wrapping_add(at as u8 | 1);
            fs::write(dir.join(&name), &bytes).unwrap();
            drop(Checkpoint::load(&dir));
        }
        fs::write(dir.join(&name), &bytes).unwrap();
    }
    Checkpoint::load(&dir).unwrap();
}

#[test]
fn what_is_missing_is_named() {
    let (_run, dir) = saved(&trained());
    for name in names(&dir) {
        let file = dir.join(&name);
        let bytes = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        complains(&dir, &format!("{name}: No such file"));
        fs::create_dir(&file).unwrap();
        complains(&dir, &name);
        fs::remove_dir(&file).unwrap();
        fs::write(&file, bytes).unwrap();
    }
    complains(&dir.join("elsewhere"), "config.toml");
}

#[test]
fn foreign_tensors_are_refused() {
    let (_run, dir) = saved(&trained());
    let model = dir.join("model.safetensors");
    let whole = fs::read(&model).unwrap();
    let w_k = "decoder.layers.0.cross_attention.w_k";
    let bias = "encoder.layers.1.feed_forward.inner.bias";

    tamper(&model, |tensors| drop(tensors.remove(w_k)));
    complains(&dir, &format!("model.safetensors: tensor `{w_k}` not found"));
    fs::write(&model, &whole).unwrap();

    tamper(&model, |tensors| {
        let bias = tensors[bias].clone();
        tensors.insert("encoder.norm.bias".to_string(), bias);
    });
    complains(&dir, "encoder.norm.bias does not belong here");
    fs::write(&model, &whole).unwrap();

    tamper(&model, |tensors| tensors.get_mut(w_k).unwrap().1.reverse());
    complains(&dir, &format!("{w_k} is F32 [6, 4] and should be F32 [4, 6]"));
    fs::write(&model, &whole).unwrap();

    tamper(&model, |tensors| tensors.get_mut(bias).unwrap().1 = vec![7]);
    complains(&dir, &format!("{bias} is F32 [7] and should be F32 [1, 7]"));
    fs::write(&model, &whole).unwrap();

    tamper(&model, |tensors| tensors.get_mut(bias).unwrap().0 = Dtype::I32);
    complains(&dir, &format!("{bias} is I32 [1, 7] and should be F32"));
    fs::write(&model, &whole).unwrap();

    tamper(&model, |tensors| {
        let bytes = &mut tensors.get_mut(bias).unwrap().2;
        bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    });
    complains(&dir, &format!("{bias} has numbers that are infinite or no"));
    fs::write(&model, "a letter to somebody").unwrap();
    complains(&dir, "model.safetensors: ");
}

#[test]
fn settings_that_fit_nothing_are_refused() {
    let (_run, dir) = saved(&trained());
    let file = dir.join("config.toml");
    let text = fs::read_to_string(&file).unwrap();
    for (old, new, expected) in [
        ("format = 1", "format = 2", "not of format 1"),
        ("format = 1\n", "", "not of format 1"),
        ("d_ff = 7", "d_ff = 8", "is F32 [4, 7] and should be F32 [4, 8]"),
        ("layers = 2", "layers = 3", "`encoder.layers.2.attention.w_q` not"),
        ("layers = 2", "layers = 1", "layers.1.cross_attention.w_k does not"),
        ("vocabulary = 262", "vocabulary = 263", "should be F32 [263, 4]"),
        ("vocabulary = 262", "vocabulary = 9", "in a vocabulary of 9"),
        ("d_model = 4", "d_model = 5", "no model has these sizes"),
        ("heads = 2", "heads = 0", "no model has these sizes"),
        ("layers = 2", "layers = 100000", "no model has these sizes"),
        ("d_k = 3", "d_k = 4611686018427387904", "no model has these sizes"),
        ("d_k = 3", "d_k = -3", "d_k"),
        ("d_k = 3\n", "", "missing field `d_k`"),
        ("steps = 3", "steps = -3", "Adam took -3 steps"),
        ("steps = 3", "steps = 3\nmood = 1", "unknown field `mood`"),
        ("merges = ", "merges = 9", "vocabulary of 262"),
        ("merges = 6", "merges = 5", "6 merges where there were 5"),
    ] {
        edit(&file, old, new);
        complains(&dir, expected);
        fs::write(&file, &text).unwrap();
    }
    fs::write(&file, [0xff, 0xfe]).unwrap();
    complains(&dir, "config.toml: invalid utf-8");
}

#[test]
fn merges_that_make_no_tokens_are_refused_with_their_line() {
    let (_run, dir) = saved(&trained());
    let file = dir.join("tokens.txt");
    let text = fs::read_to_string(&file).unwrap();
    for (old, new, expected) in [
        ("116 256", "116 257", "merge 2: there is no token 257 yet"),
        ("116 256", "104 101", "merge 2: 104 and 101 are merged already"),
        ("116 256", "116 x", "tokens.txt: line 2: no merge"),
        ("116 256 \"the\"", "", "tokens.txt: line 2: no merge"),
        ("116 256", "116 -1", "tokens.txt: line 2: no merge"),
        ("116 256 \"the\"\n", "", "5 merges where there were 6"),
    ] {
        edit(&file, old, new);
        complains(&dir, expected);
        fs::write(&file, &text).unwrap();
    }
}

#[test]
fn nothing_is_saved_over_something() {
    let (_run, dir) = saved(&trained());
    let before = files(&dir);
    let error = unborn().save(&dir).unwrap_err();
    assert!(format!("{error:#}").ends_with("00000003 is there already"));
    assert_eq!(files(&dir), before);
}

#[test]
fn a_number_that_is_none_is_not_saved() {
    let (run, dir) = saved(&trained());
    let mut lost = trained();
    lost.training.model.decoder.layers[1].self_norm.gain[2] = f32::INFINITY;
    let next = run.path().join("00000004");
    let error = format!("{:#}", lost.save(&next).unwrap_err());
    let expected = "00000004 is not saved: decoder.layers.1.self_norm.gain \
                    has numbers that are infinite or no numbers";
    assert!(error.ends_with(expected), "{error}");
    assert_eq!(names(run.path()), ["00000003"]);
    Checkpoint::load(&dir).unwrap();
}

#[test]
fn every_seed_and_every_rate_comes_back() {
    let numbers = [0.0, 1.0, 5e-324, 1e300, 1.0 / 3.0];
    for (peak, seed) in numbers.into_iter().zip([0, 1, 2, 3, u64::MAX]) {
        let mut checkpoint = unborn();
        let recipe = Recipe { peak, seed, ..recipe() };
        checkpoint.training.recipe = recipe.clone();
        let (_run, dir) = saved(&checkpoint);
        let loaded = Checkpoint::load(&dir).unwrap();
        assert_eq!(loaded.training.recipe, recipe);
    }
}

#[test]
fn a_place_where_nothing_can_be_is_an_error_with_its_path() {
    let run = tempfile::tempdir().unwrap();
    let file = run.path().join("file");
    fs::write(&file, "").unwrap();
    let error = trained().save(&file.join("00000003")).unwrap_err();
    assert!(format!("{error:#}").contains("file/00000003 is not saved: "));
    assert!(trained().save(Path::new("/")).is_err());
}

/// Another process in which no file may grow beyond a few thousand bytes. A
/// program that does not ask is killed in the middle of writing one; a
/// program that asks is told that there is no room.
#[cfg(unix)]
fn save_where_files_stay_small(dir: &Path, asks: bool) -> (bool, String) {
    let trap = if asks { "trap '' XFSZ; " } else { "" };
    let line = format!("{trap}ulimit -f 4; exec \"$0\" \"$@\"");
    let child = std::process::Command::new("sh")
        .args(["-c", &line])
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("checkpoint::saves_where_it_is_told")
        .env("CHECKPOINT", dir)
        .output()
        .unwrap();
    let said = [child.stdout, child.stderr].concat();
    (child.status.success(), String::from_utf8(said).unwrap())
}

#[test]
#[ignore = "run by other tests, in a process of its own"]
fn saves_where_it_is_told() {
    if let Some(dir) = std::env::var_os("CHECKPOINT") {
        trained().save(Path::new(&dir)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_what_was_there_and_nothing_else() {
    let (run, dir) = saved(&trained());
    let before = files(&dir);
    let next = run.path().join("00000004");
    let (saved, said) = save_where_files_stay_small(&next, true);
    assert!(!saved);
    assert!(said.contains("00000004 is not saved"), "{said}");
    assert!(said.contains("00000004.unfinished/model.safetensors"), "{said}");
    assert_eq!(names(run.path()), ["00000003"]);
    assert_eq!(files(&dir), before);
}

#[cfg(unix)]
#[test]
fn a_kill_in_the_middle_leaves_what_was_there() {
    let (run, dir) = saved(&trained());
    let before = files(&dir);
    let next = run.path().join("00000004");
    let (saved, said) = save_where_files_stay_small(&next, false);
    assert!(!saved && !said.contains("not saved"), "{said}");
    assert_eq!(names(run.path()), [".00000004.unfinished", "00000003"]);
    assert_eq!(newest(run.path()).unwrap(), Some(dir.clone()));
    assert_eq!(files(&dir), before);
    // The next attempt clears away what is left of this one.
    trained().save(&next).unwrap();
    assert_eq!(names(run.path()), ["00000003", "00000004"]);
    assert_eq!(files(&next), before);
}

/// A run's directory with these things in it, each a directory with these
/// files.
fn run_with(entries: &[(&str, &[&str])]) -> TempDir {
    let run = tempfile::tempdir().unwrap();
    for (name, files) in entries {
        let dir = run.path().join(name);
        fs::create_dir(&dir).unwrap();
        for file in *files {
            fs::write(dir.join(file), "").unwrap();
        }
    }
    fs::write(run.path().join("log.txt"), "").unwrap();
    fs::write(run.path().join("00099999"), "").unwrap();
    run
}

const WHOLE: &[&str] = &["config.toml", "model.safetensors"];

#[test]
fn checkpoints_are_found_in_the_order_of_their_numbers() {
    let run = run_with(&[
        ("00000200", WHOLE),
        ("00001000", WHOLE),
        ("100000000", WHOLE),
        ("99999999", WHOLE),
        ("20240229", &["picture.jpg"]),
        ("2024", WHOLE),
        (".00001100.unfinished", WHOLE),
        ("best", WHOLE),
    ]);
    let at = |name: &str| run.path().join(name);
    let expected = ["00000200", "00001000", "99999999", "100000000"].map(at);
    assert_eq!(checkpoints(run.path()).unwrap(), expected);
    assert_eq!(newest(run.path()).unwrap(), Some(at("100000000")));
    assert_eq!(place(run.path(), 1000), at("00001000"));
    assert_eq!(find(run.path()).unwrap(), at("100000000"));
    assert_eq!(find(&at("00000200")).unwrap(), at("00000200"));
    assert_eq!(find(&at("best")).unwrap(), at("best"));
}

#[test]
fn where_there_is_no_checkpoint_none_is_found() {
    let run = run_with(&[("00000100", &["config.toml"])]);
    assert_eq!(newest(run.path()).unwrap(), None);
    let elsewhere = run.path().join("elsewhere");
    assert_eq!(newest(&elsewhere).unwrap(), None);
    for path in [run.path(), &elsewhere] {
        let error = find(path).unwrap_err().to_string();
        let none = format!("there is no checkpoint in {}", path.display());
        assert_eq!(error, none);
    }
    assert!(newest(&run.path().join("log.txt")).is_err());
}

#[test]
fn the_last_ones_are_kept_and_what_is_not_ours_is_left_alone() {
    let run = run_with(&[
        ("00000200", WHOLE),
        ("00000300", WHOLE),
        ("00000400", WHOLE),
        ("00000100", &["picture.jpg"]),
        // Somebody was killed while forgetting it.
        (".forgotten", &["adam.safetensors"]),
        ("best", WHOLE),
    ]);
    keep(run.path(), 2).unwrap();
    let left =
        ["00000100", "00000300", "00000400", "00099999", "best", "log.txt"];
    assert_eq!(names(run.path()), left);
    keep(run.path(), 5).unwrap();
    assert_eq!(names(run.path()), left);
}

#[test]
#[should_panic(expected = "a run keeps its last checkpoint")]
fn a_run_that_keeps_nothing_is_refused() {
    drop(keep(Path::new("run"), 0));
}

/// A model all of whose weights are `weight`, saved.
fn all_equal(run: &Path, name: &str, weight: f32) -> PathBuf {
    let (mut checkpoint, dir) = (trained(), run.join(name));
    let model = &mut checkpoint.training.model;
    *model = model.map("", &mut |_, leaf| leaf.map(|_| weight));
    checkpoint.save(&dir).unwrap();
    dir
}

#[test]
fn the_mean_of_models_is_the_mean_of_each_weight() {
    let run = tempfile::tempdir().unwrap();
    let dirs: Vec<_> = (0..3)
        .map(|seed| {
            let mut checkpoint = trained();
            checkpoint.training.model = random(&sizes(), seed);
            let dir = run.path().join(seed.to_string());
            checkpoint.save(&dir).unwrap();
            dir
        })
        .collect();
    let mean = average(&dirs).unwrap();
    let w =
        |model: &Model| model.decoder.layers[1].cross_attention.w_v[(2, 1)];
    let three = [0, 1, 2].map(|seed| w(&random(&sizes(), seed)));
    let expected = three.iter().sum::<f32>() / 3.0;
    assert!((w(&mean.training.model) - expected).abs() < 1e-7);
    assert_eq!(mean.tokens, trained().tokens);
    // It has no memory, and so no file for it.
    assert_eq!(mean.training.adam.steps, 0);
    let dir = run.path().join("mean");
    mean.save(&dir).unwrap();
    assert!(!dir.join("adam.safetensors").exists());
    let again = Checkpoint::load(&dir).unwrap().training.model;
    assert_eq!(bits(&again), bits(&mean.training.model));
}

#[test]
fn the_mean_is_summed_in_double_precision() {
    let run = tempfile::tempdir().unwrap();
    let weights = [3e8, 3.0, -3e8].into_iter().enumerate();
    let dirs: Vec<_> = weights
        .map(|(i, w)| all_equal(run.path(), &i.to_string(), w))
        .collect();
    let model = average(&dirs).unwrap().training.model;
    model.map("", &mut |_, leaf: &Matrix<f32>| {
        assert!(leaf.iter().all(|&w| w == 1.0));
    });
}

#[test]
fn the_mean_of_a_model_and_itself_is_the_model() {
    let (_run, dir) = saved(&trained());
    for times in [1, 2, 3, 7] {
        let mean = average(&vec![dir.clone(); times]).unwrap();
        assert_eq!(
            bits(&mean.training.model),
            bits(&trained().training.model)
        );
    }
}

#[test]
fn models_that_differ_in_size_or_tokens_have_no_mean() {
    let (run, dir) = saved(&trained());
    let mut wider = trained();
    wider.config.d_ff = 8;
    wider.training.model = random(&wider.config, 1);
    wider.training.adam = Adam::new(&wider.training.model);
    let mut other = trained();
    other.tokens = BytePairs::train("a rat, a rat, a rat", 6);
    for (checkpoint, name, what) in
        [(wider, "wider", "size"), (other, "other", "vocabulary")]
    {
        let second = run.path().join(name);
        checkpoint.save(&second).unwrap();
        let error = average(&[dir.clone(), second.clone()]).unwrap_err();
        let (dir, second) = (dir.display(), second.display());
        let expected = format!("not of one {what}: {dir} and {second}");
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(average(&[]).unwrap_err().to_string(), "nothing to average");
    let missing = run.path().join("missing");
    let error = average(&[dir, missing]).unwrap_err();
    assert!(format!("{error:#}").contains("missing/config.toml"));
}

/// Heads as wide as PyTorch wants them.
fn exportable() -> Checkpoint {
    let config = Config { d_k: 2, d_v: 2, ..sizes() };
    let model = random(&config, 5);
    let adam = Adam::new(&model);
    let training = Training { recipe: recipe(), model, adam };
    Checkpoint { config, training, tokens: trained().tokens }
}

#[test]
fn an_export_has_pytorchs_names_and_its_rows_are_our_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torch.safetensors");
    let checkpoint = exportable();
    checkpoint.export(&path).unwrap();
    assert_eq!(names(folder.path()), ["torch.safetensors"]);
    let bytes = fs::read(&path).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    // Per layer: 4 for an attention, 4 for the network, 2 for a norm.
    assert_eq!(file.len(), 1 + 2 * (12 + 18));
    let get = |name: &str| {
        let tensor = file.tensor(name).unwrap();
        let numbers = tensor.data().as_chunks().0.iter();
        let numbers = numbers.map(|&bytes| f32::from_le_bytes(bytes));
        (tensor.shape().to_vec(), numbers.collect::<Vec<_>>())
    };
    let layer = &checkpoint.training.model.decoder.layers[1];
    let own = &layer.cross_attention;
    let (shape, numbers) =
        get("decoder.layers.1.multihead_attn.in_proj_weight");
    assert_eq!(shape, [12, 4]);
    let stacked = Matrix::from_row_slice(12, 4, &numbers);
    assert_eq!(stacked.rows(0, 4), own.w_q.transpose());
    assert_eq!(stacked.rows(4, 4), own.w_k.transpose());
    assert_eq!(stacked.rows(8, 4), own.w_v.transpose());
    let zeros = get("decoder.layers.1.multihead_attn.in_proj_bias");
    assert_eq!(zeros, (vec![12], vec![0.0; 12]));
    let zeros = get("decoder.layers.1.multihead_attn.out_proj.bias");
    assert_eq!(zeros, (vec![4], vec![0.0; 4]));
    let (shape, numbers) = get("decoder.layers.1.linear1.weight");
    assert_eq!(shape, [7, 4]);
    let inner = Matrix::from_row_slice(7, 4, &numbers);
    assert_eq!(inner, layer.feed_forward.inner.weight.transpose());
    let (shape, gain) = get("decoder.layers.1.norm3.weight");
    assert_eq!((shape, &gain[..]), (vec![4], &[1.0; 4][..]));
    let (shape, table) = get("embedding.weight");
    assert_eq!(shape, [262, 4]);
    let table = Matrix::from_row_slice(262, 4, &table);
    assert_eq!(table, checkpoint.training.model.embedding.table);
}

#[test]
fn heads_of_another_width_are_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torch.safetensors");
    let error = trained().export(&path).unwrap_err().to_string();
    assert!(error.contains("d_k = 3 and d_v = 1"), "{error}");
    assert!(names(folder.path()).is_empty());
    let nowhere = folder.path().join("nowhere/torch.safetensors");
    let error = format!("{:#}", exportable().export(&nowhere).unwrap_err());
    assert!(error.contains("torch.safetensors"), "{error}");
}
