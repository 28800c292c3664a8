//! Formulas become MathML that Markdown leaves alone.

use super::{complaints, set_well};
use pulldown_cmark::{Parser, html};

fn html_of(text: &str) -> String {
    let mut page = String::new();
    let set = set_well(&[], text);
    html::push_html(&mut page, Parser::new_ext(&set, press::math::options()));
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
    assert!(page.starts_with("<p><span class=\"formula\"><math"), "{page}");
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
}

#[test]
fn no_line_begins_with_the_stop_after_a_formula() {
    let page = html_of("So $x$, and $y$ …");
    assert!(page.contains("<mi>x</mi></math>,</span> and <math>"), "{page}");
}
