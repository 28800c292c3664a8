//! The figures of the chapter on the whole Transformer.

#[path = "../code/examples/transformer.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::attention::Mask;
use all_you_need::plain::Matrix;
use all_you_need::tokens::Token;
use example::{CAPTION, Trace, WORD, WRITTEN};
use plot::{Block, Diagram, HeatMaps, Hue, Panel, Point, Side};

pub fn draw() {
    Architecture::draw();
    draw_way();
    draw_packed();
}

/// How many tokens the sources and the targets of a batch have.
const SOURCES: [usize; 2] = [3, 5];
const TARGETS: [usize; 2] = [4, 2];

/// The masks of this batch.
fn draw_packed() {
    let own = Mask::packed(&SOURCES, &SOURCES);
    let causal = Mask::causal(TARGETS.iter().sum());
    let past = Mask::packed(&TARGETS, &TARGETS).and(&causal);
    let source = Mask::packed(&TARGETS, &SOURCES);
    let panel = |name: &str, mask: &Mask| {
        let seen = mask.matrix().map(|x| if x == 0.0 { 0.7 } else { 0.0 });
        let panel = Panel::new(&seen).title(name).cell(17.0, 17.0);
        panel.full(1.0).hue(Hue::WEIGHTS)
    };
    let figure = HeatMaps::new(
        "Three masks of a batch",
        &format!(
            "Three maps, filled where a query, a row, sees a key, a column. \
             In the encoder: a square of {} and one of {}. In the decoder's \
             self-attention: a triangle of {} rows and one of {}. In the \
             cross-attention: a rectangle for each pair, at the upper left \
             and at the lower right.",
            SOURCES[0], SOURCES[1], TARGETS[0], TARGETS[1]
        ),
    )
    .panel(panel("encoder", &own))
    .panel(panel("decoder", &past))
    .panel(panel("cross-attention", &source));
    plot::save("transformer-packed", &figure.draw());
}

/// Where the last row looks in each layer, in the head that looks hardest at
/// the noun, and what the row says after the layer.
fn draw_way() {
    let trace = Trace::of(CAPTION);
    let words: Vec<String> =
        trace.source.iter().map(|&token| trace.word(token)).collect();
    let noun = words.iter().position(|word| word == WORD).expect("the noun");
    let mut looks = hardest(&trace, noun);
    let mut says = trace.nearest(CAPTION);
    let names: Vec<_> =
        (1..=says.len()).rev().map(|l| format!("layer {l}")).collect();
    // As everywhere, a row climbs.
    looks.reverse();
    says.reverse();
    let steps: Vec<String> = (0..says.len())
        .rev()
        .map(|l| {
            let weight = looks[l][noun];
            format!("{}, {weight:.2} at {WORD}, says {}", names[l], says[l])
        })
        .collect();
    let description = format!(
        "A map with a row for each layer of the decoder and a column for \
         each token of “{CAPTION}”. From below: {}.",
        steps.join("; ")
    );
    let map = Matrix::from_fn(looks.len(), words.len(), |l, j| looks[l][j]);
    let panel = Panel::new(&map).rows(&names).columns(&words);
    let panel = panel.hue(Hue::WEIGHTS).full(1.0).cell(25.0, 26.0);
    let panel = says.iter().enumerate().fold(panel, |panel, (l, said)| {
        panel.note(l, &format!("says *{said}*"))
    });
    let figure = HeatMaps::new("How the coat gets there", &description)
        .panel(panel.follow_column(noun));
    plot::save("transformer-way", &figure.draw());
}

/// The last row of weights in each layer, of the head that gives most to a
/// column.
fn hardest(trace: &Trace, column: usize) -> Vec<Vec<f64>> {
    let source = trace.translator.tokenizer.encode_source(CAPTION);
    let fed: Vec<_> = trace.fed.iter().map(|&t| t as Token).collect();
    let maps = trace.translator.attention_maps(&source, &fed).cross;
    let rows = maps.iter().map(|heads| {
        let rows = heads.iter().map(|map| map.row(WRITTEN));
        let most = rows.max_by(|a, b| a[column].total_cmp(&b[column]));
        most.expect("a head").iter().map(|x| f64::from(*x)).collect()
    });
    rows.collect()
}

/// Figure 1 of the paper, with the names of the functions.
struct Architecture {
    figure: Diagram,
}

const ENCODER: f64 = 8.8;
const DECODER: f64 = 23.6;

/// A part of a layer: its height, its names, and which of Q, K and V the rows
/// below it become.
type Sublayer = (f64, &'static str, &'static [(&'static str, Hue)]);

const QUERIES: (&str, Hue) = ("*Q*", Hue::QUERIES);
const ALL_THREE: &[(&str, Hue)] =
    &[QUERIES, ("*K*", Hue::KEYS), ("*V*", Hue::VALUES)];

impl Architecture {
    fn draw() {
        let figure = Diagram::new(
            "The Transformer",
            "Two columns, read from below. One embedding table at the bottom \
             serves sources and targets; sinusoidal positions are added to \
             both. At the left N encoder layers, each attention, add and \
             norm, feed-forward, add and norm. At the right N decoder \
             layers, each masked attention, cross-attention whose keys and \
             values come from the top of the encoder, and feed-forward, each \
             with add and norm. The top of the decoder is multiplied by the \
             transposed embedding table, which gives the logits. A softmax \
             outside the model makes probabilities of them.",
            32.8,
            49.0,
        )
        .across(15.7);
        let mut drawing = Self { figure };
        drawing.inputs();
        let memory = drawing.encoder();
        let top = drawing.decoder(memory);
        drawing.output(top);
        plot::save("transformer-architecture", &drawing.figure.draw());
    }

    fn part(&mut self, at: Point, text: &str) -> Block {
        self.figure.block(at, (9.4, 2.2), text, Hue::Rule)
    }

    /// The table, the positions, and what goes up from there.
    fn inputs(&mut self) {
        let text = "Embedding\none table, *V* × d_model, for sources, targets \
                    and logits";
        let middle = (ENCODER + DECODER) / 2.0;
        let table =
            self.figure.block((middle, 43.4), (25.0, 2.4), text, Hue::Rule);
        let at = (middle, 39.4);
        let place =
            self.figure.block(at, (6.4, 1.8), "positions", Hue::Rule);
        for (x, tokens) in [
            (ENCODER, "source\n*m* tokens"),
            (DECODER, "target, shifted right\n*n* tokens"),
        ] {
            let sum = self.figure.circle((x, 39.4), "+");
            let down = table.bottom().1;
            self.figure.arrow(&[(x, 46.4), (x, down)], Hue::Ink);
            self.figure.note((x, 46.4), Side::Below, tokens);
            self.figure.arrow(&[(x, table.top().1), sum.bottom()], Hue::Ink);
            let (from, to) = if x < middle {
                (place.left(), sum.right())
            } else {
                (place.right(), sum.left())
            };
            self.figure.arrow(&[from, to], Hue::Ink);
        }
    }

    /// Sublayers from the bottom up, each with its add & norm: `side` is
    /// where the path around them runs. Returns the top.
    fn stack(&mut self, x: f64, side: f64, parts: &[Sublayer]) -> Point {
        let mut from = (x, 38.9);
        for &(y, text, become_of_rows) in parts {
            let part = self.part((x, y), text);
            let norm = self.part((x, y - 3.2), "add_norm");
            let below = part.bottom().1 + 1.4;
            let corner = if side < x { norm.left() } else { norm.right() };
            let around =
                [(x, below), (side, below), (side, corner.1), corner];
            self.figure.arrow(&around, Hue::RESIDUAL);
            self.figure.arrow(&[part.top(), norm.bottom()], Hue::Ink);
            self.enter(from, part.bottom(), become_of_rows);
            from = norm.top();
        }
        from
    }

    /// The way into a sublayer: one arrow, or one for each of Q, K and V.
    fn enter(&mut self, from: Point, to: Point, rows: &[(&str, Hue)]) {
        if rows.is_empty() {
            self.figure.arrow(&[from, to], Hue::Ink);
            return;
        }
        let fork = (to.0, to.1 + 1.0);
        self.figure.line(&[from, fork], Hue::Ink);
        for (i, &(name, hue)) in rows.iter().enumerate() {
            let x = to.0 + 3.0 * (i as f64 - (rows.len() - 1) as f64 / 2.0);
            self.figure.arrow(&[fork, (x, fork.1), (x, to.1)], hue);
            self.figure.note((x, to.1 + 0.5), Side::Left, name);
        }
    }

    /// Returns where the memory comes out.
    fn encoder(&mut self) -> Point {
        let x = ENCODER;
        self.figure.frame((3.0, 20.9), (14.4, 37.4), Side::Left, "*N* ×");
        self.figure.note((2.75, 21.7), Side::Right, "encoder_layer");
        self.figure.note((x, 38.1), Side::Right, "*m* × d_model");
        let parts: [Sublayer; 2] = [
            (34.4, "heads\nself-attention", ALL_THREE),
            (27.2, "feed_forward", &[]),
        ];
        self.stack(x, 3.6, &parts)
    }

    /// Returns where the rows for the logits come out.
    fn decoder(&mut self, memory: Point) -> Point {
        let x = DECODER;
        self.figure.frame((18.2, 13.5), (29.6, 37.4), Side::Right, "*N* ×");
        self.figure.note((17.95, 14.3), Side::Right, "decoder_layer");
        self.figure.note((x, 38.1), Side::Right, "*n* × d_model");
        let parts: [Sublayer; 3] = [
            (34.4, "heads\nself-attention, causal", ALL_THREE),
            (27.2, "heads\ncross-attention", &[QUERIES]),
            (19.8, "feed_forward", &[]),
        ];
        let top = self.stack(x, 29.0, &parts);
        let (bus, up) = (16.2, 19.6);
        let path = [memory, (memory.0, up), (bus, up), (bus, 27.7)];
        self.figure.line(&path, Hue::Ink);
        self.figure.note((12.4, up), Side::Above, "memory, *m* × d_model");
        for (y, name, hue) in
            [(26.7, "*K*", Hue::KEYS), (27.7, "*V*", Hue::VALUES)]
        {
            self.figure.arrow(&[(bus, y), (x - 4.7, y)], hue);
            self.figure.note((17.2, y + 0.1), Side::Above, name);
        }
        top
    }

    /// The logits, with the table again, and the softmax outside.
    fn output(&mut self, top: Point) {
        let x = DECODER;
        let logits = self.part((x, 10.4), "product\n*z* · *E*ᵀ");
        self.figure.arrow(&[top, logits.bottom()], Hue::Ink);
        let right = (ENCODER + DECODER) / 2.0 + 12.5;
        let tie = [(right, 43.4), (32.2, 43.4), (32.2, 10.4), logits.right()];
        self.figure.arrow(&tie, Hue::HERE);
        self.figure.note((31.0, 10.4), Side::Above, "*E*");
        let softmax = self.part((x, 5.6), "softmax");
        self.figure.arrow(&[logits.top(), softmax.bottom()], Hue::Ink);
        let outside = "outside the model, where\nprobabilities are needed";
        self.figure.note(softmax.left(), Side::Left, outside);
        self.figure.note((x + 0.1, 8.0), Side::Right, "logits, *n* × *V*");
        self.figure.arrow(&[softmax.top(), (x, 2.0)], Hue::Ink);
        self.figure.note((x, 2.0), Side::Above, "probabilities, *n* × *V*");
    }
}
