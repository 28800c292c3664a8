//! The program `transformer`, from the outside: what it does, and what it says when it cannot.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_transformer");

/// The words are ours, and so is the German.
const ENGLISH: &str = "a black cat sleeps on the warm stove .\n\
    two children carry a ladder through the rain .\n\
    a baker counts his loaves .\n";
const GERMAN: &str = "eine schwarze katze schläft auf dem warmen ofen .\n\
    zwei kinder tragen eine leiter durch den regen .\n\
    ein bäcker zählt seine brote .\n";

/// So small that an update takes no time.
const SMALL: [&str; 16] = [
    "--layers",
    "1",
    "--d-model",
    "8",
    "--d-ff",
    "16",
    "--heads",
    "2",
    "--merges",
    "20",
    "--tokens",
    "40",
    "--updates",
    "6",
    "--every",
    "2",
];

/// What was printed, what was complained of, and the exit code.
struct Said {
    out: String,
    err: String,
    code: Option<i32>,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let (out, err) = (text(output.stdout), text(output.stderr));
        Self { out, err, code: output.status.code() }
    }
}

impl Said {
    /// That it went well; what was printed.
    #[track_caller]
    fn well(self) -> String {
        assert_eq!((self.code, &*self.err), (Some(0), ""), "{}", self.out);
        self.out
    }

    /// That it did not, with this code and these words, and no panic.
    #[track_caller]
    fn badly(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.err);
        for words in words {
            assert!(
                self.err.contains(words),
                "no `{words}` in: {}",
                self.err
            );
        }
    }
}

/// A directory with a small corpus, `a.en` and `a.de`.
struct Corpus(TempDir);

impl Corpus {
    fn new() -> Self {
        let corpus = Self(tempfile::tempdir().unwrap());
        corpus.write("a.en", ENGLISH);
        corpus.write("a.de", GERMAN);
        corpus
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// Trains the small model from these files.
    fn train(&self, source: &str, target: &str, more: &[&str]) -> Said {
        let files = ["train", "--source", source, "--target", target];
        let test = ["--valid-source", "a.en", "--valid-target", "a.de"];
        let files = [&files[..], &test, &["--out", "run"]].concat();
        self.run(&[&files, &SMALL[..], more].concat())
    }

    fn translate(&self, more: &[&str], lines: &[u8]) -> Said {
        let arguments = [&["translate", "--model", "run"], more].concat();
        let mut command = self.command(&arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines).unwrap();
        child.wait_with_output().unwrap().into()
    }

    /// The files of a checkpoint that are numbers.
    fn numbers(&self, dir: &str) -> Vec<Vec<u8>> {
        let names = ["model.safetensors", "adam.safetensors"];
        let read = |name| fs::read(self.path(dir).join(name)).unwrap();
        names.map(read).to_vec()
    }
}

/// One that has been trained, for those who only look.
static TRAINED: LazyLock<Corpus> = LazyLock::new(|| {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    corpus
});

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let name = |e: fs::DirEntry| e.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|e| name(e.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn training_leaves_checkpoints_and_a_log() {
    let run = TRAINED.path("run");
    assert_eq!(names(&run), ["00000002", "00000004", "00000006", "log.tsv"]);
    let log = fs::read_to_string(run.join("log.tsv")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "update\trate\tnats\tvalid\ttokens\tseconds");
    assert_eq!(lines.len(), 4);
    assert!(lines[3].starts_with("6\t"));
}

#[test]
fn only_the_last_checkpoints_are_kept() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--keep", "1"]).well();
    assert_eq!(names(&corpus.path("run")), ["00000006", "log.tsv"]);
}

#[test]
fn a_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--threads", "1"]).well();
    let (once, again) = (corpus.numbers("run/00000006"), &*TRAINED);
    assert_eq!(once, again.numbers("run/00000006"));
    let other = Corpus::new();
    other.train("a.en", "a.de", &["--seed", "2"]).well();
    assert_ne!(once, other.numbers("run/00000006"));
}

#[test]
fn a_run_goes_on_as_if_it_had_not_stopped() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    fs::remove_dir_all(corpus.path("run/00000006")).unwrap();
    fs::remove_dir_all(corpus.path("run/00000004")).unwrap();
    corpus.train("a.en", "a.de", &["--resume"]).well();
    let same = TRAINED.numbers("run/00000006");
    assert_eq!(corpus.numbers("run/00000006"), same);
    let log = fs::read_to_string(corpus.path("run/log.tsv")).unwrap();
    assert_eq!(log.lines().count(), 4);
}

#[test]
fn a_run_is_never_started_over_another_nor_without_one() {
    TRAINED
        .train("a.en", "a.de", &[])
        .badly(1, &["there is a run in run already", "--resume"]);
    Corpus::new()
        .train("a.en", "a.de", &["--resume"])
        .badly(1, &["there is no run in run to go on with"]);
}

#[test]
fn a_run_goes_on_only_as_it_began() {
    let resumed = |more: &[&str]| {
        let more = [&["--resume"], more].concat();
        TRAINED.train("a.en", "a.de", &more)
    };
    resumed(&["--rate", "0.25"]).badly(1, &["peak = ", "not peak = 0.25"]);
    TRAINED.write("b.de", GERMAN.replace("leiter", "fackel"));
    TRAINED.train("a.en", "b.de", &["--resume"]).badly(1, &["other texts"]);
}

#[test]
fn every_line_becomes_a_line() {
    let texts = "a cat .\n\n  \nснег 雪 \u{7}\r\n";
    let out = TRAINED.translate(&[], texts.as_bytes()).well();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[1..3], ["", ""]);
    assert_eq!(TRAINED.translate(&[], b"").well(), "");
}

#[test]
fn a_text_may_be_an_argument_and_have_several_translations() {
    let one = TRAINED.translate(&["a cat ."], b"").well();
    assert_eq!(one, TRAINED.translate(&[], b"a cat .").well());
    let out = TRAINED.translate(&["a cat .", "--nbest", "3"], b"").well();
    let found: Vec<(&str, &str)> =
        out.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].1, one.trim_end_matches('\n'));
    let scores: Vec<f64> =
        found.iter().map(|(score, _)| score.parse().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] < 0.0);
}

#[test]
fn a_file_of_translations_is_scored_like_the_model_that_made_it() {
    let model = ["--model", "run", "--source", "a.en"];
    let file = ["--hypotheses", "said.de"];
    let said = TRAINED.translate(&["--beam", "2"], ENGLISH.as_bytes()).well();
    TRAINED.write("said.de", said);
    let score = |from: &[&str]| {
        let how = ["--reference", "a.de", "--beam", "2"];
        TRAINED.run(&[&["score"], from, &how].concat()).well()
    };
    let out = score(&model);
    assert_eq!(out, score(&file));
    assert!(out.starts_with("BLEU = "), "{out}");
    assert!(out.contains("|tok:13a|"), "{out}");
}

#[test]
fn what_is_said_by_people_gets_a_hundred() {
    let same = ["score", "--hypotheses", "a.de", "--reference", "a.de"];
    let none = [&same[..], &["--tokenizer", "none"]].concat();
    let out = TRAINED.run(&none).well();
    assert!(out.starts_with("BLEU = 100.00"), "{out}");
    assert!(out.contains("|tok:none|"), "{out}");
}

#[test]
fn every_layer_is_drawn() {
    let out = ["attend", "--model", "run", "a cat .", "--out", "drawn"];
    let said = TRAINED.run(&out).well();
    assert_eq!(said, TRAINED.translate(&["a cat ."], b"").well());
    let drawn = TRAINED.path("drawn");
    assert_eq!(
        names(&drawn),
        ["cross-1.svg", "decoder-1.svg", "encoder-1.svg"]
    );
    let svg = fs::read_to_string(drawn.join("cross-1.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("head 2") && svg.contains("‹end›"));
}

#[test]
fn the_parameters_are_those_of_the_paper_or_of_the_model() {
    let out = TRAINED.run(&["params"]).well();
    assert!(out.contains("63045632 parameters"), "{out}");
    let out = TRAINED.run(&["params", "--model", "run"]).well();
    assert!(out.starts_with("embedding.table"), "{out}");
    assert!(out.contains("278 × 8"), "{out}");
}

#[test]
fn checkpoints_are_averaged_and_exported() {
    let out = TRAINED.run(&["average", "run", "--out", "mean"]).well();
    assert_eq!(out, "the mean of 3 checkpoints is in mean\n");
    TRAINED
        .run(&["average", "run", "--out", "mean"])
        .badly(1, &["mean is there already"]);
    let first = ["average", "run/00000006", "--out", "one"];
    TRAINED.run(&first).well();
    let file = "model.safetensors";
    let read = |dir| fs::read(TRAINED.path(dir).join(file)).unwrap();
    assert_eq!(read("one"), read("run/00000006"));
    assert_ne!(read("mean"), read("run/00000006"));
    TRAINED.run(&["export", "--model", "mean", "--out", "torch"]).well();
    let torch = fs::read(TRAINED.path("torch")).unwrap();
    let header = String::from_utf8_lossy(&torch);
    assert!(
        header.contains("decoder.layers.0.multihead_attn.in_proj_weight")
    );
}

#[test]
fn a_task_needs_no_files() {
    let small = &SMALL[..];
    let out = TRAINED.run(&[&["train", "--task", "dates"], small].concat());
    let out = out.well();
    assert!(out.starts_with("100000 examples of the task dates, "), "{out}");
    assert!(out.contains("not yet solved: "), "{out}");
}

#[test]
fn flags_without_sense_are_refused() {
    let bad: [(&[&str], &str); 17] = [
        (&["train", "--seed", "18446744073709551615"], "--seed"),
        (&["train", "--warmup", "0"], "--warmup"),
        (&["train", "--dropout", "1"], "not a number from 0 to 0.99"),
        (&["train", "--dropout=-0.1"], "--dropout"),
        (&["train", "--smoothing", "2"], "--smoothing"),
        (&["train", "--rate", "NaN"], "--rate"),
        (&["train", "--tokens", "0"], "not a number from 1 to 1000000"),
        (&["train", "--updates", "many"], "--updates"),
        (&["train", "--threads", "0"], "--threads"),
        (&["train", "--keep", "0"], "--keep"),
        (&["train", "--heads", "3"], "a width of 64"),
        (&["train", "--task", "rhyme"], "no task rhyme"),
        (&["train", "--resume"], "--out"),
        (&["train", "--source", "a.en"], "--target"),
        (&["translate", "--model", "run", "--beam", "0"], "--beam"),
        (&["translate", "--model", "run", "--alpha=-1"], "--alpha"),
        (&["translate", "--model", "run", "--nbest", "9"], "a beam of 5"),
    ];
    for (arguments, words) in bad {
        TRAINED.run(arguments).badly(2, &[words]);
    }
}

#[test]
fn texts_that_are_no_corpus_are_named_with_their_line() {
    let corpus = Corpus::new();
    corpus.write("empty", "");
    corpus.write("hole", "eins\n \ndrei\n");
    corpus.write("two", "eins\nzwei\n");
    corpus.write("latin", b"eins\nzw\xf6lf\ndrei\n");
    let from = |target, words: &[&str]| {
        corpus.train("a.en", target, &[]).badly(1, words);
    };
    from("empty", &["empty is empty"]);
    from("hole", &["hole: line 2 is empty"]);
    from("two", &["a.en has 3 lines, and two has 2"]);
    from("latin", &["latin: line 2: ", "utf-8"]);
    from("nowhere", &["nowhere: No such file"]);
    assert!(!corpus.path("run").exists());
}

#[test]
fn a_corpus_smaller_than_a_batch_is_noticed() {
    let corpus = Corpus::new();
    let large = ["train", "--source", "a.en", "--target", "a.de", "--out"];
    let test = ["run", "--valid-source", "a.en", "--valid-target", "a.de"];
    corpus
        .run(&[&large[..], &test].concat())
        .badly(1, &["too few for a batch of 5500"]);
}

#[test]
fn lines_that_are_not_utf_8_are_not_translated() {
    let said = TRAINED.translate(&[], b"a cat .\n\xff\n");
    assert_eq!(said.out, "");
    said.badly(1, &["standard input: line 2"]);
}

#[test]
fn a_broken_checkpoint_is_named() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let file = "run/00000006/model.safetensors";
    let whole = fs::read(corpus.path(file)).unwrap();
    corpus.write(file, &whole[..whole.len() / 2]);
    corpus.translate(&["a"], b"").badly(1, &[file]);
    corpus.write(file, "something else");
    corpus.translate(&["a"], b"").badly(1, &[file]);
    corpus
        .train("a.en", "a.de", &["--resume"])
        .badly(1, &["model.safetensors"]);
    corpus.run(&["translate", "--model", "a.en", "a"]).badly(1, &["a.en"]);
    corpus
        .run(&["export", "--model", "nowhere"])
        .badly(1, &["there is no checkpoint in nowhere"]);
}

#[test]
fn translations_and_references_must_be_as_many() {
    TRAINED.write("short.de", "ein satz .\n");
    let said = ["score", "--hypotheses", "short.de", "--reference", "a.de"];
    TRAINED.run(&said).badly(1, &["a.de has 3 lines for 1 translations"]);
}

/// Runs the program in a shell, as `$0` with the arguments `$@`.
#[cfg(target_os = "linux")]
fn shell(corpus: &Corpus, script: &str, arguments: &[&str]) -> Said {
    let mut command = Command::new("bash");
    command.current_dir(corpus.0.path()).args(["-c", script, PROGRAM]);
    command.args(arguments).output().unwrap().into()
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_costs_nothing() {
    let full = "\"$0\" \"$@\" > /dev/full";
    shell(&TRAINED, full, &["params"])
        .badly(1, &["standard output: No space"]);
    let corpus = Corpus::new();
    let train = ["train", "--out", "run"];
    let small = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let small = shell(&corpus, small, &[&train[..], &SMALL].concat());
    small.badly(1, &["run/00000002 is not saved", "model.safetensors"]);
    assert_eq!(names(&corpus.path("run")), ["log.tsv"]);
}

#[test]
#[cfg(target_os = "linux")]
fn who_stops_listening_stops_the_program() {
    let head = "\"$0\" \"$@\" | head -n 1; exit ${PIPESTATUS[0]}";
    let said = shell(&TRAINED, head, &["params"]).well();
    assert_eq!(said.lines().count(), 1);
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_leaves_a_checkpoint() {
    let corpus = Corpus::new();
    let long = ["train", "--out", "run", "--updates", "100000"];
    let long = [&long[..], &SMALL[..12]].concat();
    let script = "\"$0\" \"$@\" & \
        until [ -e run/log.tsv ]; do sleep 0.01; done; \
        sleep 0.2; kill -INT $!; wait $!";
    let out = shell(&corpus, script, &long).well();
    assert!(out.ends_with("stopped; the same command and --resume go on\n"));
    let kept = names(&corpus.path("run"));
    assert_eq!(kept.len(), 2, "{kept:?}");
}
