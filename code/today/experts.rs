//! A mixture of experts: many networks, of which each row uses two.

use crate::costs::Shape;
use crate::gradient::Variable;
use crate::layers::{Layer, LayerOps};
use crate::tensor::{Float, Init, Matrix, Tensor};
use crate::tokens::{Token, one_hot};

/// A tensor of which one can ask where its largest numbers are.
pub trait Route: LayerOps {
    /// For each row the columns of its largest and its second largest number.
    ///
    /// # Panics
    /// If there are fewer than two columns.
    fn two_largest(&self) -> Vec<[usize; 2]>;
}

impl<F: Float> Route for Matrix<F> {
    fn two_largest(&self) -> Vec<[usize; 2]> {
        assert!(self.ncols() > 1, "two of {} columns", self.ncols());
        let two = |i: usize| {
            let best = |but: Option<usize>| {
                let others = (0..self.ncols()).filter(|&j| Some(j) != but);
                let higher = |a: usize, b: usize| {
                    if self[(i, b)] > self[(i, a)] { b } else { a }
                };
                others.reduce(higher).expect("two columns")
            };
            let first = best(None);
            [first, best(Some(first))]
        };
        (0..self.nrows()).map(two).collect()
    }
}

impl<F: Float> Route for Variable<F> {
    fn two_largest(&self) -> Vec<[usize; 2]> {
        self.value().two_largest()
    }
}

/// Which experts a row uses does not change what it costs, so long as their
/// number does not: the rows go to all experts in turn.
impl Route for Shape {
    fn two_largest(&self) -> Vec<[usize; 2]> {
        let (n, experts) = self.shape();
        (0..n).map(|i| [i % experts, (i + 1) % experts]).collect()
    }
}

/// Several networks and a router, which sends each row to two of them (Shazeer
/// et al., 2017): their outputs are added in the ratio of the softmax of their
/// two scores.
#[derive(Clone, Debug)]
pub struct Experts<T, M> {
    /// A score for each network: d_model × e.
    pub router: T,
    /// The networks.
    pub networks: Vec<M>,
}

parameters!(Experts<M>, [router], [networks], []);

impl<T: Route, M: Layer<T>> Experts<T, M> {
    /// e random networks and a router.
    ///
    /// # Panics
    /// If there are fewer than two.
    pub fn new<I: Init<T>>(
        experts: usize,
        d_model: usize,
        init: &mut I,
        mut network: impl FnMut(&mut I) -> M,
    ) -> Self {
        assert!(experts > 1, "each row uses two of {experts} experts");
        let router = init.weight(d_model, experts);
        Self {
            router,
            networks: (0..experts).map(|_| network(init)).collect(),
        }
    }
}

impl<T: Route, M: Layer<T>> Layer<T> for Experts<T, M> {
    fn forward(&self, x: &T) -> T {
        let (n, d) = x.shape();
        let scores = x.matmul(&self.router); // n × e
        let routes = scores.two_largest();
        let experts = self.networks.len();
        // What each expert makes of its rows, transposed, side by side.
        let (mut made, mut places) = (Vec::new(), vec![[0; 2]; n]);
        let mut begin = 0;
        for (expert, network) in self.networks.iter().enumerate() {
            let own: Vec<(usize, usize)> = (0..n)
                .flat_map(|i| [(i, 0), (i, 1)])
                .filter(|&(i, choice)| routes[i][choice] == expert)
                .collect();
            if own.is_empty() {
                continue;
            }
            let rows: Vec<usize> = own.iter().map(|&(i, _)| i).collect();
            made.push(network.forward(&x.gather(&rows)).transpose());
            for (place, &(i, choice)) in (begin..).zip(&own) {
                places[i][choice] = place;
            }
            begin += own.len();
        }
        let made = T::concat(&made).transpose(); // 2n × d_model
        let chosen = |choice: usize| {
            let columns = routes.iter().map(|route| route[choice] as Token);
            let columns: Vec<_> = columns.collect();
            let only = x.constant(&one_hot(&columns, experts));
            let wide = x.constant(&Matrix::repeat(experts, d, 1.0));
            scores.mul_cells(&only).matmul(&wide) // its score, d times
        };
        let ahead = chosen(0).add(&chosen(1).scale(-1.0));
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let shares = [1.0, -1.0].map(|sign| {
            ahead.map_cells(
                move |x| sigmoid(sign * x),
                move |x| sign * sigmoid(x) * (1.0 - sigmoid(x)),
            )
        });
        let [first, second] = [0, 1].map(|choice| {
            let rows: Vec<_> = places.iter().map(|p| p[choice]).collect();
            made.gather(&rows).mul_cells(&shares[choice])
        });
        first.add(&second)
    }
}
