//! On which rows the article of a noun depends, and which layer reads them.

use super::whole::tokens;
use super::{CAPTION, Trace, WORD, WRITTEN};
use all_you_need::plain::{Model, decoder_layer, embed, encode, softmax};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use print::{Fixed, section, table, value};

/// What we put in its place.
const OTHER: &str = "jacket";

impl Trace {
    /// The memory, and that of the caption with the other noun.
    fn memories(&self) -> [Matrix; 2] {
        let other = CAPTION.replace(WORD, OTHER);
        let other = tokens(&self.translator, &other);
        assert_eq!(other.len(), self.source.len());
        [&self.source, &other].map(|source| encode(&self.model, source))
    }

    /// How far the rows of the memory move if there is another noun.
    pub fn which_row_knows(&self) {
        let [one, two] = self.memories();
        let line = |(i, &token): (usize, &usize)| {
            let moved = (one.row(i) - two.row(i)).norm() / one.row(i).norm();
            (self.word(token), moved.fixed(2))
        };
        section("Another noun");
        let lines = self.source.iter().enumerate().map(line);
        table(["row of", "moves by"], lines);
    }

    /// Where a word stands in a caption.
    fn place(&self, caption: &str, word: &str) -> usize {
        let tokens = tokens(&self.translator, caption).into_iter();
        let place = tokens.map(|t| self.word(t)).position(|t| t == word);
        place.expect("the word is one token")
    }

    /// How much of its weight the last row of the target gives a word of a
    /// caption in each layer, and the head, from 0, that gives it so much.
    fn weights_at(&self, caption: &str, word: &str) -> Vec<(usize, f32)> {
        let source = self.translator.tokenizer.encode_source(caption);
        let fed: Vec<_> = self.fed.iter().map(|&t| t as Token).collect();
        let place = self.place(caption, word);
        let maps = self.translator.attention_maps(&source, &fed).cross;
        let most = |maps: Vec<_>| {
            let weights =
                maps.iter().map(|map: &Matrix<f32>| map[(WRITTEN, place)]);
            let most = weights.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            most.expect("a layer has heads")
        };
        maps.into_iter().map(most).collect()
    }

    /// The row of the table to which the last row of the target is nearest
    /// after each layer.
    pub fn nearest(&self, caption: &str) -> Vec<String> {
        let Model(rows, _, layers) = &self.model;
        let z = encode(&self.model, &tokens(&self.translator, caption));
        let mut y = embed(rows, &self.fed);
        let up = |layer| {
            y = decoder_layer(layer, &y, &z);
            let logits = y.row(WRITTEN) * rows.transpose();
            self.word(logits.transpose().argmax().0)
        };
        layers.iter().map(up).collect()
    }

    /// In which layer the decoder looks at the noun, and what it says then.
    pub fn who_looks_there(&self) {
        let other = CAPTION.replace(WORD, OTHER);
        let captions = [(CAPTION, WORD), (&other, OTHER)];
        let weights = captions.map(|(c, word)| self.weights_at(c, word));
        let says = captions.map(|(c, _)| self.nearest(c));
        section("The last row");
        let lines = (0..self.model.2.len()).map(|l| {
            let both =
                [0, 1].map(|i| (weights[i][l].1.fixed(2), &says[i][l]));
            (l + 1, both)
        });
        table(["layer", "at coat", "says", "at jacket", "says"], lines);
        section("The last row, in the text");
        value("layer 3 looks most by head", weights[0][2].0 + 1);
    }

    /// What comes next if some layers of the decoder read the other noun, in
    /// all rows of the memory or in some.
    pub fn who_decides(&self) {
        let Model(rows, _, layers) = &self.model;
        let [own, other] = self.memories();
        let [einem, einer] = ["einem", "einer"].map(|word| {
            let is_it = |&token: &usize| self.word(token) == word;
            (0..rows.nrows()).find(is_it).expect("a token")
        });
        let noun = self.place(CAPTION, WORD);
        let [mut alone, mut around] = [own.clone(), other.clone()];
        alone.set_row(noun, &other.row(noun));
        around.set_row(noun, &own.row(noun));
        let without = own.clone().remove_row(noun);
        let line = |(name, others, read): (_, &[usize], &Matrix)| {
            let z = |l| if others.contains(&l) { read } else { &own };
            let up = |y, (layer, l)| decoder_layer(layer, &y, z(l));
            let y = layers.iter().zip(1..).fold(embed(rows, &self.fed), up);
            let shares = softmax(&(y.rows(WRITTEN, 1) * rows.transpose()));
            (name, [shares[einem], shares[einer]].fixed(2))
        };
        section("Who decides");
        let lines: [(&str, &[usize], _); 10] = [
            ("none", &[], &other),
            ("1", &[1], &other),
            ("2", &[2], &other),
            ("3", &[3], &other),
            ("4", &[4], &other),
            ("4, but only its row of jacket", &[4], &alone),
            ("4, but all rows except that", &[4], &around),
            ("1, 2, 3", &[1, 2, 3], &other),
            ("all", &[1, 2, 3, 4], &other),
            ("none; 4 without the row of coat", &[4], &without),
        ];
        table(
            ["layers that read the jacket", "einem", "einer"],
            lines.map(line),
        );
    }
}
