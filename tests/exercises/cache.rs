use all_you_need::search::length_penalty;

#[path = "../../exercises/checks/cache.rs"]
mod check;

// Exercise 1
//
// 41 columns: one for the beginning of the sentence, which all hypotheses
// share, and four for each of the ten words. Each hypothesis reads 11 of them.
// Without sharing, four copies would have 44, and the difference would stay
// this small; what sharing saves is copying all of them whenever the beam
// is sorted anew.
#[test]
fn a_beam_of_four_has_41_columns_after_ten_words() {
    let mut lists: Vec<Vec<usize>> = vec![vec![0]];
    let mut columns = 1;
    for word in 0..10 {
        let child = |i: usize| {
            let mut list = lists[(i * 7 + word) % lists.len()].clone();
            list.push(columns + i);
            list
        };
        lists = (0..4).map(child).collect();
        columns += lists.len();
    }
    assert_eq!(columns, 41);
    assert!(lists.iter().all(|list| list.len() == 11));
    assert_eq!(lists.len() * 11, 44);
}

// Exercise 2
//
// What stays are the numbers in the lists, sorted and each once, and the new
// number of a column is its place among them. The matrices of keys and values
// are then gathered by the old numbers. That copies the cache, so a program
// does it when half of it is unused, and not in each step.

/// A cache without the columns that no hypothesis uses.
pub fn compact(lists: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut kept = lists.concat();
    kept.sort_unstable();
    kept.dedup();
    let new = |old: &usize| kept.binary_search(old).expect("it is kept");
    let renumbered = |list: &Vec<usize>| list.iter().map(new).collect();
    let lists = lists.iter().map(renumbered).collect();
    (kept, lists)
}

// Exercise 3
//
// It divides by the penalty of the tokens so far, and a longer sentence has a
// larger divisor, which brings a negative sum nearer to 0. A hypothesis that
// looks lost may still win by going on, so only the divisor of the longest
// sentence tells that it cannot.

/// Whether a live hypothesis may still end better than `best`.
pub fn may_win(
    sum: f64,
    _tokens: usize,
    longest: usize,
    alpha: f64,
    best: f64,
) -> bool {
    sum / length_penalty(longest, alpha) > best
}
