//! The figures of the chapter on the decoder.

use all_you_need::plain::{Matrix, causal};
use all_you_need::tokens::{Token, words};
use all_you_need::translation::Translator;
use plot::{Diagram, HeatMaps, Hue, Panel, Side};

#[path = "../code/examples/decoder.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{CAPTION, Head, cross_attention, surest_heads, translate};

pub fn draw() {
    draw_wiring();
    draw_trained();
    draw_layer();
    draw_masks();
    draw_shift();
}

/// The maps of these heads for one caption.
fn draw_trained() {
    let translator = &Translator::captions();
    let heads = &surest_heads(translator)[..2];
    let german = translate(translator, &[CAPTION]).remove(0);
    let (source, target, maps) =
        cross_attention(translator, CAPTION, &german);
    let spell = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().map(|&token| translator.tokenizer.name(token)).collect()
    };
    let (rows, columns) = (spell(&target), spell(&source));
    let fence = columns.iter().position(|word| word == "fence");
    let description = format!(
        "Two maps of attention weights, one below the other. The rows are the \
         tokens of “{german}”, the columns those of “{CAPTION}”. In the first \
         each German word has its largest weight at its translation, in the \
         second at the translation of the word after it. The weights for \
         which there is no word are at the full stop and the end."
    );
    let mut figure = HeatMaps::new("A trained cross-attention", &description);
    for (i, Head { layer, head, .. }) in heads.iter().enumerate() {
        let panel = Panel::new(&maps[*layer][*head])
            .title(&format!("layer {}", layer + 1))
            .rows(&rows)
            .columns(&columns)
            .follow_column(fence.expect("the word that we follow"))
            .axes("target: queries", "source: keys")
            .numbers(2)
            .hue(Hue::WEIGHTS)
            .full(1.0)
            .cell(44.0, 24.0);
        figure = if i > 0 { figure.next_row() } else { figure };
        figure = figure.panel(panel);
    }
    plot::save("decoder-trained", &figure.draw());
}

/// Where the queries, keys and values of cross-attention come from.
fn draw_wiring() {
    let mut figure = Diagram::new(
        "Cross-attention",
        "The m rows of the encoder become keys and values, the n rows of the \
         decoder become queries. Queries and keys make n × m weights; weights \
         and values make n rows.",
        26.0,
        20.0,
    )
    .across(19.0);
    let x =
        ((8.5, 18.0), (13.0, 2.4), "*Z*, the encoder's rows\n*m* × d_model");
    let y =
        ((20.5, 18.0), (9.0, 2.4), "*Y*, the decoder's rows\n*n* × d_model");
    let x = figure.block(x.0, x.1, x.2, Hue::SOURCE);
    let y = figure.block(y.0, y.1, y.2, Hue::TARGET);
    let part = (6.0, 2.4);
    let v = figure.block(
        (5.0, 13.5),
        part,
        "*V* = *Z* W^V\n*m* × d_v",
        Hue::VALUES,
    );
    let k = figure.block(
        (12.0, 13.5),
        part,
        "*K* = *Z* W^K\n*m* × d_k",
        Hue::KEYS,
    );
    let q = figure.block(
        (20.5, 13.5),
        part,
        "*Q* = *Y* W^Q\n*n* × d_k",
        Hue::QUERIES,
    );
    let weights = "softmax(*QK*ᵀ / √d_k)\n*n* × *m*";
    let weights =
        figure.block((16.0, 8.5), (11.0, 2.4), weights, Hue::WEIGHTS);
    let out = figure.block(
        (10.0, 3.5),
        (11.0, 2.4),
        "weights · *V*\n*n* × d_v",
        Hue::VALUES,
    );
    for (from, to) in [
        ((5.0, x.top().1), v.bottom()),
        ((12.0, x.top().1), k.bottom()),
        (y.top(), q.bottom()),
        (k.top(), (12.0, weights.bottom().1)),
        (q.top(), (20.5, weights.bottom().1)),
        (v.top(), (5.0, out.bottom().1)),
        ((13.0, weights.top().1), (13.0, out.bottom().1)),
        (out.top(), (10.0, 0.6)),
    ] {
        figure.arrow(&[from, to], Hue::Ink);
    }
    figure.note((10.2, 1.4), Side::Right, "a row for each that asked");
    plot::save("decoder-wiring", &figure.draw());
}

/// The three parts of a layer, from the bottom up.
fn draw_layer() {
    let mut figure = Diagram::new(
        "A decoder layer",
        "From below: self-attention under the causal mask, add and norm; \
         cross-attention, whose keys and values come from the encoder at the \
         left, add and norm; feed-forward, add and norm. Around each part runs \
         a path that leads its input to the sum.",
        28.0,
        30.0,
    )
    .across(18.0);
    let (middle, side) = (17.0, 24.0);
    let parts = [
        (26.0, "look\nself-attention", "norm1", Hue::Ink),
        (18.0, "read\ncross-attention", "norm2", Hue::QUERIES),
        (10.0, "think\nfeed-forward", "norm3", Hue::Ink),
    ];
    let mut from = (middle, 29.6);
    for (height, part, norm, into) in parts {
        let part =
            figure.block((middle, height), (10.0, 2.6), part, Hue::Rule);
        let norm = format!("{norm}\nadd & norm");
        let norm = figure.block(
            (middle, height - 4.0),
            (10.0, 2.6),
            &norm,
            Hue::Rule,
        );
        figure.arrow(&[from, part.bottom()], into);
        figure.arrow(&[part.top(), norm.bottom()], Hue::Ink);
        let below = part.bottom().1 + 0.8;
        let path = [
            (middle, below),
            (side, below),
            (side, height - 4.0),
            norm.right(),
        ];
        figure.arrow(&path, Hue::RESIDUAL);
        from = norm.top();
    }
    figure.arrow(&[from, (middle, 2.4)], Hue::Ink);
    figure.note((middle, 2.2), Side::Above, "*n* × d_model");
    figure.note((middle + 0.2, 29.1), Side::Right, "target, *n* × d_model");
    let x = figure.block(
        (4.5, 18.0),
        (7.5, 2.6),
        "*Z*, from the encoder\n*m* × d_model",
        Hue::SOURCE,
    );
    for (down, hue) in [(-0.3, Hue::KEYS), (0.3, Hue::VALUES)] {
        let from = x.along(0.5, down);
        figure.arrow(&[from, (12.0, from.1)], hue);
    }
    figure.note((10.1, 17.3), Side::Above, "*K*");
    figure.note((10.1, 18.7), Side::Below, "*V*");
    figure.note((middle - 0.2, 19.9), Side::Left, "*Q*");
    figure.note((11.8, 26.0), Side::Left, "mask: no row\nsees a later one");
    plot::save("decoder-layer", &figure.draw());
}

/// Who may look at whom in the three attentions of a translator.
fn draw_masks() {
    let (source, target) = (words("I am fine"), words("<start> Mir geht es gut"));
    let (m, n) = (source.len(), target.len());
    let panel = |title: &str, mask: Matrix, rows: &[String], columns: &[String]| {
        let seen = mask.map(|x| if x == 0.0 { 0.7 } else { 0.0 });
        Panel::new(&seen)
            .title(title)
            .rows(rows)
            .columns(columns)
            .cell(27.0, 24.0)
            .full(1.0)
            .hue(Hue::WEIGHTS)
    };
    let figure = HeatMaps::new(
        "The masks of three attentions",
        &format!(
            "Three maps, filled where a word, a row, may look at a word, a \
             column. In the encoder {m} rows of {m} filled cells. In the \
             decoder's self-attention {n} rows, of which the first has one \
             filled cell and each next one more. In the cross-attention {n} \
             rows of {m} filled cells."
        ),
    )
    .panel(panel("encoder", Matrix::zeros(m, m), &source, &source))
    .panel(panel("decoder, itself", causal(n), &target, &target))
    .panel(panel("decoder, source", Matrix::zeros(n, m), &target, &source));
    plot::save("decoder-masks", &figure.draw());
}

/// What each row is fed, and what it has to say.
fn draw_shift() {
    let mut figure = Diagram::new(
        "The target, shifted right",
        "Below the decoder its five inputs: start, Mir, geht, es, gut. Above \
         it what each row has to say: Mir, geht, es, gut, end. Each word \
         is one place further to the right below than above.",
        29.0,
        10.0,
    )
    .across(17.5);
    let words = ["<start>", "Mir", "geht", "es", "gut", "<end>"];
    let hue = |word: usize| match word {
        1..=4 => Hue::TARGET,
        _ => Hue::Rule,
    };
    let decoder = ((16.5, 5.0), (24.0, 1.8), "Decoder", Hue::Rule);
    figure.block(decoder.0, decoder.1, decoder.2, decoder.3);
    for i in 0..5 {
        let x = 6.5 + 5.0 * i as f64;
        let fed = figure.block((x, 8.6), (4.0, 1.6), words[i], hue(i));
        let says =
            figure.block((x, 1.4), (4.0, 1.6), words[i + 1], hue(i + 1));
        figure.arrow(&[fed.top(), (x, 5.9)], Hue::Ink);
        figure.arrow(&[(x, 4.1), says.bottom()], Hue::Ink);
    }
    figure.note((3.8, 8.6), Side::Left, "is fed");
    figure.note((3.8, 1.4), Side::Left, "has to say");
    plot::save("decoder-shift", &figure.draw());
}
