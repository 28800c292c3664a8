//! The figures of the chapter on small tasks.

#[path = "../code/examples/tasks.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tasks::{Task, date};
use all_you_need::tensor::Matrix;
use example::{DATES, SORT, Weights};
use plot::{HeatMaps, Hue, Panel};

pub fn draw() {
    where_to_look();
    where_a_date_comes_from();
    trained("tasks-map", "Where the model for dates looks", DATES);
    trained("tasks-sort", "Where the sorting model looks", SORT);
}

/// 1 where the answer's letter comes from in the text, or equal parts of it
/// where it comes from several places.
fn looks(text: &str, places: &[Vec<usize>]) -> Matrix {
    let mut looks = Matrix::zeros(places.len(), text.len());
    for (i, places) in places.iter().enumerate() {
        for &j in places {
            looks[(i, j)] = 1.0 / places.len() as f64;
        }
    }
    looks
}

fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

/// Where each letter of three answers is in *planet*.
fn where_to_look() {
    let word = "planet";
    let places = |answer: &str| -> Vec<Vec<usize>> {
        answer.chars().map(|c| vec![word.find(c).unwrap()]).collect()
    };
    let sorted = "aelnpt";
    let columns = places(sorted).concat();
    let columns = columns.iter().map(|column| (column + 1).to_string());
    let mut figure = HeatMaps::new(
        "Where the next letter is",
        &format!(
            "Three maps for the word {word}: rows are the letters to be \
             written, columns the letters read. To copy, the marked cells lie on the \
             diagonal from the upper left; to reverse, on the one from the \
             upper right. To sort, {} are in columns {}.",
            letters(sorted).join(", "),
            Vec::from_iter(columns).join(", ")
        ),
    );
    for (task, answer) in
        [(Task::Copy, word), (Task::Reverse, "tenalp"), (Task::Sort, sorted)]
    {
        let looks = looks(word, &places(answer));
        let (rows, columns) = (letters(answer), letters(word));
        let panel = Panel::new(&looks).title(task.name()).full(1.0);
        let panel = panel.hue(Hue::WEIGHTS);
        let panel = panel.rows(&rows).columns(&columns).cell(12.0, 20.0);
        figure = figure.panel(panel.axes("to write", "read"));
    }
    plot::save("tasks-looks", &figure.draw());
}

/// The same for a date. To know a month, one needs all of its letters.
fn where_a_date_comes_from() {
    let (text, answer) = date(DAY);
    let at = |part: &str| text.find(part).expect("a part of the date");
    let (day, month, year) = (at("6"), at("march"), at("1984"));
    let letter = |j: usize| vec![j];
    let name: Vec<usize> = (month..month + 5).collect();
    let both = vec![day, day + 1];
    let places = [
        letter(year),
        letter(year + 1),
        letter(year + 2),
        letter(year + 3),
        vec![],
        name.clone(),
        name,
        vec![],
        both,
        letter(day),
    ];
    let looks = looks(&text, &places);
    let (rows, columns) = (letters(&answer), letters(&text));
    let panel = Panel::new(&looks).rows(&rows).columns(&columns).full(1.0);
    let panel = panel.hue(Hue::WEIGHTS);
    let figure = HeatMaps::new(
        "Where a date comes from",
        &format!(
            "{} rows for the characters of {answer}, {} columns for those of \
             {text}. The year is a short diagonal at the right. Both digits of \
             the month have equal cells under all letters of march. The first \
             digit of the day has its cells under the digit and the space \
             after it, the second under the digit. No row has a cell under \
             tuesday.",
            rows.len(),
            columns.len()
        ),
    )
    .panel(panel.axes("to write", "read").cell(18.5, 22.0));
    plot::save("tasks-dates", &figure.draw());
}

/// Tuesday, 6 March 1984.
const DAY: usize = 30_745;

/// Where a trained model looks.
fn trained(name: &str, title: &str, log: &str) {
    let weights = Weights::read(log);
    let Weights { rows, columns, numbers } = &weights;
    let map = Matrix::from_row_slice(rows.len(), columns.len(), numbers);
    let most = rows.iter().zip(map.row_iter()).map(|(letter, row)| {
        format!("{letter} at {}", columns[row.transpose().argmax().0])
    });
    let description = format!(
        "A map of {} rows, the characters of {} and the end, and {} columns, \
         those of {} and the end. Each row looks most at, from the top: {}.",
        rows.len(),
        rows[..rows.len() - 1].concat(),
        columns.len(),
        columns[..columns.len() - 1].concat(),
        most.collect::<Vec<_>>().join(", ")
    );
    let names = |tokens: &[String]| -> Vec<String> {
        tokens.iter().map(|token| token.replace("end", ".")).collect()
    };
    let panel = Panel::new(&map).rows(&names(rows)).columns(&names(columns));
    let panel = panel.axes("to write", "read").hue(Hue::WEIGHTS);
    let figure = HeatMaps::new(title, &description);
    let figure = figure.panel(panel.full(1.0).cell(19.0, 22.0));
    plot::save(name, &figure.draw());
}
