//! What somebody has right who misses something.

use std::collections::BTreeMap;

/// A clause as far as it matters: whether its adjective praises, and whether
/// it has *not*.
type Clause = (bool, bool);

/// What a clause says.
fn good((praises, not): Clause) -> bool {
    praises != not
}

/// The largest share of reviews of two clauses, of which the first decides,
/// that can be right for somebody who sees only this of them.
fn at_best<S: Ord>(seen: impl Fn([Clause; 2]) -> S) -> f64 {
    let clauses =
        [(true, false), (true, true), (false, false), (false, true)];
    let probability = |(_, not)| if not { 1.0 / 6.0 } else { 1.0 / 3.0 };
    let mut shares: BTreeMap<S, [f64; 2]> = BTreeMap::new();
    for (one, other) in clauses.iter().flat_map(|a| clauses.map(|b| (*a, b)))
    {
        let verdicts = shares.entry(seen([one, other])).or_default();
        verdicts[usize::from(good(one))] +=
            probability(one) * probability(other);
    }
    shares.values().map(|[bad, good]| bad.max(*good)).sum()
}

/// Any model of a bag of words, and one that knows what both clauses say and
/// not which of them decides.
pub fn of_rules() -> [f64; 2] {
    let bag = |clauses: [Clause; 2]| {
        let count =
            |is: fn(&Clause) -> bool| clauses.into_iter().filter(&is).count();
        (count(|clause| clause.0), count(|clause| clause.1))
    };
    let said = |clauses: [Clause; 2]| {
        clauses.into_iter().filter(|clause| good(*clause)).count()
    };
    [at_best(bag), at_best(said)]
}
