//! Numbers as the examples print them.

/// `12000` as `12,000`, and `-3` with a true minus.
pub fn grouped(number: impl ToString) -> String {
    let number = number.to_string();
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("−", digits),
        None => ("", number.as_str()),
    };
    let (whole, decimals) = match digits.split_once('.') {
        Some((whole, decimals)) => (whole, format!(".{decimals}")),
        None => (digits, String::new()),
    };
    let mut text = whole.to_string();
    let mut place = whole.len();
    while place > 3 {
        place -= 3;
        text.insert(place, ',');
    }
    let zero = digits.chars().all(|c| "0.".contains(c));
    format!("{}{text}{decimals}", if zero { "" } else { sign })
}
