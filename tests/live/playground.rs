//! The model that learns in a page: it is the library's experiment, and bad
//! requests are answered with a sentence.

use super::root;
use all_you_need::ablation::{Experiment, HELD_OUT, Switch};
use all_you_need::tasks::Task;
use live::Playground;
use serde_json::{Value, json};
use std::fs;

fn ask(playground: &mut Playground, request: Value) -> Value {
    let reply = playground.answer(&request.to_string());
    serde_json::from_str(&reply).unwrap()
}

fn begin(task: &str, switch: Option<&str>) -> Value {
    json!({"begin": {"task": task, "seed": 1, "switch": switch}})
}

fn learn(updates: usize, text: &str) -> Value {
    json!({"learn": {"updates": updates, "text": text, "count": false}})
}

#[test]
fn it_is_the_experiment_of_the_library() {
    let switches = [Switch::Shift].into_iter().collect();
    let mut experiment = Experiment::new(Task::Sort, 1, switches);
    let mut playground = Playground::default();
    let began = &ask(&mut playground, begin("sort", Some("shift")))["began"];
    assert_eq!(began["updates"], Experiment::recipe().updates);
    assert_eq!(began["held_out"], HELD_OUT);
    for done in [0, 3, 5] {
        let losses: Vec<f32> =
            (0..done).map(|_| experiment.step().unwrap()).collect();
        let reply = &ask(&mut playground, learn(done, "planet"))["learned"];
        let said: Vec<f32> =
            serde_json::from_value(reply["losses"].clone()).unwrap();
        assert_eq!(said, losses);
        assert_eq!(reply["updates"], experiment.learner.adam.steps);
        let wrote = experiment.write("planet");
        assert_eq!(reply["wrote"], wrote);
        let looks = experiment.looks("planet", &wrote);
        for (i, row) in reply["looks"].as_array().unwrap().iter().enumerate()
        {
            let row: Vec<f32> = serde_json::from_value(row.clone()).unwrap();
            assert!(looks.row(i).iter().eq(&row));
        }
    }
    let count = json!({"learn": {"updates": 0, "text": "a", "count": true}});
    let reply = &ask(&mut playground, count)["learned"];
    assert_eq!(reply["right"], experiment.right());
}

#[test]
fn no_more_than_a_hundred_updates_are_made_at_once() {
    let mut playground = Playground::default();
    ask(&mut playground, begin("reverse", None));
    let reply = ask(&mut playground, learn(usize::MAX, "a"));
    assert_eq!(reply["learned"]["updates"], 100);
}

#[test]
fn bad_requests_are_answered_with_a_sentence() {
    let mut playground = Playground::default();
    let error = |playground: &mut Playground, request: Value| {
        let reply = ask(playground, request);
        let sentence = reply["error"].as_str().expect("an error").to_owned();
        assert!(sentence.ends_with('.'), "{sentence}");
        sentence
    };
    let none = error(&mut playground, learn(1, "planet"));
    assert_eq!(none, "There is no model yet.");
    error(&mut playground, json!({"learn": {}}));
    error(&mut playground, begin("chess", None));
    error(&mut playground, begin("dates", Some("gravity")));
    ask(&mut playground, begin("dates", None));
    for text in ["", "   ", "Ähre", "PLANET", &"a".repeat(25)] {
        let sentence = error(&mut playground, learn(1, text));
        assert!(sentence.contains("small letters"), "{sentence}");
    }
    let long = error(&mut playground, learn(1, &"a".repeat(1 << 17)));
    assert!(long.contains("too long"), "{long}");
}

/// The page offers what the library has, and leads from each switch to a
/// chapter.
#[test]
fn the_page_has_every_switch() {
    let page = fs::read_to_string(root().join("src/playground.md")).unwrap();
    for switch in Switch::ALL {
        let (slug, name) = switch.names();
        let option = format!("<option value=\"{slug}\">{name}</option>");
        assert_eq!(page.matches(&option).count(), 1, "{option}");
        let begins = format!("| <span id=\"{slug}\"></span>{name} | ");
        let rows: Vec<_> =
            page.lines().filter(|row| row.starts_with(&begins)).collect();
        assert_eq!(rows.len(), 1, "{begins}");
        let meaning = rows[0].split(" | ").nth(1).unwrap();
        assert!(
            meaning.contains("](") && meaning.contains(".md"),
            "{meaning}"
        );
    }
    assert_eq!(page.matches("<span id=").count(), Switch::ALL.len());
    for task in ["reverse", "sort", "dates"] {
        let _: Task = task.parse().unwrap();
        assert!(page.contains(&format!("<option value=\"{task}\">")));
    }
}
