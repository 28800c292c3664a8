//! The figure of the page on which two models learn.

#[path = "../code/examples/playground.rs"]
#[expect(dead_code, reason = "the figure needs what it learns")]
mod example;

use example::{Look, WORD, both};
use plot::{Figure, HeatMaps, Hue, Panel};

/// The same in all frames, so that the columns stay where they are.
const CELL: f64 = 21.0;

pub fn draw() {
    let [paper, changed] = both();
    let looks = paper.iter().zip(&changed);
    let frames: Vec<Figure> = looks.map(|(a, b)| frame(a, b)).collect();
    plot::save_frames("playground-looks", &frames);
}

/// Where both models look after the same number of updates.
fn frame(paper: &Look, changed: &Look) -> Figure {
    let s = if paper.updates == 1 { "" } else { "s" };
    let title = format!("{} update{s}", paper.updates);
    let description = format!(
        "After {title} the paper's model has a loss of {:.2} and writes \
         {}, and the one without positions {:.2} and {}.",
        paper.loss,
        spoken(paper),
        changed.loss,
        spoken(changed),
    );
    let read: Vec<String> =
        WORD.chars().map(String::from).chain(["end".into()]).collect();
    let panel = |look: &Look, name: &str| {
        let written = look.legible();
        let letters = written.chars().map(String::from);
        let end = "end".to_owned();
        let mut rows: Vec<String> = letters.chain([end]).collect();
        // Bytes that are no letters have the same sign.
        let places = look.looks.nrows();
        if rows.len() != places {
            rows = vec!["·".to_owned(); places];
        }
        let shown = places.min(read.len() + 1);
        let looks = look.looks.rows(0, shown).map(f64::from);
        Panel::new(&looks)
            .title(&format!("{name}: {written}"))
            .cell(CELL, CELL)
            .rows(&rows[..shown])
            .columns(&read)
            .full(1.0)
            .hue(Hue::WEIGHTS)
    };
    HeatMaps::new(&title, &description)
        .panel(panel(paper, "the paper's"))
        .panel(panel(changed, "no positions"))
        .draw()
}

fn spoken(look: &Look) -> String {
    match look.legible() {
        nothing if nothing.is_empty() => "nothing".to_owned(),
        word => word,
    }
}
