//! The figure of the first page.

#[path = "../code/examples/index.rs"]
#[expect(dead_code)] // what it prints
mod example;

use plot::Looks;

pub fn draw() {
    let seen = example::seen();
    let (query, key) = seen.article();
    let description = format!(
        "Lines from the {} words of the translation, its end among them, to \
         the words of the caption. The strongest line of {} ends at {}, with a weight of {:.2}.",
        seen.written.len(),
        seen.written[query],
        seen.caption[key],
        seen.weights[(query, key)]
    );
    let (queries, keys) = (&seen.written, &seen.caption);
    let note = format!("← looks at *{}*", seen.caption[key]);
    let figure = Looks::new(
        "Where one head looks while it translates",
        &description,
        queries,
        keys,
        &seen.weights,
    );
    let figure = figure.names("caption", "translation").note(query, &note);
    plot::save("index-looks", &figure.draw());
}
