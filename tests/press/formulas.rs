//! Formulas become MathML that Markdown leaves alone.

use super::{complaints, rendered};
use pulldown_cmark::{Parser, html};

fn html_of(text: &str) -> String {
    let mut page = String::new();
    let text = rendered(&[], text);
    html::push_html(
        &mut page,
        Parser::new_ext(&text, press::math::options()),
    );
    page
}

#[test]
fn markdown_does_not_touch_what_a_formula_says() {
    let page =
        html_of("$a_i * b_j * c$ and $x'' \\_ [1](2) \\text{a--b... `c`}$");
    for markup in ["<em>", "<a ", "<code>", "…", "’", "”"] {
        assert!(!page.contains(markup), "{markup} in {page}");
    }
}

#[test]
fn dollars_in_code_are_no_formula() {
    let page = html_of("`$x$`\n\n```text\n$y$\n```\n");
    assert!(!page.contains("<math"), "{page}");
}

#[test]
fn a_displayed_formula_has_a_box_of_its_own() {
    let page = html_of("$$\n\\frac{1}{2}\n$$");
    let start = "<p><span class=\"formula\"><span class=\"equation\"><math";
    assert!(page.starts_with(start), "{page}");
}

#[test]
fn a_displayed_formula_can_be_broken_between_equations_and_before_a_sign() {
    let page = html_of("$$ a = b_{i=1} = c \\qquad \\sqrt{d = e} $$");
    let equations: Vec<_> = page.split("<span class=\"equation\">").collect();
    let parts = |text: &str| text.matches("<math").count();
    assert_eq!(equations.len(), 3, "{page}");
    assert_eq!([parts(equations[1]), parts(equations[2])], [3, 1], "{page}");
    assert_eq!(page.matches("</math>").count(), 4, "{page}");
    assert!(page.contains("<mo>=</mo><mi>c</mi></math>"), "{page}");
}

#[test]
fn a_formula_stays_in_its_table_cell() {
    let page = html_of("| a | b |\n|-|-|\n| $\\lvert x \\rvert$ | $y$ |\n");
    assert_eq!(page.matches("<td>").count(), 2, "{page}");
}

#[test]
fn broken_formulas_are_errors_with_their_line() {
    let said = complaints(&[], "A\n\n$\\frac{1}$\n\n$$\nx\n\\nonsense\n$$\n");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("src/attention.md:3: the formula"),
        "{said}"
    );
    assert!(said.contains("src/attention.md:5: the formula"), "{said}");
    let output = [("src/outputs/attention.txt", "b = 1\n")];
    let page = "# A\n\n{{#value b}}\n\n$\\nonsense$ {{#value b}}\n";
    let said = complaints(&output, page);
    assert!(said.starts_with("src/attention.md:5: the formula"), "{said}");
}

#[test]
fn no_line_begins_with_the_stop_after_a_formula() {
    let page = html_of("So $x$, and $y$ …");
    assert!(page.contains("<mi>x</mi></math>,</span> and <math>"), "{page}");
}

/// A formula with so many of these openings around an x.
fn nested(open: &str, close: &str, levels: usize) -> String {
    format!("A\n\n${}x{}$\n", open.repeat(levels), close.repeat(levels))
}

#[test]
fn a_formula_that_nests_without_end_is_an_error() {
    for (open, close, levels) in [
        ("{", "}", 20_000),
        ("\\sqrt{", "}", 3_000),
        ("\\sqrt\n", "", 3_000),
        ("x^{", "}\n", 3_000),
        ("{\n", "}", 65),
    ] {
        let said = complaints(&[], &nested(open, close, levels));
        assert!(said.starts_with("src/attention.md:3: "), "{said}");
    }
}

#[test]
fn a_formula_as_large_as_is_allowed_is_set() {
    for (open, close, levels) in [
        ("{", "}", 64),
        ("\\sqrt{", "}", 32),
        ("\\sqrt ", "", 64),
        ("x^{", "}", 64),
        ("\\left(", "\\right)", 32),
        ("\\text{", "}", 32),
    ] {
        let page = html_of(&nested(open, close, levels));
        assert!(page.contains("<math"), "{page}");
    }
}

#[test]
fn a_line_that_nests_without_end_is_an_error() {
    for bomb in [">", "- ", "[", "*a_"] {
        let page = format!("A\n\n{}\n", bomb.repeat(50_000));
        let said = complaints(&[], &page);
        assert_eq!(
            said,
            "src/attention.md:3: a line of more than 1000 bytes"
        );
    }
}

#[test]
fn a_sign_that_html_knows_is_shown_as_it_is() {
    let page = html_of("$a < b$");
    assert!(page.contains("<mo>&lt;</mo><mi>b</mi>"), "{page}");
}
