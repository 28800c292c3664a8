//! The figures of the chapter on gaps.

#[path = "../code/examples/gaps.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tensor::Matrix;
use all_you_need::tokens::words;
use example::{LEARNED, RUNS, curves, passes};
use example::{heads, is_far, looked, most, share};
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};
use print::log::number;

pub fn draw() {
    clues();
    learning();
    shares();
    let sentence = looked("map").next().expect("a map")[1];
    let (noun, _) = most("subject", is_far);
    let (time, _) = most("time", is_far);
    maps(sentence, [(&noun, "the subject"), (&time, "the time")]);
}

/// A sentence with a gap, and which words tell what is missing.
fn clues() {
    let words = words("the cats near the old dog ___ tired today .");
    let text = "The words of the sentence in a row. An arrow leads from cats, \
        far to the left of the gap, to the gap, and says plural. Another leads \
        from today, to the right of the gap, and says now. A third leads from \
        dog, the word before the gap, and misleads: it says singular.";
    let mut figure =
        Diagram::new("What tells the missing word", text, 31.0, 7.6).across(16.4);
    let widths =
        words.iter().map(|word| 1.0 + 0.42 * word.chars().count() as f64);
    let mut x = 0.4;
    let mut blocks = Vec::new();
    for (word, width) in words.iter().zip(widths) {
        let hue = match word.as_str() {
            "___" => Hue::QUERIES,
            "cats" | "today" => Hue::KEYS,
            _ => Hue::Rule,
        };
        let at = (x + width / 2.0, 4.0);
        blocks.push((at.0, figure.block(at, (width, 1.6), word, hue)));
        x += width + 0.35;
    }
    let gap = blocks[6].0;
    for (from, height, shift, note) in
        [(1, 1.2, -0.3, "more than one"), (8, 1.2, 0.3, "now")]
    {
        let x = blocks[from].0;
        let way = [
            (x, 3.2),
            (x, height),
            (gap + shift, height),
            (gap + shift, 3.2),
        ];
        figure.arrow(&way, Hue::KEYS);
        figure.note(((x + gap) / 2.0, height), Side::Above, note);
    }
    let dog = blocks[5].0;
    figure
        .arrow(&[(dog, 4.8), (dog, 5.9), (gap, 5.9), (gap, 4.8)], Hue::Rule);
    figure.note(((dog + gap) / 2.0, 5.9), Side::Below, "one");
    plot::save("gaps-clues", &figure.draw());
}

/// The share of right verbs in the course of training, by form.
fn learning() {
    let curves = curves();
    let mut order = curves.each_ref().map(|(name, points)| {
        (passes(points), *name)
    });
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let order = order.map(|(updates, name)| format!("{name} after {updates}"));
    let text = format!(
        "The share of hidden verbs that are filled correctly, by the number \
         of updates, a line for each form of sentence, the mean of {} runs. \
         All lines begin at about a half and end near {:.0} percent. They \
         pass {LEARNED:.0} percent in this order of updates: {}.",
        RUNS.len(),
        curves[0].1.last().expect("a point").1,
        order.join(", ")
    );
    let mut chart = Chart::new("The encoder learns to agree", &text)
        .size(500.0, 300.0)
        .x("updates")
        .y("right verbs, in percent");
    for (name, points) in curves {
        chart = chart.line(name, points);
    }
    plot::save("gaps-learning", &chart.draw());
}

const GROUPS: [(&str, &str); 7] = [
    ("subject", "subject"),
    ("before subject", "words before it"),
    ("other noun", "other nouns"),
    ("time", "the time"),
    ("gap", "the gap"),
    ("full stop", "full stop"),
    ("rest", "the rest"),
];

/// Where each head's weight goes from a gap, with and without other words
/// between.
fn shares() {
    let heads = heads();
    let names = GROUPS.map(|(_, name)| name);
    let matrix = |form: &str| {
        Matrix::from_fn(heads.len(), GROUPS.len(), |i, j| {
            share(&heads[i], GROUPS[j].0, |of| of == form)
        })
    };
    let best = |group, form: &str| most(group, |of| of == form);
    let (noun, weight) = best("subject", "phrase");
    let (time, other) = best("time", "phrase");
    let text = format!(
        "A map for sentences with a phrase between. Rows are the {} heads, \
         columns groups of words, and a cell is the share of the gap's weight. \
         Head {noun} gives {weight:.2} to the subject, and head {time} gives \
         {other:.2} to the time. The heads of the first layer spread their \
         weight.",
        heads.len()
    );
    let panel = Panel::new(&matrix("phrase"))
        .rows(&heads)
        .columns(&names)
        .axes("heads", "words")
        .numbers(2)
        .full(1.0)
        .hue(Hue::WEIGHTS)
        .cell(38.0, 22.0);
    let figure =
        HeatMaps::new("Where the row of a gap looks", &text).panel(panel);
    plot::save("gaps-shares", &figure.draw());
}

/// All weights of two heads.
fn maps(sentence: &str, chosen: [(&String, &str); 2]) {
    let words = words(sentence);
    let n = words.len();
    let gap = words.iter().position(|word| word == "___").expect("a gap");
    let weights = |head: &str| {
        let mut map: Matrix = Matrix::zeros(n, n);
        for [_, text, at, cell, weight] in looked("map") {
            if text == sentence && at == head {
                let (i, j) =
                    cell.split_once('.').expect("a row and a column");
                map[(number::<usize>(i), number::<usize>(j))] =
                    number(weight);
            }
        }
        map
    };
    let maps = chosen.map(|(head, _)| weights(head));
    let looks: Vec<String> = maps
        .iter()
        .zip(&chosen)
        .map(|(map, (head, _))| {
            let (key, weight) = map.row(gap).transpose().argmax();
            format!("in head {head} it gives {weight:.2} to {}", words[key])
        })
        .collect();
    let text = format!(
        "Two maps of the weights for “{sentence}”, rows are queries and \
         columns keys. The row of the gap: {}.",
        looks.join(", ")
    );
    let mut figure = HeatMaps::new("Two heads and a gap", &text);
    for (map, (head, what)) in maps.iter().zip(chosen) {
        let panel = Panel::new(map)
            .title(&format!("head {head}: {what}"))
            .rows(&words)
            .columns(&words)
            .axes("queries", "keys")
            .follow_row(gap)
            .full(1.0)
            .hue(Hue::WEIGHTS)
            .cell(15.0, 17.0);
        figure = figure.panel(panel);
    }
    plot::save("gaps-maps", &figure.draw());
}

