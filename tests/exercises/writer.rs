use all_you_need::encoder::Config;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::writer::Half;
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[path = "../../exercises/checks/writer.rs"]
mod check;

// Exercise 1
//
// None. Without the first token, every other one stands one place further to the left,
// so all rows change from the first layer on, and what they had heard of the token
// that has gone is lost as well. The cache can be used again only while the text still fits.
#[test]
fn without_the_first_token_every_row_is_another() {
    let config = Config { vocabulary: 20, ..Config::toy() };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Half<Matrix> = Half::new(&config, rng);
    let before = model.causal(&[[3, 1, 4, 1, 5, 9]]);
    let after = model.causal(&[[1, 4, 1, 5, 9]]);
    for (old, new) in before.row_iter().skip(1).zip(after.row_iter()) {
        assert!((old - new).amax() > 0.01);
    }
}

// Exercise 2
//
// The windows are those of `windows` with a step of half the length. The first
// half of the answers of each but the first window has been counted in the
// window before it, so only the second half counts.

/// Pieces that overlap by half, and how many of their last answers count.
pub fn overlapping(
    text: &[Token],
    length: usize,
) -> Vec<(Vec<Token>, usize)> {
    let windows = text.windows(length + 1).step_by(length / 2).enumerate();
    let counted = |i| if i == 0 { length } else { length / 2 };
    windows.map(|(i, window)| (window.to_vec(), counted(i))).collect()
}

// Exercise 3
//
// Each share was compared with `u` itself. But with shares of 0.5, 0.2 and 0.3
// the second token has the part from 0.5 to 0.7, so the shares before it must
// be subtracted first. As it is, a token is drawn only where its share exceeds
// all those before it, and what is left over goes to the last one.

/// The token that is drawn when chance says `u`.
pub fn draw(shares: &[f64], u: f64) -> usize {
    let mut left = u;
    let drawn = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    drawn.unwrap_or(shares.len() - 1)
}
