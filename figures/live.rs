//! The figures of the page that translates.

#[path = "../code/examples/live.rs"]
#[expect(dead_code)] // what it prints
mod example;
#[path = "../code/examples/index.rs"]
#[expect(dead_code)] // of the first page only the head
mod first;

use all_you_need::position::sinusoidal;
use all_you_need::tensor::Matrix;
use example::{BARS, COLUMNS, Trial, place};
use plot::{Bars, HeatMaps, Hue, Looks, Panel};

pub fn draw() {
    let trial = Trial::new();
    rows(&trial);
    encoder(&trial);
    cross(&trial);
    looks(&trial);
    next(&trial);
}

/// Embedding, position and sum of the first columns.
fn rows(trial: &Trial) {
    let embedding = trial.translator.model.embedding.embed(&trial.source);
    let (rows, d_model) = embedding.shape();
    let places: Vec<usize> = (0..rows).collect();
    let position: Matrix<f32> = sinusoidal(&places, d_model).cast();
    let sum = &embedding + &position;
    let names = trial.labels(&trial.source);
    let panel = |title: &str, matrix: &Matrix<f32>| {
        let shown = matrix.columns(0, COLUMNS).into_owned();
        let panel = Panel::new(&shown).title(title).full(4.0);
        panel.rows(&names).cell(9.0, 16.0)
    };
    let description = format!(
        "Three heat maps of {rows} rows, one for each token, and {COLUMNS} \
         columns: the embedding, the position, and their sum."
    );
    let figure = HeatMaps::new("The rows that go in", &description)
        .panel(panel("embedding", &embedding))
        .next_row()
        .panel(panel("position", &position))
        .next_row()
        .panel(panel("sum", &sum));
    plot::save("live-rows", &figure.draw());
}

/// The head of the encoder that looks hardest from the cat to its colour.
fn encoder(trial: &Trial) {
    let names = trial.labels(&trial.source);
    let (cat, black) = (place(&names, "·cat"), place(&names, "·black"));
    let (_, head) = trial.at_colour();
    let description = format!(
        "A map of weights with a row and a column for each token. The row \
         of “{}” has {:.2} at “{}”.",
        names[cat],
        head[(cat, black)],
        names[black],
    );
    let panel = Panel::new(head).rows(&names).columns(&names);
    let panel = panel.note(cat, &format!("looks at {}", names[black]));
    let panel = panel.axes("queries", "keys").hue(Hue::WEIGHTS);
    let figure = HeatMaps::new("One head of the encoder", &description);
    let figure = figure.panel(panel.full(1.0).cell(26.0, 20.0));
    plot::save("live-encoder", &figure.draw());
}

/// What may follow the preposition.
fn next(trial: &Trial) {
    let (step, _) = trial.article();
    let before = trial.written(step);
    let likely = trial.likely(step);
    let description = format!(
        "Bars for the most probable tokens after “{before}”. The longest, \
         {:.2}, belongs to “{}”.",
        likely[0].1,
        trial.label(likely[0].0),
    );
    let heading = format!("probability to follow “{before}”");
    let mut bars = Bars::new("The next word", &description).heading(&heading);
    for (i, &(token, share)) in likely.iter().take(BARS).enumerate() {
        let hue = if i == 0 { Hue::HERE } else { Hue::TARGET };
        bars = bars.bar_in(hue, &trial.label(token), share);
    }
    plot::save("live-next", &bars.decimals(4).draw());
}

/// The head of the cross-attention that looks hardest at the noun.
fn cross(trial: &Trial) {
    let (step, sofa) = trial.article();
    let (_, head) = trial.at_noun();
    let (written, read) =
        (trial.labels(&trial.target), trial.labels(&trial.source));
    let cat = place(&read, "·cat");
    let description = format!(
        "A map of weights: a row for each token that has been written, a \
         column for each token of the caption. The row of “{}” has {:.2} \
         at “{}”, that of “{}” has {:.2} at “{}”.",
        written[0],
        head[(0, cat)],
        read[cat],
        written[step],
        head[(step, sofa)],
        read[sofa],
    );
    let panel = Panel::new(head).rows(&written).columns(&read);
    let panel = panel.axes("queries: written so far", "keys: the caption");
    let looks = |key: usize| format!("looks at {}", read[key]);
    let panel = panel.note(0, &looks(cat)).note(step, &looks(sofa));
    let panel = panel.hue(Hue::WEIGHTS).full(1.0).cell(17.5, 20.0);
    let title = "One head of the cross-attention";
    let figure = HeatMaps::new(title, &description).panel(panel);
    plot::save("live-cross", &figure.draw());
}

/// The head of the first page, which the page has first, with a note at one
/// word. A line begins at the word that is being chosen, and not at the one
/// before it, after which the row of a map is called.
fn looks(trial: &Trial) {
    let (layer, head) = first::HEAD;
    let weights = trial.maps.cross[layer][head].map(f64::from);
    let query = place(&trial.labels(&trial.target), "·schwarze") - 1;
    let key = weights.row(query).transpose().argmax().0;
    let eos = trial.translator.tokenizer.eos();
    let chosen = [&trial.target[1..], &[eos]].concat();
    let words = |tokens: &[u32]| -> Vec<String> {
        let labels = trial.labels(tokens).into_iter();
        labels.map(|label| label.replace('·', "")).collect()
    };
    let (queries, keys) = (words(&chosen), words(&trial.source));
    let description = format!(
        "Lines from the {} words of the translation, its end among them, to \
         the words of the caption. The strongest line of {} ends at {}, with a weight of {:.2}.",
        queries.len(),
        queries[query],
        keys[key],
        weights[(query, key)],
    );
    let title = "Where one head looks while it translates";
    let figure = Looks::new(title, &description, &queries, &keys, &weights);
    let note = format!("← looks at *{}*", keys[key]);
    let figure = figure.names("caption", "translation").note(query, &note);
    plot::save("live-looks", &figure.draw());
}
