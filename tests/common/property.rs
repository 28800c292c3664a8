//! Properties: what holds of any value is tried with many, which are the same in every run.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Panics with the simplest value that can be found of which this does not hold.
#[track_caller]
pub fn for_any<S: Strategy>(cases: u32, values: S, holds: impl Fn(S::Value)) {
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    };
    let run = TestRunner::new(config).run(&values, |value| {
        holds(value);
        Ok(())
    });
    run.unwrap_or_else(|failed| panic!("{failed}"));
}
