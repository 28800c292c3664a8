//! The figure of the chapter with the model in a hundred lines.

use plot::{Diagram, Hue};

pub fn draw() {
    let mut figure = Diagram::new(
        "Who calls whom",
        "A tree from the top down. greedy calls encode once and decode once \
         for each token. encode calls embed and encoder_layer, decode calls \
         embed and decoder_layer, and embed calls positions. Both layers call \
         heads, add_norm and feed_forward, and the decoder's also calls \
         causal. heads calls attend, and attend calls softmax.",
        33.0,
        24.0,
    )
    .across(15.6);
    let mut part = |x: f64, y: f64, name: &str, hue: Hue| {
        figure.block((x, y), (7.0, 2.0), name, hue)
    };
    let greedy = part(16.5, 1.4, "greedy", Hue::Rule);
    let encode = part(8.0, 5.4, "encode", Hue::SOURCE);
    let decode = part(25.0, 5.4, "decode", Hue::TARGET);
    let embed = part(16.5, 7.6, "embed", Hue::Rule);
    let positions = part(16.5, 11.4, "positions", Hue::Rule);
    let reads = part(8.0, 11.4, "encoder_layer", Hue::SOURCE);
    let writes = part(25.0, 11.4, "decoder_layer", Hue::TARGET);
    let heads = part(4.2, 17.0, "heads", Hue::Rule);
    let norm = part(12.4, 17.0, "add_norm", Hue::Rule);
    let think = part(20.6, 17.0, "feed_forward", Hue::Rule);
    let causal = part(28.8, 17.0, "causal", Hue::TARGET);
    let attend = part(4.2, 22.0, "attend", Hue::Rule);
    let softmax = part(12.4, 22.0, "softmax", Hue::Rule);
    let across = [
        (greedy, encode, Hue::SOURCE),
        (greedy, decode, Hue::TARGET),
        (embed, positions, Hue::Ink),
        (encode, reads, Hue::SOURCE),
        (decode, writes, Hue::TARGET),
        (heads, attend, Hue::Ink),
    ];
    for (from, to, hue) in across {
        figure.arrow(&[from.bottom(), to.top()], hue);
    }
    figure.arrow(&[encode.right(), embed.left()], Hue::SOURCE);
    figure.arrow(&[decode.left(), embed.right()], Hue::TARGET);
    figure.arrow(&[attend.right(), softmax.left()], Hue::Ink);
    for (from, parts, hue) in [
        (reads, &[heads, norm, think][..], Hue::SOURCE),
        (writes, &[heads, norm, think, causal][..], Hue::TARGET),
    ] {
        for to in parts {
            figure.arrow(&[from.bottom(), to.top()], hue);
        }
    }
    plot::save("plain-calls", &figure.draw());
}
