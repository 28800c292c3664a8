use crate::damage::{edit, sign, tamper};
use all_you_need::checkpoint::{
    Checkpoint, Digest, Error, RunData, average, check_vacant,
    checkpoint_path, checkpoints, export, import, keep_only, lock, newest,
    prune, replace_file,
};
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use safetensors::tensor::{Dtype, SafeTensors};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

type Model = Transformer<Matrix<f32>>;

/// No two sizes are equal, so that nothing fits by chance.
fn sizes() -> Config {
    Config {
        vocabulary: 264,
        layers: 2,
        d_model: 4,
        d_ff: 7,
        heads: 2,
        d_k: 3,
        d_v: 1,
    }
}

fn recipe() -> Recipe {
    let peak_lr = 0.1 + 0.2;
    Recipe { peak_lr, dropout: 0.3, weight_decay: 0.1, ..Recipe::toy() }
}

fn pairs() -> Vec<(String, String)> {
    vec![("ab".to_owned(), "ba".to_owned())]
}

fn tokenizer() -> Tokenizer {
    Tokenizer::new(Bpe::train("the hat, the cat,\n\nthe ü, ü", 100))
}

/// A run of this model before its first update.
fn untrained(config: Config, seed: u64) -> Checkpoint {
    let recipe = Recipe { seed, ..recipe() };
    Checkpoint {
        training: Training::new(&config, recipe),
        config,
        tokenizer: tokenizer(),
        run: RunData::new("reverse", &pairs(), &pairs()),
    }
}

/// Some updates of a training run.
fn train(checkpoint: &mut Checkpoint, updates: usize) {
    for _ in 0..updates {
        let step = checkpoint.training.adam.steps.to_string();
        let example = Example::new(&step, "the hat", &checkpoint.tokenizer);
        checkpoint.training.update(&[example]).unwrap();
    }
}

/// After three of them.
fn trained() -> Checkpoint {
    let mut checkpoint = untrained(sizes(), 1);
    train(&mut checkpoint, 3);
    checkpoint
}

/// A checkpoint that is saved as one of a run, and its directory.
fn saved(checkpoint: &Checkpoint) -> (TempDir, PathBuf) {
    let run = tempfile::tempdir().unwrap();
    let steps = checkpoint.training.adam.steps;
    let dir = checkpoint_path(run.path(), steps);
    checkpoint.save(&dir).unwrap();
    (run, dir)
}

/// All files of a directory, hidden ones as well.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = fs::read(dir.join(&name)).unwrap();
        (name, bytes)
    };
    names(dir).into_iter().map(read).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

#[track_caller]
fn complains(dir: &Path, expected: &str) {
    let complaint = Checkpoint::load(dir).unwrap_err().to_string();
    let given = dir.display().to_string();
    assert!(complaint.starts_with(&given), "no place in: {complaint}");
    assert!(complaint.contains(expected), "{complaint}");
}

fn bits(model: &Model) -> Vec<u32> {
    let leaves = model.leaves().into_iter();
    let each = leaves.flat_map(|(_, leaf)| leaf.as_slice());
    each.map(|number| number.to_bits()).collect()
}

#[test]
fn what_is_loaded_is_what_was_saved() {
    let checkpoint = trained();
    let (_run, dir) = saved(&checkpoint);
    let loaded = Checkpoint::load(&dir).unwrap();
    assert_eq!(loaded.config, checkpoint.config);
    assert_eq!(loaded.tokenizer, checkpoint.tokenizer);
    assert_eq!(loaded.run, checkpoint.run);
    let (found, expected) = (&loaded.training, &checkpoint.training);
    assert_eq!(found.recipe, expected.recipe);
    assert_eq!(bits(&found.model), bits(&expected.model));
    assert_eq!(found.adam.steps, 3);
    assert_eq!(found.adam.betas, expected.adam.betas);
    assert_eq!(found.adam.epsilon, expected.adam.epsilon);
    assert_eq!(bits(&found.adam.mean), bits(&expected.adam.mean));
    assert_eq!(bits(&found.adam.square), bits(&expected.adam.square));
}

#[test]
fn saved_again_it_is_the_same_to_the_byte() {
    let mut other = trained();
    other.training.adam.betas = (0.8, 0.95);
    other.training.adam.epsilon = 1e-7;
    for checkpoint in [trained(), untrained(sizes(), 1), other] {
        let (run, dir) = saved(&checkpoint);
        let again = run.path().join("again");
        Checkpoint::load(&dir).unwrap().save(&again).unwrap();
        assert_eq!(files(&again), files(&dir));
    }
}

#[test]
fn a_run_that_was_interrupted_ends_with_the_same_bytes() {
    let mut checkpoint = untrained(sizes(), 1);
    train(&mut checkpoint, 2);
    let (run, dir) = saved(&checkpoint);
    let mut resumed = Checkpoint::load(&dir).unwrap();
    train(&mut resumed, 3);
    let mut uninterrupted = untrained(sizes(), 1);
    train(&mut uninterrupted, 5);
    for (name, end) in [("resumed", resumed), ("not", uninterrupted)] {
        end.save(&run.path().join(name)).unwrap();
    }
    let end = |name| files(&run.path().join(name));
    assert_eq!(end("resumed"), end("not"));
}

#[test]
fn a_directory_holds_five_files_and_no_moments_before_the_first_step() {
    let (_run, dir) = saved(&trained());
    let all = [
        "SHA256SUMS",
        "adam.safetensors",
        "config.toml",
        "merges.txt",
        "model.safetensors",
    ];
    assert_eq!(names(&dir), all);
    let (_run, dir) = saved(&untrained(sizes(), 1));
    assert_eq!(names(&dir), [&all[..1], &all[2..]].concat());
    let adam = Checkpoint::load(&dir).unwrap().training.adam;
    assert!(bits(&adam.mean).iter().all(|&bits| bits == 0));
}

#[test]
fn the_settings_and_the_merges_can_be_read_by_people() {
    let (_run, dir) = saved(&trained());
    let text = |name| fs::read_to_string(dir.join(name)).unwrap();
    let config = text("config.toml");
    for line in [
        "format = 2",
        "d_model = 4",
        "peak_lr = 0.30000000000000004",
        "steps = 3",
        "task = \"reverse\"",
        "keep = 10",
    ] {
        assert!(config.lines().any(|found| found == line), "{config}");
    }
    let merges = text("merges.txt");
    assert!(merges.starts_with("104 101 \"he\"\n116 256 \"the\"\n"));
    // Whatever a token spells, its line is one line.
    assert_eq!(merges.lines().count(), tokenizer().bpe().merges().len());
}

/// As numpy and PyTorch read them.
#[test]
fn a_file_has_its_numbers_row_by_row_the_lowest_byte_first() {
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

/// Some bits of every file; `tests/fuzz.rs` changes more.
#[test]
fn a_bit_that_has_changed_is_noticed() {
    let (_run, dir) = saved(&trained());
    for (name, mut bytes) in files(&dir) {
        let all = 8 * bytes.len();
        let step = if name.ends_with(".safetensors") { 661 } else { 11 };
        for bit in (0..all).step_by(step) {
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(dir.join(&name), &bytes).unwrap();
            assert!(Checkpoint::load(&dir).is_err(), "{name}: bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        fs::write(dir.join(&name), &bytes).unwrap();
    }
    Checkpoint::load(&dir).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn the_program_sha256sum_agrees_with_the_digests() {
    let (_run, dir) = saved(&trained());
    let sha256sum = |dir: &Path| {
        let mut command = std::process::Command::new("sha256sum");
        command.args(["--check", "--strict", "--quiet", "SHA256SUMS"]);
        command.current_dir(dir).status().unwrap().success()
    };
    assert!(sha256sum(&dir));
    edit(&dir.join("config.toml"), "keep = 10", "keep = 11");
    assert!(!sha256sum(&dir));
    complains(&dir, "config.toml: it has changed since it was saved");
}

#[test]
fn what_is_missing_is_named() {
    let (_run, dir) = saved(&trained());
    for name in names(&dir) {
        let file = dir.join(&name);
        let bytes = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        complains(&dir, &format!("{name}: "));
        fs::create_dir(&file).unwrap();
        complains(&dir, &name);
        fs::remove_dir(&file).unwrap();
        fs::write(&file, bytes).unwrap();
    }
    complains(&dir.join("elsewhere"), "config.toml");
}

#[test]
fn a_file_that_is_far_too_long_is_not_read_to_its_end() {
    let (_run, dir) = saved(&trained());
    for name in names(&dir) {
        let file = dir.join(&name);
        let bytes = fs::read(&file).unwrap();
        let longer = fs::OpenOptions::new().write(true).open(&file).unwrap();
        // Sparse: it takes no room on the disk.
        longer.set_len(1 << 36).unwrap();
        complains(&dir, &format!("{name}: it should have no more than"));
        fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn translating_needs_no_moments() {
    let (run, dir) = saved(&trained());
    fs::remove_file(dir.join("adam.safetensors")).unwrap();
    for path in [run.path(), &dir] {
        let translator = Translator::load(path).unwrap();
        assert_eq!(bits(&translator.model), bits(&trained().training.model));
        average(&[path.to_owned()]).unwrap();
    }
    complains(&dir, "adam.safetensors: ");
    edit(&dir.join("config.toml"), "steps = 3", "steps = 4");
    assert!(Translator::load(&dir).is_err());
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
    complains(&dir, &format!("{bias} has numbers that are infinite or not"));
    fs::write(&model, "a letter to somebody").unwrap();
    sign(&dir);
    complains(&dir, "model.safetensors: ");
}

/// The error of a parser's error says the same sentence once more.
#[test]
fn nothing_is_said_twice() {
    let (_run, dir) = saved(&trained());
    let header = b"\x06\0\0\0\0\0\0\0{\"a\" 1";
    fs::write(dir.join("model.safetensors"), header).unwrap();
    sign(&dir);
    let error = Checkpoint::load(&dir).unwrap_err();
    assert!(std::error::Error::source(&error).is_none());
    let said = error.to_string();
    assert_eq!(said.matches("at line 1").count(), 1, "{said}");
}

#[test]
fn settings_that_fit_nothing_are_refused() {
    let (_run, dir) = saved(&trained());
    let file = dir.join("config.toml");
    let text = fs::read_to_string(&file).unwrap();
    for (old, new, expected) in [
        ("d_ff = 7", "d_ff = 8", "is F32 [4, 7] and should be F32 [4, 8]"),
        ("layers = 2", "layers = 3", "`encoder.layers.2.attention.w_q` not"),
        ("layers = 2", "layers = 1", "layers.1.cross_attention.w_k does not"),
        ("vocabulary = 264", "vocabulary = 265", "vocabulary is 265"),
        ("vocabulary = 264", "vocabulary = 263", "vocabulary is 263"),
        ("vocabulary = 264", "vocabulary = 9", "vocabulary is 9"),
        ("d_model = 4", "d_model = 5", "d_model = 5 is odd"),
        ("heads = 2", "heads = 0", "heads cannot be 0"),
        ("layers = 2", "layers = 100000", "layers cannot be 100000"),
        ("d_k = 3", "d_k = 4611686018427387904", "d_k cannot be 461168"),
        ("d_ff = 7", "d_ff = 1000000000", "d_ff cannot be 1000000000"),
        ("d_k = 3", "d_k = -3", "config.toml: line 9: invalid value"),
        ("d_k = 3\n", "", "missing field `d_k`"),
        ("d_k = 3\n", "d_k = 3\nd_q = 3\n", "line 10: unknown field `d_q`"),
        ("dropout = ", "droput = 0.1\ndropout = ", "unknown field `droput`"),
        ("steps = 3", "steps = 3\nmood = 1", "unknown field `mood`"),
        ("keep = 10", "keep = 10\nmood = 1", "unknown field `mood`"),
        ("[run]", "[walk]\n[run]", "unknown field `walk`"),
        ("dropout = 0.3", "dropout = 1.0", "dropout = 1 is not"),
        ("dropout = 0.3", "dropout = nan", "dropout = NaN is not"),
        ("warmup = 100", "warmup = 0", "warmup cannot be 0"),
        ("label_smoothing = 0.1", "label_smoothing = 2.0", "label_smoothing"),
        ("steps = 3", "steps = -3", "config.toml: line "),
        ("steps = 3", "steps = 4294967296", "4294967296 steps"),
        ("epsilon = 0.000000001", "epsilon = -1.0", "ε = -1"),
        ("epsilon = 0.000000001", "epsilon = nan", "ε = NaN"),
        ("epsilon = 0.000000001", "epsilon = 0.0", "ε = 0"),
        ("epsilon = 0.000000001", "epsilon = 1.0", "ε = 1"),
        ("betas = [0.9, 0.98]", "betas = [0.9, 256.0]", "β = (0.9, 256)"),
        ("betas = [0.9, 0.98]", "betas = [nan, 0.98]", "β = (NaN, 0.98)"),
        ("keep = 10", "keep = 0", "a run keeps one checkpoint at least"),
        ("every = 100", "every = 0", "a run keeps one checkpoint at least"),
        ("training = \"", "training = \"F", "a SHA-256 has 64 digits"),
    ] {
        edit(&file, old, new);
        sign(&dir);
        complains(&dir, expected);
        fs::write(&file, &text).unwrap();
    }
    fs::write(&file, [0xff, 0xfe]).unwrap();
    complains(&dir, "config.toml: invalid utf-8");
}

#[test]
fn a_checkpoint_of_another_format_is_told_what_it_lacks() {
    let (_run, dir) = saved(&trained());
    let file = dir.join("config.toml");
    let text = fs::read_to_string(&file).unwrap();
    let lacks = "it is of format 1, which lacks the digests of its files and \
                 of the examples; this program reads format 2";
    for (new, expected) in [
        ("format = 1", lacks),
        ("format = 3", "it is of format 3, a quantized model, which is no"),
        ("format = 5", "it is of format 5; this program reads format 2"),
        ("", "config.toml: it lacks the line `format = 2`"),
        ("format = \"two\"", "config.toml: line 1: invalid type"),
    ] {
        edit(&file, "format = 2", new);
        complains(&dir, expected);
        fs::write(&file, &text).unwrap();
    }
    // The older program wrote no digests.
    edit(&file, "format = 2", "format = 1");
    fs::remove_file(dir.join("SHA256SUMS")).unwrap();
    complains(&dir, lacks);
}

#[test]
fn merges_that_make_no_tokens_are_refused_with_their_line() {
    let (_run, dir) = saved(&trained());
    let file = dir.join("merges.txt");
    let text = fs::read_to_string(&file).unwrap();
    for (old, new, expected) in [
        ("116 256", "116 257", "merge 2: there is no token 257 yet"),
        ("116 256", "104 101", "merge 2: 104 and 101 are merged already"),
        ("116 256", "116 x", "merges.txt: line 2: no merge"),
        ("116 256 \"the\"", "", "merges.txt: line 2: no merge"),
        ("116 256", "116 -1", "merges.txt: line 2: no merge"),
        ("116 256 \"the\"\n", "", "merges.txt: 256 bytes, 5 merges and 2"),
    ] {
        edit(&file, old, new);
        sign(&dir);
        complains(&dir, expected);
        fs::write(&file, &text).unwrap();
    }
}

/// Sixty doublings would spell 2⁶⁰ bytes.
#[test]
fn merges_that_spell_too_much_are_refused() {
    let mut checkpoint = untrained(sizes(), 1);
    checkpoint.config.vocabulary = 258 + 60;
    checkpoint.training =
        Training::new(&checkpoint.config, checkpoint.training.recipe);
    let doublings = |n: u32| (256..256 + n).map(|id| (id - 1, id - 1));
    let merges: String =
        doublings(60).map(|(a, b)| format!("{a} {b} \"\"\n")).collect();
    let eight = Bpe::new(doublings(8).collect()).unwrap();
    assert_eq!(eight.bytes(263).len(), 256);
    checkpoint.tokenizer = Tokenizer::new(eight);
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("doubled");
    assert!(checkpoint.save(&dir).is_err());
    checkpoint.config.vocabulary = 258 + 8;
    checkpoint.training =
        Training::new(&checkpoint.config, checkpoint.training.recipe);
    checkpoint.save(&dir).unwrap();
    fs::write(dir.join("merges.txt"), merges).unwrap();
    sign(&dir);
    complains(&dir, "merge 9: it spells 512 bytes");
}

#[test]
fn nothing_is_saved_over_something() {
    let (run, dir) = saved(&trained());
    let before = files(&dir);
    let error = trained().save(&dir).unwrap_err();
    assert!(matches!(&error, Error::Exists(path) if *path == dir));
    assert!(error.to_string().ends_with("00000003 is there already"));
    assert_eq!(files(&dir), before);
    let file = run.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(trained().save(&file), Err(Error::Exists(_))));
    for nameless in ["/", "..", "."] {
        assert!(trained().save(Path::new(nameless)).is_err());
    }
}

/// A rename would put a file in the place of the link or the device.
#[test]
#[cfg(unix)]
fn only_a_regular_file_is_ever_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("target"), "before").unwrap();
    symlink(at("target"), at("link")).unwrap();
    symlink(at("nowhere"), at("dangling")).unwrap();
    fs::create_dir(at("directory")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(at("fifo")).status();
    assert!(fifo.unwrap().success());
    let (config, model) = (sizes(), exportable().training.model);
    let config = Config { d_k: 2, d_v: 2, ..config };
    for name in ["link", "dangling", "directory", "fifo"] {
        let (path, is) = (at(name), format!("{name} is there already"));
        let saved = trained().save(&path).unwrap_err();
        let exported = export(&config, &model, &path).unwrap_err();
        let replaced = replace_file(&path, b"after").unwrap_err();
        for error in [saved, exported, replaced] {
            assert!(error.to_string().ends_with(&is), "{error}");
        }
    }
    assert!(export(&config, &model, &at("target")).is_err());
    assert_eq!(fs::read(at("target")).unwrap(), b"before");
    replace_file(&at("target"), b"after").unwrap();
    assert_eq!(fs::read(at("link")).unwrap(), b"after");
    assert!(!at("nowhere").exists());
    let fifo = fs::symlink_metadata(at("fifo")).unwrap();
    assert!(fifo.file_type().is_fifo());
    assert_eq!(names(folder.path()).len(), 5);
}

#[test]
fn a_number_that_is_not_finite_is_not_saved() {
    let (run, dir) = saved(&trained());
    let mut lost = trained();
    lost.training.model.decoder.layers[1].self_norm.gain[2] = f32::INFINITY;
    let error = lost.save(&run.path().join("next")).unwrap_err().to_string();
    let expected = "decoder.layers.1.self_norm.gain has numbers that are \
                    infinite or not a number";
    assert!(error.contains("next is not saved: "), "{error}");
    assert!(error.ends_with(expected), "{error}");
    assert_eq!(names(run.path()), ["00000003"]);
    Checkpoint::load(&dir).unwrap();
}

/// Whatever is saved can be loaded again: otherwise it is lost work.
#[test]
fn what_could_not_be_loaded_is_not_saved() {
    let run = tempfile::tempdir().unwrap();
    let refused = |change: fn(&mut Checkpoint), reason: &str| {
        let mut checkpoint = trained();
        change(&mut checkpoint);
        let dir = run.path().join("refused");
        let error = checkpoint.save(&dir).unwrap_err().to_string();
        assert!(error.contains("refused is not saved: "), "{error}");
        assert!(error.contains(reason), "{error}");
    };
    refused(|it| it.config.layers = 1001, "layers cannot be 1001");
    refused(|it| it.config.d_ff = 8, "other sizes than its config");
    refused(|it| it.training.recipe.warmup = 0, "warmup cannot be 0");
    refused(|it| it.training.adam.epsilon = f64::NAN, "ε = NaN");
    refused(|it| it.run.keep = 0, "a run keeps one checkpoint at least");
    refused(
        |it| it.tokenizer = Tokenizer::new(Bpe::train("", 0)),
        "256 bytes, 0 merges and 2 special tokens are 258",
    );
    refused(
        |it| it.training.adam.mean.embedding.table = Matrix::zeros(1, 1),
        "other sizes than its config",
    );
    assert!(names(run.path()).is_empty());
}

#[test]
fn a_digest_has_64_digits_from_0_to_f() {
    let digest = |text: &str| Digest::try_from(text.to_owned());
    assert!(digest(&"0a".repeat(32)).is_ok());
    for text in ["0a".repeat(31), "0A".repeat(32), "0g".repeat(32)] {
        assert!(digest(&text).is_err(), "{text}");
    }
}

/// It is said what is missing, and not that there is nothing.
#[test]
fn a_mean_of_a_checkpoint_that_is_not_whole_says_what_it_lacks() {
    let (_run, dir) = saved(&trained());
    fs::remove_file(dir.join("SHA256SUMS")).unwrap();
    let error = average(&[dir]).unwrap_err();
    assert!(!matches!(error, Error::NoCheckpoint(_)), "{error}");
}

#[test]
fn only_heads_as_wide_as_pytorchs_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    let model = exportable().training.model;
    let (right, path) = (sizes().d_model / sizes().heads, folder.path());
    for (d_k, d_v) in [(right, right + 1), (right + 1, right)] {
        let config = Config { d_k, d_v, ..sizes() };
        let error = export(&config, &model, &path.join("new")).unwrap_err();
        assert!(matches!(error, Error::NotForTorch { .. }), "{error}");
    }
}

#[test]
fn a_checkpoint_of_a_run_has_the_name_of_its_update() {
    let (run, dir) = saved(&trained());
    let at = |name: &str| run.path().join(name);
    let wrong = "by its name it is of update 4, and it is of 3";
    let error = trained().save(&at("00000004")).unwrap_err().to_string();
    assert!(error.ends_with(wrong), "{error}");
    fs::rename(&dir, at("00000004")).unwrap();
    complains(&at("00000004"), wrong);
    assert!(Translator::load(run.path()).is_err());
    assert!(average(&[run.path().to_owned()]).is_err());
    fs::rename(at("00000004"), at("best")).unwrap();
    Checkpoint::load(&at("best")).unwrap();
}

#[test]
fn every_seed_and_every_rate_comes_back() {
    let numbers = [1.0, 5e-324, 1e-300, 1.0 / 3.0];
    for (peak_lr, seed) in numbers.into_iter().zip([0, 1, 2, u64::MAX]) {
        let mut checkpoint = untrained(sizes(), 1);
        let recipe = Recipe { peak_lr, seed, ..recipe() };
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
    assert!(error.to_string().contains("00000003 is not saved: "), "{error}");
    assert!(error.to_string().contains("file"), "{error}");
}

#[test]
fn digests_tell_examples_apart() {
    let digest = |pairs: &[(&str, &str)]| {
        let own = |&(a, b): &(&str, &str)| (a.to_owned(), b.to_owned());
        Digest::of_pairs(&pairs.iter().map(own).collect::<Vec<_>>())
    };
    let all = [
        digest(&[]),
        digest(&[("", "")]),
        digest(&[("ab", "c")]),
        digest(&[("a", "bc")]),
        digest(&[("c", "ab")]),
        digest(&[("ab", "c"), ("d", "e")]),
        digest(&[("d", "e"), ("ab", "c")]),
    ];
    for (i, one) in all.iter().enumerate() {
        assert!(!all[i + 1..].contains(one), "{i}");
    }
    assert_eq!(digest(&[("ab", "c")]), all[2]);
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
        let mut checkpoint = trained();
        train(&mut checkpoint, 1);
        let saved = checkpoint.save(Path::new(&dir));
        saved.unwrap_or_else(|error| panic!("{error}"));
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
    assert!(said.contains(".unfinished/model.safetensors"), "{said}");
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
    let [part, _] = &names(run.path())[..] else { panic!("no part") };
    assert!(part.starts_with(".00000004."), "{part}");
    assert!(part.ends_with(".unfinished"), "{part}");
    assert_eq!(newest(run.path()).unwrap(), Some(dir.clone()));
    assert_eq!(files(&dir), before);
    // Who goes on with the run clears it away.
    drop(lock(run.path()).unwrap());
    assert_eq!(names(run.path()), [".lock", "00000003"]);
}

#[test]
fn a_run_is_locked_for_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let first = lock(&run).unwrap();
    let error = lock(&run).unwrap_err();
    assert!(matches!(&error, Error::Locked(path) if *path == run));
    assert!(error.to_string().starts_with("another process is training in"));
    drop(first);
    drop(lock(&run).unwrap());
}

#[test]
fn what_is_not_ours_is_not_cleared_away() {
    let run = tempfile::tempdir().unwrap();
    let ours = [".00000043.17-0.unfinished", ".forgotten"];
    let foreign = [
        ".00000043.unfinished",
        ".mean.17-0.unfinished",
        ".00000043.17-x.unfinished",
        ".0043.17-0.unfinished",
        "00000043.17-0.unfinished",
        "unfinished",
    ];
    for name in ours.into_iter().chain(foreign) {
        fs::create_dir(run.path().join(name)).unwrap();
        fs::write(run.path().join(name).join("file"), "").unwrap();
    }
    drop(lock(run.path()).unwrap());
    let mut left = [&foreign[..], &[".lock"]].concat();
    left.sort_unstable();
    assert_eq!(names(run.path()), left);
}

/// Somebody else's directory with the name that ours once had.
#[test]
fn what_is_being_written_gets_a_name_that_nothing_has() {
    let run = tempfile::tempdir().unwrap();
    let process = std::process::id();
    let own = [
        ".mean.unfinished".to_owned(),
        format!(".mean.{process}-0.unfinished"),
        format!(".mean.{process}-1.unfinished"),
    ];
    for name in &own {
        fs::create_dir(run.path().join(name)).unwrap();
        fs::write(run.path().join(name).join("file"), name).unwrap();
    }
    trained().save(&run.path().join("mean")).unwrap();
    for name in &own {
        let file = run.path().join(name).join("file");
        assert_eq!(fs::read_to_string(file).unwrap(), *name);
    }
    assert_eq!(names(run.path()).len(), 4);
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
    run
}

const WHOLE: &[&str] =
    &["SHA256SUMS", "config.toml", "merges.txt", "model.safetensors"];

#[test]
fn checkpoints_are_found_in_the_order_of_their_numbers() {
    let run = run_with(&[
        ("00000200", WHOLE),
        ("00001000", WHOLE),
        ("100000000", WHOLE),
        ("99999999", WHOLE),
        ("20240229", &["picture.jpg"]),
        ("2024", WHOLE),
        (".00001100.17-0.unfinished", WHOLE),
        ("best", WHOLE),
    ]);
    let at = |name: &str| run.path().join(name);
    let expected = ["00000200", "00001000", "99999999", "100000000"].map(at);
    assert_eq!(checkpoints(run.path()).unwrap(), expected);
    assert_eq!(newest(run.path()).unwrap(), Some(at("100000000")));
    assert_eq!(checkpoint_path(run.path(), 1000), at("00001000"));
}

/// It would otherwise be noticed when the next one is to be saved there.
#[test]
fn a_damaged_checkpoint_is_found_and_then_refused() {
    let (run, dir) = saved(&trained());
    for name in names(&dir) {
        let file = dir.join(&name);
        let bytes = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(newest(run.path()).unwrap(), Some(dir.clone()));
        complains(&dir, &name);
        fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn a_run_looks_where_it_will_save() {
    let run = run_with(&[("00000200", WHOLE), ("20240229", &["a.jpg"])]);
    check_vacant(run.path(), 20_240_229).unwrap();
    let error = check_vacant(run.path(), 200).unwrap_err().to_string();
    assert!(error.ends_with("20240229 is there already"), "{error}");
    fs::remove_dir_all(run.path().join("20240229")).unwrap();
    check_vacant(run.path(), 200).unwrap();
    fs::write(run.path().join("00000201"), "").unwrap();
    assert!(check_vacant(run.path(), 200).is_err());
}

#[test]
fn where_there_is_no_checkpoint_none_is_found() {
    let run = run_with(&[("00000100", &["picture.jpg"])]);
    assert_eq!(newest(run.path()).unwrap(), None);
    let elsewhere = run.path().join("elsewhere");
    assert_eq!(newest(&elsewhere).unwrap(), None);
    let error = |path: &Path| Translator::load(path).unwrap_err();
    let none = format!("there is no checkpoint in {}", run.path().display());
    assert_eq!(error(run.path()).to_string(), none);
    assert!(matches!(error(&elsewhere), Error::Io { .. }));
    assert!(error(&elsewhere).to_string().contains("elsewhere: "));
    let file = error(&run.path().join("log.txt")).to_string();
    assert!(file.contains("log.txt is not a directory"), "{file}");
    assert!(newest(&run.path().join("log.txt")).is_err());
}

#[test]
fn the_last_ones_are_kept_and_what_is_not_ours_is_left_alone() {
    let run = run_with(&[
        ("00000200", WHOLE),
        ("00000300", WHOLE),
        ("00000400", WHOLE),
        ("00000100", &["picture.jpg"]),
        ("00000150", &["config.toml", "model.safetensors"]),
        ("best", WHOLE),
    ]);
    prune(run.path(), 2).unwrap();
    let left =
        ["00000100", "00000150", "00000300", "00000400", "best", "log.txt"];
    assert_eq!(names(run.path()), left);
    prune(run.path(), 5).unwrap();
    assert_eq!(names(run.path()), left);
}

#[test]
#[should_panic(expected = "a run keeps its last checkpoint")]
fn a_run_that_keeps_nothing_is_refused() {
    drop(prune(Path::new("run"), 0));
}

/// A checkpoint may be removed while it is read; then there is a newer one.
#[test]
fn a_run_can_be_read_while_it_trains() {
    let run = tempfile::tempdir().unwrap();
    let mut checkpoint = untrained(sizes(), 1);
    checkpoint.save(&checkpoint_path(run.path(), 0)).unwrap();
    std::thread::scope(|scope| {
        let training = scope.spawn(|| {
            for _ in 0..50 {
                train(&mut checkpoint, 1);
                let steps = checkpoint.training.adam.steps;
                let dir = checkpoint_path(run.path(), steps);
                checkpoint.save(&dir).unwrap();
                prune(run.path(), 1).unwrap();
            }
        });
        while !training.is_finished() {
            Translator::load(run.path()).unwrap();
            average(&[run.path().to_owned()]).unwrap();
        }
    });
}

/// A model all of whose weights are `weight`, saved.
fn all_equal(run: &Path, name: &str, weight: f32) -> PathBuf {
    let (mut checkpoint, dir) = (trained(), run.join(name));
    let leaves = checkpoint.training.model.leaves_mut().into_iter();
    leaves.for_each(|leaf| leaf.fill(weight));
    checkpoint.save(&dir).unwrap();
    dir
}

#[test]
fn the_mean_of_models_is_the_mean_of_each_weight() {
    let run = tempfile::tempdir().unwrap();
    let save = |seed: u64| {
        let dir = run.path().join(seed.to_string());
        untrained(sizes(), seed).save(&dir).unwrap();
        dir
    };
    let dirs: Vec<_> = (0..3).map(save).collect();
    let (mean, number) = average(&dirs).unwrap();
    assert_eq!(number, 3);
    let w =
        |model: &Model| model.decoder.layers[1].cross_attention.w_v[(2, 1)];
    let one = |seed| w(&untrained(sizes(), seed).training.model);
    let expected = [0, 1, 2].map(one).iter().sum::<f32>() / 3.0;
    assert!((w(&mean.training.model) - expected).abs() < 1e-7);
    assert_eq!(mean.tokenizer, tokenizer());
}

#[test]
fn a_mean_has_taken_no_step_and_has_no_moments() {
    let (run, dir) = saved(&trained());
    let (mean, _) = average(&[dir]).unwrap();
    assert_eq!(mean.training.adam.steps, 0);
    let dir = run.path().join("mean");
    mean.save(&dir).unwrap();
    assert!(!dir.join("adam.safetensors").exists());
    let again = Checkpoint::load(&dir).unwrap().training.model;
    assert_eq!(bits(&again), bits(&mean.training.model));
}

#[test]
fn of_a_run_all_checkpoints_are_averaged() {
    let run = tempfile::tempdir().unwrap();
    let mut checkpoint = untrained(sizes(), 1);
    for steps in 0..3 {
        checkpoint.save(&checkpoint_path(run.path(), steps)).unwrap();
        train(&mut checkpoint, 1);
    }
    let one = checkpoint_path(run.path(), 1);
    let average = |paths: &[&Path]| {
        let paths: Vec<_> = paths.iter().map(|path| path.into()).collect();
        average(&paths).unwrap()
    };
    assert_eq!(average(&[run.path()]).1, 3);
    assert_eq!(average(&[run.path(), &one]).1, 4);
    let all = [0, 1, 2].map(|steps| checkpoint_path(run.path(), steps));
    let all = average(&[&all[0], &all[1], &all[2]]).0;
    let whole = average(&[run.path()]).0;
    assert_eq!(bits(&all.training.model), bits(&whole.training.model));
}

#[test]
fn the_mean_is_summed_in_double_precision() {
    let run = tempfile::tempdir().unwrap();
    let weights = [3e8, 3.0, -3e8].into_iter().enumerate();
    let dirs: Vec<_> = weights
        .map(|(i, w)| all_equal(run.path(), &i.to_string(), w))
        .collect();
    let model = average(&dirs).unwrap().0.training.model;
    for (_, leaf) in model.leaves() {
        assert!(leaf.iter().all(|&w| w == 1.0));
    }
}

#[test]
fn the_mean_of_a_model_and_itself_is_the_model() {
    let (_run, dir) = saved(&trained());
    for times in [1, 2, 3, 7] {
        let (mean, _) = average(&vec![dir.clone(); times]).unwrap();
        assert_eq!(
            bits(&mean.training.model),
            bits(&trained().training.model)
        );
    }
}

#[test]
fn models_that_differ_in_size_or_tokens_have_no_mean() {
    let (run, dir) = saved(&trained());
    let wider = untrained(Config { d_ff: 8, ..sizes() }, 1);
    let mut other = trained();
    other.tokenizer =
        Tokenizer::new(Bpe::train("abcdefg abcdefg abcdefg", 6));
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
    assert!(matches!(average(&[]), Err(Error::NothingToAverage)));
    let missing = run.path().join("missing");
    let error = average(&[dir, missing]).unwrap_err();
    assert!(error.to_string().contains("missing: "), "{error}");
}

/// Heads as wide as PyTorch wants them.
fn exportable() -> Checkpoint {
    untrained(Config { d_k: 2, d_v: 2, ..sizes() }, 5)
}

fn exported(checkpoint: &Checkpoint, path: &Path) -> Result<(), Error> {
    export(&checkpoint.config, &checkpoint.training.model, path)
}

#[test]
fn an_export_has_pytorchs_names_and_its_rows_are_our_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torch.safetensors");
    let checkpoint = exportable();
    exported(&checkpoint, &path).unwrap();
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
    assert_eq!(shape, [264, 4]);
    let table = Matrix::from_row_slice(264, 4, &table);
    assert_eq!(table, checkpoint.training.model.embedding.table);
}

#[test]
fn heads_of_another_width_are_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torch.safetensors");
    let error = exported(&trained(), &path).unwrap_err().to_string();
    assert!(error.contains("d_k = 3 and d_v = 1"), "{error}");
    assert!(names(folder.path()).is_empty());
    let nowhere = folder.path().join("nowhere/torch.safetensors");
    let error = exported(&exportable(), &nowhere).unwrap_err().to_string();
    assert!(error.contains("torch.safetensors"), "{error}");
}

/// The best checkpoint of a run is alone in its directory.
#[test]
fn one_checkpoint_can_be_kept_and_the_others_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = trained();
    for steps in [3, 4, 7] {
        model.training.adam.steps = steps;
        model.save(&checkpoint_path(folder.path(), steps)).unwrap();
    }
    fs::write(folder.path().join("mine"), "").unwrap();
    let four = checkpoint_path(folder.path(), 4);
    keep_only(&four).unwrap();
    assert_eq!(checkpoints(folder.path()).unwrap(), [four]);
    assert!(folder.path().join("mine").exists());
}

/// A model that PyTorch can have.
fn alike() -> Checkpoint {
    untrained(Config { d_k: 2, d_v: 2, ..sizes() }, 1)
}

/// PyTorch's names and our own say the same.
#[test]
fn an_imported_model_is_the_one_that_was_exported() {
    let (one, folder) = (alike(), tempfile::tempdir().unwrap());
    let path = folder.path().join("torch");
    export(&one.config, &one.training.model, &path).unwrap();
    let mut other = untrained(one.config.clone(), 9).training.model;
    assert_ne!(bits(&other), bits(&one.training.model));
    import(&one.config, &mut other, &path).unwrap();
    assert_eq!(bits(&other), bits(&one.training.model));
}

/// An attention with biases is another function than ours.
#[test]
fn a_file_that_is_no_such_model_is_not_imported() {
    let (one, folder) = (alike(), tempfile::tempdir().unwrap());
    let Checkpoint { config, training, .. } = one;
    let path = folder.path().join("torch");
    export(&config, &training.model, &path).unwrap();
    let whole = fs::read(&path).unwrap();
    let refused = |bytes: &[u8], config: &Config, words: &str| {
        let path = folder.path().join("other");
        fs::write(&path, bytes).unwrap();
        let mut model = untrained(config.clone(), 2).training.model;
        let error = import(config, &mut model, &path).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    let file = SafeTensors::deserialize(&whole).unwrap();
    let bias = file.tensor("encoder.layers.0.self_attn.in_proj_bias");
    let at = bias.unwrap().data().as_ptr() as usize - whole.as_ptr() as usize;
    let mut biased = whole.clone();
    biased[at + 3] = 0x3f;
    refused(&biased, &config, "encoder.layers.0.self_attn has biases");
    biased[at + 3] = 0x7f;
    biased[at + 2] = 0x80;
    refused(&biased, &config, "infinite or not a number");
    refused(&whole[..whole.len() - 1], &config, "");
    let layers = config.layers + 1;
    let deeper = Config { layers, ..config.clone() };
    refused(&whole, &deeper, "it has other sizes or heads");
}
