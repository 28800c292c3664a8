//! The figure of the chapter on generic functions.

#[path = "../code/examples/generic.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{computed, counted, list, of_prices};
use plot::{Diagram, Hue, Side};

pub fn draw() {
    let (size, work) = counted();
    let (answer, slopes) =
        (format!("{:.2}", computed()), list(&of_prices()));
    let description = format!(
        "One box, attend of q, k, v and mask, above three others. Given \
         matrices it returns {answer}. Given shapes it returns the size \
         {size}, and the bill has {work}. Given variables it returns \
         {answer}, and the tape has what leads back to the prices: {slopes}."
    );
    let mut figure =
        Diagram::new("One formula, three uses", &description, 32.0, 12.6).across(16.0);
    let name = "attend(q, k, v, mask)";
    let formula = figure.block((16.0, 1.4), (11.0, 1.9), name, Hue::Rule);
    let work = work.replace(", ", "\n");
    for (x, kind, verb, result) in [
        (5.4, "Matrix", "computes", answer.clone()),
        (16.0, "Shape", "counts", format!("{size}\n{work}")),
        (26.6, "Variable", "remembers", format!("{answer}\n∂/∂prices\n{slopes}")),
    ] {
        let text = format!("{kind}\n{verb}");
        let block = figure.block((x, 6.0), (7.4, 2.6), &text, Hue::Rule);
        figure.arrow(&[formula.bottom(), block.top()], Hue::Ink);
        let (x, y) = block.bottom();
        figure.arrow(&[block.bottom(), (x, y + 1.6)], Hue::Ink);
        figure.note((x, y + 1.7), Side::Below, &result);
    }
    plot::save("generic-uses", &figure.draw());
}
