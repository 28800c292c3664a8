//! Numbers as the examples print them.

/// Numbers that are printed with so many decimals: one, or an array.
pub trait Fixed {
    /// A text for each number.
    type Text;

    /// `0.5.fixed(2)` is `0.50`.
    fn fixed(self, decimals: usize) -> Self::Text;

    /// `0.5.percent(0)` is `50 %`.
    fn percent(self, decimals: usize) -> Self::Text;
}

impl Fixed for f64 {
    type Text = String;

    fn fixed(self, decimals: usize) -> String {
        format!("{self:.decimals$}")
    }

    fn percent(self, decimals: usize) -> String {
        format!("{:.decimals$} %", 100.0 * self)
    }
}

impl Fixed for f32 {
    type Text = String;

    fn fixed(self, decimals: usize) -> String {
        format!("{self:.decimals$}")
    }

    fn percent(self, decimals: usize) -> String {
        format!("{:.decimals$} %", 100.0 * self)
    }
}

impl<T: Fixed, const N: usize> Fixed for [T; N] {
    type Text = [T::Text; N];

    fn fixed(self, decimals: usize) -> Self::Text {
        self.map(|number| number.fixed(decimals))
    }

    fn percent(self, decimals: usize) -> Self::Text {
        self.map(|number| number.percent(decimals))
    }
}

/// Numbers from anywhere, such as a row of a matrix, with so many decimals.
pub fn fixed<'a, T: Fixed<Text = String> + Copy + 'a>(
    numbers: impl IntoIterator<Item = &'a T>,
    decimals: usize,
) -> Vec<String> {
    numbers.into_iter().map(|number| number.fixed(decimals)).collect()
}

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

/// A size, such as that of a matrix: `2 × 3`.
pub fn size((rows, columns): (usize, usize)) -> String {
    format!("{rows} × {columns}")
}
