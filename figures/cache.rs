//! The figures of the chapter on the cache.

#[path = "../code/examples/cache.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tensor::Matrix;
use example::four_steps;
use plot::{HeatMaps, Panel};

pub fn draw() {
    rows();
    columns();
}

/// Which rows of the decoder are computed in each step.
fn rows() {
    let words = ["<start>", "Mir", "geht", "es", "gut"];
    let size = words.len();
    let computed = |i: usize, j: usize| f64::from(u8::from(j <= i));
    let anew = Matrix::from_fn(size, size, computed);
    let kept = 0.25;
    let cached = Matrix::from_fn(size, size, |i, j| match i == j {
        true => 1.0,
        false => kept * computed(i, j),
    });
    let steps: Vec<_> = (1..=size).collect();
    let counted = |m: &Matrix| m.iter().filter(|cell| **cell == 1.0).count();
    let description = format!(
        "Two maps of {size} steps and {size} tokens. On the left {} rows are \
         computed, all up to the new one in each step. On the right {}, one \
         in each step, and the keys and values of those before it are read \
         from the cache.",
        counted(&anew),
        counted(&cached)
    );
    let panel = |matrix: &Matrix, title: &str| {
        let panel = Panel::new(matrix).title(title).full(1.0).rows(&steps);
        let panel = panel.columns(&words).cell(34.0, 28.0);
        panel.axes("step", "row of")
    };
    let figure = HeatMaps::new("Rows that are computed", &description)
        .panel(panel(&anew, "all anew"))
        .panel(panel(&cached, "with a cache"));
    plot::save("cache-rows", &figure.draw());
}

/// Which columns of the cache each hypothesis has.
fn columns() {
    let steps = four_steps();
    let columns: Vec<&String> = steps.iter().flatten().collect();
    let hypotheses = &steps[3];
    let begins = |said: &str, other: &str| {
        other.is_empty()
            || said == other
            || said.starts_with(&format!("{other} "))
    };
    let used = Matrix::from_fn(hypotheses.len(), columns.len(), |i, j| {
        f64::from(u8::from(begins(&hypotheses[i], columns[j])))
    });
    let names = columns.iter().enumerate().map(|(j, said)| {
        let word =
            said.split(' ').next_back().filter(|word| !word.is_empty());
        format!("{j} {}", word.unwrap_or("<start>"))
    });
    let names: Vec<String> = names.collect();
    let lists = used.row_iter().zip(hypotheses).map(|(row, said)| {
        let own = (0..columns.len()).filter(|&j| row[j] > 0.0);
        let own: Vec<_> = own.map(|j| names[j].as_str()).collect();
        format!("{said}: {}", own.join(", "))
    });
    let lists: Vec<_> = lists.collect();
    let panel = Panel::new(&used).rows(hypotheses).columns(&names).full(1.0);
    let figure = HeatMaps::new(
        "Columns that are shared",
        &format!(
            "A map of {} hypotheses and {} columns of the cache, with a mark \
             where a hypothesis uses a column. {}.",
            hypotheses.len(),
            columns.len(),
            lists.join("; ")
        ),
    )
    .panel(panel.axes("hypotheses", "cache").cell(30.0, 24.0));
    plot::save("cache-columns", &figure.draw());
}
