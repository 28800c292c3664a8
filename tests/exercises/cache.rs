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
    let mut lists = vec![vec![0]];
    let mut columns = 1;
    for word in 0..10 {
        let parents: Vec<usize> =
            (0..4).map(|i| (i * 7 + word) % lists.len()).collect();
        lists = append(&lists, &parents, columns);
        columns += parents.len();
    }
    assert_eq!(columns, 41);
    assert!(lists.iter().all(|list| list.len() == 11));
    assert_eq!(lists.len() * 11, 44);
}

// Exercise 2
//
// The new list is a copy of the parent's with one more number. Copied are
// numbers of columns, and not keys and values, each of which has hundreds of
// numbers.

/// For each new hypothesis the columns of the cache that it uses.
pub fn append(
    lists: &[Vec<usize>],
    parents: &[usize],
    first: usize,
) -> Vec<Vec<usize>> {
    let with = |(&parent, column): (&usize, usize)| {
        let mut list = lists[parent].clone();
        list.push(column);
        list
    };
    parents.iter().zip(first..).map(with).collect()
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
