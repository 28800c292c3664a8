//! An axis, linear or logarithmic, for plotters to count along.

use print::grouped;
use std::ops::Range;

use plotters::coord::ranged1d::{
    KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter,
};

/// How numbers lie along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scale {
    #[default]
    Linear,
    Log,
}

/// A range of numbers with its ticks.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
    counts: bool,
}

impl Axis {
    pub fn new(range: Range<f64>, scale: Scale) -> Axis {
        let Range { start, end } = range;
        assert!(
            start.is_finite() && end.is_finite(),
            "an axis needs finite numbers"
        );
        assert!(
            scale == Scale::Linear || start > 0.0,
            "a logarithmic axis takes positive numbers only"
        );
        let (low, high) = if start < end {
            (start, end)
        } else {
            (start - start.abs() / 2.0, end + end.abs().max(1.0) / 2.0)
        };
        Axis { low, high, scale, counts: false }
    }

    /// The same axis for what is counted: between one and two there is nothing.
    pub fn counting(self, counts: bool) -> Axis {
        Axis { counts, ..self }
    }

    /// The same axis, from zero if that is less than a step away.
    pub fn with_zero_nearby(self) -> Axis {
        let nearby = self.scale == Scale::Linear
            && self.low > 0.0
            && self.low < self.step();
        let low = if nearby { 0.0 } else { self.low };
        Axis { low, ..self }
    }

    /// The same axis, stretched to round numbers.
    pub fn rounded(self) -> Axis {
        let (low, high) = match self.scale {
            Scale::Linear => {
                let step = self.step();
                (
                    (self.low / step).floor() * step,
                    (self.high / step).ceil() * step,
                )
            }
            Scale::Log => (round_below(self.low), round_above(self.high)),
        };
        Axis { low, high, ..self }
    }

    /// The numbers that are written along the axis.
    pub fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => self.even_ticks(),
            Scale::Log => self.decades(),
        }
    }

    /// The texts of all ticks.
    pub fn labels(&self) -> Vec<String> {
        let ticks = self.ticks().into_iter();
        ticks.map(|tick| self.label(tick)).collect()
    }

    /// The text of a tick.
    fn label(&self, tick: f64) -> String {
        match self.scale {
            Scale::Linear => {
                let decimals =
                    (-self.step().log10().floor()).max(0.0) as usize;
                grouped(format!("{tick:.decimals$}"))
            }
            Scale::Log if self.low >= 0.000_99 && self.high <= 100_000.0 => {
                grouped(tick)
            }
            Scale::Log => power(tick),
        }
    }

    /// Whether a number lies on the axis, but for a rounding error.
    pub fn holds(&self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.fraction(value))
    }

    fn even_ticks(&self) -> Vec<f64> {
        let step = self.step();
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|n| n as f64 * step).collect()
    }

    /// One, two or five times a power of ten, about five of them in the range.
    fn step(&self) -> f64 {
        let step = round_above((self.high - self.low) / 6.0);
        if self.counts { step.max(1.0) } else { step }
    }

    /// Powers of ten; with twos and fives between when there are few.
    fn decades(&self) -> Vec<f64> {
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let stride = 1 + (last - first) / 8;
        let few = last - first <= 2;
        let factors: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let inside = self.low * (1.0 - 1e-9)..=self.high * (1.0 + 1e-9);
        (first..=last)
            .filter(|exponent| exponent.rem_euclid(stride) == 0)
            .flat_map(|exponent| {
                factors.iter().map(move |f| scientific(*f, exponent))
            })
            .filter(|tick| inside.contains(tick))
            .collect()
    }

    /// How far along the axis a number lies, from 0 to 1.
    fn fraction(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => {
                (value / self.low).ln() / (self.high / self.low).ln()
            }
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let length = f64::from(limit.1 - limit.0);
        limit.0 + (self.fraction(*value) * length).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

/// Parsed, not multiplied: 1e-3 then prints as 0.001.
fn scientific(factor: f64, exponent: i32) -> f64 {
    format!("{factor}e{exponent}")
        .parse()
        .expect("this is how Rust writes numbers")
}

/// The smallest of … 0.5, 1, 2, 5, 10 … that is not below the number.
fn round_above(number: f64) -> f64 {
    let exponent = number.log10().floor() as i32;
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| scientific(factor, exponent))
        .into_iter()
        .find(|round| *round >= number * (1.0 - 1e-9))
        .unwrap_or(number)
}

/// The largest of … 0.5, 1, 2, 5, 10 … that is not above the number.
fn round_below(number: f64) -> f64 {
    let exponent = number.log10().floor() as i32;
    [5.0, 2.0, 1.0]
        .map(|factor| scientific(factor, exponent))
        .into_iter()
        .find(|round| *round <= number * (1.0 + 1e-9))
        .unwrap_or(number)
}

/// `0.00002` as `2·10⁻⁵`.
fn power(number: f64) -> String {
    let scientific = format!("{number:e}");
    let (factor, exponent) =
        scientific.split_once('e').unwrap_or((&scientific, "0"));
    let raised: String = exponent.chars().map(superscript).collect();
    match factor {
        "1" => format!("10{raised}"),
        _ => format!("{factor}·10{raised}"),
    }
}

fn superscript(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        other => char::from_u32('⁰' as u32 + other as u32 - '0' as u32)
            .unwrap_or(other),
    }
}
