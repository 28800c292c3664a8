//! Figures are well-formed, follow the theme, and come out the same every time; and logs are read as they were written.

use nalgebra::DMatrix;
use plot::{Bars, Chart, Diagram, Figure, HeatMaps, Hue, Panel, Side};
use print::log::{number, table};
use print::spread;

const AWKWARD: &str = "<start> & \"end\"";

fn chart() -> Figure {
    let decades = (0..=6).map(|n| (f64::from(n), 10f64.powi(-n)));
    Chart::new(AWKWARD, AWKWARD)
        .x(AWKWARD)
        .y("y")
        .log_y()
        .line(AWKWARD, decades)
        .dots("dots", [(1.0, 0.1), (2.0, f64::NAN)])
        .guide_x(2.0, AWKWARD)
        .guide_y(0.001, AWKWARD)
        .draw()
}

fn bars() -> Figure {
    let bars =
        Bars::new(AWKWARD, AWKWARD).heading(AWKWARD).bar(AWKWARD, 0.25);
    bars.bar_in(Hue::Orange, "fence", 0.75).draw()
}

/// Negative and positive numbers, and −∞ above the diagonal.
fn masked(size: usize) -> DMatrix<f64> {
    DMatrix::from_fn(size, size, |row, column| {
        if column > row {
            f64::NEG_INFINITY
        } else {
            row as f64 - 2.0 * column as f64
        }
    })
}

fn heat_maps() -> Figure {
    let words = [AWKWARD, "I", "am", "fine"];
    let named = Panel::new(&masked(4)).title(AWKWARD).numbers(1);
    HeatMaps::new(AWKWARD, AWKWARD)
        .panel(named.rows(&words).columns(&words).axes("queries", "keys"))
        .sign(AWKWARD)
        .panel(Panel::new(&masked(16)))
        .draw()
}

fn diagram() -> Figure {
    let mut diagram = Diagram::new(AWKWARD, AWKWARD, 24.0, 12.0);
    let block = diagram.block((12.0, 3.0), (8.0, 2.4), AWKWARD, Hue::Blue);
    let circle = diagram.circle((12.0, 8.0), "+");
    diagram.arrow(&[circle.top(), block.bottom()], Hue::Ink);
    diagram.line(&[(2.0, 8.0), circle.left()], Hue::Dashed);
    diagram.frame((6.0, 1.0), (18.0, 6.0), Side::Left, "6 ×");
    diagram.note(circle.right(), Side::Right, "n × d_model");
    diagram.draw()
}

fn one_of_each() -> [Figure; 4] {
    [chart(), bars(), heat_maps(), diagram()]
}

/// The insides of a figure's tags, each with the text that follows it.
fn tags(svg: &str) -> impl Iterator<Item = (&str, &str)> {
    let pieces = svg.trim_start_matches('<').split('<');
    pieces.map(|piece| piece.split_once('>').expect("a tag ends"))
}

/// What `name="…"` says, wherever it stands.
fn values<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    svg.match_indices(&start)
        .filter_map(|(place, start)| {
            svg[place + start.len()..].split('"').next()
        })
        .collect()
}

/// The same of the lines that contain a text, as numbers.
fn numbers(svg: &str, text: &str, name: &str) -> Vec<f64> {
    svg.lines()
        .filter(|line| line.contains(text))
        .flat_map(|line| values(line, name))
        .map(|number| number.parse().expect("a number"))
        .collect()
}

/// The text without the entities that XML knows.
fn without_entities(text: &str) -> String {
    ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;"]
        .iter()
        .fold(text.to_string(), |text, entity| text.replace(entity, ""))
}

#[test]
fn every_figure_is_well_formed() {
    for figure in one_of_each() {
        let mut open = Vec::new();
        for (tag, text) in tags(figure.svg()) {
            if let Some(closed) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().expect("a name"));
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "in {tag}");
            assert!(!without_entities(text).contains('&'), "in {text}");
        }
        assert!(open.is_empty(), "never closed: {open:?}");
    }
}

#[test]
fn every_figure_says_what_it_is() {
    let title = "<title>&lt;start&gt; &amp; \"end\"</title>";
    let description = "<desc>&lt;start&gt; &amp; \"end\"</desc>";
    for figure in one_of_each() {
        let lines: Vec<_> = figure.svg().lines().collect();
        let root = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ";
        assert!(
            lines[0].starts_with(root) && lines[0].contains(" role=\"img\"")
        );
        assert_eq!(lines[1..3], [title, description]);
    }
}

#[test]
fn every_colour_follows_the_theme() {
    for figure in one_of_each() {
        let svg = figure.svg();
        for colour in [values(svg, "fill"), values(svg, "stroke")].concat() {
            let plain = ["currentColor", "none"].contains(&colour);
            assert!(plain || colour.starts_with("var(--"), "{colour}");
        }
    }
}

#[test]
fn a_page_can_take_every_figure_in() {
    for figure in one_of_each() {
        let svg = figure.svg();
        assert!(svg.lines().all(|line| !line.trim().is_empty()));
        assert!(
            values(svg, "id").is_empty() && values(svg, "style").is_empty()
        );
        assert!(numbers(svg, "<svg", "width").is_empty());
        assert!(numbers(svg, "<svg", "height").is_empty());
        assert_eq!(values(svg, "font-family"), ["inherit"]);
    }
}

#[test]
fn the_same_figure_has_the_same_bytes() {
    assert_eq!(one_of_each(), one_of_each());
}

#[test]
fn numbers_have_at_most_two_decimals() {
    let digits =
        |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    for figure in one_of_each() {
        for (tag, _) in tags(figure.svg()) {
            let mut decimals = tag.split('.').skip(1);
            assert!(decimals.all(|rest| digits(rest) <= 2), "{tag}");
        }
    }
}

#[test]
fn decades_lie_evenly_on_a_logarithmic_axis() {
    let figure = chart();
    let heights = numbers(figure.svg(), "<line", "y1");
    assert_eq!(heights.len(), 7);
    let step = heights[0] - heights[1];
    for pair in heights.windows(2) {
        assert!((pair[0] - pair[1] - step).abs() < 0.25, "{heights:?}");
    }
    for power in [">10⁰<", ">10⁻³<", ">10⁻⁶<"] {
        assert!(figure.svg().contains(power), "{power}");
    }
}

#[test]
#[should_panic(expected = "a logarithmic axis takes positive numbers only")]
fn zero_has_no_place_on_a_logarithmic_axis() {
    let points = [(0.0, 1.0), (1.0, 2.0)];
    Chart::new("", "").log_x().line("", points).draw();
}

#[test]
fn points_beyond_a_fixed_range_leave_a_gap() {
    let points = [0.0, 1.0, 9.0, 1.0, 0.0].into_iter().enumerate();
    let points = points.map(|(x, y)| (x as f64, y));
    let chart = Chart::new("", "").y_range(0.0..2.0).line("", points);
    let runs = "<polyline fill=\"none\" stroke=\"var(--blue";
    assert_eq!(chart.draw().svg().matches(runs).count(), 2);
}

/// Where a text begins and ends and the middle of its height, if a sample of a line or a dot stands before it, as before the name of a
/// curve. The guess at its width is not generous.
fn named_curve(sample: &str, text: &str) -> Option<[f64; 3]> {
    let one = |line: &str, name| {
        let number = values(line, name).first()?.parse::<f64>().ok()?;
        Some(number)
    };
    let (x, y) = (one(text, "x")?, one(text, "y")?);
    let start = match values(sample, "points").first() {
        Some(points) => {
            let (start, end) = points.split_once(' ')?;
            let (left, height) = start.split_once(',')?;
            if end.split_once(',')?.1 != height {
                return None;
            }
            left.parse().ok()?
        }
        None => one(sample, "cx")? - 7.0,
    };
    let shown: usize = tags(text).map(|(_, text)| text.chars().count()).sum();
    let is_name = text.starts_with("<text") && (x - start - 19.0).abs() < 0.2;
    is_name.then_some([start, x + 5.5 * shown as f64, y])
}

/// The frame of a chart, from left to right and from top to bottom: its first upright line and its first level one that is no tick.
fn frame(svg: &str) -> Option<[f64; 4]> {
    let axes = svg.lines().filter(|line| line.starts_with("<polyline"));
    let axes = axes.filter_map(|line| {
        let points = values(line, "points").concat();
        let numbers = points.split([' ', ',']).map(str::parse);
        let ends: Vec<f64> = numbers.collect::<Result<_, _>>().ok()?;
        <[f64; 4]>::try_from(ends).ok()
    });
    let axes: Vec<_> = axes.collect();
    let [x, top, _, bottom] = *axes.first().filter(|a| a[0] == a[2])?;
    let level = |a: &&[f64; 4]| a[1] == a[3] && (a[0] - x).abs() < 1.0;
    let across = axes.iter().find(level)?;
    Some([across[0], across[2], top, bottom])
}

/// The names of the curves of a chart.
fn names(svg: &str) -> Vec<[f64; 3]> {
    let lines: Vec<_> = svg.lines().collect();
    let pairs = lines.windows(2);
    pairs.filter_map(|pair| named_curve(pair[0], pair[1])).collect()
}

#[test]
fn in_all_charts_of_the_book_the_names_of_curves_lie_within_the_frame() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/figures");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).expect("the figures") {
        let path = entry.expect("a figure").path();
        let svg = std::fs::read_to_string(&path).expect("a figure");
        let Some([left, right, top, bottom]) = frame(&svg) else { continue };
        for [start, end, height] in names(&svg) {
            found += 1;
            let inside = left < start && end < right;
            let inside =
                inside && top + 5.0 < height && height + 5.0 < bottom;
            assert!(inside, "{start} to {end} at {height}: {path:?}");
        }
    }
    assert!(found > 100, "only {found} names");
}

#[test]
fn a_name_is_beside_its_curve_and_names_do_not_overlap() {
    let line = |y: f64| [(0.0, y), (1.0, y)];
    let chart = Chart::new("", "").line("one", line(1.0));
    let chart = chart.line("two", line(2.0)).line("three", line(2.2));
    let figure = chart.draw();
    let height = |name| numbers(figure.svg(), name, "y")[0];
    let runs =
        figure.svg().lines().filter(|line| line.contains("width=\"2\""));
    let of_curve = |run: &str| -> f64 {
        let points = values(run, "points").concat();
        points.split([' ', ',']).nth(1).unwrap().parse().unwrap()
    };
    let curves: Vec<_> = runs.map(of_curve).take(3).collect();
    for (curve, name) in curves.iter().zip([">one<", ">two<", ">three<"]) {
        assert!((curve - height(name)).abs() < 20.0, "{name}");
    }
    assert!((height(">two<") - height(">three<")).abs() > 13.0);
}

#[test]
#[should_panic(expected = "has no room: make the chart larger")]
fn a_chart_that_is_too_small_for_its_names_is_an_error() {
    let chart = Chart::new("", "").size(160.0, 120.0);
    chart.line("a name that is long", [(0.0, 0.0), (1.0, 1.0)]).draw();
}

#[test]
fn panels_of_one_size_stand_in_line() {
    let words = ["a very long word", "b", "c", "d"];
    let named = Panel::new(&masked(4)).title("first").columns(&words);
    let plain = Panel::new(&masked(4)).title("second");
    let figure = HeatMaps::new("", "").panel(named).sign("=").panel(plain);
    let figure = figure.draw();
    let frames = numbers(figure.svg(), "<rect", "y");
    // The third is that of the scale.
    assert!(frames.len() == 3 && frames[0] == frames[1]);
    let height = |title| numbers(figure.svg(), title, "y");
    assert_eq!(height(">first<"), height(">second<"));
}

/// The texts of a figure.
fn texts(figure: &Figure) -> Vec<String> {
    let texts = tags(figure.svg()).filter(|(tag, _)| tag.starts_with("text"));
    texts.map(|(_, text)| text.trim().to_string()).collect()
}

#[test]
fn a_map_of_many_values_has_a_scale_and_others_need_none() {
    let shades = DMatrix::from_fn(4, 4, |row, column| (row * column) as f64);
    let drawn = |panel| HeatMaps::new("", "").panel(panel).draw();
    assert_eq!(texts(&drawn(Panel::new(&shades))), ["0", "9"]);
    let signed = shades.map(|value| 0.25 * value - 1.0);
    assert_eq!(texts(&drawn(Panel::new(&signed))), ["−1.25", "1.25"]);
    let filled = shades.map(|value| f64::from(u8::from(value > 2.0)));
    assert!(texts(&drawn(Panel::new(&filled))).is_empty());
    let numbered = texts(&drawn(Panel::new(&shades).numbers(0)));
    assert_eq!(numbered.len(), 16);
}

#[test]
fn panels_with_the_same_scale_have_it_once() {
    let shades = DMatrix::from_fn(4, 4, |row, column| (row * column) as f64);
    let maps = HeatMaps::new("", "").panel(Panel::new(&shades));
    let figure = maps.panel(Panel::new(&shades)).draw();
    assert_eq!(texts(&figure), ["0", "9"]);
    let maps = HeatMaps::new("", "").panel(Panel::new(&shades));
    let figure = maps.panel(Panel::new(&shades).full(10.0)).draw();
    assert_eq!(texts(&figure), ["0", "9", "0", "10"]);
}

#[test]
fn a_followed_row_is_framed_and_a_note_stands_at_its_right() {
    let map = DMatrix::from_element(3, 4, 1.0);
    let panel = || Panel::new(&map).cell(20.0, 10.0);
    let drawn = |panel| HeatMaps::new("", "").panel(panel).draw();
    let framed = |figure: &Figure| {
        let tags = tags(figure.svg()).map(|(tag, _)| tag);
        let mut here = tags.filter(|tag| tag.contains("--here"));
        let corners = values(here.next()?, "points").concat();
        let corners = corners.split([' ', ',']).map(|n| n.parse().unwrap());
        Some(Vec::from_iter(corners))
    };
    assert_eq!(framed(&drawn(panel())), None);
    let (left, top) = (12.0, 12.0);
    let row: Vec<f64> = framed(&drawn(panel().follow_row(1))).unwrap();
    assert_eq!(row[..2], [left, top + 10.0]);
    assert_eq!(row[4..6], [left + 80.0, top + 20.0]);
    let column = framed(&drawn(panel().follow_column(3))).unwrap();
    assert_eq!(column[..2], [left + 60.0, top]);
    assert_eq!(column[4..6], [left + 80.0, top + 30.0]);
    let noted = drawn(panel().note(2, "looks here"));
    assert_eq!(texts(&noted), ["← looks here"]);
    assert!(numbers(noted.svg(), "text", "x")[0] > left + 80.0);
    assert_eq!(numbers(noted.svg(), "text", "y"), [top + 25.0]);
}

#[test]
fn a_band_lies_between_its_lines_and_within_the_axes() {
    let line = |y: f64| [(0.0, y), (1.0, y)];
    let chart = Chart::new("", "").line("mean", line(3.0));
    let figure = chart.band(Hue::OURS, line(2.0), line(4.0)).draw();
    let tags = || tags(figure.svg()).map(|(tag, _)| tag);
    let heights = |tag: &str| -> Vec<f64> {
        let corners = values(tag, "points").concat();
        let heights = corners.split(' ').map(|corner| corner.split_once(','));
        heights.map(|corner| corner.unwrap().1.parse().unwrap()).collect()
    };
    let band = tags().find(|tag| tag.starts_with("polygon")).unwrap();
    let blue =
        |tag: &&str| tag.starts_with("polyline") && tag.contains("--blue");
    let mean = heights(tags().find(blue).unwrap())[0];
    let [low, .., high] = heights(band)[..] else { panic!("four corners") };
    assert!(high < mean && mean < low, "{high} {mean} {low}");
    assert!((low + high - 2.0 * mean).abs() < 0.5);
}

#[test]
fn a_narrower_grid_makes_a_narrower_diagram() {
    let size = |figure: Figure| {
        let boxes = values(figure.svg(), "viewBox").concat();
        let size: Vec<f64> =
            boxes.split(' ').map(|side| side.parse().unwrap()).collect();
        (size[2], size[3])
    };
    let diagram = || Diagram::new("", "", 10.0, 4.0);
    assert_eq!(size(diagram().draw()), (200.0, 80.0));
    assert_eq!(size(diagram().across(15.0).draw()), (150.0, 80.0));
}

#[test]
fn a_large_heat_map_is_a_small_file() {
    let wave =
        DMatrix::from_fn(16, 16, |row, column| ((row * column) as f64).sin());
    let figure = (0..4)
        .fold(HeatMaps::new("", ""), |row, _| row.panel(Panel::new(&wave)));
    assert!(figure.draw().svg().len() < 50_000);
}

#[test]
fn minus_infinity_is_grey_and_says_so() {
    let figure = heat_maps();
    assert!(figure.svg().contains(">−∞<"));
    assert!(figure.svg().contains("fill=\"var(--rule, #bbb)\""));
}

#[test]
fn small_letters_return_to_the_line() {
    let mut diagram = Diagram::new("", "", 20.0, 4.0);
    let text = "d_model × W^Q, h_{t−1} and add_norm";
    diagram.note((10.0, 2.0), Side::On, text);
    let expected = "<tspan font-style=\"italic\">d</tspan>\
         <tspan dy=\"3\" font-size=\"10\">model</tspan>\
         <tspan dy=\"-3\"> × </tspan><tspan font-style=\"italic\">W</tspan>\
         <tspan dy=\"-5\" font-size=\"10\" font-style=\"italic\">Q</tspan>\
         <tspan dy=\"5\">, </tspan><tspan font-style=\"italic\">h</tspan>\
         <tspan dy=\"3\" font-size=\"10\" font-style=\"italic\">t</tspan>\
         <tspan font-size=\"10\">−1</tspan>\
         <tspan dy=\"-3\"> and add_norm</tspan>";
    assert!(diagram.draw().svg().contains(expected));
}

#[test]
#[should_panic(expected = "leaves its figure")]
fn a_text_that_would_be_cut_off_is_an_error() {
    let mut diagram = Diagram::new("", "", 4.0, 4.0);
    diagram.note((3.0, 2.0), Side::Right, "too far to the right");
    diagram.draw();
}

#[test]
fn a_table_has_all_rows_but_its_head() {
    let rows: Vec<[&str; 3]> = table("a\tb\tc\n1\t\tx y\n2\t3\t\n").collect();
    assert_eq!(rows, [["1", "", "x y"], ["2", "3", ""]]);
    assert_eq!(table::<3>("a\tb\tc\n").count(), 0);
    assert_eq!(table::<3>("").count(), 0);
}

#[test]
#[should_panic = "2 cells, not “3\t4\t5”"]
fn a_row_with_more_cells_is_refused() {
    let _ = table::<2>("a\tb\n1\t2\n3\t4\t5\n").count();
}

#[test]
#[should_panic = "a number, not “two”"]
fn a_cell_that_is_no_number_is_refused() {
    let _: f64 = number("two");
}

#[test]
fn the_spread_is_that_of_a_sample() {
    assert_eq!(spread(&[1.0, 3.0]), (2.0, f64::sqrt(2.0)));
    assert_eq!(spread(&[4.0, 4.0, 4.0]), (4.0, 0.0));
}

#[test]
#[should_panic = "a standard deviation needs two numbers"]
fn one_number_has_no_spread() {
    let _ = spread(&[1.0]);
}

#[test]
fn a_link_leads_to_its_page_and_can_be_reached() {
    let mut diagram = Diagram::new("", "", 8.0, 2.0);
    diagram.link((4.0, 1.0), Side::On, "W^Q & more", "heads.html");
    let figure = diagram.draw();
    let link = "<a href=\"heads.html\">";
    assert_eq!(figure.svg().matches(link).count(), 1);
    assert!(
        figure.svg().contains("&amp; more</tspan></a>"),
        "{}",
        figure.svg()
    );
    assert!(figure.svg().contains(" role=\"group\""));
    assert!(figure.svg().chars().all(|c| c == '\n' || !c.is_control()));
}
