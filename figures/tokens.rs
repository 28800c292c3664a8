//! The figures of the chapter on tokens.

#[path = "../code/examples/tokens.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tokens::{Bpe, Pair, Token, words};
use example::{NINE, halves, visible};
use plot::{Chart, Diagram, Figure, Hue, Side};

pub fn draw() {
    merges();
    rate();
}

/// The nine words, merge by merge.
fn merges() {
    let all = Bpe::train(NINE, 100);
    let frame = |k: usize| {
        let tokens = Bpe::train(NINE, k).encode(NINE);
        let Some(last) = k.checked_sub(1) else {
            return boxes(&all, &tokens, "before the first merge");
        };
        let (left, right) = all.merges()[last];
        let [left, right, both] = [left, right, 256 + last as Token]
            .map(|id| visible(&all.decode(&[id])));
        let before = Bpe::train(NINE, last).encode(NINE);
        let times = count(&before, all.merges()[last]);
        let title = format!("merge {k}:  {left} + {right} → {both}, {times} times");
        boxes(&all, &tokens, &title)
    };
    let frames = Vec::from_iter((0..=all.merges().len()).map(frame));
    plot::save_frames("tokens-merges", &frames);
}

/// How often a text, cut into tokens, has this pair.
fn count(tokens: &[Token], pair: Pair) -> usize {
    tokens.windows(2).filter(|two| (two[0], two[1]) == pair).count()
}

/// The tokens as boxes, in two lines; those of the last merge stand out.
fn boxes(bpe: &Bpe, tokens: &[Token], title: &str) -> Figure {
    let spelled = tokens.iter().map(|&token| bpe.decode(&[token]));
    let shown: Vec<_> = spelled.map(|text| visible(&text)).collect();
    let size = format!("{} tokens", tokens.len());
    let description = format!("{size}: {}", shown.join(" | "));
    let mut figure = Diagram::new(title, &description, 21.0, 6.4);
    figure.note((0.2, 0.8), Side::Right, title);
    figure.note((20.8, 0.8), Side::Left, &size);
    let newest = tokens.iter().max();
    let (mut x, mut y) = (0.5, 2.6);
    for (token, text) in tokens.iter().zip(&shown) {
        let hue = match *token {
            byte if byte < 256 => Hue::Rule,
            _ if Some(token) == newest => Hue::Ink,
            _ => Hue::SOURCE,
        };
        if text.starts_with('␣') && x > 15.0 && y < 3.0 {
            (x, y) = (0.5, 4.9);
        }
        let width = text.chars().count() as f64;
        figure.block((x + width / 2.0, y), (width - 0.15, 1.5), text, hue);
        x += width;
    }
    figure.draw()
}

/// How long the two parts of the story become, merge by merge.
fn rate() {
    let (read, unread) = halves();
    let rate = |merges: usize, text: &str| {
        let tokens = Bpe::train(read, merges).encode(text).len();
        (merges as f64, tokens as f64 / words(text).len() as f64)
    };
    let merges = [1, 3, 10, 30, 100, 200, 362];
    let [known, new] =
        [read, unread].map(|text| merges.map(|merges| rate(merges, text)));
    let last = merges.len() - 1;
    let description = format!(
        "Both lines fall from nearly one token a letter, {:.1} a word, to \
         {:.1} in the text that was read; the text that was not read stays \
         above it, and comes to {:.1}.",
        known[0].1, known[last].1, new[last].1
    );
    let title = "Tokens a word against the number of merges";
    let figure = Chart::new(title, &description)
        .size(450.0, 290.0)
        .x("merges learned")
        .y("tokens a word")
        .log_x()
        .y_range(0.0..5.0)
        .guide_y(1.0, "whole words")
        .line("text it learned from", known)
        .line("text it had not read", new);
    plot::save("tokens-rate", &figure.draw());
}
