//! From plotters' SVG to ours: colours of the theme, our pixels, and nothing said twice.
//!
//! Plotters writes one tag or one text a line, so no parser is needed.

/// Plotters counts whole pixels. Ten of its pixels are one of ours, so that curves stay smooth.
pub(super) const FINE: f64 = 10.0;

/// The size of all text, in pixels at the figure's natural width.
pub(super) const TEXT: f64 = 13.0;

/// What plotters draws with, and what the page shows instead.
const COLOURS: [(&str, &str); 8] = [
    ("#B8153C", "var(--here, #b8153c)"),
    ("#BBBBBB", "var(--rule, #bbb)"),
    ("#0072B2", "var(--blue, #0072b2)"),
    ("#D55E00", "var(--orange, #d55e00)"),
    ("#009E73", "var(--green, #009e73)"),
    ("#CC79A7", "var(--purple, #cc79a7)"),
    ("#E69F00", "var(--yellow, #e69f00)"),
    ("#56B4E9", "var(--sky, #56b4e9)"),
];

/// Between the page that a text leads to and the text.
const LEADS: char = '\u{1f}';

/// A text that leads to a page, as it goes through plotters.
pub(super) fn link(text: &str, page: &str) -> String {
    format!("{page}{LEADS}{text}")
}

/// The drawing with its title and description, for the page to take in as it is.
pub(super) fn themed(raw: &str, title: &str, description: &str) -> String {
    let mut lines =
        raw.lines().filter(|line| !line.trim().is_empty()).peekable();
    let root = lines.next().expect("plotters opens the drawing first");
    let mut svg = opening(root, title, description);
    if raw.contains(LEADS) {
        // What is in a picture cannot be reached; what is in a group can.
        svg = svg.replacen("role=\"img\"", "role=\"group\"", 1);
    }
    while let Some(line) = lines.next() {
        let Some(paint) = fill_of(line) else {
            svg += &element(line);
            continue;
        };
        let mut path = outline(line);
        while let Some(next) =
            lines.next_if(|next| fill_of(next).as_ref() == Some(&paint))
        {
            path += &outline(next);
        }
        svg += &format!("<path{paint} d=\"{path}\"/>\n");
    }
    svg
}

/// One line of the drawing: a tag or a text.
fn element(line: &str) -> String {
    if line.starts_with("<text") {
        tag(line)
    } else if line.starts_with('<') {
        tag(line) + "\n"
    } else {
        written(line.trim())
    }
}

/// A text as it is shown, in its link if it has one.
fn written(text: &str) -> String {
    match text.split_once(LEADS) {
        Some((page, text)) => {
            format!("<a href=\"{page}\">{}</a>", scripts(text))
        }
        None => scripts(text),
    }
}

/// The paint of a filled rectangle. Those of one paint that follow each other become one path,
/// which makes a heat map five times smaller.
fn fill_of(line: &str) -> Option<String> {
    if !line.starts_with("<rect") || line.contains("fill=\"none\"") {
        return None;
    }
    let paint = attributes(line)
        .filter(|(name, _)| matches!(*name, "opacity" | "fill"));
    Some(paint.filter_map(|(name, value)| attribute(name, value)).collect())
}

/// A rectangle as a piece of a path.
fn outline(rectangle: &str) -> String {
    let number = |wanted| {
        let (_, value) = attributes(rectangle)
            .find(|(name, _)| *name == wanted)
            .expect("plotters gives a rectangle a place and a size");
        scaled(value)
    };
    let (x, y, width, height) =
        (number("x"), number("y"), number("width"), number("height"));
    format!("M{x} {y}h{width}v{height}h-{width}z")
}

fn opening(root: &str, title: &str, description: &str) -> String {
    let (_, size) = attributes(root)
        .find(|(name, _)| *name == "viewBox")
        .expect("plotters gives the drawing a size");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{}\" role=\"img\" \
         font-family=\"inherit\" font-size=\"{TEXT}\" fill=\"currentColor\">\n\
         <title>{}</title>\n<desc>{}</desc>\n",
        scaled_all(size, ' '),
        escaped(title),
        escaped(description),
    )
}

/// The tag with its attributes made ours.
fn tag(line: &str) -> String {
    let Some((name, _)) = line.split_once(' ') else {
        return line.to_string();
    };
    let bare = line.contains("stroke=\"none\"");
    let ours: String = attributes(line)
        .filter(|(name, _)| !(bare && *name == "stroke-width"))
        .filter_map(|(name, value)| attribute(name, value))
        .collect();
    let end = if line.ends_with("/>") { "/>" } else { ">" };
    format!("{name}{ours}{end}")
}

/// The names and values of a tag's attributes.
fn attributes(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let after_name = line.split_once(' ').map_or("", |(_, rest)| rest);
    let mut parts = after_name.split('"');
    std::iter::from_fn(move || {
        let name = parts.next()?.trim().strip_suffix('=')?;
        Some((name, parts.next()?))
    })
}

/// One attribute, with a space before it; none if the page or the root says the same.
fn attribute(name: &str, value: &str) -> Option<String> {
    let ours = match (name, value) {
        ("font-family", _)
        | ("text-anchor", "start")
        | ("stroke", "none") => return None,
        ("opacity", "1") | ("fill", "#000000") => return None,
        ("stroke", "#010101") => {
            "currentColor\" stroke-dasharray=\"5 4".to_string()
        }
        ("fill" | "stroke", colour) => themed_colour(colour).to_string(),
        ("opacity", number) => rounded(parse(number)),
        ("points", numbers) => scaled_points(numbers),
        ("transform", turn) => scaled_turn(turn),
        // Half the height of a capital: figures and words look centred.
        ("dy", "0.5ex") => "0.35em".to_string(),
        ("dy" | "text-anchor", other) => other.to_string(),
        ("font-size", size) if scaled(size) == TEXT.to_string() => {
            return None;
        }
        (_, number) => scaled(number),
    };
    Some(format!(" {name}=\"{ours}\""))
}

fn themed_colour(colour: &str) -> &str {
    match colour {
        "none" => "none",
        "#000000" => "currentColor",
        other => COLOURS
            .iter()
            .find(|(theirs, _)| *theirs == other)
            .map(|(_, ours)| *ours)
            .expect("figures draw with hues only"),
    }
}

fn scaled_points(points: &str) -> String {
    let pairs = points.split_whitespace();
    let scaled: Vec<_> = pairs.map(|pair| scaled_all(pair, ',')).collect();
    scaled.join(" ")
}

/// `rotate(270, 50, 60)`: the angle stays, the place is scaled.
fn scaled_turn(turn: &str) -> String {
    let (angle, place) = turn.split_once(", ").expect("a turn has a place");
    let place = place.trim_end_matches(')').replace(", ", ",");
    format!("{angle},{})", scaled_all(&place, ','))
}

fn scaled_all(numbers: &str, separator: char) -> String {
    let scaled: Vec<_> = numbers.split(separator).map(scaled).collect();
    scaled.join(&separator.to_string())
}

fn scaled(number: &str) -> String {
    rounded(parse(number) / FINE)
}

fn parse(number: &str) -> f64 {
    number.parse().expect("plotters writes plain numbers")
}

fn rounded(number: f64) -> String {
    ((number * 100.0).round() / 100.0).to_string()
}

/// A piece of a text, set in one way.
struct Piece<'a> {
    text: &'a str,
    /// How far below the line, in pixels. What is not on the line is small.
    shift: f64,
    italic: bool,
}

/// `d_k`, `W^Q` and `h_{t−1}` with the small letters lowered or raised, and letters that mean a number or a matrix in italics:
/// those with a script, and those between asterisks, as in `*n* × d_k`.
///
/// Only a stem of one or two letters takes a script: `add_norm` is a name and stays.
fn scripts(text: &str) -> String {
    let mut svg = String::new();
    let mut height = 0.0;
    for Piece { text, shift, italic } in pieces(text) {
        let mut style = String::new();
        if shift != height {
            style += &format!(" dy=\"{}\"", shift - height);
        }
        if shift != 0.0 {
            style += " font-size=\"10\"";
        }
        if italic {
            style += " font-style=\"italic\"";
        }
        svg += &match style.is_empty() {
            true => text.to_string(),
            false => format!("<tspan{style}>{text}</tspan>"),
        };
        height = shift;
    }
    svg
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, mark, small, after)) = next_script(rest) {
        let (words, stem) = before.split_at(before.len() - stem(before));
        pieces.extend(starred(words));
        pieces.push(Piece { text: stem, shift: 0.0, italic: true });
        pieces.extend(single_letters(
            small,
            if mark == '_' { 3.0 } else { -5.0 },
        ));
        rest = after;
    }
    pieces.extend(starred(rest));
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// What is between asterisks is italic, if it is letters only.
fn starred(text: &str) -> Vec<Piece<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('*') {
        let Some((letters, after)) = after.split_once('*') else { break };
        if !letters.chars().all(char::is_alphabetic) {
            break;
        }
        parts.push(Piece { text: before, shift: 0.0, italic: false });
        parts.push(Piece { text: letters, shift: 0.0, italic: true });
        rest = after;
    }
    parts.push(Piece { text: rest, shift: 0.0, italic: false });
    parts
}

/// A script in which single letters are italic: all of `k`, the first of `t−1`, none of `model`.
fn single_letters(script: &str, shift: f64) -> Vec<Piece<'_>> {
    let end =
        script.find(|c: char| !c.is_alphabetic()).unwrap_or(script.len());
    let single = script[..end].chars().count() == 1;
    let (letter, rest) = script.split_at(if single { end } else { 0 });
    vec![
        Piece { text: letter, shift, italic: true },
        Piece { text: rest, shift, italic: false },
    ]
}

/// The bytes of the letters at the end of a text.
fn stem(text: &str) -> usize {
    let letters = text.chars().rev().take_while(|c| c.is_alphabetic());
    letters.map(char::len_utf8).sum()
}

/// The text before the next script, its mark, the script, and the text after it.
fn next_script(text: &str) -> Option<(&str, char, &str, &str)> {
    text.match_indices(['_', '^']).find_map(|(place, mark)| {
        let (before, after) = (&text[..place], &text[place + 1..]);
        let stem = before.chars().rev().take_while(|c| c.is_alphabetic());
        if !(1..=2).contains(&stem.count()) {
            return None;
        }
        let (small, after) = script(after)?;
        Some((before, mark.chars().next()?, small, after))
    })
}

/// Letters and digits, or whatever stands between braces; and the rest.
fn script(text: &str) -> Option<(&str, &str)> {
    if let Some(braced) = text.strip_prefix('{') {
        return braced.split_once('}');
    }
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn escaped(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
