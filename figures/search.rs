//! The figures of the chapter on search.

#[path = "../code/examples/search.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{
    I_AM_FINE, Language, SETTINGS, first_words, joined, of_four_fifths,
    two_steps,
};
use plot::{Bars, Block, Chart, Diagram, Figure, Hue, Side};

/// What greedy finds.
const GREEDY: &str = "Ich fühle mich gut";

pub fn draw() {
    tree_of_all();
    beam();
    penalty();
    sampling();
}

/// A beginning in the tree of all sentences.
struct Node {
    said: String,
    text: String,
    at: (f64, f64),
    next: Vec<Node>,
}

/// Between two leaves of the tree, and between its columns.
const STEP: (f64, f64) = (6.5, 1.55);

impl Node {
    /// The tree of all that can follow. `leaves` counts those that are above.
    fn new(
        language: &Language,
        said: &str,
        text: &str,
        depth: usize,
        leaves: &mut usize,
    ) -> Self {
        let after = language.after(said);
        let is_leaf = after.len() == 1;
        let after: &[(&str, f64)] = if is_leaf { &[] } else { after };
        let child = |(word, p): &(&str, f64)| {
            let (said, text) = (joined(said, word), format!("{word} {p}"));
            Node::new(language, &said, &text, depth + 1, leaves)
        };
        let next: Vec<Node> = after.iter().map(child).collect();
        let y = match (next.first(), next.last()) {
            (Some(first), Some(last)) => (first.at.1 + last.at.1) / 2.0,
            _ => {
                *leaves += 1;
                STEP.1 * *leaves as f64 - 0.5
            }
        };
        let at = (2.2 + STEP.0 * depth as f64, y);
        Self { said: said.to_string(), text: text.to_string(), at, next }
    }

    fn draw(
        &self,
        figure: &mut Diagram,
        language: &Language,
        paint: &impl Fn(&str) -> Hue,
    ) -> Block {
        let width = if self.said.is_empty() { 3.6 } else { 5.3 };
        let size = (width, 1.25);
        let block =
            figure.block(self.at, size, &self.text, paint(&self.said));
        for node in &self.next {
            let next = node.draw(figure, language, paint);
            figure.line(&[block.right(), next.left()], paint(&node.said));
        }
        if self.next.is_empty() {
            let p = format!("{:.3}", language.probability(&self.said));
            figure.note(block.right(), Side::Right, &p);
        }
        block
    }
}

/// All sentences as a tree.
fn draw_tree(
    title: &str,
    description: &str,
    paint: impl Fn(&str) -> Hue,
) -> Figure {
    let (language, mut leaves) = (Language::new(I_AM_FINE), 0);
    let tree = Node::new(&language, "", "<start>", 0, &mut leaves);
    let height = STEP.1 * leaves as f64 + 0.6;
    let mut figure = Diagram::new(title, description, 33.4, height).across(15.4);
    tree.draw(&mut figure, &language, &paint);
    figure.draw()
}

/// Sentences with their probabilities, in words.
fn listed(sentences: &[(String, f64)]) -> String {
    let each = sentences.iter().map(|(said, p)| format!("{said} {p:.3}"));
    each.collect::<Vec<_>>().join(", ")
}

/// All sentences, with what greedy finds and what is better.
fn tree_of_all() {
    let language = Language::new(I_AM_FINE);
    let all = language.sentences();
    let p = language.probability(GREEDY);
    let better: Vec<_> = all.iter().filter(|(_, other)| *other > p + 1e-9).collect();
    let description = format!(
        "A tree. From the start a line leads to each word that may come \
         first, from there to each that may come second, and so on. Greedy \
         goes to {GREEDY}, {p:.3}. The sentences at its ends are: {}.",
        listed(&all)
    );
    let paint = |said: &str| match () {
        () if GREEDY.starts_with(said) => Hue::OURS,
        () if better.iter().any(|(other, _)| other.starts_with(said)) => Hue::Ink,
        () if said == "Gut <end>" => Hue::Ink,
        () => Hue::Rule,
    };
    let figure = draw_tree("What can follow I am fine", &description, paint);
    plot::save("search-tree", &figure);
}

/// A beam of two, step by step.
fn beam() {
    let language = two_steps();
    let steps = language.steps.len() - 1;
    let frames: Vec<_> =
        (1..=steps).map(|step| frame(&language, step)).collect();
    plot::save_frames("search-beam", &frames);
}

/// What a beam keeps and what it lets go, up to a step.
fn frame(language: &Language, step: usize) -> Figure {
    let mut asked = Vec::new();
    for said in language.steps[..step].iter().flatten() {
        let next = language.after(said).iter();
        asked.extend(next.map(|(word, _)| joined(said, word)));
    }
    let kept = &language.steps[step];
    let with_p = |said: &String| (said.clone(), language.probability(said));
    let [keeps, asks]: [Vec<_>; 2] = [kept, &asked]
        .map(|all: &Vec<String>| all.iter().map(with_p).collect());
    let description = format!(
        "The tree of all sentences. Asked so far: {}. Kept: {}.",
        listed(&asks),
        listed(&keeps)
    );
    let paint = |said: &str| match () {
        () if kept.iter().any(|kept| kept.starts_with(said)) => Hue::OURS,
        () if asked.iter().any(|asked| asked == said) => Hue::Ink,
        () => Hue::Rule,
    };
    let title = format!("A beam of two after step {step}");
    draw_tree(&title, &description, paint)
}

/// The score of sentences whose every token has probability 0.8.
fn penalty() {
    let longest = 40;
    let line = |alpha| (1..=longest).map(move |n| (n as f64, of_four_fifths(n, alpha)));
    let last = |alpha| print::grouped(format!("{:.1}", of_four_fifths(longest, alpha)));
    let figure = Chart::new(
        "What length costs",
        &format!(
            "The score of a sentence whose tokens all have the same \
             probability, up to {longest} tokens. At α = {} it falls in a \
             straight line to {}; at α = {} more and more slowly, to {}; at \
             α = {} it falls at first and levels off, at {}.",
            0,
            last(0.0),
            0.6,
            last(0.6),
            1,
            last(1.0)
        ),
    )
    .size(500.0, 300.0)
    .x("tokens, the end included")
    .y("ln P / lp")
    .line_in(Hue::RIVAL, "α = 0", line(0.0))
    .line_in(Hue::OURS, "α = 0.6", line(0.6))
    .line_in(Hue::SECOND_RIVAL, "α = 1", line(1.0));
    plot::save("search-penalty", &figure.draw());
}

/// The probabilities of the first word, before and after.
fn sampling() {
    let frame = |(name, settings)| {
        let each = first_words(settings);
        let figure = Bars::new(
            &format!("The first word, {name}"),
            &format!("The probabilities are: {}.", listed(&each)),
        );
        let figure = figure.heading(name).full(0.6).decimals(3);
        let bar =
            |figure: Bars, (word, p): &(String, f64)| figure.bar(word, *p);
        each.iter().fold(figure, bar).draw()
    };
    plot::save_frames("search-sampling", &SETTINGS.map(frame));
}
