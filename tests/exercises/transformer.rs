use all_you_need::plain::{
    DecoderLayer, Matrix, Model, add_norm, causal, decode, embed, encode,
    feed_forward, heads, softmax,
};
use nalgebra::dmatrix;

#[path = "../../exercises/checks/transformer.rs"]
mod check;

// Exercise 1
//
// The same token, since all logits are doubled and keep their order. The
// logits 2, 3 and −3 become 4, 6 and −6, and the probability of *gut* rises from
// 0.730 to 0.881. It is a [temperature](dictionary.md#how-soft) of ½, which gives more to the largest:
// *einem* would gain.
#[test]
fn a_doubled_row_takes_the_same_token_more_surely() {
    let logits = dmatrix![2.0, 3.0, -3.0];
    let [once, twice] = [1.0, 2.0].map(|c| softmax(&(&logits * c)));
    let best = |m: &Matrix| m.row(0).transpose().argmax().0;
    assert_eq!((best(&once), best(&twice)), (1, 1));
    assert!((once[1] - 0.7297).abs() < 1e-4, "{once}");
    assert!((twice[1] - 0.8808).abs() < 1e-4, "{twice}");
}

// Exercise 2
//
// What is left of a decoder layer is an encoder layer, and the mask makes it
// a decoder. Nothing has to be trained anew for this to run; to write
// something sensible it has to be trained on texts.

/// The logits after each token of a text, of a decoder alone.
pub fn gpt(Model(table, _, layers): &Model, text: &[usize]) -> Matrix {
    let past = causal(text.len());
    let up = |y: Matrix, (look, norm1, _, _, think, norm2): &DecoderLayer| {
        let y = add_norm(norm1, &y, &heads(look, &y, &y, &past));
        add_norm(norm2, &y, &feed_forward(think, &y))
    };
    layers.iter().fold(embed(table, text), up) * table.transpose()
}

/// A text and `more` tokens that continue it, each the most probable one.
pub fn continued(p: &Model, text: &[usize], more: usize) -> Vec<usize> {
    let mut written = text.to_vec();
    for _ in 0..more {
        let logits = gpt(p, &written);
        let last = logits.row(written.len() - 1).transpose();
        written.push(last.argmax().0);
    }
    written
}

// Exercise 3
//
// The target was not shifted: row i was compared with token i, which it had
// been fed. It has to predict token i + 1, so the last token is fed to no row
// and the first one is no answer.

/// The share of a target's tokens that a model predicts correctly.
pub fn share_right(p: &Model, source: &[usize], target: &[usize]) -> f64 {
    let (fed, answers) = (&target[..target.len() - 1], &target[1..]);
    let logits = decode(p, fed, &encode(p, source));
    let guess = |i: usize| logits.row(i).transpose().argmax().0;
    let right = (0..fed.len()).filter(|&i| guess(i) == answers[i]);
    right.count() as f64 / answers.len() as f64
}
