use crate::common::compare::close;
use crate::damage::{Raw, edit, sign, tamper};
use all_you_need::checkpoint::{
    Checkpoint, Error, RunData, average, checkpoint_path,
};
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::quantization::{QuantizedMatrix, QuantizedModel, quantize};
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{Recipe, Training};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use safetensors::tensor::{Dtype, SafeTensors};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

type Model = Transformer<Matrix<f32>>;

fn noise(rows: usize, cols: usize, seed: u64) -> Matrix<f32> {
    ChaCha8Rng::seed_from_u64(seed).uniform(rows, cols, 0.3)
}

/// What a rounded matrix differs from the matrix by, in scales of the row.
fn errors(matrix: &Matrix<f32>) -> Matrix {
    let quantized = QuantizedMatrix::new(matrix);
    let wide = |x: f32| f64::from(x);
    let apart = quantized.restored().map(wide) - matrix.map(wide);
    apart.map_with_location(|i, _, x| x / wide(quantized.scales[i]))
}

#[test]
fn a_row_by_hand() {
    let row = dmatrix![0.62_f32, -1.27, 0.304, 0.019];
    let quantized = QuantizedMatrix::new(&row);
    assert_eq!(quantized.levels, dmatrix![62_i8, -127, 30, 2]);
    assert!((quantized.scales[0] - 0.01).abs() < 1e-9);
    let expected = dmatrix![0.62, -1.27, 0.3, 0.02];
    close(&quantized.restored().map(f64::from), &expected, 1e-7);
}

/// But for the last digit of an `f32`, which is rounded, too.
#[test]
fn a_number_is_off_by_half_a_scale_at_most() {
    for (seed, size) in [1e-30, 1e-3, 1.0, 1e30].into_iter().enumerate() {
        let matrix = noise(40, 60, seed as u64) * size;
        assert!(errors(&matrix).iter().all(|x| x.abs() < 0.5 + 1e-4));
    }
    // Halfway between two levels.
    let halves = dmatrix![127.0_f32, 0.5, -0.5, 1.5, 126.5];
    assert!(errors(&halves).iter().all(|x| x.abs() <= 0.5));
}

/// If every error up to half a scale is as frequent as every other.
#[test]
fn the_root_mean_square_of_the_errors_is_a_scale_by_the_root_of_12() {
    let errors = errors(&noise(200, 300, 1));
    let square = errors.norm_squared() / errors.len() as f64;
    assert!((12.0 * square - 1.0).abs() < 0.03, "{square}");
}

#[test]
fn the_largest_number_of_each_row_has_the_highest_level() {
    let matrix = noise(40, 60, 1);
    let levels = QuantizedMatrix::new(&matrix).levels;
    for (row, levels) in matrix.row_iter().zip(levels.row_iter()) {
        let most = row.iter().map(|x| x.abs()).fold(0.0, f32::max);
        let most = row.iter().position(|x| x.abs() == most).unwrap();
        assert_eq!(levels[most].unsigned_abs(), 127);
        assert!(levels.iter().all(|&level| level != i8::MIN));
    }
}

#[test]
fn a_row_of_zeros_stays_one() {
    let mut matrix = noise(3, 5, 1);
    matrix.row_mut(1).fill(0.0);
    let quantized = QuantizedMatrix::new(&matrix);
    assert!(quantized.levels.row(1).iter().all(|&level| level == 0));
    assert!(quantized.restored().row(1).iter().all(|&x| x == 0.0));
    let zeros = QuantizedMatrix::new(&Matrix::zeros(2, 2));
    assert_eq!(zeros.restored(), Matrix::<f32>::zeros(2, 2));
}

/// A 127th of it would be 0, and something would be divided by it.
#[test]
fn the_smallest_number_there_is_does_not_become_infinite() {
    let matrix = dmatrix![1e-45_f32, 0.0; 1.0, -1.0];
    let restored = QuantizedMatrix::new(&matrix).restored();
    close(&restored.map(f64::from), &matrix.map(f64::from), 1e-37);
}

#[test]
fn a_number_and_its_opposite_have_opposite_levels() {
    let matrix = noise(9, 7, 1);
    let (one, other) =
        (QuantizedMatrix::new(&matrix), QuantizedMatrix::new(&-&matrix));
    assert_eq!(one.levels.map(|level| -level), other.levels);
    assert_eq!(one.scales, other.scales);
}

/// What has been rounded once is made of levels already.
#[test]
fn rounding_again_changes_no_level() {
    let once = QuantizedMatrix::new(&noise(50, 60, 1));
    assert_eq!(QuantizedMatrix::new(&once.restored()).levels, once.levels);
}

#[test]
#[should_panic(expected = "only finite numbers have a level")]
fn not_a_number_has_no_level() {
    let _ = QuantizedMatrix::new(&dmatrix![1.0_f32, f32::NAN]);
}

/// A loud row takes the levels of all, if all have one scale.
#[test]
fn with_a_scale_per_row_no_row_pays_for_another() {
    let mut matrix = noise(20, 30, 1);
    let before = QuantizedMatrix::new(&matrix).levels;
    matrix.row_mut(4).scale_mut(1000.0);
    let after = QuantizedMatrix::new(&matrix).levels;
    assert_eq!(before.rows(5, 15), after.rows(5, 15));
    let flat = Matrix::from_row_slice(1, 600, matrix.transpose().as_slice());
    let together = QuantizedMatrix::new(&flat).levels;
    assert!(together.columns(150, 450).iter().all(|&level| level == 0));
}

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

fn tokenizer() -> Tokenizer {
    Tokenizer::new(Bpe::train("the hat, the cat,\n\nthe ü, ü", 100))
}

fn pairs() -> Vec<(String, String)> {
    vec![("ab".to_owned(), "ba".to_owned())]
}

/// A model of these sizes before its first update, saved in a run.
fn saved(config: Config) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint {
        training: Training::new(&config, Recipe::toy()),
        config,
        tokenizer: tokenizer(),
        run: RunData::new("reverse", &pairs(), &pairs()),
    };
    let run = folder.path().join("run");
    checkpoint.save(&checkpoint_path(&run, 0)).unwrap();
    (folder, run)
}

/// The same, and its quantized model.
fn quantized() -> (TempDir, PathBuf) {
    let (folder, run) = saved(sizes());
    let dir = folder.path().join("small");
    quantize(&run).unwrap().save(&dir).unwrap();
    (folder, dir)
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    entries.map(read).collect()
}

fn bits(model: &Model) -> Vec<u32> {
    let leaves = model.leaves().into_iter();
    let each = leaves.flat_map(|(_, leaf)| leaf.as_slice());
    each.map(|number| number.to_bits()).collect()
}

#[track_caller]
fn complains(dir: &Path, expected: &str) {
    for error in [
        QuantizedModel::load(dir).unwrap_err(),
        Translator::open(dir).unwrap_err(),
    ] {
        let complaint = error.to_string();
        let given = dir.display().to_string();
        assert!(complaint.contains(&given), "no place in: {complaint}");
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn what_is_loaded_is_what_was_saved() {
    let (folder, dir) = quantized();
    let loaded = QuantizedModel::load(&dir).unwrap();
    let again = folder.path().join("again");
    loaded.save(&again).unwrap();
    assert_eq!(files(&again), files(&dir));
    assert!(matches!(loaded.save(&again), Err(Error::Exists(_))));
    let all = ["SHA256SUMS", "config.toml", "merges.txt"];
    let all = [&all[..], &["model.safetensors"]].concat();
    assert!(files(&dir).keys().eq(all));
}

/// A matrix is rounded, and what has only one row is not.
#[test]
fn every_matrix_is_rounded_and_nothing_else() {
    let (folder, dir) = quantized();
    let before = Translator::load(&folder.path().join("run")).unwrap();
    let after = Translator::open(&dir).unwrap();
    assert_eq!(after.config, before.config);
    assert_eq!(after.tokenizer, before.tokenizer);
    let leaves = before.model.leaves().into_iter();
    for ((name, old), (_, new)) in leaves.zip(after.model.leaves()) {
        match old.nrows() {
            1 => assert_eq!(old, new, "{name}"),
            _ => {
                assert_eq!(&QuantizedMatrix::new(old).restored(), new);
                assert_ne!(old, new, "{name}");
            }
        }
    }
}

#[test]
fn it_says_what_it_was_made_from() {
    let (folder, dir) = quantized();
    let run = folder.path().join("run");
    let sums = files(&checkpoint_path(&run, 0)).remove("SHA256SUMS").unwrap();
    let loaded = QuantizedModel::load(&dir).unwrap();
    let line = format!("{}  model.safetensors\n", loaded.origin().weights);
    assert!(String::from_utf8(sums).unwrap().contains(&line));
    let checkpoint = Checkpoint::load(&checkpoint_path(&run, 0)).unwrap();
    assert_eq!(loaded.origin().recipe, checkpoint.training.recipe);
    assert_eq!(loaded.origin().run, checkpoint.run);
}

/// As other programs read them.
#[test]
fn levels_are_bytes_row_by_row_and_scales_have_their_name() {
    let (_folder, dir) = quantized();
    let model = Translator::open(&dir).unwrap().model;
    let bytes = fs::read(dir.join("model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let name = "decoder.layers.1.cross_attention.w_k";
    let levels = file.tensor(name).unwrap();
    assert_eq!((levels.dtype(), levels.shape()), (Dtype::I8, &[4, 6][..]));
    let scales = file.tensor(&format!("{name}.scales")).unwrap();
    assert_eq!((scales.dtype(), scales.shape()), (Dtype::F32, &[4, 1][..]));
    let scale = f32::from_le_bytes(*scales.data().first_chunk().unwrap());
    let w_k = &model.decoder.layers[1].cross_attention.w_k;
    for (byte, number) in levels.data().iter().zip(w_k.row(0).iter()) {
        assert_eq!(f32::from(byte.cast_signed()) * scale, *number);
    }
}

#[test]
fn a_bit_that_has_changed_is_noticed() {
    let (_folder, dir) = quantized();
    for (name, mut bytes) in files(&dir) {
        let all = 8 * bytes.len();
        let step = if name == "model.safetensors" { 211 } else { 11 };
        for bit in (0..all).step_by(step) {
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(dir.join(&name), &bytes).unwrap();
            let error = Translator::open(&dir).unwrap_err().to_string();
            assert!(error.contains(dir.to_str().unwrap()), "{error}");
            assert!(QuantizedModel::load(&dir).is_err(), "{name}: {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        fs::write(dir.join(&name), &bytes).unwrap();
    }
    QuantizedModel::load(&dir).unwrap();
}

#[test]
fn a_file_cut_short_or_missing_is_named() {
    let (_folder, dir) = quantized();
    for (name, bytes) in files(&dir) {
        let file = dir.join(&name);
        for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&file, &bytes[..length]).unwrap();
            complains(&dir, &name);
        }
        fs::remove_file(&file).unwrap();
        let error = QuantizedModel::load(&dir).unwrap_err().to_string();
        assert!(error.contains(&name), "{error}");
        assert!(Translator::open(&dir).is_err());
        let longer = fs::File::create(&file).unwrap();
        // Sparse: it takes no room on the disk.
        longer.set_len(1 << 36).unwrap();
        let error = QuantizedModel::load(&dir).unwrap_err().to_string();
        assert!(error.contains("it should have no more than"), "{error}");
        fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn settings_and_merges_that_do_not_fit_are_refused() {
    let (_folder, dir) = quantized();
    for (name, old, new, expected) in [
        ("config.toml", "d_ff = 7", "d_ff = 8", "should be I8 [4, 8]"),
        ("config.toml", "layers = 2", "layers = 3", "layers.2.attention.w_q"),
        ("config.toml", "layers = 2", "layers = 1", "does not belong here"),
        ("config.toml", "= 264", "= 265", "vocabulary is 265"),
        ("config.toml", "heads = 2", "heads = 0", "heads cannot be 0"),
        ("config.toml", "[origin]", "mood = 1\n[origin]", "field `mood`"),
        ("config.toml", "weights = \"", "weights = \"F", "a SHA-256 has 64"),
        ("config.toml", "warmup = 100", "warmup = 0", "warmup cannot be 0"),
        ("config.toml", "format = 3", "format = 5", "it is of format 5;"),
        ("merges.txt", "116 256", "116 257", "there is no token 257 yet"),
    ] {
        let file = dir.join(name);
        let text = fs::read(&file).unwrap();
        edit(&file, old, new);
        sign(&dir);
        let error = QuantizedModel::load(&dir).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(Translator::open(&dir).is_err());
        fs::write(&file, text).unwrap();
    }
    let sums = dir.join("SHA256SUMS");
    let text = fs::read_to_string(&sums).unwrap();
    fs::write(&sums, text.split_inclusive('\n').take(2).collect::<String>())
        .unwrap();
    complains(&dir, "SHA256SUMS: it should have 3 lines");
}

#[test]
fn foreign_tensors_and_impossible_scales_are_refused() {
    let (_folder, dir) = quantized();
    let file = dir.join("model.safetensors");
    let before = fs::read(&file).unwrap();
    let w_k = "decoder.layers.0.cross_attention.w_k";
    let scales = &format!("{w_k}.scales");
    let refused = |change: &dyn Fn(&mut Raw), expected: &str| {
        tamper(&file, change);
        complains(&dir, expected);
        fs::write(&file, &before).unwrap();
        sign(&dir);
    };
    refused(&|all| drop(all.remove(w_k)), &format!("`{w_k}` not found"));
    refused(
        &|all| drop(all.remove(scales)),
        &format!("`{scales}` not found"),
    );
    refused(
        &|all| all.get_mut(w_k).unwrap().0 = Dtype::U8,
        &format!("{w_k} is U8 [4, 6] and should be I8 [4, 6]"),
    );
    refused(
        &|all| all.get_mut(scales).unwrap().1.reverse(),
        &format!("{scales} is F32 [1, 4] and should be F32 [4, 1]"),
    );
    let own = |all: &mut Raw| {
        all.insert("mine.scales".to_owned(), all[scales].clone());
    };
    refused(&own, "mine.scales does not belong here");
    for (scale, reason) in [
        (f32::NAN, "numbers that are infinite or not a number"),
        (f32::INFINITY, "numbers that are infinite or not a number"),
        (0.0, "numbers that are not above 0"),
        (-0.01, "numbers that are not above 0"),
    ] {
        let change = |all: &mut Raw| {
            let bytes = &mut all.get_mut(scales).unwrap().2;
            bytes[..4].copy_from_slice(&scale.to_le_bytes());
        };
        refused(&change, &format!("{scales} has {reason}"));
    }
    QuantizedModel::load(&dir).unwrap();
}

#[test]
fn each_kind_of_directory_is_known() {
    let (folder, dir) = quantized();
    let run = folder.path().join("run");
    let plain = checkpoint_path(&run, 0);
    for path in [&run, &plain] {
        let opened = Translator::open(path).unwrap().model;
        let loaded = Translator::load(path).unwrap().model;
        assert_eq!(bits(&opened), bits(&loaded));
    }
    let checkpoint = "it is of format 2, a checkpoint; this program reads \
        format 3";
    let error = QuantizedModel::load(&plain).unwrap_err().to_string();
    assert!(error.ends_with(checkpoint), "{error}");
    let small = "it is of format 3, a quantized model, which is no \
        checkpoint; this program reads format 2";
    let moments = Checkpoint::load(&dir).unwrap_err().to_string();
    let again = quantize(&dir).unwrap_err().to_string();
    let mean = average(&[dir]).unwrap_err().to_string();
    for error in [moments, again, mean] {
        assert!(error.ends_with(small), "{error}");
    }
    let nowhere = folder.path().join("nowhere");
    let error = Translator::open(&nowhere).unwrap_err().to_string();
    assert!(error.contains("nowhere: "), "{error}");
    let error = Translator::open(folder.path()).unwrap_err();
    assert!(matches!(error, Error::NoCheckpoint(_)));
}

#[test]
fn the_logits_stay_close() {
    let (folder, dir) = quantized();
    let before = Translator::load(&folder.path().join("run")).unwrap();
    let after = Translator::open(&dir).unwrap();
    let logits = |translator: &Translator| {
        let source = translator.tokenizer.encode_source("the cat");
        let target = translator.tokenizer.encode_target("the hat");
        translator.model.forward(&[source], &[target]).map(f64::from)
    };
    let (before, after) = (logits(&before), logits(&after));
    assert!((&before - after).norm() < 0.02 * before.norm());
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/captions")
}

/// Every check of a directory is made of the model that has none.
#[test]
fn the_books_own_model_is_the_one_in_its_directory() {
    let (built_in, opened) =
        (Translator::captions(), Translator::open(&own()).unwrap());
    assert_eq!(built_in.config, opened.config);
    assert_eq!(built_in.tokenizer, opened.tokenizer);
    assert_eq!(bits(&built_in.model), bits(&opened.model));
    assert_eq!(parameter_count(&built_in.model), 2_598_912);
}

/// What is wrong with a model of these three files.
fn parse_complains(files: &[Vec<u8>; 3], expected: &str) {
    let [settings, merges, model] = files;
    let error = QuantizedModel::parse(settings, merges, model).unwrap_err();
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn bytes_that_are_no_model_are_refused_by_the_name_of_their_file() {
    let names = ["config.toml", "merges.txt", "model.safetensors"];
    let good = names.map(|name| fs::read(own().join(name)).unwrap());
    for (i, name) in names.into_iter().enumerate() {
        for bytes in [&[][..], b"\xff", &good[i][..good[i].len() / 2]] {
            let mut files = good.clone();
            files[i] = bytes.to_vec();
            parse_complains(&files, &format!("{name}: "));
        }
    }
    let [settings, merges, model] = good;
    let checkpoint = String::from_utf8(settings).unwrap();
    let checkpoint = checkpoint.replace("format = 3", "format = 2");
    parse_complains(
        &[checkpoint.into_bytes(), merges, model],
        "config.toml: it is of format 2, a checkpoint",
    );
}

#[test]
fn the_books_own_model_has_three_megabytes_at_most() {
    let sizes = files(&own()).into_values().map(|bytes| bytes.len());
    assert!(sizes.sum::<usize>() <= 3_000_000);
}

#[test]
fn the_books_own_model_translates() {
    let translator = Translator::captions();
    let beam = translator.beam(5, Translator::CAPTIONS_ALPHA, 1);
    let found = translator.translate(&["a dog runs ."], &beam).unwrap();
    assert!(found[0].contains("hund"), "{found:?}");
}

/// On the validation captions, of all that were tried with a beam of 5.
#[test]
fn the_books_own_model_comes_with_the_penalty_that_was_chosen() {
    let log = include_str!("../../src/logs/translation-scores.tsv");
    let rows = log.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let rows = rows.filter(|row| row[..2] == ["1", "val"] && row[3] == "5");
    let bleu = |row: &Vec<&str>| row[5].parse::<f64>().unwrap();
    let best = rows.reduce(|a, b| if bleu(&b) > bleu(&a) { b } else { a });
    let alpha: f64 = best.unwrap()[4].parse().unwrap();
    assert_eq!(alpha, Translator::CAPTIONS_ALPHA);
}

#[test]
fn the_largest_numbers_stay_finite() {
    let row = dmatrix![f32::MAX, -f32::MAX, 1.0];
    let restored = QuantizedMatrix::new(&row).restored();
    assert!(restored.iter().all(|x| x.is_finite()), "{restored}");
    let apart = (restored[0] / f32::MAX - 1.0).abs();
    assert!(apart < 1e-6, "{apart}");
}
