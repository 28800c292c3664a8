//! The figures of the chapter on a real translator.

#[path = "../code/examples/translation.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::training::Recipe;
use all_you_need::translation::Translator;
use example::{Judged, Looks, Row, SHOWN, judged, log, looks, lowest, rows};
use plot::{Chart, Figure, HeatMaps, Hue, Panel};
use print::grouped;

pub fn draw() {
    loss();
    let translator = Translator::captions();
    let all = judged(&translator);
    let frames = SHOWN.map(|i| look(&translator, &all[i]));
    plot::save_frames("translation-looks", &frames);
}

/// The loss of the run of the book's model.
fn loss() {
    let rows = &rows(log("run-1"))[..];
    let last = &rows[rows.len() - 1];
    let both = Recipe::tiny().bidirectional_updates;
    let text = format!(
        "Loss in nats per token against the number of the update. Both \
         curves fall steeply at first. The last values are {:.2} in training \
         and {:.2} in validation, whose lowest is {:.2}. A dashed line at \
         update {} is where the model stops learning the direction into \
         English.",
        last.training,
        last.validation,
        lowest(rows).validation,
        grouped(both)
    );
    let along = |y: fn(&Row) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|row| (row.update as f64, y(row))).collect()
    };
    let chart = Chart::new("The loss of the run", &text);
    let chart = chart.x("updates").y("loss in nats per token");
    let chart = chart.y_range(1.5..3.5);
    let training = along(|row| row.training);
    let validation = along(|row| row.validation);
    let chart = chart.line_in(Hue::TRAINING, "training", training);
    let chart = chart.line_in(Hue::VALIDATION, "validation", validation);
    let chart = chart.guide_x(both as f64, "one direction");
    plot::save("translation-loss", &chart.draw());
}

/// What the last layer of the decoder looks at while it writes a translation.
fn look(translator: &Translator, judged: &Judged) -> Figure {
    let Judged { english, german, .. } = judged;
    let Looks { rows, columns, heads } = looks(translator, judged);
    let highest = heads.iter().map(|weights| weights.max());
    let highest: Vec<String> =
        highest.map(|weight| format!("{weight:.2}")).collect();
    let description = format!(
        "Attention weights of {} heads, from the German tokens in the rows \
         to the English tokens in the columns. “{english}” became \
         “{german}”. The largest weights of the heads are {}.",
        heads.len(),
        highest.join(", ")
    );
    let mut maps = HeatMaps::new(english, &description);
    for (i, weights) in heads.iter().enumerate() {
        let panel = Panel::new(weights).title(&format!("head {}", i + 1));
        let mut panel = panel.hue(Hue::WEIGHTS).full(1.0).cell(17.0, 19.0);
        // Words stand at the edges of the figure, once.
        if i < 2 {
            panel = panel.columns(&columns);
        }
        if i % 2 == 0 {
            panel = panel.rows(&rows);
        }
        if i == 0 {
            panel = panel.axes("German", "English");
        }
        if i == 2 {
            maps = maps.next_row();
        }
        maps = maps.panel(panel);
    }
    maps.draw()
}

