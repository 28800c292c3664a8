//! The dictionary of colours, as all figures of the book have it.

use plot::{Diagram, Hue, Side};

/// The distance between two roles, in lines of the grid, and what is more
/// between two colours.
const ROW: f64 = 1.2;
const APART: f64 = 0.5;

pub fn draw() {
    let colours = colours();
    let meanings = colours.iter().map(|(_, roles)| roles.join(" "));
    let description = format!(
        "{} colours, each with its roles in the figures of the book. {}",
        colours.len(),
        meanings.collect::<Vec<_>>().join(" ")
    );
    let height = ROW * Hue::ROLES.len() as f64 + APART * colours.len() as f64;
    let title = "The colours of the figures";
    let mut diagram = Diagram::new(title, &description, 17.0, height + 0.4);
    let mut top = 0.2;
    for (hue, roles) in &colours {
        let height = ROW * roles.len() as f64;
        let middle = top + height / 2.0;
        diagram.block((1.2, middle), (1.8, height - 0.2), "", *hue);
        for (row, means) in roles.iter().enumerate() {
            let y = top + ROW * (row as f64 + 0.5);
            diagram.note((2.6, y), Side::Right, means);
        }
        top += height + APART;
    }
    plot::save("notation-colours", &diagram.draw());
}

/// Each colour with its roles, in the order of the dictionary.
fn colours() -> Vec<(Hue, Vec<&'static str>)> {
    let mut colours: Vec<(Hue, Vec<_>)> = Vec::new();
    for (means, hue) in Hue::ROLES {
        let means = means.trim();
        match colours.iter_mut().find(|(known, _)| known == hue) {
            Some((_, roles)) => roles.push(means),
            None => colours.push((*hue, vec![means])),
        }
    }
    colours
}
