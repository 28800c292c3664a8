//! The dictionary of colours, as all figures of the book have it.

use plot::{Diagram, Hue, Side};

/// The distance between two roles, in lines of the grid.
const ROW: f64 = 1.25;

pub fn draw() {
    let roles = Hue::ROLES;
    let meanings = roles.iter().map(|(means, _)| means.trim());
    let description = format!(
        "A colour for each role in the figures of the book. {}",
        meanings.collect::<Vec<_>>().join(" ")
    );
    let height = ROW * roles.len() as f64 + 0.4;
    let title = "The colours of the figures";
    let mut diagram = Diagram::new(title, &description, 17.0, height);
    for (row, (means, hue)) in roles.iter().enumerate() {
        let y = 0.8 + ROW * row as f64;
        diagram.block((1.2, y), (1.8, 0.8), "", *hue);
        diagram.note((2.6, y), Side::Right, means.trim());
    }
    plot::save("notation-colours", &diagram.draw());
}
