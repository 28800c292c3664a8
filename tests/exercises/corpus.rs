use rand::{rngs::ChaCha8Rng, seq::SliceRandom};
use std::io::{self, BufRead, Seek, SeekFrom};

#[path = "../../exercises/checks/corpus.rs"]
mod check;

// Exercise 1
//
// The file has 36 · 60 · 4 = 8640 megabytes, the table 36 · 16 = 576, and the
// order of an epoch, in both directions, 2 · 36 · 4 = 288. With two bytes a
// token the file is half as large, and in memory nothing changes: the table has
// where an example begins and how many tokens it has, which does not depend on
// the bytes of a token. But two bytes have only 65,536 numbers, so a larger
// vocabulary does not fit.

#[test]
fn half_the_bytes_a_token_halve_the_file_and_not_the_table() {
    let (pairs, tokens_of_a_pair) = (36.0, 60.0);
    let megabytes = |token: f64| {
        let (table, order) = (pairs * (8.0 + 4.0 + 4.0), 2.0 * pairs * 4.0);
        (pairs * tokens_of_a_pair * token, table + order)
    };
    assert_eq!(megabytes(4.0), (8640.0, 864.0));
    assert_eq!(megabytes(2.0), (4320.0, 864.0));
    assert_eq!(usize::from(u16::MAX) + 1, 65_536);
}

// Exercise 2
//
// One pass adds up the bytes of the lines, and later a seek goes to any of
// them. This is the table of the chapter for a file that is there already: it
// needs no lengths, because a line says itself where it ends.

/// Where each line of a text begins, in bytes.
pub fn beginnings(text: &mut impl BufRead) -> io::Result<Vec<u64>> {
    let (mut beginnings, mut begin) = (Vec::new(), 0);
    loop {
        let mut line = Vec::new();
        match text.read_until(b'\n', &mut line)? {
            0 => return Ok(beginnings),
            bytes => {
                beginnings.push(begin);
                begin += bytes as u64;
            }
        }
    }
}

/// The i-th line of this text, without the byte at its end.
pub fn line(
    text: &mut (impl BufRead + Seek),
    beginnings: &[u64],
    i: usize,
) -> io::Result<String> {
    text.seek(SeekFrom::Start(beginnings[i]))?;
    let mut line = String::new();
    text.read_line(&mut line)?;
    Ok(line.strip_suffix('\n').unwrap_or(&line).to_owned())
}

// Exercise 3
//
// It draws each number by itself, so some come twice or more often, and
// others not at all: with n examples each is missed with the probability
// (1 − 1/n)ⁿ, which is about 1/e, or 37 %. An epoch should have each number
// once, so we make the list of all numbers and shuffle it.

/// The order of an epoch with n examples.
pub fn order(n: u32, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n).collect();
    order.shuffle(rng);
    order
}
