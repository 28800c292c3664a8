#[path = "../../exercises/checks/program.rs"]
mod check;

// Exercise 2
//
// The text is copied letter by letter, and a space is put before each mark
// that does not have one. (Also before the point of a number: 3.5 becomes
// `3 .5`. `normalize` looks at the next letter, too, and knows more signs.)

/// A text as the model of the book has read texts: in small letters, and with
/// a space before each full stop, comma, question mark and exclamation mark.
pub fn tidy(text: &str) -> String {
    let mut tidied = String::new();
    for letter in text.to_lowercase().chars() {
        if ".,?!".contains(letter) && !tidied.ends_with(' ') {
            tidied.push(' ');
        }
        tidied.push(letter);
    }
    tidied
}

// Exercise 3
//
// It is `NaN`, in small or large letters, which Rust parses as an `f64`.
// Every comparison with it is false, so it is neither too small nor too
// large. The check has to ask whether the number is in the range, as with
// `contains`, and not whether it is outside.

/// The part that a flag asks for, if it is a number from 0 to 0.99.
pub fn part(text: &str) -> Result<f64, &'static str> {
    let number: f64 = text.parse().map_err(|_| "not a number")?;
    match (0.0..=0.99).contains(&number) {
        true => Ok(number),
        false => Err("not from 0 to 0.99"),
    }
}
