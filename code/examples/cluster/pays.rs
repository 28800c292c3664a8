//! What the messages of an update take, and when more machines pay.

use super::projection::{
    MODELS, NETWORKS, Projection, Sum, Update, Way, between_hosts, both_ways,
    of_base, sums, updates,
};
use all_you_need::training::Recipe;
use print::{Fixed, grouped, section, table, value};

pub fn print() {
    measured();
    added_up();
    by_hand();
    needed();
    projected();
    limits();
    two_hosts();
}

fn measured() {
    section("Milliseconds of an update");
    let row = |row: Update| {
        [
            row.model,
            row.processes.to_string(),
            row.parts.to_string(),
            grouped(row.tokens),
            grouped(row.work.round()),
            format!("{:.1}", row.messages),
        ]
    };
    let names = ["model", "processes", "parts", "tokens", "work", "messages"];
    table(names, updates().into_iter().map(row));
}

/// Both ways of adding up.
fn added_up() {
    section("Milliseconds to add up the gradients");
    let rows = sums().into_iter().map(|sum| {
        [
            sum.model,
            sum.processes.to_string(),
            sum.way,
            format!("{:.1}", sum.work),
            format!("{:.1}", sum.messages),
        ]
    });
    table(["model", "processes", "way", "packing", "messages"], rows);
    section("Two processes and four");
    let [two, four] = [2, 4].map(|n| of_base("halves", n).work);
    value("base, packing of 4 for that of 2", format!("{:.2}", four / two));
    value("base, numbers of 4 for those of 2", both_ways(4) / both_ways(2));
}

/// How a projection follows from what was measured.
fn by_hand() {
    section("What is divided");
    let base = Projection::of(MODELS[1]);
    let rows: Vec<Update> =
        updates().into_iter().filter(|row| row.model == "base").collect();
    let [large, two, small, one] = &rows[..] else {
        panic!("base was measured four times");
    };
    for (name, row) in [("large", large), ("small", small), ("one", one)] {
        value(format!("base, {name}"), grouped(row.work.round()));
    }
    value("base, more tokens", large.tokens - small.tokens);
    value("base, each", format!("{:.3}", base.each * 1e3));
    value("base, part", format!("{:.1}", base.part * 1e3));
    value("base, process", format!("{:.1}", base.process * 1e3));
    let (parts, tokens) = (two.parts / 2.0, two.tokens / 2.0);
    let packing = base.packing();
    let seconds =
        base.process + base.part * parts + base.each * tokens + packing;
    value("base, tokens of two", tokens);
    value("base, packing of two", format!("{:.1}", packing * 1e3));
    value("base, two by hand", grouped((seconds * 1e3).round()));
    value("base, two measured", grouped(two.work.round()));
    value("base, not divided", format!("{:.2}", base.fixed()));
    value("base, batch", grouped(Recipe::base().batch_tokens));
    value("base, one machine", format!("{:.0}", base.computing(1)));
    let tiny = Projection::of(MODELS[0]).computing(1);
    value("tiny, by the formula", format!("{:.0}", 1e3 * tiny));
}

/// The constants of the formula.
fn needed() {
    section("What the formula needs");
    let rows = MODELS.map(|model| {
        let projection = Projection::of(model);
        [
            model.0.to_owned(),
            grouped(model.2().batch_tokens),
            format!("{:.3}", projection.fixed()),
            format!("{:.3}", projection.divided),
            format!("{:.3}", projection.packing()),
            format!("{:.3}", projection.bits / 1e9),
        ]
    });
    let names = [
        "",
        "tokens of a batch",
        "F, seconds",
        "T, seconds",
        "P, seconds",
        "S, Gbit",
    ];
    table(names, rows);
}

fn projected() {
    section("Seconds of an update, projected");
    let rows = MODELS.into_iter().flat_map(|model| {
        let projection = Projection::of(model);
        [8, 64].map(|machines| {
            let sums =
                NETWORKS.map(|g| projection.sum(Way::Halves, machines, g));
            let gains =
                NETWORKS.map(|g| projection.gain(Way::Halves, machines, g));
            let [a, b, c] = sums.map(|seconds| format!("{seconds:.2}"));
            let [x, y, z] = gains.map(|gain| format!("{gain:.1}"));
            let computing = format!("{:.2}", projection.computing(machines));
            let name = model.0.to_owned();
            [name, machines.to_string(), computing, a, b, c, x, y, z]
        })
    });
    let names = [
        "model",
        "machines",
        "computing",
        "sum at 1",
        "at 10",
        "at 100",
        "gain at 1",
        "at 10",
        "at 100",
    ];
    table(names, rows);
}

fn limits() {
    section("Where it stops paying");
    let base = Projection::of(MODELS[1]);
    for gigabits in NETWORKS {
        let limit = base.limit(gigabits);
        value(format!("base, limit at {gigabits}"), limit.fixed(1));
    }
    let days =
        |seconds: f64| seconds * Recipe::base().updates as f64 / 86_400.0;
    value("base, days", format!("{:.0}", days(base.computing(1))));
    for machines in [8, 64] {
        let days = days(base.update(Way::Halves, machines, 10.0));
        value(format!("base, days with {machines}"), format!("{days:.1}"));
    }
    section("Eight machines");
    value("base, packing", format!("{:.3}", base.packing()));
    value("base, message at 10", format!("{:.3}", base.message(10.0)));
    value("base, divided by 8", format!("{:.2}", base.divided / 8.0));
    value("base, sent by 8", both_ways(8));
    let eight = base.update(Way::Halves, 8, 10.0);
    value("base, 8 at 10", format!("{eight:.1}"));
    let gain = base.gain(Way::Halves, 8, 10.0);
    value("base, gain of 8 at 10", format!("{gain:.1}"));
}

/// All messages of a sum of two hosts.
fn two_hosts() {
    section("Messages between two hosts, in milliseconds");
    let rows = between_hosts().into_iter().map(|(gigabits, sum)| {
        let model = MODELS.iter().find(|model| model.0 == sum.model);
        let one = Projection::of(*model.expect("a model")).message(gigabits);
        let messages = if sum.way == "whole" { 2.0 } else { both_ways(2) };
        let projected = 1e3 * messages * one;
        [
            sum.model,
            gigabits.to_string(),
            sum.way,
            grouped(projected.round()),
            grouped(sum.messages.round()),
        ]
    });
    table(["model", "Gbit/s", "way", "should take", "measured"], rows);
    section("The fastest cable");
    let base = Projection::of(MODELS[1]);
    let fast = |(g, sum): &(f64, Sum)| {
        *g > 1.0 && sum.model == "base" && sum.way == "halves"
    };
    let (_, sum) = between_hosts().into_iter().find(fast).expect("a row");
    let times = sum.messages / (1e3 * both_ways(2) * base.message(10.0));
    value("base, times S / B at 10", times.fixed(1));
}
