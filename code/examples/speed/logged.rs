//! What was timed.

use print::{Fixed, grouped, least, log, most, section, value};

/// What `cargo bench --bench speed` printed on the machine of the authors.
const LOG: &str = "speed-steps";

/// Two lines of it, on another processor.
const ELSEWHERE: &str = "speed-subnormal";

/// The lines of a log that begin so: the rest of the name, and the number.
fn lines(log: &str, begin: &str) -> Vec<(&'static str, f64)> {
    let line = |line: &'static str| {
        let mut cells = line.split('\t');
        let what = cells.next()?.strip_prefix(begin)?;
        Some((what, cells.next()?.parse().expect("a number")))
    };
    log::read(log).lines().filter_map(line).collect()
}

pub fn logged(begin: &str) -> Vec<(&'static str, f64)> {
    lines(LOG, begin)
}

/// What was timed, in its unit.
pub fn time(what: &str) -> f64 {
    time_in(LOG, what)
}

fn time_in(log: &str, what: &str) -> f64 {
    match lines(log, what)[..] {
        [("", time)] => time,
        _ => panic!("{what} was not timed, or more than once"),
    }
}

/// How long a number takes to come from tables of growing size, in
/// nanoseconds.
pub fn memory(order: &str) -> Vec<(f64, f64)> {
    let size = |(what, time): (&str, f64)| {
        let (kilobytes, found) = what.split_once(" KiB, ")?;
        let kilobytes: f64 = kilobytes.parse().expect("a number");
        (found == order).then_some((kilobytes * 1024.0 / 1e6, time))
    };
    logged("memory of ").into_iter().filter_map(size).collect()
}

/// What the functions of a profile do, by what their names contain. The first
/// that fits counts.
const WORK: [(&str, &[&str]); 6] = [
    ("products: multiplying", &["sgemm_kernel", "masked_kernel"]),
    ("products: copying into order", &["packing"]),
    ("exponentials, maxima, sums", &["exp_all", "fold", "cross_entropy"]),
    ("attention's tiles", &["speed::", "tensor::add_", "turned", "rayon"]),
    ("memory: found, cleared, moved", &["libc", "kernel", "[unknown]"]),
    ("dropout, norms, Adam, all else", &[""]),
];

/// Where the profiler found an update.
pub fn profile() {
    let mut shares = [0.0; WORK.len()];
    for line in log::read("speed-profile").lines().skip(1) {
        let (share, function) = line.split_once('\t').expect("two cells");
        let fits = |(_, names): &(&str, &[&str])| {
            names.iter().any(|name| function.contains(name))
        };
        let work = WORK.iter().position(fits).expect("all else");
        shares[work] += share.parse::<f64>().expect("a share");
    }
    // Functions with less than a thousandth are not in the log.
    let all: f64 = shares.iter().sum();
    section("Profile");
    for ((work, _), share) in WORK.iter().zip(shares) {
        println!("{work:30} {:3.0} %", 100.0 * share / all);
    }
}

/// What is inside of the two steps.
pub fn details() {
    let [library, here] = ["of the standard library", "as it is"]
        .map(|way| time(&format!("exponential, {way}")));
    section("Inside");
    value("exponential of the library", library.fixed(1));
    value("exponential", here.fixed(1));
    let [row, strands] = ["in a row", "in strands"]
        .map(|way| time(&format!("addition, {way}")));
    value("addition in a row", row.fixed(2));
    value("addition in strands", strands.fixed(2));
    let [dots, turned] = ["tr_mul", "turned first"]
        .map(|way| time(&format!("product, {way}")));
    value("dot products", dots.fixed(1));
    value("turned first", turned.fixed(1));
    let slow = |log| {
        time_in(log, "product, subnormal") / time_in(log, "product, zeros")
    };
    value("too small, as slow elsewhere", slow(ELSEWHERE).fixed(0));
    value("too small, as slow", slow(LOG).fixed(1));
}

/// What `src/logs/speed.sh` found when both did the same in turn.
pub fn rival() {
    section("Next to PyTorch");
    let here = pairs("speed-rival");
    for (side, name) in ["ours", "theirs"].into_iter().enumerate() {
        let speeds: Vec<f64> = here.iter().map(|pair| pair[side]).collect();
        value(format!("{name}, slowest"), grouped(least(&speeds)));
        value(format!("{name}, fastest"), grouped(most(&speeds)));
    }
    let elsewhere = pairs("speed-elsewhere").into_iter();
    let ratios = elsewhere.map(|[ours, theirs]| ours / theirs);
    let ratios: Vec<f64> = ratios.collect();
    value("elsewhere, at least", least(&ratios).fixed(1));
    value("elsewhere, at most", most(&ratios).fixed(1));
}

/// Target tokens a second, ours and PyTorch's, of runs in turn.
fn pairs(name: &str) -> Vec<[f64; 2]> {
    let rows = log::table(log::read(name));
    rows.map(|[_, ours, theirs]| [ours, theirs].map(log::number)).collect()
}
