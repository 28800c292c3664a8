//! Exercises of the appendix on the program.

#[cfg(test)]
#[path = "checks/program.rs"]
mod check;

// Exercise 2

/// A text as the model of the book has read texts: in small letters, and with
/// a space before each full stop, comma, question mark and exclamation mark.
pub fn tidy(text: &str) -> String {
    todo!("small letters first, then the spaces")
}

// Exercise 3

/// The part that a flag asks for, if it is a number from 0 to 0.99. It lets
/// something else pass.
pub fn part(text: &str) -> Result<f64, &'static str> {
    let number: f64 = text.parse().map_err(|_| "not a number")?;
    let (too_small, too_large) = (number < 0.0, number > 0.99);
    if too_small || too_large {
        return Err("not from 0 to 0.99");
    }
    Ok(number)
}
