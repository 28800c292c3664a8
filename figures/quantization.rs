//! The figures of the chapter on quantization.

#[path = "../code/examples/quantization.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::measured::scores;
use example::{row, signed};
use plot::{Chart, Diagram, Hue, Side};

pub fn draw() {
    seven_levels();
    fewer_bits();
}

/// The row of the page with levels from −3 to 3, so that they can be drawn.
fn seven_levels() {
    let (row, highest) = (row(), 3.0);
    let scale = row.amax() / highest;
    let levels = row.map(|x| (x / scale).round());
    let moves = row.iter().zip(&levels).map(|(&x, &level)| {
        format!("{} to {}", signed(x, 3), signed(level * scale, 2))
    });
    let text = format!(
        "Ticks at {} levels on a line. An arrow leads from each number down \
         to the nearest of them: {}.",
        2.0 * highest + 1.0,
        moves.collect::<Vec<_>>().join(", ")
    );
    let mut figure =
        Diagram::new("Each number moves to a level", &text, 26.0, 6.6);
    let place = |x: f32, y: f64| (13.0 + 8.6 * f64::from(x), y);
    let ends = highest * scale * 1.1;
    figure.line(&[place(-ends, 4.4), place(ends, 4.4)], Hue::Ink);
    for level in -(highest as i32)..=highest as i32 {
        let x = level as f32 * scale;
        figure.line(&[place(x, 4.2), place(x, 4.7)], Hue::Ink);
        figure.note(place(x, 5.2), Side::On, &signed(level, 0));
        figure.note(place(x, 6.0), Side::On, &signed(x, 2));
    }
    for (&x, &level) in row.iter().zip(&levels) {
        figure.note(place(x, 1.0), Side::On, &signed(x, 3));
        figure.arrow(&[place(x, 1.5), place(level * scale, 4.0)], Hue::Ink);
    }
    plot::save("quantization-levels", &figure.draw());
}

/// What the translations are worth with fewer and fewer bits.
fn fewer_bits() {
    let scores = scores();
    let plain = scores[0].2[1];
    let line = |scales: &str| {
        // From the left to the right.
        let of = scores.iter().rev().filter(|score| score.1 == scales);
        let points = of.map(|&(bits, _, [_, bleu, _])| (bits.into(), bleu));
        points.collect::<Vec<(f64, f64)>>()
    };
    let (row, matrix) = (line("row"), line("matrix"));
    let list = |points: &[(f64, f64)]| {
        let each = points.iter();
        let each = each.map(|(bits, bleu)| format!("{bits} bits {bleu:.1}"));
        each.collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "BLEU on the validation captions for fewer and fewer bits. With a \
         scale per row: {}. With one scale per matrix: {}. Not rounded: \
         {plain:.1}.",
        list(&row),
        list(&matrix)
    );
    let figure = Chart::new("BLEU with fewer bits", &text)
        .x("bits per weight")
        .y("BLEU")
        .guide_y(plain, "not rounded")
        .line("scale per row", row)
        .line("one scale", matrix);
    plot::save("quantization-bits", &figure.draw());
}
