//! The program `transformer`, from the outside: what it does, and what it says when it cannot.

use all_you_need::checkpoint::{Checkpoint, replace_file};
use all_you_need::encoder::Config;
use all_you_need::training::Recipe;
use all_you_need::translation::Translator;
use all_you_need::writer::Writer;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
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
    "--batch-tokens",
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
        self.run(&training(source, target, more))
    }

    /// Starts it, with pipes to all three.
    fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    }

    fn translate(&self, more: &[&str], lines: &[u8]) -> Said {
        let arguments = [&["translate", "--model", "run"], more].concat();
        let mut child = self.spawn(&arguments);
        // It may have said already that it wants no more.
        child.stdin.take().unwrap().write_all(lines).ok();
        child.wait_with_output().unwrap().into()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("run/log.tsv")).unwrap()
    }

    /// The files of a checkpoint that are numbers.
    fn numbers(&self, dir: &str) -> Vec<Vec<u8>> {
        let names = ["model.safetensors", "adam.safetensors"];
        let read = |name| fs::read(self.path(dir).join(name)).unwrap();
        names.map(read).to_vec()
    }
}

/// The small model, but for the flags that come after it.
fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let others = SMALL.chunks(2).filter(|flag| !more.contains(&flag[0]));
    [&others.flatten().copied().collect::<Vec<_>>(), more].concat()
}

/// The command that trains the small model from these files.
fn training<'a>(
    source: &'a str,
    target: &'a str,
    more: &[&'a str],
) -> Vec<&'a str> {
    let files = ["train", "--source", source, "--target", target];
    let test = ["--valid-source", "a.en", "--valid-target", "a.de"];
    let files = [&files[..], &test, &["--out", "run"]].concat();
    [files, small(more)].concat()
}

/// One that has been trained, for those who only look.
static TRAINED: LazyLock<Corpus> = LazyLock::new(|| {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    corpus
});

/// The numbers in the rows of a log.
fn rows(corpus: &Corpus) -> Vec<Vec<f64>> {
    let number = |cell: &str| cell.parse().unwrap();
    let row = |row: &str| row.split('\t').map(number).collect();
    corpus.log().lines().skip(1).map(row).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let name = |e: fs::DirEntry| e.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|e| name(e.unwrap())).collect();
    names.sort();
    names
}

/// What is in the directory of a run, but for what every run has.
fn kept(run: &Path) -> Vec<String> {
    let always = [".lock", "best", "log.tsv", "train.toml"];
    let names = names(run);
    assert!(always.iter().all(|name| names.iter().any(|n| n == name)));
    names.into_iter().filter(|n| !always.contains(&&**n)).collect()
}

#[test]
fn training_leaves_checkpoints_and_a_log() {
    let all = ["00000002", "00000004", "00000006"];
    assert_eq!(kept(&TRAINED.path("run")), all);
    let log = TRAINED.log();
    let lines: Vec<&str> = log.lines().collect();
    let header = "update\tlr\ttrain_loss\tvalid_loss\ttarget_tokens\t\
        seconds\tvalid_bleu";
    assert_eq!(lines[0], header);
    assert_eq!(lines.len(), 4);
    assert!(lines[3].starts_with("6\t"));
}

#[test]
fn only_the_last_checkpoints_are_kept() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--keep", "1"]).well();
    assert_eq!(kept(&corpus.path("run")), ["00000006"]);
}

/// A run of four updates, in whose log the last loss is so low that no other
/// will be lower.
fn unbeatable() -> Corpus {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--updates", "4"]).well();
    let log = corpus.log();
    let (before, last) = log.split_once("\n4\t").unwrap();
    let mut cells: Vec<&str> = last.split('\t').collect();
    cells[2] = "0.0001";
    corpus.write("run/log.tsv", format!("{before}\n4\t{}", cells.join("\t")));
    corpus
}

/// The best has the lowest validation loss in the log, and is kept when the
/// last checkpoints are others.
#[test]
fn the_best_checkpoint_is_kept_beside_the_last() {
    let corpus = unbeatable();
    let more = ["--resume", "--updates", "8", "--keep", "1"];
    corpus.train("a.en", "a.de", &more[..1]).well();
    let best = names(&corpus.path("run/best"));
    assert_eq!(best, [".lock", "00000004"]);
    let on = ["train", "--out", "run"];
    corpus.run(&[&on[..], &more].concat()).well();
    assert_eq!(kept(&corpus.path("run")), ["00000008"]);
    assert_eq!(names(&corpus.path("run/best")), best);

    let say = |more: &[&str]| corpus.translate(more, b"a cat .\n");
    let newest = say(&[]);
    let note = "note: run/00000008 is the newest; \
        --best takes run/best/00000004\n";
    assert_eq!(newest.err, note);
    let dir = "run/best/00000004";
    let named = ["translate", "--model", dir, "a cat ."];
    assert_eq!(say(&["--best"]).well(), corpus.run(&named).well());
    corpus
        .run(&["translate", "--model", "a.en", "--best", "a"])
        .badly(1, &["a.en is not a run with a best checkpoint"]);
}

/// A kill may come between a checkpoint and its copy among the best.
#[test]
fn a_run_that_goes_on_finds_its_best_again() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let best = names(&corpus.path("run/best"))[1].clone();
    assert_eq!(best, "00000006");
    fs::remove_dir_all(corpus.path("run/best")).unwrap();
    corpus.train("a.en", "a.de", &["--resume"]).well();
    assert_eq!(names(&corpus.path("run/best")), [".lock", "00000006"]);
    assert_eq!(
        corpus.numbers("run/best/00000006"),
        corpus.numbers("run/00000006")
    );
}

#[test]
fn a_run_without_progress_ends_early() {
    let corpus = unbeatable();
    let patient = ["train", "--resume", "--out", "run", "--patience", "2"];
    let more = ["--every", "3", "--updates", "100"];
    let out = corpus.run(&[&patient[..], &more].concat()).well();
    let words = "nothing has become better than run/best/00000004\n";
    assert!(out.ends_with(words), "{out}");
    // Twice three updates are over at update 10, and the next row is at 12.
    let log = corpus.log();
    let updates = log.lines().map(|row| row.split('\t').next().unwrap());
    let updates: Vec<&str> = updates.skip(3).collect();
    assert_eq!(updates, ["6", "9", "12"]);
    // It is still enough when the run is taken up again.
    assert!(corpus.run(&patient[..4]).well().ends_with(words));
    assert_eq!(corpus.log(), log);
    // A run that has made all its updates has not ended early.
    let corpus = unbeatable();
    let all = ["--every", "2", "--updates", "8"];
    let out = corpus.run(&[&patient[..], &all].concat()).well();
    for words in ["nothing has become better", "stopped"] {
        assert!(!out.contains(words), "{out}");
    }
    assert!(rows(&corpus).last().unwrap()[0] == 8.0);
}

/// A lower loss or a higher BLEU is better, and what is as good is not.
#[test]
fn of_rows_that_are_as_good_the_first_is_the_best() {
    let corpus = Corpus::new();
    let train = |more: &[&str]| corpus.train("a.en", "a.de", more).well();
    train(&["--bleu-texts", "1"]);
    let log = corpus.log();
    let is_last_best = |by: &str, column: usize, values: [&str; 3]| {
        let mut lines = log.lines();
        let mut text = lines.next().unwrap().to_owned() + "\n";
        for (line, value) in lines.zip(values) {
            let mut cells: Vec<&str> = line.split('\t').collect();
            cells[column] = value;
            text += &(cells.join("\t") + "\n");
        }
        corpus.write("run/log.tsv", text);
        fs::remove_dir_all(corpus.path("run/best")).unwrap();
        train(&["--resume", "--bleu-texts", "1", "--best-by", by]);
        corpus.path("run/best/00000006").exists()
    };
    assert!(is_last_best("loss", 3, ["3", "2", "1"]));
    assert!(!is_last_best("loss", 3, ["3", "2", "2"]));
    assert!(!is_last_best("loss", 3, ["1", "2", "3"]));
    assert!(is_last_best("bleu", 6, ["10", "20", "30"]));
    assert!(!is_last_best("bleu", 6, ["10", "20", "20"]));
    assert!(!is_last_best("bleu", 6, ["30", "20", "10"]));
}

/// Of the first validation texts, with what the model makes of them.
#[test]
fn the_progress_is_measured_with_bleu_too() {
    let corpus = Corpus::new();
    let by = ["--bleu-texts", "2", "--best-by", "bleu"];
    let out = corpus.train("a.en", "a.de", &by).well();
    let samples = out.lines().filter(|line| line.contains(" → "));
    let samples: Vec<&str> = samples.collect();
    assert_eq!(samples.len(), 2 * 3, "{out}");
    assert!(samples[0].starts_with("  a black cat sleeps on"), "{out}");
    assert!(out.contains(", BLEU "), "{out}");
    let log = corpus.log();
    for row in log.lines().skip(1) {
        let bleu: f64 = row.rsplit('\t').next().unwrap().parse().unwrap();
        assert!((0.0..=100.0).contains(&bleu), "{log}");
    }
    // What was said last is what the model says.
    let greedy =
        ["--beam", "1", "two children carry a ladder through the rain ."];
    let said = corpus.translate(&greedy, b"").out;
    assert!(
        samples[5].ends_with(&format!(" → {}", said.trim_end())),
        "{out}"
    );
    let none = ["--bleu-texts", "0", "--best-by", "bleu"];
    let other = Corpus::new();
    other
        .train("a.en", "a.de", &none)
        .badly(1, &["without --bleu-texts there is no BLEU to choose by"]);
}

/// Flags and files are in the run; nothing has to be typed again.
#[test]
fn a_run_goes_on_without_its_flags() {
    let corpus = Corpus::new();
    let one_way = ["--bidirectional-updates", "2"];
    let other = Corpus::new();
    other.train("a.en", "a.de", &one_way).well();
    let four = [&one_way[..], &["--updates", "4"]].concat();
    corpus.train("a.en", "a.de", &four).well();
    // From anywhere.
    fs::create_dir(corpus.path("elsewhere")).unwrap();
    let resume = ["train", "--resume", "--updates", "6", "--out"];
    let mut command = corpus.command(&[&resume[..], &["../run"]].concat());
    command.current_dir(corpus.path("elsewhere"));
    Said::from(command.output().unwrap()).well();
    let same = corpus.numbers("run/00000006");
    assert!(same == other.numbers("run/00000006"));
    let resume = [&resume[..], &["run"]].concat();
    corpus
        .run(&[&resume[..], &["--heads", "4"]].concat())
        .badly(1, &["has heads = 2, and not heads = 4"]);
    // The task of a run can be given, and must be the same.
    corpus
        .run(&[&resume[..], &["--task", "sort"]].concat())
        .badly(1, &["has learned translation, and not sort"]);
}

#[test]
fn the_settings_of_a_run_make_another() {
    let corpus = Corpus::new();
    let config = TRAINED.path("run/train.toml");
    let config = config.to_str().unwrap();
    let again = ["train", "--config", config, "--out", "run"];
    corpus.run(&again).well();
    let same = TRAINED.numbers("run/00000006");
    assert!(corpus.numbers("run/00000006") == same);
    let text = |dir: &Corpus| {
        fs::read_to_string(dir.path("run/train.toml")).unwrap()
    };
    assert_eq!(text(&corpus), text(&TRAINED));
    let other = ["--out", "other", "--d-ff", "8"];
    let out = corpus.run(&[&again[..3], &other].concat()).well();
    assert!(out.contains("hidden units: 8,"), "{out}");
}

#[test]
fn a_file_of_settings_is_refused_with_its_line() {
    let corpus = Corpus::new();
    let refused = |text: &str, words: &str| {
        corpus.write("my.toml", text);
        let flags = ["train", "--config", "my.toml"];
        corpus.run(&flags).badly(1, &["my.toml: line 2: ", words]);
    };
    refused("# one\nupdates = 0\n", "not a number from 1 to 1000000");
    refused("# one\nupdate = 9\n", "no setting is called update");
    refused("# one\nout = \"run\"\n", "no setting is called out");
    refused("# one\ntask = \"rhyme\"\n", "no task rhyme");
    refused("# one\npreset = \"huge\"\n", "invalid value 'huge'");
    refused("# one\nlayers = [3]\n", "neither a number nor a word");
    refused("# one\nlayers =\n", "");
    corpus
        .run(&["train", "--config", "nowhere"])
        .badly(1, &["nowhere: No such file"]);
    let both = ["train", "--config", "a", "--resume", "--out", "b"];
    corpus.run(&both).badly(1, &["a: No such file"]);
    corpus.write("my.toml", "# and so on\n".repeat(1 << 17));
    corpus
        .run(&["train", "--config", "my.toml"])
        .badly(1, &["my.toml: settings have at most 1048576 bytes"]);
}

/// A file says how many updates learn both directions, and means a share.
#[test]
fn fewer_updates_than_a_file_has_keep_its_share_in_both_directions() {
    let corpus = Corpus::new();
    let three = ["--bidirectional-updates", "3"];
    corpus.train("a.en", "a.de", &three).well();
    let again = |updates, out| {
        let flags = ["train", "--config", "run/train.toml"];
        let more = ["--updates", updates, "--out", out];
        corpus.run(&[&flags[..], &more].concat()).well()
    };
    let out = again("4", "shorter");
    assert!(out.contains("; up to 2 the other direction"), "{out}");
    let out = again("6", "same");
    assert!(out.contains("; up to 3 the other direction"), "{out}");
    // 49 times the `f64` that is nearest to 1/49 is less than 1.
    let file = corpus.path("run/train.toml");
    let saved = fs::read_to_string(&file).unwrap();
    let saved = saved
        .replace("bidirectional-updates = 3", "bidirectional-updates = 1")
        .replace("\nupdates = 6\n", "\nupdates = 49\n");
    corpus.write("run/train.toml", saved);
    let out = again("49", "whole");
    assert!(out.contains("; up to 1 the other direction"), "{out}");
}

/// The preset's 4000 updates in both directions are a share of its 7800.
#[test]
fn a_short_run_learns_its_own_direction_too() {
    let corpus = Corpus::new();
    let out = |updates| {
        let files = training("a.en", "a.de", &["--updates", updates]);
        corpus.run(&files).well();
        let config = fs::read_to_string(corpus.path("run/train.toml"));
        fs::remove_dir_all(corpus.path("run")).unwrap();
        config.unwrap()
    };
    assert!(out("6").contains("\nbidirectional-updates = 3\n"));
    assert!(out("10").contains("\nbidirectional-updates = 5\n"));
    let help = corpus.run(&["train", "--help"]).well();
    let row = |name| {
        let row = help.lines().find(|l| l.trim_start().starts_with(name));
        row.unwrap().split_whitespace().skip(1).map(str::to_owned)
    };
    assert_eq!(row("bidirectional-updates").nth(1).unwrap(), "4000");
    assert_eq!(row("updates ").nth(1).unwrap(), "7800");
}

#[test]
fn a_run_says_what_it_will_do() {
    let corpus = Corpus::new();
    let out = corpus.train("a.en", "a.de", &[]).well();
    let lines: Vec<&str> = out.lines().take(5).collect();
    assert_eq!(
        lines,
        [
            "3 examples of a.en, 3632 parameters",
            "layers: 1, width: 8, heads: 2, hidden units: 16, tokens: 278",
            "updates 1 to 6, 40 target tokens each: every example about 2.1 \
             times; up to 3 the other direction is learned, too",
            "the learning rate rises for 2000 updates and will not reach \
             0.005",
            "a checkpoint every 2 updates in run, which keeps the last 10 \
             and the best",
        ]
    );
    let more = ["train", "--resume", "--updates", "12", "--out", "run"];
    let out = corpus.run(&more).well();
    let to_come = "updates 7 to 12, 40 target tokens each: every example \
                   about 2.8 times\n";
    assert!(out.contains(to_come), "{out}");
    let task = ["train", "--updates", "1", "--layers", "1"];
    let out = corpus.run(&task).well();
    assert!(out.contains("nothing is kept, since there is no --out"));
}

#[test]
fn the_other_direction_is_not_announced_once_it_is_over() {
    let corpus = Corpus::new();
    let two = ["--bidirectional-updates", "2", "--updates", "2"];
    let out = corpus.train("a.en", "a.de", &two).well();
    assert!(out.contains("; up to 2 the other direction"), "{out}");
    let more = ["train", "--resume", "--updates", "4", "--out", "run"];
    let out = corpus.run(&more).well();
    assert!(out.contains("updates 3 to 4, "), "{out}");
    assert!(!out.contains("the other direction"), "{out}");
}

#[test]
fn a_run_says_whether_its_learning_rate_reaches_the_highest() {
    for (warmup, reaches) in [("1", true), ("6", true), ("7", false)] {
        let corpus = Corpus::new();
        let more = ["--every", "1", "--warmup", warmup];
        let out = corpus.train("a.en", "a.de", &more).well();
        assert_eq!(corpus.log().contains("\t0.005000\t"), reaches);
        assert_eq!(out.contains("will not reach 0.005"), !reaches, "{out}");
    }
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
    // But for the time, which is its own.
    let without_seconds = |corpus| -> Vec<Vec<f64>> {
        let rows = rows(corpus).into_iter();
        rows.map(|row| [&row[..5], &row[6..]].concat()).collect()
    };
    assert_eq!(without_seconds(&corpus), without_seconds(&TRAINED));
}

#[test]
fn the_seconds_of_a_run_go_on_from_those_before() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let log = corpus.log();
    let mut last = rows(&corpus).pop().unwrap();
    let (before, _) = log.split_once("\n6\t").unwrap();
    last[5] = 1000.0;
    let last: Vec<_> = last.iter().map(f64::to_string).collect();
    corpus.write("run/log.tsv", format!("{before}\n{}\n", last.join("\t")));
    let more = ["--resume", "--updates", "8"];
    let out = corpus.train("a.en", "a.de", &more).well();
    let seconds: Vec<f64> = rows(&corpus).iter().map(|row| row[5]).collect();
    assert!(seconds.iter().all(|seconds| seconds.is_sign_positive()));
    assert!(seconds[3] >= 1000.0 && !out.contains("; 0 s"), "{out}");
}

/// One run writes a row after each update, the other after every second.
#[test]
fn a_row_of_the_log_has_the_mean_loss_since_the_row_before() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--every", "1"]).well();
    let each = rows(&corpus);
    let two = rows(&TRAINED);
    assert_eq!((each.len(), two.len()), (6, 3));
    for (pair, row) in each.chunks(2).zip(&two) {
        let mean = f64::midpoint(pair[0][2], pair[1][2]);
        assert!((mean - row[2]).abs() < 1e-3, "{mean} {row:?}");
        assert_eq!(pair[1][4], row[4]);
    }
    let mut tokens = 0.0;
    for row in each {
        // So few updates change little.
        assert!((row[2] - row[3]).abs() < 0.5, "{row:?}");
        assert!(row[4] > tokens, "{row:?}");
        tokens = row[4];
    }
}

#[test]
fn a_run_is_never_started_over_another_nor_without_one() {
    TRAINED
        .train("a.en", "a.de", &[])
        .badly(1, &["there is a run in run already", "--resume"]);
    let corpus = Corpus::new();
    corpus
        .train("a.en", "a.de", &["--resume"])
        .badly(1, &["there is no run in run to go on with"]);
    assert!(!corpus.path("run").exists());
}

/// Its examples are in a file without a name while it runs.
#[test]
fn a_training_leaves_nothing_among_the_temporary_files() {
    let corpus = Corpus::new();
    let files = training("a.en", "a.de", &[]);
    let among = |dir: &str| -> Said {
        let mut command = corpus.command(&files);
        for variable in ["TMPDIR", "TMP", "TEMP"] {
            command.env(variable, corpus.path(dir));
        }
        command.output().unwrap().into()
    };
    among("nowhere").badly(1, &["no temporary file can be made: "]);
    fs::create_dir(corpus.path("temporary")).unwrap();
    among("temporary").well();
    assert!(names(&corpus.path("temporary")).is_empty());
    assert_eq!(
        corpus.numbers("run/00000006"),
        TRAINED.numbers("run/00000006")
    );
}

#[cfg(unix)]
#[test]
fn texts_to_learn_from_must_be_files_that_can_be_read_twice() {
    let corpus = Corpus::new();
    for [source, target] in [["/dev/null", "a.de"], ["a.en", "/dev/null"]] {
        corpus.train(source, target, &[]).badly(
            1,
            &["error: /dev/null is not a file, which can be read twice"],
        );
    }
}

#[test]
fn a_run_goes_on_only_as_it_began() {
    let resumed = |source, target, more: &[&str]| {
        let more = [&["--resume"], more].concat();
        TRAINED.train(source, target, &more)
    };
    resumed("a.en", "a.de", &["--peak-lr", "0.25"])
        .badly(1, &["has peak_lr = ", "and not peak_lr = 0.25"]);
    resumed("a.en", "a.de", &["--d-ff", "8"])
        .badly(1, &["has d_ff = 16, and not d_ff = 8"]);
    TRAINED.write("b.de", GERMAN.replace("leiter", "fackel"));
    resumed("a.en", "b.de", &[]).badly(1, &["learned from other texts"]);
    resumed("a.de", "a.en", &[]).badly(1, &["learned from other texts"]);
    for (name, text) in [("c.en", ENGLISH), ("c.de", GERMAN)] {
        let lines: Vec<&str> = text.lines().rev().collect();
        TRAINED.write(name, lines.join("\n"));
    }
    resumed("c.en", "c.de", &[]).badly(1, &["learned from other texts"]);
    let mut other = training("a.en", "a.de", &["--resume"]);
    (other[6], other[8]) = ("c.en", "c.de");
    TRAINED.run(&other).badly(1, &["tested with other texts"]);
    // Nothing of it is left in the log.
    assert_eq!(TRAINED.log().lines().count(), 4);
}

#[test]
fn a_run_goes_on_only_with_its_task() {
    let corpus = Corpus::new();
    let train = |task: &str, more: &[&str]| {
        let task = ["train", "--task", task, "--out", "run"];
        corpus.run(&[&task[..], &SMALL, more].concat())
    };
    train("copy", &[]).well();
    train("sort", &["--resume"])
        .badly(1, &["has learned copy, and not sort"]);
    corpus
        .train("a.en", "a.de", &["--resume"])
        .badly(1, &["has learned copy, and not translation"]);
    let out = train("copy", &["--resume"]).well();
    assert!(
        out.contains("all 6 updates are made; a larger --updates makes more")
    );
}

#[test]
fn a_run_remembers_what_it_keeps_and_how_often() {
    let corpus = Corpus::new();
    let train = |more: &[&str]| {
        // The small model without its last flag, --every.
        let all = [&training("a.en", "a.de", more)[..11], &SMALL[..12], more];
        corpus.run(&all.concat()).well();
        kept(&corpus.path("run")).len()
    };
    let first = ["--updates", "12", "--every", "1", "--keep", "11"];
    assert_eq!(train(&first), 11);
    assert_eq!(train(&["--resume", "--updates", "14"]), 11);
    assert_eq!(corpus.log().lines().count(), 15);
    assert_eq!(train(&["--resume", "--updates", "15", "--keep", "3"]), 3);
    assert_eq!(train(&["--resume", "--updates", "17"]), 3);
}

#[test]
fn a_run_is_trained_by_one_process_at_a_time() {
    let corpus = Corpus::new();
    let long = ["--updates", "100000", "--every", "1"];
    let long = training("a.en", "a.de", &long);
    let mut first = corpus.spawn(&long);
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    let is_saved = |line: &String| line.starts_with("update 1:");
    assert!(lines.any(|line| is_saved(&line.unwrap())));
    let resumed = [&long[..], &["--resume"]].concat();
    corpus.run(&resumed).badly(1, &["another process is training in run"]);
    first.kill().unwrap();
    first.wait().unwrap();
    let end = ["--resume", "--updates", "1"];
    corpus.train("a.en", "a.de", &end).well();
}

/// They start in the same moment, each with its own seed.
#[test]
fn of_two_processes_one_begins_the_run() {
    for _ in 0..5 {
        let corpus = Corpus::new();
        let train =
            |seed| corpus.spawn(&training("a.en", "a.de", &["--seed", seed]));
        let two = [train("1"), train("2")];
        let ends = two.map(|child| child.wait_with_output().unwrap());
        let well = ends.iter().filter(|end| end.status.success()).count();
        assert_eq!(well, 1, "{ends:?}");
        let seed = if ends[0].status.success() { 1 } else { 2 };
        for name in ["00000002", "00000004", "00000006"] {
            let dir = corpus.path("run").join(name);
            let found = Checkpoint::load(&dir).unwrap();
            assert_eq!(found.training.recipe.seed, seed);
        }
        assert_eq!(corpus.log().lines().count(), 4);
    }
}

/// Its checkpoints are changed behind its back.
#[test]
fn a_damaged_run_is_refused_before_its_log_is_touched() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let log = corpus.log();
    let refused = |words: &str| {
        let more = ["--resume", "--updates", "20"];
        corpus.train("a.en", "a.de", &more).badly(1, &[words]);
        assert_eq!(corpus.log(), log);
    };
    let rename = |from: &str, to: &str| {
        let at = |name| corpus.path("run").join(name);
        fs::rename(at(from), at(to)).unwrap();
    };
    rename("00000006", "00000008");
    refused("by its name it is of update 8, and it is of 6");
    rename("00000008", "00000006");
    for file in ["model.safetensors", "config.toml", "adam.safetensors"] {
        let file = format!("00000006/{file}");
        rename(&file, "kept");
        refused(&format!("run/{file}: "));
        rename("kept", &file);
    }
    corpus.write("run/00000016", "not ours");
    refused("run/00000016 is there already");
    fs::remove_file(corpus.path("run/00000016")).unwrap();
    corpus.run(&["average", "run", "--out", "mean"]).well();
    fs::rename(corpus.path("mean"), corpus.path("run/00000010")).unwrap();
    refused("by its name it is of update 10, and it is of 0");
    fs::remove_dir_all(corpus.path("run/00000010")).unwrap();
    corpus
        .run(&["average", "run", "--out", "run/00000040"])
        .badly(1, &["by its name it is of update 40, and it is of 0"]);
}

#[test]
fn a_damaged_log_is_refused_with_its_line() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let log = corpus.log();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let refused = |damaged: &[u8], words: &str| {
        corpus.write("run/log.tsv", damaged);
        let more = ["--resume", "--updates", "8"];
        corpus.train("a.en", "a.de", &more).badly(1, &[words]);
        assert_eq!(fs::read(corpus.path("run/log.tsv")).unwrap(), damaged);
    };
    let bad = log.replace("\n4\t", "\nfour\t");
    refused(bad.as_bytes(), "run/log.tsv: line 3 is not a row of a log");
    for before in ["\n1\t", "\n2\t"] {
        let bad = log.replace("\n4\t", before);
        let words = "run/log.tsv: line 3 is not a row of a log";
        refused(bad.as_bytes(), words);
    }
    let mut bad = log.clone().into_bytes();
    bad[log.find("\n4\t").unwrap() + 2] = 0xff;
    refused(&bad, "run/log.tsv: line 3: invalid utf-8");
    refused(b"", "run/log.tsv: line 1 is not `update");
    refused(b"my own notes\n", "run/log.tsv: line 1 is not `update");
    let short = lines[..3].concat();
    refused(short.as_bytes(), "there is no row for update 6");
    let cut = &log[..log.len() - 1];
    refused(cut.as_bytes(), "there is no row for update 6");
    fs::remove_file(corpus.path("run/log.tsv")).unwrap();
    fs::create_dir(corpus.path("run/log.tsv")).unwrap();
    corpus
        .train("a.en", "a.de", &["--resume", "--updates", "8"])
        .badly(1, &["run/log.tsv: it is not a regular file"]);
}

/// And the run goes on even if it is killed before the next checkpoint.
#[test]
fn a_log_that_was_deleted_is_begun_anew() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    fs::remove_file(corpus.path("run/log.tsv")).unwrap();
    for _ in 0..2 {
        let more = ["--resume", "--updates", "8"];
        corpus.train("a.en", "a.de", &more).well();
        let log = corpus.log();
        let rows: Vec<&str> = log.lines().skip(1).collect();
        assert!(rows.len() == 1 && rows[0].starts_with("8\t"), "{log}");
        fs::remove_dir_all(corpus.path("run/00000008")).unwrap();
    }
}

/// Bytes of it are changed at random: it is refused as it is, or goes on
/// with all its rows.
#[test]
fn a_log_is_never_lost() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let log = corpus.log().into_bytes();
    let saved = names(&corpus.path("run"));
    for case in 0..60 {
        let mut damaged = log.clone();
        let at = case * 7919 % log.len();
        match case % 3 {
            0 => damaged[at] ^= 1 << (case % 8),
            1 => damaged.truncate(at),
            _ => drop(damaged.splice(at..at, [b'1', b'\t', 0xc3])),
        }
        corpus.write("run/log.tsv", &damaged);
        let more = ["--resume", "--updates", "7"];
        let end = corpus.train("a.en", "a.de", &more);
        let left = fs::read(corpus.path("run/log.tsv")).unwrap();
        match end.code {
            Some(0) => {
                let rows = left.iter().filter(|&&b| b == b'\n').count();
                assert_eq!(rows, 5, "{}", String::from_utf8_lossy(&left));
                fs::remove_dir_all(corpus.path("run/00000007")).unwrap();
            }
            _ => {
                assert_eq!(left, damaged);
                end.badly(1, &["run/log.tsv: "]);
            }
        }
        assert_eq!(names(&corpus.path("run")), saved);
    }
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

/// Whoever reads gets the first lines before the last ones are there.
#[test]
fn lines_are_translated_while_more_are_coming() {
    let greedy = ["translate", "--model", "run", "--beam", "1"];
    let mut child = TRAINED.spawn(&greedy);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all("a cat .\n".repeat(2001).as_bytes()).unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(out.by_ref().take(2000).count(), 2000);
    drop(stdin);
    assert_eq!(out.count(), 1);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_text_may_be_an_argument() {
    let one = TRAINED.translate(&["a cat ."], b"").well();
    assert_eq!(one, TRAINED.translate(&[], b"a cat .").well());
}

/// As Moses writes them: number ||| text ||| score.
#[test]
fn several_translations_are_told_apart() {
    let nbest = ["--nbest", "3"];
    let out = TRAINED.translate(&nbest, b"a cat .\n\na baker").well();
    let found: Vec<Vec<&str>> =
        out.lines().map(|line| line.split(" ||| ").collect()).collect();
    let numbers: Vec<&str> = found.iter().map(|parts| parts[0]).collect();
    assert_eq!(numbers, ["0", "0", "0", "1", "2", "2", "2"]);
    assert_eq!(found[3][1..], ["", "0.0000"]);
    let best = TRAINED.translate(&[], b"a cat .\n\na baker").well();
    let best: Vec<&str> = best.lines().collect();
    assert_eq!([found[0][1], "", found[4][1]], best[..]);
    for group in [&found[..3], &found[4..]] {
        let scores: Vec<f64> =
            group.iter().map(|parts| parts[2].parse().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] < 0.0);
    }
    let one = TRAINED.translate(&["--nbest", "1"], b"a cat .").well();
    assert!(one.starts_with("0 ||| "), "{one}");
}

#[test]
fn a_file_of_translations_is_scored_like_the_model_that_made_it() {
    let model = ["--model", "run", "--beam", "2", "--source", "a.en"];
    let file = ["--hypotheses", "said.de"];
    let said = TRAINED.translate(&["--beam", "2"], ENGLISH.as_bytes()).well();
    TRAINED.write("said.de", said);
    let score = |from: &[&str]| {
        let how = ["--reference", "a.de"];
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
fn the_counts_of_each_sentence_are_printed() {
    let same = ["--hypotheses", "a.de", "--reference", "a.de"];
    let flags = ["--tokenizer", "none", "--sentences"];
    let out = TRAINED.run(&[&["score"], &same[..], &flags].concat()).well();
    let rows: Vec<_> = out.lines().filter(|l| l.contains('\t')).collect();
    assert_eq!(rows.len(), GERMAN.lines().count());
    assert_eq!(out.lines().count(), rows.len() + 2);
    for (row, line) in rows.iter().zip(GERMAN.lines()) {
        let counts: Vec<usize> =
            row.split('\t').map(|count| count.parse().unwrap()).collect();
        let words = line.split(' ').count();
        assert_eq!(counts[..4], counts[4..8]);
        assert_eq!([counts[0], counts[8]], [words; 2]);
    }
}

/// Some editors begin a file with one.
#[test]
fn a_byte_order_mark_changes_nothing() {
    let marked = |text: &str| format!("\u{feff}{text}");
    let texts = marked(ENGLISH);
    let plain = TRAINED.translate(&[], ENGLISH.as_bytes()).well();
    assert_eq!(TRAINED.translate(&[], texts.as_bytes()).well(), plain);
    let corpus = Corpus::new();
    corpus.write("marked.en", marked(ENGLISH));
    corpus.write("marked.de", marked(GERMAN));
    corpus.train("marked.en", "marked.de", &[]).well();
    let same = TRAINED.numbers("run/00000006");
    assert_eq!(corpus.numbers("run/00000006"), same);
    let score = ["--hypotheses", "marked.de", "--reference", "a.de"];
    let out = corpus.run(&[&["score"], &score[..]].concat()).well();
    assert!(out.starts_with("BLEU = 100.00"), "{out}");
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
    assert!(svg.contains("head 2") && svg.contains("&lt;end&gt;"));
    // And once more, in their place.
    TRAINED.run(&out).well();
}

#[test]
fn two_heads_are_drawn_in_a_row() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--heads", "4"]).well();
    corpus.run(&["attend", "--model", "run", "a cat ."]).well();
    let svg = corpus.path("attention/encoder-1.svg");
    let svg = fs::read_to_string(svg).unwrap();
    let place = |head| -> [f64; 2] {
        let title = format!(">head {head}<");
        let line = svg.lines().find(|line| line.contains(&title)).unwrap();
        let parts: Vec<&str> = line.split('"').collect();
        [parts[1], parts[3]].map(|number| number.parse().unwrap())
    };
    let [one, two, three, four] = [1, 2, 3, 4].map(place);
    assert!(one[0] == three[0] && two[0] == four[0] && one[0] < two[0]);
    assert!(one[1] == two[1] && three[1] == four[1] && one[1] < three[1]);
    // Above is a margin, and no empty row.
    assert!(one[1] < 30.0, "{svg}");
}

/// XML has no way to write them.
#[test]
fn a_drawing_has_no_characters_that_xml_cannot_have() {
    let text = "a \u{1b}[31mcat\u{7f}\u{fffe}\u{ffff}\u{85} & <b>\n.";
    let out = ["attend", "--model", "run", text, "--out", "strange"];
    TRAINED.run(&out).well();
    for name in names(&TRAINED.path("strange")) {
        let path = TRAINED.path("strange").join(name);
        let svg = fs::read_to_string(path).unwrap();
        let foreign = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{fffe}'..='\u{ffff}')
        };
        assert_eq!(svg.find(foreign), None, "{svg}");
        assert!(svg.contains("a �[31mcat"), "{svg}");
        assert!(svg.contains("&amp; &lt;b&gt;"), "{svg}");
    }
}

#[test]
fn a_drawing_replaces_nothing_but_a_file() {
    fs::create_dir_all(TRAINED.path("taken/cross-1.svg")).unwrap();
    let out = ["attend", "--model", "run", "a cat .", "--out", "taken"];
    TRAINED.run(&out).badly(1, &["taken/cross-1.svg is there already"]);
    let long = "cat ".repeat(100);
    let out = ["attend", "--model", "run", &long, "--out", "long"];
    TRAINED.run(&out).badly(1, &["too many to draw"]);
    assert!(!TRAINED.path("long").exists());
}

#[test]
fn the_parameters_are_those_of_the_paper_or_of_the_model() {
    let out = TRAINED.run(&["params", "--preset", "base"]).well();
    assert!(out.contains("63045632 parameters"), "{out}");
    let out = TRAINED.run(&["params"]).well();
    assert!(out.contains("2598912 parameters"), "{out}");
    let out = TRAINED.run(&["params", "--model", "run"]).well();
    assert!(out.starts_with("embedding.table"), "{out}");
    assert!(out.contains("278 × 8"), "{out}");
    let rows = out.lines().filter(|line| line.contains(" × "));
    let numbers = rows.map(|row| row.split_whitespace().last().unwrap());
    let sum: usize = numbers.map(|n| n.parse::<usize>().unwrap()).sum();
    assert!(out.contains(&format!("\n{sum} parameters\n")), "{out}");
}

/// The first command that a reader tries, in any directory.
#[test]
fn without_a_model_the_books_own_translates() {
    let corpus = Corpus::new();
    let caption = "a dog runs through the snow .";
    let out = corpus.run(&["translate", caption]).well();
    assert!(out.contains("hund"), "{out}");
    let attend = ["attend", caption, "--out", "drawn"];
    assert_eq!(corpus.run(&attend).well(), out);
    assert_eq!(names(&corpus.path("drawn")).len(), 12);
    corpus.write("dog.en", caption);
    corpus.write("dog.de", &out);
    let score = ["--source", "dog.en", "--reference", "dog.de"];
    let out = corpus.run(&[&["score"], &score[..]].concat()).well();
    assert!(out.starts_with("BLEU = 100.00"), "{out}");
}

/// Capitals and full stops without a space before them were nonsense to it.
#[test]
fn the_books_own_model_gets_texts_as_it_was_trained() {
    let say = |arguments: &[&str]| {
        TRAINED.run(&[&["translate"], arguments].concat()).well()
    };
    let plain = say(&["a dog runs through the snow ."]);
    assert_eq!(say(&["A Dog runs through the snow."]), plain);
    assert_ne!(say(&["--as-is", "A Dog runs through the snow."]), plain);
    let mut child = TRAINED.spawn(&["translate"]);
    let lines = b"A dog runs through the snow.\n\n";
    child.stdin.take().unwrap().write_all(lines).unwrap();
    let said = Said::from(child.wait_with_output().unwrap()).well();
    assert_eq!(said, plain.clone() + "\n");
    let attend = ["attend", "A dog runs through the snow.", "--out", "dog"];
    assert_eq!(TRAINED.run(&attend).well(), plain);
    TRAINED.write("dog.en", "A dog runs through the snow.");
    TRAINED.write("dog.de", &plain);
    let score = ["score", "--source", "dog.en", "--reference", "dog.de"];
    let out = TRAINED.run(&score).well();
    assert!(out.starts_with("BLEU = 100.00"), "{out}");
    // What comes out has no entities, unless that is wanted.
    let quoted = "a man in a shirt that says \"peace\" .";
    assert!(!say(&[quoted]).contains("&quot;"), "{}", say(&[quoted]));
    let help = TRAINED.run(&["translate", "--help"]).well();
    assert!(help.contains("in small letters"), "{help}");
    let model = ["translate", "--model", "run", "--as-is", "a"];
    TRAINED.run(&model).badly(2, &["--as-is", "--model"]);
}

#[test]
fn texts_are_cut_into_tokens_and_put_together_again() {
    let change = |command: &str, text: &str| {
        let said = TRAINED.run(&[command, text]).well();
        let mut child = TRAINED.spawn(&[command]);
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let lines = Said::from(child.wait_with_output().unwrap()).well();
        assert_eq!(said, lines);
        said
    };
    let text = "it's 10,000 steps (or more) to \"home\", isn't it?";
    let tokens = "it &apos;s 10,000 steps ( or more ) to &quot; home , \
        &quot; isn &apos;t it ?\n";
    assert_eq!(change("tokenize", text), tokens);
    assert_eq!(change("tokenize", tokens.trim_end()), tokens);
    let back = "it's 10,000 steps (or more) to \"home,\" isn't it?\n";
    assert_eq!(change("detokenize", tokens.trim_end()), back);
}

/// For programs that know a model's numbers and not its merges.
#[test]
fn a_text_becomes_numbers_and_numbers_become_a_text() {
    let run = |command: &str, more: &[&str]| {
        TRAINED.run(&[&[command, "--ids"], more].concat())
    };
    let text = "A dog runs through the snow.";
    let ids = run("tokenize", &[text]).well();
    assert_eq!(
        ids,
        run("tokenize", &["a dog runs through the snow ."]).well()
    );
    let back = run("detokenize", &[ids.trim_end()]).well();
    assert_eq!(back, "a dog runs through the snow.\n");
    // All models but that of the book get texts as they are.
    let own = ["--model", "run"];
    let ids = run("tokenize", &[&own[..], &[text]].concat()).well();
    let numbers = [&own[..], &[ids.trim_end()]].concat();
    let back = run("detokenize", &numbers).well();
    assert_eq!(back.trim_end(), text);
    run("detokenize", &["5 x"]).badly(1, &["x is no token"]);
    let too_large = run("detokenize", &["--model", "run", "278"]);
    too_large.badly(1, &["278 is no token, which is a number below 278"]);
    TRAINED.run(&["tokenize", "--model", "run", "a"]).badly(2, &["--ids"]);
}

/// With so few updates it writes nonsense, but it writes.
#[test]
fn a_writer_learns_from_paragraphs_and_goes_on_with_a_text() {
    let corpus = Corpus::new();
    let paragraph = "a cat sleeps on the warm stove . ".repeat(12);
    corpus.write("pages", format!("{paragraph}\n\n{paragraph}\n"));
    corpus.write("others", &paragraph);
    corpus.write("short", "a cat");
    let learn = |held_out| {
        let files = ["learn", "--text", "pages", "--held-out", held_out];
        let small = ["--merges", "20", "--updates", "2", "--out", "writer"];
        corpus.run(&[&files[..], &small].concat())
    };
    learn("short").badly(
        1,
        &["a text has no more than 128 tokens, and needs one more"],
    );
    let out = learn("others").well();
    let head = "update\tseconds\ttraining\theld out\tperplexity\n1\t";
    assert!(out.starts_with(head) && out.lines().count() == 3, "{out}");
    learn("others").badly(1, &["writer is there already"]);

    let write = |more: &[&str]| {
        let five = ["write", "--length", "5", "--seed", "3", "a cat"];
        corpus.run(&[&five[..], more].concat())
    };
    let writer = ["--model", "writer"];
    let out = write(&writer).well();
    assert!(out.starts_with("a cat") && out.ends_with('\n'), "{out}");
    assert_eq!(write(&writer).well(), out);
    let cold = ["--model", "writer", "--temperature", "0"];
    write(&cold).badly(2, &["not a number from 0.01 to 100; --top-k 1"]);

    // One kind of model where the other is needed.
    let words = "writer is a writer, which does not translate";
    let translate = ["translate", "a cat .", "--model", "writer"];
    corpus.run(&translate).badly(1, &[words]);
    for nothing in [".", "a.en", "nowhere"] {
        let words = format!("there is no writer in {nothing}");
        write(&["--model", nothing]).badly(1, &[&words]);
    }
    corpus.train("a.en", "a.de", &[]).well();
    let words = "what is needed is a writer, which `transformer learn` makes";
    let found = "run/00000006 is a checkpoint, which translates; ";
    write(&["--model", "run/00000006"]).badly(1, &[found, words]);
    let found = "run is the directory of a run, which translates; ";
    write(&["--model", "run"]).badly(1, &[found, words]);
    let on = |out| ["train", "--resume", "--out", out];
    let words = "what is needed is the directory of a run";
    corpus.run(&on("run/00000006")).badly(1, &["a checkpoint", words]);
    corpus.run(&on("writer")).badly(1, &["writer is a writer", words]);
}

/// A writer that learns fast from this file, letter by letter.
fn learning<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let files = ["learn", "--text", file, "--held-out", file];
    let sizes = "--layers 1 --d-model 16 --d-ff 32 --heads 2 --merges 0";
    let recipe = "--batch-tokens 300 --warmup 5 --peak-lr 0.05 --dropout 0";
    let flags = sizes.split(' ').chain(recipe.split(' '));
    let flags: Vec<&str> = flags.collect();
    [&files[..], &flags, &["--out", "writer"], more].concat()
}

/// What `1.25ms:` means.
fn seconds(time: &str) -> f64 {
    let time = time.trim_end_matches(':');
    let units = [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let found = units
        .iter()
        .find_map(|(unit, one)| Some((time.strip_suffix(unit)?, one)));
    let (number, one) = found.unwrap();
    number.parse::<f64>().unwrap() * one
}

#[test]
fn a_writer_says_up_to_twenty_times_how_it_goes_and_at_the_end() {
    let corpus = Corpus::new();
    corpus.write("lines", "go on .\n".repeat(60));
    let out = corpus.run(&learning("lines", &["--updates", "21"])).well();
    let number = |cell: &str| cell.parse().unwrap();
    let row = |row: &str| row.split('\t').map(number).collect();
    let rows: Vec<Vec<f64>> = out.lines().skip(1).map(row).collect();
    let updates: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    let all = (1..=10).map(|i| f64::from(2 * i)).chain([21.0]);
    assert_eq!(updates, all.collect::<Vec<_>>());
    // Both texts are the same. So the mean loss of the updates between two
    // rows is between those that are measured there.
    for pair in rows[..5].windows(2) {
        let [training, after, before] = [pair[1][2], pair[1][3], pair[0][3]];
        assert!(after < training && training < before, "{out}");
    }
}

/// And not after the 200 tokens that it may write.
#[test]
fn a_writer_ends_with_the_paragraph() {
    let corpus = Corpus::new();
    corpus.write("lines", "go on .\n".repeat(60));
    corpus.run(&learning("lines", &["--updates", "21"])).well();
    for seed in ["1", "2", "3"] {
        let write = ["write", "--model", "writer", "--seed", seed, "go"];
        let said = corpus.run(&write).well();
        assert!(said.starts_with("go") && said.len() < 100, "{said}");
    }
}

/// Two texts that differ only behind their first two hundred letters.
#[test]
fn a_writer_learns_all_of_its_text() {
    let learned = |end: &str| {
        let corpus = Corpus::new();
        let first = "a cat sleeps on the warm stove . ".repeat(8);
        corpus.write("lines", first + &end.repeat(50));
        corpus.run(&learning("lines", &["--updates", "1"])).well();
        fs::read(corpus.path("writer/model.safetensors")).unwrap()
    };
    let dog = learned("a dog runs . ");
    assert!(dog == learned("a dog runs . "));
    assert!(dog != learned("we all sing . "));
}

/// Each of them leaves only the first to be drawn.
#[test]
fn there_are_three_ways_to_the_most_probable_token() {
    let llama = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/reference/published/llama"
    );
    let write = |more: &[&str]| {
        let model = ["write", "--model", llama, "--length", "9"];
        TRAINED.run(&[&model[..], more, &["the work"]].concat()).out
    };
    let usual = write(&["--top-k", "1"]);
    assert_eq!(write(&["--top-p", "0.001"]), usual);
    assert_eq!(write(&["--temperature", "0.01"]), usual);
    assert_ne!(write(&[]), usual);
}

/// Its numbers are random, so it writes nonsense, but at a known speed.
#[test]
fn a_published_model_goes_on_with_a_text() {
    let corpus = Corpus::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/reference/published");
    for folder in ["gpt2", "llama"] {
        let folder = fixtures.join(folder);
        let folder = folder.to_str().unwrap();
        let write = |more: &[&str]| {
            let model = ["write", "--model", folder, "--length", "9"];
            corpus.run(&[&model[..], more].concat())
        };
        let Said { out, err, code } = write(&["the work"]);
        assert_eq!(code, Some(0), "{err}");
        assert!(out.starts_with("the work") && out.ends_with('\n'), "{out}");
        // `8 more in 1.25ms: 6400.0 a second`
        let said: Vec<&str> = err.split_whitespace().collect();
        let [.., more, _, _, time, speed, "a", "second"] = said[..] else {
            panic!("{err}");
        };
        assert!(err.starts_with("note: ") && more == "8", "{err}");
        let written = seconds(time) * speed.parse::<f64>().unwrap();
        assert!((written - 8.0).abs() < 0.1, "{err}");
        assert_eq!(write(&["the work"]).out, out);
        write(&[&"work ".repeat(60)]).badly(1, &["tokens; at most"]);
        let words = "a published model, which does not translate";
        let translate = ["translate", "a cat .", "--model", folder];
        corpus.run(&translate).badly(1, &[words]);
    }
    fs::create_dir(corpus.path("broken")).unwrap();
    corpus.write("broken/config.json", "{\"model_type\":\"bert\"}");
    let words = ["broken/config.json", "a model of type bert is not known"];
    let broken = ["write", "--model", "broken", "a"];
    corpus.run(&broken).badly(1, &words);
}

#[test]
fn a_quantized_model_is_a_model_but_no_checkpoint() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let quantize = ["quantize", "--model", "run", "--out", "small"];
    let out = corpus.run(&quantize).well();
    assert_eq!(out, "the quantized model is in small\n");
    corpus.run(&quantize).badly(1, &["small is there already"]);
    let files = ["SHA256SUMS", "config.toml", "merges.txt"];
    let files = [&files[..], &["model.safetensors"]].concat();
    assert_eq!(names(&corpus.path("small")), files);
    let small = ["--model", "small"];
    let run = |arguments: &[&str]| corpus.run(arguments);
    run(&[&["translate", "a cat ."], &small[..]].concat()).well();
    run(&[&["attend", "a cat ."], &small[..]].concat()).well();
    run(&[&["export"], &small[..]].concat()).well();
    let out = run(&[&["params"], &small[..]].concat()).well();
    assert!(out.contains("278 × 8"), "{out}");
    let score = ["score", "--source", "a.en", "--reference", "a.de"];
    run(&[&score[..], &small].concat()).well();

    let words = "small is a quantized model, which translates; what is \
        needed is a checkpoint or the directory of a run";
    let again = ["quantize", "--model", "small", "--out", "smaller"];
    run(&again).badly(1, &[words]);
    run(&["average", "small", "--out", "mean"]).badly(1, &[words]);
    corpus.write("small/merges.txt", "104 101 \"he\"\n");
    let changed = "small/merges.txt: it has changed since it was saved";
    run(&["translate", "a", "--model", "small"]).badly(1, &[changed]);
    let nowhere = ["quantize", "--model", "nowhere", "--out", "tiny"];
    run(&nowhere).badly(1, &["nowhere: "]);
    assert!(!corpus.path("tiny").exists());
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
    let export =
        |out| TRAINED.run(&["export", "--model", "mean", "--out", out]);
    assert_eq!(export("torch").well(), "torch is written\n");
    let torch = fs::read(TRAINED.path("torch")).unwrap();
    let header = String::from_utf8_lossy(&torch);
    assert!(
        header.contains("decoder.layers.0.multihead_attn.in_proj_weight")
    );
    export("torch").badly(1, &["torch is there already"]);
    export("mean").badly(1, &["mean is there already"]);
    export("..").badly(1, &[".. is there already"]);
    export("a/b/").badly(1, &["a/"]);
    assert_eq!(fs::read(TRAINED.path("torch")).unwrap(), torch);
}

#[test]
fn the_last_checkpoints_of_a_run_are_averaged() {
    let average = |paths: &[&str], out: &str| {
        let out = ["average", "--last", "2", "--out", out];
        TRAINED.run(&[&out[..], paths].concat()).well()
    };
    let said = average(&["run"], "last");
    assert_eq!(said, "the mean of 2 checkpoints is in last\n");
    average(&["run/00000004", "run/00000006"], "named");
    let numbers = |dir: &str| {
        fs::read(TRAINED.path(dir).join("model.safetensors")).unwrap()
    };
    assert!(numbers("last") == numbers("named"));
}

/// With the names of PyTorch in between.
#[test]
fn what_is_exported_can_be_imported() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let export = ["export", "--model", "run", "--out", "torch"];
    corpus.run(&export).well();
    let import = |weights: &str, model: &str, out: &str| {
        let files = ["import", "--weights", weights, "--model", model];
        corpus.run(&[&files[..], &["--out", out]].concat())
    };
    // Of an older checkpoint everything but the weights is taken.
    import("torch", "run/00000002", "back").well();
    let read = |dir: &str| {
        fs::read(corpus.path(dir).join("model.safetensors")).unwrap()
    };
    assert!(read("back") == read("run/00000006"));
    let say = |model| corpus.run(&["translate", "--model", model, "a cat ."]);
    assert_eq!(say("back").well(), say("run/00000006").well());
    import("torch", "run", "back").badly(1, &["back is there already"]);
    // It can be the beginning of a run.
    import("torch", "run", "more/00000000").well();
    let flags = ["run/train.toml", "more/train.toml"];
    let [from, to] = flags.map(|name| corpus.path(name));
    fs::copy(from, to).unwrap();
    corpus.run(&["train", "--resume", "--out", "more"]).well();
    assert!(read("more/00000006") != read("more/00000000"));
    import("a.en", "run", "other").badly(1, &["a.en: "]);
    // The shapes are the same, and the heads are not.
    let other = ["--heads", "4", "--out", "other-run"];
    let flags = ["train", "--config", "run/train.toml"];
    corpus.run(&[&flags[..], &other].concat()).well();
    import("torch", "other-run", "other")
        .badly(1, &["torch: it has other sizes or heads"]);
}

/// The header says what the names and shapes do not.
#[test]
fn an_export_has_its_sizes_in_its_header() {
    let export = ["export", "--model", "run", "--out", "header"];
    TRAINED.run(&export).well();
    let bytes = fs::read(TRAINED.path("header")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let header =
        r#""__metadata__":{"config":"vocabulary = 278\nlayers = 1\n"#;
    assert!(text.contains(header) && text.contains(r"\nheads = 2\n"));
}

/// Of several right translations, each n-gram may be in any.
#[test]
fn a_translation_may_have_several_references() {
    let corpus = Corpus::new();
    corpus.write("said", "the big cat sleeps on the mat\n");
    corpus.write("one", "the large cat sleeps on the mat today\n");
    corpus.write("two", "a big cat sleeps there\n");
    let score = |references: &[&str]| {
        let given = ["score", "--hypotheses", "said", "--sentences"];
        let flags = references.iter().flat_map(|r| ["--reference", r]);
        let flags: Vec<&str> = flags.collect();
        corpus.run(&[&given[..], &flags].concat())
    };
    let both = score(&["one", "two"]).well();
    // All words; but for `the big` all pairs; and so on. 8 is nearer than 5.
    assert!(both.starts_with("7\t5\t4\t2\t7\t6\t5\t4\t8\n"), "{both}");
    assert!(both.contains("\nnrefs:2|"), "{both}");
    let one = score(&["one"]).well();
    assert!(one.starts_with("6\t4\t3\t2\t"), "{one}");
    corpus.write("three", "a cat\na dog\n");
    score(&["one", "three"]).badly(1, &["said has 1 lines, and three has 2"]);
}

/// The model is asked about translations that it has not made.
#[test]
fn a_model_says_how_probable_translations_are() {
    let ask = |more: &[&str]| {
        let files = ["--source", "a.en", "--hypotheses", "a.de"];
        let model = ["score", "--model", "run"];
        TRAINED.run(&[&model[..], &files, more].concat())
    };
    let out = ask(&["--sentences"]).well();
    let rows: Vec<&str> = out.lines().collect();
    assert_eq!(rows.len(), 3 + 1);
    let numbers = |row: &str| -> (f64, f64) {
        let (one, other) = row.split_once('\t').unwrap();
        (one.parse().unwrap(), other.parse().unwrap())
    };
    let rows: Vec<_> = rows[..3].iter().map(|row| numbers(row)).collect();
    let sum: f64 = rows.iter().map(|row| row.0).sum();
    let tokens: f64 = rows.iter().map(|row| row.1).sum();
    let last = out.lines().last().unwrap();
    let words: Vec<&str> = last.split([' ', ',']).collect();
    let told: f64 = words[2].parse().unwrap();
    assert!(words[0] == "log-probability" && (told - sum).abs() < 0.01);
    assert_eq!(words[4].parse::<f64>().unwrap(), tokens);
    let perplexity: f64 = words.last().unwrap().parse().unwrap();
    assert!((perplexity.ln() + sum / tokens).abs() < 1e-4);
    // The mean per token is the validation loss in the log.
    let log = TRAINED.log();
    let loss = log.lines().last().unwrap().split('\t').nth(3).unwrap();
    let loss: f64 = loss.parse().unwrap();
    assert!((loss + sum / tokens).abs() < 1e-3, "{loss} {out}");
    let both = ask(&["--reference", "a.de"]).well();
    assert!(both.starts_with("BLEU = 100.00"), "{both}");
    assert!(both.ends_with(&format!("{last}\n")), "{both}");
    let without = ["score", "--hypotheses", "a.de"];
    TRAINED.run(&without).badly(2, &["--reference is missing"]);
}

#[test]
fn attention_is_printed_as_json() {
    let attend = ["attend", "--model", "run", "a cat .", "--json"];
    let out = TRAINED.run(&attend).well();
    let said: serde_json::Value = serde_json::from_str(&out).unwrap();
    let text = TRAINED.translate(&["a cat ."], b"").well();
    assert_eq!(said["translation"], text.trim_end());
    let length = |side: &str| said[side].as_array().unwrap().len();
    let (source, target) = (length("source"), length("target"));
    for (kind, queries, keys) in [
        ("encoder", source, source),
        ("decoder", target, target),
        ("cross", target, source),
    ] {
        let head = &said[kind][0][1];
        assert_eq!(head.as_array().unwrap().len(), queries);
        for row in head.as_array().unwrap() {
            let row = row.as_array().unwrap();
            assert_eq!(row.len(), keys);
            let sum: f64 = row.iter().map(|w| w.as_f64().unwrap()).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
    }
    assert!(!TRAINED.path("attention").exists());
}

#[test]
fn shells_and_the_manual_know_every_command() {
    let corpus = Corpus::new();
    let help = corpus.run(&["--help"]).well();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let names = commands.lines().filter(|line| !line.starts_with("    "));
    let names = names.map(|line| line.split_whitespace().next().unwrap());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() > 12 && names.contains(&"train"), "{help}");
    let script = corpus.run(&["completions", "bash"]).well();
    corpus.run(&["man"]).well();
    for name in names {
        assert!(script.contains(name), "{name}");
        let page = corpus.path(&format!("man/transformer-{name}.1"));
        assert!(fs::read_to_string(page).unwrap().contains(".TH"), "{name}");
    }
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        corpus.run(&["completions", shell]).well();
    }
    corpus.run(&["completions", "sh"]).badly(2, &["invalid value 'sh'"]);
}

/// Only training goes on with Adam's moments.
#[test]
fn without_moments_all_but_training_works() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--keep", "1"]).well();
    let moments = corpus.path("run/00000006/adam.safetensors");
    fs::remove_file(moments).unwrap();
    let same = TRAINED.translate(&["a cat ."], b"").well();
    assert_eq!(corpus.translate(&["a cat ."], b"").well(), same);
    corpus.run(&["params", "--model", "run"]).well();
    corpus.run(&["export", "--model", "run"]).well();
    corpus.run(&["average", "run", "--out", "mean"]).well();
    corpus
        .train("a.en", "a.de", &["--resume", "--updates", "8"])
        .badly(1, &["adam.safetensors: "]);
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
    let bad: [(&[&str], &str); 35] = [
        (&["train", "--seed", "18446744073709551615"], "--seed"),
        (&["train", "--warmup", "0"], "--warmup"),
        (&["train", "--dropout", "1"], "not a number from 0 to 0.99"),
        (&["train", "--dropout=-0.1"], "--dropout"),
        (&["train", "--label-smoothing", "2"], "--label-smoothing"),
        (&["train", "--peak-lr", "NaN"], "--peak-lr"),
        (&["train", "--batch-tokens", "0"], "not a number from 1 to 1000000"),
        (&["train", "--updates", "many"], "--updates"),
        (&["train", "--threads", "0"], "--threads"),
        (&["train", "--threads", "-1"], "not a number from 1 to 1024"),
        (&["train", "--threads", "1025"], "not a number from 1 to 1024"),
        (&["train", "--keep", "0"], "--keep"),
        (&["train", "--heads", "3"], "3 heads do not divide a width of 64"),
        (&["train", "--d-model", "5", "--heads", "1"], "d_model = 5 is odd"),
        (&["train", "--layers", "1001"], "not a number from 1 to 1000"),
        (&["train", "--d-model", "1000000"], "parameters are too many"),
        (&["train", "--task", "rhyme"], "no task rhyme"),
        (&["train", "--resume"], "--out"),
        (&["train", "--source", "a.en"], "--target"),
        (&["params", "--length", "1000000"], "not a number from 1 to 10000"),
        (&["translate", "--model", "run", "--beam", "0"], "--beam"),
        (
            &["translate", "--model", "run", "--beam", "-1"],
            "not a number from 1 to 200",
        ),
        (
            &["translate", "--model", "run", "--beam", "201"],
            "not a number from 1 to 200",
        ),
        (
            &["translate", "--model", "run", "--alpha", "-1"],
            "not a number from 0 to 10",
        ),
        (&["translate", "--patience", "0.5"], "not a number from 1 to inf"),
        (
            &["write", "--model", "run", "--top-p", "0"],
            "not a number from 0.001 to 1",
        ),
        (&["translate", "--model", "run", "--nbest", "9"], "a beam of 5"),
        (&["score", "--reference", "a.de"], "--source"),
        (&["score", "--reference", "a.de"], "--hypotheses"),
        (&["train", "--merges", "-1"], "not a number from 0 to 1000000"),
        (&["quantize", "--model", "run"], "--out"),
        (&["quantize", "--out", "small"], "--model"),
        (&["params", "--preset", "base", "--model", "run"], "--preset"),
        (
            &["score", "--hypotheses", "a.de", "--model", "run"],
            "--hypotheses",
        ),
        (&["score", "--hypotheses", "a.de", "--beam", "2"], "--beam"),
    ];
    for (arguments, words) in bad {
        TRAINED.run(arguments).badly(2, &[words]);
    }
}

/// Each of them would train alone, and all into one directory.
#[test]
#[cfg(not(feature = "cluster"))]
fn a_program_for_one_process_is_not_started_in_several() {
    let corpus = Corpus::new();
    let started = |processes| {
        let train = training("a.en", "a.de", &[]);
        let mut command = corpus.command(&train);
        command.env("OMPI_COMM_WORLD_SIZE", processes);
        Said::from(command.output().unwrap())
    };
    started("2").badly(1, &["2 processes", "built for one", "`cluster`"]);
    assert!(!corpus.path("run").exists());
    started("1").well();
}

/// The log is what the page on the program shows.
#[test]
fn the_page_shows_what_the_program_says() {
    let page = include_str!("../src/logs/program.txt");
    let shows = |command: &str, said: &str| {
        let shown = format!("$ transformer {command}\n{said}");
        assert!(page.contains(&shown), "{shown}");
    };
    let say = |arguments: &[&str]| -> Said {
        let mut command = TRAINED.command(arguments);
        command.env("COLUMNS", "80").output().unwrap().into()
    };
    shows("--help", &say(&["--help"]).well());
    shows("train --help", &say(&["train", "--help"]).well());
    let said = say(&["train", "--dropout", "1"]);
    shows("train --dropout 1", &said.err);
    let translate = ["translate", "a dog runs through the snow ."];
    let command = "translate \"a dog runs through the snow .\"";
    shows(command, &say(&translate).well());
}

/// The model of the book is searched with the α that was chosen with it.
#[test]
fn the_usual_search_suits_the_model() {
    let captions = Translator::CAPTIONS_ALPHA;
    let help = TRAINED.run(&["translate", "--help"]).well();
    assert!(help.contains(&format!("is {captions} for the")), "{help}");
    let score = |more: &[&str]| {
        let text = "two men are playing chess on a table in the park .";
        let nbest = ["translate", "--nbest", "1", text];
        TRAINED.run(&[&nbest[..], more].concat()).well()
    };
    assert_eq!(score(&[]), score(&["--alpha", &captions.to_string()]));
    assert_ne!(score(&[]), score(&["--alpha", "0.6"]));
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../code/models/captions");
    let model = ["--model", path];
    let papers = [&model[..], &["--alpha", "0.6"]].concat();
    assert_eq!(score(&model), score(&papers));
}

#[test]
fn a_search_with_more_patience_finds_better_translations() {
    let scores = |patience| -> Vec<f64> {
        let search = ["translate", "--nbest", "5", "--patience", patience];
        let text = ["a dog runs through the snow ."];
        let out = TRAINED.run(&[&search[..], &text].concat()).well();
        let scores = out.lines().map(|line| line.rsplit(' ').next());
        scores.map(|score| score.unwrap().parse().unwrap()).collect()
    };
    let (hasty, patient) = (scores("1"), scores("inf"));
    assert!(patient.iter().zip(&hasty).all(|(p, h)| p >= h));
    assert!(patient.iter().sum::<f64>() > hasty.iter().sum());
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
    from("hole", &["hole: line 2: it is empty"]);
    from("two", &["a.en has 3 lines, and two has 2"]);
    from("latin", &["latin: line 2: ", "utf-8"]);
    from("nowhere", &["nowhere: "]);
    assert!(!corpus.path("run").exists());
}

/// The memory for attention grows with the square of a line's length.
#[test]
fn lines_that_are_too_long_are_refused_with_their_number() {
    let corpus = Corpus::new();
    let letter = |i: u32| char::from(b'a' + (i * i % 7919 % 26) as u8);
    let long: String = (0..4000).map(letter).collect();
    corpus.write("long.en", ENGLISH.replace("two children", &long));
    let words = ["training texts: line 2: ", "tokens; at most 1024"];
    corpus.train("long.en", "a.de", &[]).badly(1, &words);
    corpus.write("huge.en", "x".repeat(1 << 20));
    let words = ["huge.en: line 1: more than 262144 bytes"];
    corpus.train("huge.en", "a.de", &[]).badly(1, &words);
    assert!(!corpus.path("run").exists());

    let lines = format!("a cat .\n\n{long}\n");
    TRAINED
        .translate(&[], lines.as_bytes())
        .badly(1, &["standard input: line 3: ", "at most 1024"]);
    let after = "a\n".repeat(2000) + &long;
    TRAINED
        .translate(&["--beam", "1"], after.as_bytes())
        .badly(1, &["standard input: line 2001: ", "at most 1024"]);
    TRAINED.translate(&[&long], b"").badly(1, &["the text: ", "1024"]);
    let endless = "the dog ".repeat(1 << 17);
    TRAINED
        .translate(&[], endless.as_bytes())
        .badly(1, &["standard input: line 1: more than 262144 bytes"]);
    TRAINED.write("long.txt", &long);
    let source = ["--source", "long.txt", "--reference", "long.txt"];
    TRAINED
        .run(&[&["score", "--model", "run"], &source[..]].concat())
        .badly(1, &["long.txt: line 1: ", "at most 1024"]);
    let out = ["attend", "--model", "run", &long];
    TRAINED.run(&out).badly(1, &["too many to draw"]);
}

#[test]
fn a_corpus_smaller_than_a_batch_is_noticed() {
    let corpus = Corpus::new();
    let large = ["train", "--source", "a.en", "--target", "a.de", "--out"];
    let test = ["run", "--valid-source", "a.en", "--valid-target", "a.de"];
    corpus
        .run(&[&large[..], &test].concat())
        .badly(1, &["too few for a batch of 5500"]);
    assert!(!corpus.path("run").exists());
}

#[test]
fn lines_that_are_not_utf_8_are_not_translated() {
    let said = TRAINED.translate(&[], b"a cat .\n\xff\n");
    assert_eq!(said.out, "");
    said.badly(1, &["standard input: line 2: "]);
}

#[test]
fn a_broken_checkpoint_is_named() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    let file = "run/00000006/model.safetensors";
    let mut bytes = fs::read(corpus.path(file)).unwrap();
    bytes.truncate(bytes.len() / 2);
    corpus.write(file, &bytes);
    let changed = "it has changed since it was saved";
    corpus.translate(&["a"], b"").badly(1, &[file, changed]);
    corpus.write(file, "something else");
    corpus.translate(&["a"], b"").badly(1, &[file]);
    corpus
        .train("a.en", "a.de", &["--resume"])
        .badly(1, &["model.safetensors"]);
    corpus
        .run(&["translate", "--model", "a.en", "a"])
        .badly(1, &["a.en is not a directory"]);
    corpus.run(&["export", "--model", "nowhere"]).badly(1, &["nowhere: "]);
    fs::create_dir(corpus.path("bare")).unwrap();
    corpus
        .run(&["export", "--model", "bare"])
        .badly(1, &["there is no checkpoint in bare"]);
    corpus.write("bare/config.toml", "");
    corpus
        .run(&["export", "--model", "bare"])
        .badly(1, &["bare/config.toml: it lacks the line `format = 2`"]);
}

#[test]
fn translations_and_references_must_be_as_many() {
    TRAINED.write("short.de", "ein satz .\n");
    let said = ["score", "--hypotheses", "short.de", "--reference", "a.de"];
    let unequal = "short.de has 1 lines, and a.de has 3";
    TRAINED.run(&said).badly(1, &[unequal]);
    // A model is not even opened then.
    let files = ["--source", "short.de", "--reference", "a.de"];
    let said = [&["score", "--model", "nowhere"], &files[..]].concat();
    TRAINED.run(&said).badly(1, &[unequal]);
}

/// The newest checkpoint of a corpus's run, with this weight everywhere in
/// its table.
fn overflow(corpus: &Corpus, weight: f32) {
    let dir = corpus.path("run/00000006");
    let mut checkpoint = Checkpoint::load(&dir).unwrap();
    checkpoint.training.model.embedding.table.fill(weight);
    fs::remove_dir_all(&dir).unwrap();
    checkpoint.save(&dir).unwrap();
}

#[test]
fn a_model_whose_weights_overflow_ends_in_a_sentence() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    overflow(&corpus, 1e30);
    let words = ["run: the logits are not finite", "weights are too large"];
    corpus.translate(&["a cat"], b"").badly(1, &words);
    corpus.translate(&[], b"a cat\n").badly(1, &words);
    corpus.run(&["attend", "--model", "run", "a"]).badly(1, &words);
    let score = ["--model", "run", "--source", "a.en", "--reference", "a.de"];
    corpus.run(&[&["score"], &score[..]].concat()).badly(1, &words[1..]);
}

/// A run that has gone astray keeps what it had before.
#[test]
fn a_training_that_diverges_says_where_and_stops() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    overflow(&corpus, 1e30);
    let before = names(&corpus.path("run"));
    corpus
        .train("a.en", "a.de", &["--resume", "--updates", "9"])
        .badly(1, &["update 7: ", "last checkpoint is run/00000006"]);
    assert_eq!(names(&corpus.path("run")), before);
}

/// Runs the program in a shell, as `$0` with the arguments `$@`.
#[cfg(target_os = "linux")]
fn shell(corpus: &Corpus, script: &str, arguments: &[&str]) -> Said {
    let mut command = Command::new("bash");
    command.current_dir(corpus.0.path()).args(["-c", script, PROGRAM]);
    command.args(arguments).output().unwrap().into()
}

/// Runs the program for a listener who has left already.
#[cfg(target_os = "linux")]
fn unheard(corpus: &Corpus, arguments: &[&str]) -> Said {
    let (listener, output) = io::pipe().unwrap();
    drop(listener);
    corpus.command(arguments).stdout(output).output().unwrap().into()
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_costs_nothing() {
    let full = "\"$0\" \"$@\" > /dev/full";
    shell(&TRAINED, full, &["params"]).badly(1, &["standard output: "]);
    let corpus = Corpus::new();
    let train = training("a.en", "a.de", &[]);
    let small = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    shell(&corpus, small, &train)
        .badly(1, &["run/00000002 is not saved", "model.safetensors"]);
    assert!(kept(&corpus.path("run")).is_empty());
    assert_eq!(names(&corpus.path("run/best")), [".lock"]);
    // A drawing that does not fit leaves the one before it as it was.
    let model = TRAINED.path("run");
    let model = model.to_str().unwrap();
    let draw = ["attend", "--model", model, "a cat .", "--out", "drawn"];
    corpus.run(&draw).well();
    let read = || fs::read(corpus.path("drawn/encoder-1.svg")).unwrap();
    let before = read();
    let tiny = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    shell(&corpus, tiny, &draw).badly(1, &["drawn/encoder-1.svg"]);
    assert_eq!(read(), before);
    assert_eq!(names(&corpus.path("drawn")).len(), 3);
}

#[test]
#[cfg(target_os = "linux")]
fn a_model_too_large_for_the_memory_is_refused_before_anything_is_read() {
    let corpus = Corpus::new();
    let little = "ulimit -v 1500000; exec \"$0\" \"$@\"";
    let base = [
        "train",
        "--preset",
        "base",
        "--source",
        "a.en",
        "--target",
        "a.de",
        "--valid-source",
        "none",
        "--valid-target",
        "none",
        "--out",
        "run",
    ];
    let parameters = Config::base().parameters();
    let sentence =
        format!("training {parameters} parameters takes more than 2.0 GB");
    shell(&corpus, little, &base).badly(1, &[&sentence]);
    assert!(!corpus.path("run").exists());
}

/// Each needs some megabytes to begin with.
#[test]
#[cfg(target_os = "linux")]
fn threads_that_cannot_be_started_are_an_error() {
    let little = "ulimit -v 1500000; exec \"$0\" \"$@\"";
    shell(&TRAINED, little, &["params", "--threads", "1024"])
        .badly(1, &["1024 threads cannot be started"]);
}

#[test]
#[cfg(target_os = "linux")]
fn who_stops_listening_stops_a_program_that_only_speaks() {
    let head = "\"$0\" \"$@\" | head -n 1; exit ${PIPESTATUS[0]}";
    let said = shell(&TRAINED, head, &["params"]).well();
    assert_eq!(said.lines().count(), 1);
    let many = "yes 'a cat .' | head -n 5000 | \"$0\" \"$@\" | head -n 1; \
        exit ${PIPESTATUS[2]}";
    shell(&TRAINED, many, &["translate", "--model", "run"]).well();
}

/// Rust opens `/dev/null` where no output is, and everything goes well.
#[test]
#[cfg(target_os = "linux")]
fn who_cannot_listen_is_told_so() {
    for command in [&["translate", "a cat ."][..], &["params"]] {
        shell(&TRAINED, "\"$0\" \"$@\" >&-", command)
            .badly(1, &["error: the standard output is closed"]);
    }
    let corpus = Corpus::new();
    let train = training("a.en", "a.de", &[]);
    shell(&corpus, "\"$0\" \"$@\" >&-", &train).badly(1, &["is closed"]);
    assert!(!corpus.path("run").exists());
}

/// Otherwise `train | head && score` would go on with half a model.
#[test]
#[cfg(target_os = "linux")]
fn who_stops_listening_does_not_stop_a_training_in_silence() {
    let corpus = Corpus::new();
    let long = ["--updates", "100000", "--every", "20"];
    let long = training("a.en", "a.de", &long);
    // What is said before the first update is still listened to.
    let head = "\"$0\" \"$@\" | sed '/^update /q'; exit ${PIPESTATUS[0]}";
    shell(&corpus, head, &long)
        .badly(1, &["stopped after update ", "standard output: "]);
    assert!(names(&corpus.path("run")).len() > 2);
    // Nor one that nobody has ever listened to.
    unheard(&Corpus::new(), &long).badly(1, &["standard output: "]);
    // Nor that something was written.
    for command in [
        &["average", "run", "--out", "mean"][..],
        &["quantize", "--model", "run", "--out", "small"],
        &["export", "--model", "run"],
        &["attend", "--model", "run", "a"],
    ] {
        unheard(&corpus, command).badly(1, &["standard output: "]);
    }
}

/// A writer that has been trained for minutes is not thrown away.
#[test]
#[cfg(target_os = "linux")]
fn who_stops_listening_costs_no_writer() {
    let corpus = Corpus::new();
    corpus.write("pages", "a cat sleeps on the warm stove . ".repeat(24));
    let files = ["learn", "--text", "pages", "--held-out", "pages"];
    let small = ["--merges", "20", "--updates", "10", "--out", "writer"];
    let head = "\"$0\" \"$@\" | head -n 1; exit ${PIPESTATUS[0]}";
    shell(&corpus, head, &[&files[..], &small].concat())
        .badly(1, &["the writer is saved", "standard output: "]);
    let write = ["write", "--model", "writer", "--length", "5", "a cat"];
    corpus.run(&write).well();
}

/// A writer that learns until it is interrupted, and one that is not.
#[test]
#[cfg(target_os = "linux")]
fn a_writer_that_is_interrupted_goes_on_as_if_it_had_not() {
    let corpus = Corpus::new();
    corpus.write("pages", "a cat sleeps on the warm stove . ".repeat(24));
    let files = ["learn", "--text", "pages", "--held-out", "pages"];
    let small = ["--merges", "20", "--updates", "40", "--threads", "1"];
    let to = |out| [&files[..], &small, &["--out", out]].concat();
    corpus.run(&to("whole")).well();
    // Its second line comes after two updates.
    let script = "\"$0\" \"$@\" > out & \
        until [ $(wc -l < out) -gt 1 ]; do sleep 0.01; done; \
        kill -INT $!; wait $!; code=$?; cat out; exit $code";
    let said = shell(&corpus, script, &to("parts"));
    assert_eq!(said.code, Some(130), "{}{}", said.out, said.err);
    let words = "stopped; the same command and --resume go on\n";
    assert!(said.out.ends_with(words), "{}", said.out);
    assert!(!corpus.path("parts").exists());
    assert_eq!(names(&corpus.path("parts.learning")).len(), 2);
    corpus
        .run(&to("parts"))
        .badly(1, &["parts has begun to learn; --resume goes on with it"]);
    let on = |more: &[&str]| {
        corpus.run(&[&to("parts")[..], &["--resume"], more].concat())
    };
    corpus.write("others", "a dog sleeps on the warm stove . ".repeat(24));
    let other = ["learn", "--text", "others", "--held-out", "pages"];
    let other = [&other[..], &small, &["--out", "parts", "--resume"]];
    corpus.run(&other.concat()).badly(1, &["has learned from another text"]);
    on(&["--d-ff", "8"]).badly(1, &["has begun with other flags"]);
    let draft = ["write", "--model", "parts.learning", "a"];
    corpus
        .run(&draft)
        .badly(1, &["parts.learning is where a writer is while it learns"]);
    on(&[]).well();
    assert!(!corpus.path("parts.learning").exists());
    for file in ["model.safetensors", "config.toml"] {
        let read = |dir| fs::read(corpus.path(dir).join(file)).unwrap();
        assert!(read("whole") == read("parts"), "{file}");
    }
}

/// Before anything is learned, which may take hours.
#[test]
fn a_writer_that_could_not_be_saved_does_not_begin() {
    let corpus = Corpus::new();
    corpus.write("pages", "a cat sleeps on the warm stove . ".repeat(24));
    let files = ["learn", "--text", "pages", "--held-out", "pages"];
    let learn = |out: &str, more: &[&str]| {
        corpus.run(&[&files[..], &["--out", out], more].concat())
    };
    learn("pages/writer", &[]).badly(1, &["pages/writer.learning: "]);
    learn("pages", &["--updates", "1"]).badly(1, &["pages is there already"]);
    assert!(!corpus.path("pages.learning").exists());
    learn("new", &["--resume"]).badly(1, &["new has not begun to learn"]);
    let words = "5 heads do not divide a width of 16";
    learn("new", &["--d-model", "16", "--heads", "5"]).badly(2, &[words]);
    learn("new", &["--peak-lr", "2"])
        .badly(2, &["not a number from 0.000000001"]);
}

/// How deep and wide it is, and how it learns, as with a translator.
#[test]
fn a_writer_has_the_sizes_that_are_asked_for() {
    let corpus = Corpus::new();
    corpus.write("pages", "a cat sleeps on the warm stove . ".repeat(24));
    let files = ["learn", "--text", "pages", "--held-out", "pages"];
    let sizes = "--layers 2 --d-model 16 --d-ff 24 --heads 2 --merges 20 \
                 --updates 2 --batch-tokens 200 --peak-lr 0.01 --dropout 0";
    let sizes: Vec<_> = sizes.split_whitespace().collect();
    let out = ["--out", "writer"];
    corpus.run(&[&files[..], &sizes, &out].concat()).well();
    let writer = Writer::load(&corpus.path("writer")).unwrap();
    let Config { layers, d_model, d_ff, heads, .. } = writer.config;
    assert_eq!([layers, d_model, d_ff, heads], [2, 16, 24, 2]);
    let Recipe { batch_tokens, peak_lr, dropout, .. } = writer.recipe;
    assert_eq!((batch_tokens, peak_lr, dropout), (200, 0.01, 0.0));
}

/// Whenever the signal comes.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_command_leaves_nothing_behind() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &["--d-model", "256"]).well();
    corpus.run(&["export", "--model", "run", "--out", "weights"]).well();
    let files = || {
        let made = corpus.path("made");
        let drawn = if made.is_dir() { names(&made) } else { Vec::new() };
        [names(corpus.0.path()), drawn].concat()
    };
    let import = ["import", "--weights", "weights", "--model", "run"];
    // It translates before it draws.
    let drawing =
        "while kill -0 $! && [ ! -d made ]; do :; done 2> /dev/null;";
    for delay in 0..8 {
        for (before, command) in [
            ("", &["average", "run", "--out", "made"][..]),
            ("", &["quantize", "--model", "run", "--out", "made"]),
            ("", &["export", "--model", "run", "--out", "made"]),
            ("", &[&import[..], &["--out", "made"]].concat()),
            (drawing, &["attend", "--model", "run", "a", "--out", "made"]),
        ] {
            let script = format!(
                "\"$0\" \"$@\" > /dev/null & {before} sleep 0.0{delay:02}; \
                 kill -INT $! 2> /dev/null; wait $!"
            );
            let said = shell(&corpus, &script, command);
            let all = files();
            let left = all.iter().find(|name| name.contains("unfinished"));
            assert_eq!(left, None);
            let made = corpus.path("made");
            match said.code {
                Some(0) => assert!(made.exists()),
                Some(130) => {}
                // Before the program could hear it.
                code => assert_eq!(code, Some(130), "{}", said.err),
            }
            fs::remove_dir_all(&made)
                .or_else(|_| fs::remove_file(&made))
                .ok();
        }
    }
}

/// The error of the library has the system's in its own text.
#[test]
#[cfg(target_os = "linux")]
fn a_cause_is_said_once() {
    let corpus = Corpus::new();
    let lines = |text: &str| text.repeat(400);
    corpus.write("long.en", lines(ENGLISH));
    corpus.write("long.de", lines(GERMAN));
    let train = training("long.en", "long.de", &[]);
    let small = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let said = shell(&corpus, small, &train);
    assert_eq!(said.err.matches("os error").count(), 1, "{}", said.err);
    said.badly(1, &["training texts: ", "temporary file: File too large"]);
}

/// A terminal must not be told what to do by the name of a file.
#[test]
fn names_are_shown_without_escapes_and_line_breaks() {
    let corpus = Corpus::new();
    let name = "a\u{1b}[31m\nb";
    let said = corpus.run(&["params", "--model", name]);
    assert!(said.err.contains(r"a\u{1b}[31m\nb: "), "{}", said.err);
    assert_eq!(said.err.lines().count(), 1);
    corpus.write(name, ENGLISH);
    let out = corpus.train(name, "a.de", &[]).well();
    let first = out.lines().next().unwrap();
    assert!(first.contains(r"of a\u{1b}[31m\nb, "), "{first}");
}

#[test]
fn what_a_writer_goes_on_with_has_a_limit() {
    let corpus = Corpus::new();
    corpus.write("pages", "a cat sleeps on the warm stove . ".repeat(24));
    let files = ["learn", "--text", "pages", "--held-out", "pages"];
    let small = ["--merges", "20", "--updates", "1", "--out", "writer"];
    corpus.run(&[&files[..], &small].concat()).well();
    let long = "zq".repeat(600);
    let write = ["write", "--model", "writer", &long];
    let words = ["the text has 1200 tokens; at most 1024 are possible"];
    corpus.run(&write).badly(1, &words);
}

/// Trains until this signal comes.
#[cfg(target_os = "linux")]
fn signalled(corpus: &Corpus, signal: &str) -> Said {
    let long = ["--updates", "100000", "--every", "100000"];
    let long = training("a.en", "a.de", &long);
    // Its first line comes when it listens.
    let script = "\"$0\" \"$@\" > out & \
        until grep -q parameters out; do sleep 0.01; done; \
        sleep 0.2; kill -SIGNAL $!; wait $!; code=$?; cat out; exit $code";
    shell(corpus, &script.replace("SIGNAL", signal), &long)
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_training_leaves_a_checkpoint_and_says_so() {
    for signal in ["INT", "TERM", "HUP"] {
        let corpus = Corpus::new();
        let said = signalled(&corpus, signal);
        let words = "stopped; train --resume --out run goes on\n";
        assert!(said.out.ends_with(words), "{}{}", said.out, said.err);
        assert_eq!(said.code, Some(130), "{signal}");
        let log = corpus.log();
        let last = log.lines().last().unwrap().split('\t').next().unwrap();
        let kept = kept(&corpus.path("run"));
        assert_eq!(kept, [format!("{last:0>8}")]);
    }
}

/// Then nothing is left to interrupt: the training is complete.
#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_in_the_last_update_changes_nothing() {
    let corpus = Corpus::new();
    // Enough of a model to be at it for a while.
    let large = ["--updates", "1", "--every", "1", "--layers", "6"];
    let large =
        [&large[..], &["--d-model", "256", "--d-ff", "1024"]].concat();
    let script = "\"$0\" \"$@\" > out & \
        until grep -q parameters out; do sleep 0.01; done; \
        kill -INT $!; wait $!; code=$?; cat out; exit $code";
    let said = shell(&corpus, script, &training("a.en", "a.de", &large));
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("update 1: "), "{}", said.out);
    assert_eq!(kept(&corpus.path("run")), ["00000001"]);
}

/// A task is examined after its last update, interrupted or not.
#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_in_the_last_update_of_a_task_leaves_the_examination() {
    let corpus = Corpus::new();
    // Enough of a batch to be at it for a while.
    let script = "\"$0\" \"$@\" > out & \
        until grep -q parameters out; do sleep 0.01; done; \
        kill -INT $!; wait $!; code=$?; cat out; exit $code";
    let train = ["train", "--updates", "1", "--layers", "1"];
    let train = [&train[..], &["--batch-tokens", "10000"]].concat();
    let said = shell(&corpus, script, &train);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("solved"), "{}", said.out);
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_is_heard_after_training_too() {
    let corpus = Corpus::new();
    // Enough of a model to be examined for a while.
    let script = "\"$0\" \"$@\" > out & \
        until grep -q 'update 1' out; do sleep 0.01; done; \
        sleep 0.2; kill -INT $!; wait $!; code=$?; cat out; exit $code";
    let train = ["train", "--updates", "1", "--threads", "1"];
    let train = [&train[..], &["--d-model", "128"]].concat();
    let said = shell(&corpus, script, &train);
    assert_eq!(said.code, Some(130), "{}", said.out);
    assert!(!said.out.contains("solved"), "{}", said.out);
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_kill_left_behind_is_cleared_away() {
    let corpus = Corpus::new();
    corpus.train("a.en", "a.de", &[]).well();
    for part in [".00000043.7-0.unfinished", ".forgotten"] {
        fs::create_dir(corpus.path("run").join(part)).unwrap();
        corpus.write(&format!("run/{part}/model.safetensors"), "half");
    }
    let own = corpus.path("run/.00000043.unfinished");
    replace_file(&own, b"somebody's").unwrap();
    corpus.train("a.en", "a.de", &["--resume", "--updates", "8"]).well();
    let left = kept(&corpus.path("run"));
    assert_eq!(left[0], ".00000043.unfinished");
    assert_eq!(left.len(), 5);
}

#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_is_gone_is_named() {
    let script = "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" \"$@\"";
    let model = TRAINED.path("run").display().to_string();
    let export = ["export", "--model", &model, "--out", "torch"];
    shell(&TRAINED, script, &export).badly(1, &["torch"]);
}
