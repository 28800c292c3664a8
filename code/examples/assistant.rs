//! From a writer to an assistant: `cargo run --example assistant`

use all_you_need::assistant::{
    FEW, GROUP, LIMIT, Lora, QUESTIONS, RANK, Sets, World, config, trying,
    tuning,
};
use all_you_need::parameters::parameter_count;
use all_you_need::plain::assistant::worths;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::Half;
use print::log::{self, number};
use print::{
    Fixed, grouped, least, mean, most, plus_minus, section, table, value,
};

#[path = "assistant/world.rs"]
mod world;

fn main() {
    an_answer();
    world::show();
    what_they_say();
    what_each_step_did();
    a_group();
    rewards();
    narrow();
    rates();
}

/// Each stage, as the log and as the page call it.
const STAGES: [(&str, &str); 8] = [
    ("read", "the writer"),
    ("quiz", "the writer, after a quiz"),
    ("tuned", "fine-tuned"),
    ("mixed", "fine-tuned, reading on"),
    ("lora", "LoRA"),
    ("checked", "rewarded"),
    ("few", "rewarded, few questions"),
    ("careless", "carelessly rewarded"),
];

/// What `src/logs/assistant.sh` has found.
fn logged<const N: usize>(what: &str) -> impl Iterator<Item = [&str; N]> {
    log::table(log::read(&format!("assistant-{what}")))
}

/// One number of all seeds after a stage: column 0 is the loss on plain text,
/// then come the probabilities of right answers, and in the last column the
/// share of the sums to which the likeliest answer is right.
pub fn column(stage: &str, column: usize) -> Vec<f64> {
    let rows = logged("runs").filter(|row: &[&str; 8]| row[1] == stage);
    let scale = if column == 0 { 1.0 } else { 100.0 };
    rows.map(|row| scale * number::<f64>(row[2 + column])).collect()
}

/// What an answer costs.
fn an_answer() {
    let p: [f64; 2] = [0.5, 0.9];
    let nats = p.map(|p| -p.ln());
    section("An answer");
    value("each", nats.fixed(2).join(" and "));
    value("together", (nats[0] + nats[1]).fixed(2));
}

fn what_they_say() {
    let titles = [
        ("Questions to two writers", "read"),
        ("Questions to two assistants", "tuned"),
        ("Questions after a careless check", "careless"),
    ];
    for (title, stage) in titles {
        section(title);
        let said = |who: &'static str| {
            logged("said")
                .filter(move |row: &[_; 4]| row[..2] == [who, stage])
        };
        for ([_, _, asked, one], [.., other]) in said("1").zip(said("2")) {
            println!("{asked}");
            for (who, said) in [("first", one), ("second", other)] {
                let words: Vec<&str> = said.split(' ').collect();
                let (shown, more) = words.split_at(words.len().min(14));
                let dots = if more.is_empty() { "" } else { " …" };
                let shown = match said {
                    "" => "(nothing)".to_owned(),
                    _ => shown.join(" "),
                };
                println!("  {who:6} → {shown}{dots}");
            }
        }
    }
}

/// A row for each stage, beside what the section of the page compares it with.
fn what_each_step_did() {
    section("Asked and stated");
    let asked = [
        ("sums of the test", "read", 1),
        ("homes of the test", "read", 3),
        ("sums that quizzes answer", "seen", 1),
        ("homes that quizzes answer", "seen", 3),
    ];
    let rows = asked.map(|(what, stage, column_asked)| {
        let of = |what| plus_minus(&column(stage, what), 0);
        (what, [column_asked, column_asked + 1].map(of))
    });
    table(("", ["asked", "stated"]), rows);
    section("The writer");
    let stated = mean(&column("read", 2));
    value("stated sums of the writer", stated.fixed(0));
    stages("From answers", &["read", "quiz", "tuned", "mixed"]);
    stages("From rewards", &["quiz", "tuned", "checked", "few", "careless"]);
    stages("From narrow matrices", &["tuned", "lora"]);
}

fn stages(title: &str, shown: &[&str]) {
    section(title);
    let stages = STAGES.iter().filter(|(stage, _)| shown.contains(stage));
    let rows = stages.map(|&(stage, name)| {
        let of = |what| plus_minus(&column(stage, what), 0);
        let text = plus_minus(&column(stage, 0), 2);
        (name, [1, 5, 3].map(of), [2, 4].map(of), text)
    });
    let asked = ["sums", "likeliest", "homes"];
    let stated = ["stated sums", "stated homes"];
    table(("", asked, stated, "text, nats"), rows);
}

/// What the page calls a stage.
fn name(stage: &str) -> &'static str {
    let found = STAGES.iter().find(|(own, _)| *own == stage);
    found.expect("a stage").1
}

/// Four rewards by hand.
fn a_group() {
    let signed = |worth: &f64| format!("{worth:+.2}").replace('-', "−");
    let show = |rewards: &[f64]| {
        let each: Vec<String> = worths(rewards).iter().map(signed).collect();
        each.join(", ")
    };
    section("Two answers");
    // The slopes of ln p and of ln (1 − p), with 0.2 subtracted from rewards.
    let p: f64 = 0.2;
    let [right, wrong] = [(1.0 - p) * (1.0 - p), (0.0 - p) * -p];
    value("a right draw", right.fixed(2));
    value("a wrong draw", wrong.fixed(2));
    value("on average", (p * right + (1.0 - p) * wrong).fixed(2));
    section("A group");
    value("one of four is right", show(&[0.0, 1.0, 0.0, 0.0]));
    value("three of four are right", show(&[1.0, 1.0, 0.0, 1.0]));
    let Recipe { updates, .. } = trying(1);
    value("updates", updates);
    let Recipe { updates: read, batch_tokens, .. } = tuning(1);
    value("updates of fine-tuning", read);
    // An answer is two tokens and the end.
    let pairs = Sets::new().answered.len();
    value("each pair is read", read * batch_tokens / 3 / pairs);
    value("answers to a question", GROUP);
    value("questions an update", QUESTIONS);
    value("tokens of an answer", LIMIT);
    value("answers in all", grouped(GROUP * QUESTIONS * updates));
}

/// The mean reward of each twenty updates, or how probable the right answers
/// to the test sums are after them: a point for each twenty, the mean of all
/// seeds.
pub fn steps(stage: &str, what: usize) -> Vec<(f64, f64)> {
    let Recipe { updates, .. } = trying(1);
    let at = |step: usize| {
        let rows = logged("steps").filter(|row: &[&str; 5]| {
            row[1] == stage && number::<usize>(row[2]) == step
        });
        let all: Vec<f64> = rows.map(|row| number(row[3 + what])).collect();
        (step as f64, mean(&all))
    };
    (20..=updates).step_by(20).map(at).collect()
}

fn rewards() {
    section("Rewards");
    value("few", FEW);
    let (_, first) = steps("checked", 0)[0];
    value("rewarded, at first", first.fixed(2));
    for stage in ["checked", "few", "careless"] {
        let all = steps(stage, 0);
        let (_, last) = all[all.len() - 1];
        value(format!("{}, at last", name(stage)), last.fixed(2));
    }
    let [tuned, then] = ["tuned", "checked"].map(|stage| column(stage, 1));
    let early = steps("careless", 1)[0].1;
    value("carelessly rewarded, right sums early", (100.0 * early).fixed(0));
    let careless = column("careless", 1);
    value("carelessly rewarded, right sums", mean(&careless).fixed(0));
    value("carelessly rewarded, least", least(&careless).fixed(0));
    value("carelessly rewarded, most", most(&careless).fixed(0));
    let tried = mean(&column("tried", 1));
    value("tried, before", (tried / 100.0).fixed(2));
    let more = tuned.iter().zip(&then).filter(|(a, b)| b > a).count();
    value("seeds with more sums", more);
    for stage in ["tuned", "checked"] {
        let likeliest = mean(&column(stage, 5));
        value(format!("likeliest, {}", name(stage)), likeliest.fixed(0));
    }
}

fn narrow() {
    section("LoRA");
    let (world, rng) = (World::default(), &mut generator(1, Stream::Weights));
    let base: Half<Matrix<f32>> = Half::new(&config(&world), rng);
    let lora: Lora<Matrix<f32>> = Lora::new(&base, RANK, rng);
    let [all, few] = [parameter_count(&base), parameter_count(&lora)];
    value("rank", RANK);
    value("all parameters", grouped(all));
    value("narrow parameters", grouped(few));
    value("part", (few as f64 / all as f64).percent(0));
}

/// How often answers to the validation questions are right, the means of all
/// seeds: of the sums, of the homes, and of the sums as statements.
fn rates() {
    section("Rates");
    let rows: Vec<[&str; 8]> = logged("rates").collect();
    let first = rows.iter().filter(|row| row[0] == "1");
    let tried = first.map(|&[_, stage, rate, ..]| {
        let own = rows.iter().filter(|row| row[1..3] == [stage, rate]);
        let own: Vec<_> = own.collect();
        let right = [4, 6, 5].map(|column| {
            let all = own.iter().map(|row| number::<f64>(row[column]));
            100.0 * mean(&all.collect::<Vec<_>>())
        });
        (name(stage), rate, right.fixed(0), mean(&right).fixed(1))
    });
    table(("", "rate", ["sums", "homes", "stated sums"], "mean"), tried);
}
