use all_you_need::attention::Mask;
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Config, Encoder};
use all_you_need::heads::MultiHead;
use all_you_need::plain::{DecoderLayer, add_norm, feed_forward, heads};
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::Token;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::{close, largest};

#[path = "../../exercises/checks/decoder.rs"]
mod check;

// Exercise 1
//
// All five rows get the same. There is a single key, so every query gives it
// the weight 1.
#[test]
fn a_source_of_one_word_answers_every_query_alike() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let cross: MultiHead<Matrix> = MultiHead::new(2, 16, (4, 6), rng);
    let (y, x) = (rng.uniform(5, 16, 1.0), rng.uniform(1, 16, 1.0));
    let seen = cross.forward(&y, &x, &Mask::none(5, 1));
    let answer = &x * cross.w_v * cross.w_o;
    for row in seen.row_iter() {
        assert!(largest(&(row - &answer)) < 1e-14);
    }
}

// Exercise 2
//
// It notices only the swap below the encoder, where *I* gets the position of
// *fine*, so the encoder reads another sentence. Above the encoder the memory
// is listed in another order, and keys and values have none. Without
// positions it notices neither.
#[test]
fn order_is_noticed_only_below_the_encoder() {
    let config = Config {
        vocabulary: 3,
        layers: 2,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 4,
        d_v: 6,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let embedding: Embedding<Matrix> = Embedding::new(3, 16, rng);
    let encoder: Encoder<Matrix> = Encoder::new(&config, rng);
    let cross: MultiHead<Matrix> = MultiHead::new(2, 16, (4, 6), rng);
    let y = rng.uniform(5, 16, 1.0);
    let ask = |x| cross.forward(&y, &x, &Mask::none(5, 3));
    let encode = |x| encoder.forward(&x, &Mask::none(3, 3));
    let (plain, swapped) =
        (embedding.embed(&[0, 1, 2]), embedding.embed(&[2, 1, 0]));
    let places = sinusoidal(&[0, 1, 2], 16);

    let x = encode(&plain + &places);
    let above = ask(x.select_rows(&[2, 1, 0]));
    let below = ask(encode(&swapped + &places));
    let right = ask(x);
    close(&above, &right, 1e-13);
    assert!(largest(&(below - &right)) > 0.1);

    close(&ask(encode(plain)), &ask(encode(swapped)), 1e-13);
}

// Exercise 3
//
// Only the last row asks, and it may see every row, so no mask is left. But it
// is compared with all rows of $y$ in the self-attention, whose keys and values
// a program can [keep](search.md) from one word to the next.

/// The last row that a layer of the decoder returns.
pub fn last_row(p: &DecoderLayer, y: &Matrix, z: &Matrix) -> Matrix {
    let (look, norm1, read, norm2, think, norm3) = p;
    let last = y.rows(y.nrows() - 1, 1).into_owned();
    let every = |rows: &Matrix| Matrix::zeros(1, rows.nrows());
    let seen = heads(look, &last, y, &every(y));
    let x = add_norm(norm1, &last, &seen);
    let x = add_norm(norm2, &x, &heads(read, &x, z, &every(z)));
    add_norm(norm3, &x, &feed_forward(think, &x))
}

// Exercise 4
//
// There are n + 1 answers to learn for n words, and the last is the end of
// the sequence. Cut at n, the target never contained it, so the model was
// never shown how to stop.

/// What the decoder reads and what it should answer.
pub fn shifted(
    words: &[Token],
    (bos, eos): (Token, Token),
) -> (Vec<Token>, Vec<Token>) {
    let target = [&[bos], words, &[eos]].concat();
    let n = words.len();
    (target[..n + 1].to_vec(), target[1..n + 2].to_vec())
}
