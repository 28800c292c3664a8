//! How far a bag of single words can go.

/// How often a clause of a review has *not*.
pub const NOT: f64 = 1.0 / 3.0;

/// How often none of two clauses has *not*, or both have.
pub fn of_one_mind() -> f64 {
    (1.0 - NOT).powi(2) + NOT.powi(2)
}

/// In which share of the double reviews the bag tells the verdict, and how
/// many it can get right, if it knows the grammar. Two adjectives of the same
/// kind tell the verdict if none or both are negated; else it is a guess.
pub fn best_bag() -> [f64; 2] {
    let told = 0.5 * of_one_mind();
    [told, told + (1.0 - told) / 2.0]
}
