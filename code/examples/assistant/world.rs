//! The small world, and its text.

use super::column;
use all_you_need::assistant::{Question, Sets, World, reading};
use all_you_need::training::{Recipe, Stream, generator};
use print::{grouped, section, table, value};

pub fn show() {
    let (world, rng) = (World::default(), &mut generator(1, Stream::Data));
    section("The world");
    let Recipe { updates, batch_tokens, .. } = reading(1);
    value("tokens read", grouped(updates * batch_tokens));
    value("seeds", column("read", 0).len());
    let sets = &world.sets;
    let kinds: [Vec<Question>; 2] = Question::all();
    value("answered", sets.answered.len());
    let of = |set: &[Question]| {
        kinds
            .clone()
            .map(|kind| set.iter().filter(|one| kind.contains(one)).count())
    };
    let [validation, test] =
        [&sets.validation, &sets.test].map(|both| both.concat());
    section("Questions");
    table(
        ("", ["sums", "homes"]),
        [
            ("answered by hand", of(&sets.answered)),
            ("checked by a program", of(&sets.checked)),
            ("validation", of(&validation)),
            ("test", of(&test)),
        ],
    );
    section("A text");
    let text = world.text(&world.running(50_000, rng));
    // Of each form the shortest with facts of all kinds.
    let has_all =
        |text: &&str| [" + ", "live"].iter().all(|kind| text.contains(kind));
    let paragraphs = text.split('¶').map(str::trim).filter(has_all);
    let asks = |text: &str| text.contains('?');
    let answers = |text: &str| asks(text) && text.contains('.');
    let kinds: [&dyn Fn(&str) -> bool; 3] =
        [&|text| !asks(text), &|text| asks(text) && !answers(text), &answers];
    for of_this_kind in kinds {
        let found = paragraphs.clone().filter(|text| of_this_kind(text));
        let shortest = found.min_by_key(|text| text.len());
        println!("{}", shortest.expect("a paragraph of each kind"));
    }
    section("Answers in the text");
    let text = world.text(&world.running(1_000_000, rng));
    value("answered in the text", answered_in(&text, sets));
}

/// Of the places where a text asks a question that quizzes answer, the per
/// cent in which its answer follows.
fn answered_in(text: &str, sets: &Sets) -> usize {
    let count = |of: &dyn Fn(&Question) -> String| -> usize {
        let all = sets.answered.iter();
        all.map(|one| text.matches(&of(one)).count()).sum()
    };
    let asked = count(&|one| one.asked());
    100 * count(&|one| format!("{} {}", one.asked(), one.answer())) / asked
}
