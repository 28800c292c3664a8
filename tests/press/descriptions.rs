//! Figures are described with the numbers that they draw.

use super::scratch;
use press::descriptions;

/// What is wrong with an example.
fn said(example: &str) -> Vec<String> {
    let scratch = scratch(&[("code/examples/a.rs", example)]);
    let diagnostics = descriptions::check(&scratch.project).unwrap();
    diagnostics.iter().map(ToString::to_string).collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_typed_number_is_named_with_its_line() {
    let example = "fn a() {\n    Chart::new(\"The 3 runs\",\n        \
        \"It falls to 0.5.\").draw();\n}\n";
    assert_eq!(
        said(example),
        [
            "code/examples/a.rs:2: `3` is typed, not computed",
            "code/examples/a.rs:3: `0.5.` is typed, not computed"
        ]
    );
}

#[test]
fn a_number_in_words_is_one_from_ten_on() {
    let text = |text: &str| {
        said(&format!("fn a() {{ Bars::new(\"\", \"{text}\"); }}"))
    };
    assert_eq!(text("Two rows of nine, the first is one long."), NOTHING);
    for number in ["ten", "Twenty", "millions", "tenths", "ten-thousandths"] {
        let said = text(&format!("It has {number} of them."));
        assert!(said[0].contains(&format!("`{number}`")), "{said:?}");
    }
}

#[test]
fn a_value_is_computed_and_what_surrounds_it_is_not() {
    let of = |text: &str| {
        said(&format!(
            "fn a() {{ plot::HeatMaps::new(\"\", &format!({text})); }}"
        ))
    };
    assert_eq!(of("\"{n} × {m:.2} and {}\", 16"), NOTHING);
    assert_eq!(of("\"{{7}} {n}\"").len(), 1);
    assert_eq!(of("\"{n}00 of them\"").len(), 1);
}

#[test]
fn names_and_the_papers_numbers_are_no_values() {
    let text = "By equation 3, or Table 2 of the paper, s_1 goes into c_12.";
    let example =
        format!("fn a() {{ Diagram::new(\"\", \"{text}\", 3.0, 4.0); }}");
    assert_eq!(said(&example), NOTHING);
}

#[test]
fn a_description_is_followed_to_where_it_is_written() {
    let local = "fn a() {\n  let text = \"7\";\n  Chart::new(\"\", text);\n}";
    let constant =
        "const TEXT: &str =\n  \"7\";\nfn a() { Chart::new(\"\", TEXT); }";
    let parameter =
        "fn a(text: &str) { Chart::new(\"\", text); }\nfn b() { a(\"7\"); }";
    let function = "fn a() { Chart::new(\"\", &text(1)); }\nfn text(n: f64) -> String { \"7\".into() }";
    let formatted = "fn a() { Chart::new(\"\", &text(1)); }\nfn text(n: f64) -> String { format!(\"7 {n}\") }";
    let method = "impl A {\n  fn a() { Chart::new(\"\", \"7\"); }\n}";
    for (example, line) in [
        (local, 2),
        (constant, 2),
        (parameter, 2),
        (function, 2),
        (formatted, 2),
        (method, 2),
    ] {
        let expected =
            format!("code/examples/a.rs:{line}: `7` is typed, not computed");
        assert_eq!(said(example), [expected], "{example}");
    }
}

#[test]
fn other_texts_may_hold_numbers() {
    let example = "fn a() {\n  let text = \"7\";\n  println!(\"8\");\n  \
        Chart::new(\"\", \"\").x(text).line(\"9\");\n}\n\
        fn b(text: &str) { Chart::new(\"\", text); }\nfn c() { b(\"words\"); }";
    assert_eq!(said(example), NOTHING);
}
