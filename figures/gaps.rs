//! The figures of the chapter on gaps.

#[path = "../code/examples/gaps.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tensor::Matrix;
use all_you_need::tokens::words;
use example::{is_far, looked, most};
use plot::{Diagram, HeatMaps, Hue, Panel, Side};
use print::log::number;

pub fn draw() {
    clues();
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

