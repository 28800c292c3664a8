//! The figures of the first chapter, its map, and for the head of each
//! chapter a strip on which the chapter's part of the machine is lit.

mod drawing;
mod map;

#[path = "../code/examples/machine.rs"]
#[expect(dead_code, reason = "the figures need some of its functions")]
mod example;

use all_you_need::tensor::Matrix;
use all_you_need::translation::Translator;
use example::{CAPTION, NOUN, Trial, WRITTEN};
use plot::{Bars, Diagram, Figure, HeatMaps, Hue, Panel, Point, Side};

pub fn draw() {
    let trial = Trial::of(CAPTION, Translator::captions());
    let maps = trial.maps();
    let [place, ahead] = trial.heads(&maps);
    plot::save("machine-outside", &outside(&trial, &ahead));
    plot::save("machine-halves", &halves(&trial));
    plot::save("machine-rows", &rows(&trial));
    plot::save("machine-layers", &layers(&trial));
    plot::save("machine-layer", &layer());
    plot::save("machine-place", &head(&trial, &place));
    plot::save("machine-ahead", &head(&trial, &ahead));
    plot::save("machine-next", &next(&trial));
    map::draw();
}

/// The smallest weight that the first picture shows.
const SHOWN: f32 = 0.15;

/// What a head takes from each word of the caption for each written word.
fn outside(trial: &Trial, weights: &Matrix<f32>) -> Figure {
    let read = trial.words(&trial.source[..trial.source.len() - 1]);
    let written = trial.words(&trial.target[1..]);
    let mut looks = Vec::new();
    for i in 0..written.len() - 1 {
        for (j, word) in read.iter().enumerate() {
            if weights[(i, j)] > SHOWN && word != "." {
                looks.push((i, j));
            }
        }
    }
    let lines: Vec<String> = looks
        .iter()
        .map(|&(i, j)| {
            let weight = weights[(i, j)];
            format!("{} to {}, {weight:.2}", written[i], read[j])
        })
        .collect();
    let description = format!(
        "“{CAPTION}” above, “{}” below. Lines join each German word with the \
         English words from which most is taken while it is chosen: {}.",
        trial.translation(),
        lines.join("; "),
    );
    let mut figure = Diagram::new("From outside", &description, 32.8, 9.0).across(15.6);
    let (above, below) = (places(&read, 1.2), places(&written, 1.2));
    for &(i, j) in &looks {
        let hue = match (read[j].as_str(), weights[(i, j)]) {
            (NOUN, _) => Hue::HERE,
            (_, 0.4..) => Hue::WEIGHTS,
            _ => Hue::Rule,
        };
        figure.line(&[(above[j].0, 2.1), (below[i].0, 6.9)], hue);
    }
    for (words, at, y, hue) in [
        (&read, above, 1.3, Hue::SOURCE),
        (&written, below, 7.7, Hue::TARGET),
    ] {
        for (word, (x, width)) in words.iter().zip(at) {
            figure.block((x, y), (width, 1.5), word, hue);
            if word == NOUN {
                mark(&mut figure, (x, y), (width, 1.5));
            }
        }
    }
    figure.draw()
}

/// A frame around the word that we follow.
fn mark(figure: &mut Diagram, (x, y): Point, (width, height): Point) {
    let (x, y) = ([x - width / 2.0, x + width / 2.0], [
        y - height / 2.0,
        y + height / 2.0,
    ]);
    let corners =
        [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1]), (x[0], y[0])];
    figure.line(&corners, Hue::HERE);
}

/// The middles and the widths of words that share the width of a page.
fn places(words: &[String], room: f64) -> Vec<(f64, f64)> {
    let width = |word: &String| room + 0.38 * word.chars().count() as f64;
    let all: f64 = words.iter().map(width).sum();
    let gap = (32.4 - all) / (words.len() - 1) as f64;
    let mut left = 0.2;
    let place = |word| {
        let width = width(word);
        let middle = left + width / 2.0;
        left += width + gap;
        (middle, width)
    };
    words.iter().map(place).collect()
}

/// The way of one word from the caption to the probabilities.
fn halves(trial: &Trial) -> Figure {
    let memory = trial.model().encode(&[&trial.source]).rows;
    let read = trial.words(&trial.source);
    let guesses = trial.guesses();
    let description = format!(
        "The encoder reads the {} tokens of “{CAPTION}” and hands a row of {} \
         numbers for each over to the decoder. The decoder has written “{}”, \
         and finds {} most probable, {:.2}. The token {NOUN} and its row are \
         marked.",
        read.len(),
        memory.ncols(),
        trial.written(),
        guesses[0].0,
        guesses[0].1,
    );
    let mut figure = Diagram::new("Two halves", &description, 33.0, 15.0).across(15.4);
    let middle = 6.4;
    let y = |i: usize| middle + 1.04 * (i as f64 - 5.5);
    for (i, word) in read.iter().enumerate() {
        figure.block((2.0, y(i)), (3.6, 0.92), word, Hue::SOURCE);
        figure.block((14.2, y(i)), (3.6, 0.6), "", Hue::SOURCE);
        if word == NOUN {
            mark(&mut figure, (2.0, y(i)), (3.6, 0.92));
            mark(&mut figure, (14.2, y(i)), (3.6, 0.6));
        }
    }
    let encoder =
        figure.block((8.3, middle), (5.0, 5.0), "encoder", Hue::SOURCE);
    let decoder =
        figure.block((20.8, middle), (5.0, 5.0), "decoder", Hue::TARGET);
    figure.arrow(&[(4.0, middle), encoder.left()], Hue::SOURCE);
    figure.arrow(&[encoder.right(), (12.2, middle)], Hue::SOURCE);
    figure.arrow(&[(16.2, middle), decoder.left()], Hue::SOURCE);
    let size = format!("{} numbers\nfor each token", memory.ncols());
    figure.note((14.2, 12.8), Side::Below, &size);
    figure.note((2.2, 12.8), Side::Below, "tokens of\nthe caption");
    figure.arrow(&[(20.8, 12.5), decoder.bottom()], Hue::TARGET);
    let written = trial.words(&trial.target[1..=WRITTEN]).join(" ");
    figure.note((20.8, 12.8), Side::Below, &format!("written:\n{written}"));
    figure.arrow(&[decoder.right(), (24.9, middle)], Hue::TARGET);
    for (i, (word, p)) in guesses.iter().take(4).enumerate() {
        let y = middle + 1.2 * (i as f64 - 1.5);
        let width = 0.15 + 3.0 * p;
        let hue = if i == 0 { Hue::HERE } else { Hue::TARGET };
        figure.note((28.6, y), Side::Left, word);
        figure.block((28.8 + width / 2.0, y), (width, 0.8), "", hue);
    }
    figure.note((28.8, 12.8), Side::Below, "probabilities\nof the next word");
    figure.draw()
}

/// What the encoder hands over, as colours.
fn rows(trial: &Trial) -> Figure {
    let memory = trial.model().encode(&[&trial.source]).rows;
    let (rows, columns) = memory.shape();
    let description = format!(
        "A heat map of {rows} rows and {columns} columns. Each row has the \
         name of a word of the caption."
    );
    let words = trial.words(&trial.source);
    let panel = Panel::new(&memory).rows(&words).cell(3.2, 16.0);
    let title = "What the encoder hands over";
    HeatMaps::new(title, &description).panel(panel).draw()
}

/// The layers of both halves, and the way from one to the other.
fn layers(trial: &Trial) -> Figure {
    let model = trial.model();
    let (reads, writes) =
        (model.encoder.layers.len(), model.decoder.layers.len());
    let description = format!(
        "At the left {reads} layers of the encoder, at the right {writes} \
         layers of the decoder. Rows of numbers climb from layer to layer. \
         What comes out of the last encoder layer goes to every layer of the \
         decoder."
    );
    let height = |i: usize| 2.0 * (reads - i) as f64 + 3.4;
    let base = height(1) + 2.6;
    let mut figure = Diagram::new("Layers", &description, 26.0, base + 1.8).across(18.0);
    let (left, right, bus) = (7.0, 19.0, 13.0);
    for (x, count, name, hue) in [
        (left, reads, "encoder layer", Hue::SOURCE),
        (right, writes, "decoder layer", Hue::TARGET),
    ] {
        for i in 1..=count {
            let text = format!("{name} {i}");
            let block = figure.block((x, height(i)), (7.0, 1.2), &text, hue);
            let below = (x, height(i) + if i > 1 { 1.4 } else { 2.6 });
            figure.arrow(&[below, block.bottom()], hue);
        }
    }
    let top = height(reads) - 1.6;
    let up = [(left, height(reads) - 0.6), (left, top), (bus, top)];
    figure.line(&[&up[..], &[(bus, height(1))]].concat(), Hue::SOURCE);
    for i in 1..=writes {
        let to = (right - 3.5, height(i));
        figure.arrow(&[(bus, height(i)), to], Hue::SOURCE);
    }
    let end = height(writes) - 0.6;
    figure.arrow(&[(right, end), (right, top)], Hue::TARGET);
    figure.note((left, base), Side::Below, "the caption");
    figure.note((right, base), Side::Below, "what is written so far");
    figure.note((right, top + 0.2), Side::Right, "the next word");
    figure.draw()
}

/// What a layer of the decoder does with its rows.
fn layer() -> Figure {
    let mut figure = Diagram::new(
        "One layer",
        "A layer of the decoder, from the bottom up. Self-attention: each \
         word looks at itself and those written before it. Cross-attention: it \
         looks at the caption. Feed-forward: each word is worked on by itself.",
        24.0,
        11.6,
    );
    let x = 5.0;
    let mut from = (x, 10.6);
    for (y, name, text, hue) in [
        (8.6, "self-attention", "looks at what is written", Hue::WEIGHTS),
        (5.6, "cross-attention", "looks at the caption", Hue::WEIGHTS),
        (2.6, "feed-forward", "works on each row by itself", Hue::Rule),
    ] {
        let block = figure.block((x, y), (8.0, 1.6), name, hue);
        figure.arrow(&[from, block.bottom()], Hue::TARGET);
        figure.note((11.4, y), Side::Right, text);
        from = block.top();
    }
    figure.arrow(&[from, (x, 0.6)], Hue::TARGET);
    figure.arrow(&[(11.4, 5.6), (9.0, 5.6)], Hue::SOURCE);
    figure.draw()
}

/// Where a head looks at each moment.
fn head(trial: &Trial, weights: &Matrix<f32>) -> Figure {
    let (read, written) = (trial.words(&trial.source), trial.to_write());
    let (most, _) = weights.row(WRITTEN).transpose().argmax();
    let note = format!("looks at *{}*", read[most]);
    let noun = read.iter().position(|word| word == NOUN).expect("the noun");
    let description = format!(
        "A map of weights with {} rows and {} columns. A row belongs to the \
         word that is to be written, a column to a word of the caption. The \
         row of {} takes most from {}.",
        weights.nrows(),
        weights.ncols(),
        written[WRITTEN],
        read[most],
    );
    let panel = Panel::new(weights).rows(&written).columns(&read).full(1.0);
    let panel = panel.axes("queries: to be written", "keys: the caption");
    let panel = panel.hue(Hue::WEIGHTS).cell(16.5, 24.0);
    let panel = panel.follow_column(noun).note(WRITTEN, &note);
    HeatMaps::new("Where one head looks", &description).panel(panel).draw()
}

/// The most probable next words.
fn next(trial: &Trial) -> Figure {
    let guesses = trial.guesses();
    let heading = format!("probability to follow “{}”", trial.written());
    let description = format!(
        "Bars for the most probable words after “{}”. The longest, {:.2}, \
         belongs to {}.",
        trial.written(),
        guesses[0].1,
        guesses[0].0,
    );
    let mut bars = Bars::new("The next word", &description).heading(&heading);
    for (i, (word, p)) in guesses.iter().take(6).enumerate() {
        let hue = if i == 0 { Hue::HERE } else { Hue::TARGET };
        bars = bars.bar_in(hue, word, *p);
    }
    bars.decimals(3).draw()
}
