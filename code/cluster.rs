//! Several machines: processes that train one model together.
//!
//! Each process has the model and the examples, computes the gradients of
//! some parts of a batch, and gets the sum of all.
//!
//! ```
//! use all_you_need::cluster::{Channels, Peers, broadcast};
//! use std::thread;
//!
//! let processes = Channels::between(3).into_iter().map(|peers| {
//!     thread::spawn(move || {
//!         let own = format!("said by {}", peers.rank());
//!         broadcast(&peers, own.into_bytes())
//!     })
//! });
//! let threads: Vec<_> = processes.collect();
//! for thread in threads {
//!     assert_eq!(thread.join().unwrap().unwrap(), b"said by 0");
//! }
//! ```

use crate::checkpoint::Number;
use crate::optimizer::Adam;
use crate::parameters::{Parameters, Trainable, parameter_count};
use crate::tensor::Matrix;
use crate::training::{
    Example, Examples, LossAndGradient, Part, Shared, Training,
    TrainingError, Update,
};
use crate::transformer::Transformer;
use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver, Sender, channel};
use thiserror::Error;

/// Some processes that train one model, as one of them sees them.
///
/// Messages from one process to another arrive in the order in which they
/// were sent.
pub trait Peers {
    /// The number of this process, counted from 0.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// Sends a message to another process.
    ///
    /// # Errors
    /// If that process has ended.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), LostPeer>;

    /// Waits for the next message of another process.
    ///
    /// # Errors
    /// If that process has ended.
    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer>;

    /// Ends the work with the others, when all is done. A process that ends
    /// without it has failed.
    fn leave(self)
    where
        Self: Sized,
    {
    }

    /// Whether this is the process that speaks and writes for all.
    fn is_first(&self) -> bool {
        self.rank() == 0
    }
}

/// A process that has ended before the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("process {rank} has ended too early")]
pub struct LostPeer {
    /// Which process.
    pub rank: usize,
}

/// A process without others.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Alone {
    /// Meets the other processes, of which there are none.
    pub fn join() -> Self {
        Self
    }
}

impl Peers for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn send(&self, to: usize, _: &[u8]) -> Result<(), LostPeer> {
        panic!("there is no process {to}");
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        panic!("there is no process {from}");
    }
}

/// A thread in place of a process: its messages go through channels.
#[derive(Debug)]
pub struct Channels {
    rank: usize,
    /// To each of the processes, itself among them.
    to: Vec<Sender<Vec<u8>>>,
    /// From each of them.
    from: Vec<Receiver<Vec<u8>>>,
}

impl Channels {
    /// So many processes, with a channel from each to each.
    pub fn between(size: usize) -> Vec<Self> {
        let one = |rank| Self { rank, to: Vec::new(), from: Vec::new() };
        let mut all: Vec<Self> = (0..size).map(one).collect();
        for sender in 0..size {
            for receiver in 0..size {
                let (to, from) = channel();
                all[sender].to.push(to);
                all[receiver].from.push(from);
            }
        }
        all
    }
}

impl Peers for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), LostPeer> {
        let sent = self.to[to].send(bytes.to_vec());
        sent.map_err(|_| LostPeer { rank: to })
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        self.from[from].recv().map_err(|_| LostPeer { rank: from })
    }
}

/// Both halves of some processes. The first is never the smaller one.
fn halves(ranks: &Range<usize>) -> [Range<usize>; 2] {
    let middle = ranks.start + ranks.len().div_ceil(2);
    [ranks.start..middle, middle..ranks.end]
}

/// The first process's bytes, for all. Those of the others are not looked at.
///
/// The first process of each half passes them on to the first of the other
/// half, so that a process has them after no more than ⌈log₂ *n*⌉ messages.
///
/// # Errors
/// If one of the processes has ended.
pub fn broadcast(
    peers: &impl Peers,
    mut bytes: Vec<u8>,
) -> Result<Vec<u8>, LostPeer> {
    let (rank, mut ranks) = (peers.rank(), 0..peers.size());
    while ranks.len() > 1 {
        let [near, far] = halves(&ranks);
        if rank == near.start {
            peers.send(far.start, &bytes)?;
        } else if rank == far.start {
            bytes = peers.receive(near.start)?;
        }
        ranks = if far.contains(&rank) { far } else { near };
    }
    Ok(bytes)
}

/// A batch that several processes have between them.
struct Together<'a, P> {
    peers: &'a P,
    training: &'a Training,
    model: Shared<f32>,
    batch: &'a [Example],
}

impl<P: Peers> Together<'_, P> {
    /// The sum of some parts, which these processes compute. The first of
    /// them gets it.
    fn reduce(
        &self,
        parts: &[Part],
        ranks: Range<usize>,
    ) -> Result<Option<LossAndGradient<f32>>, LostPeer> {
        let rank = self.peers.rank();
        if ranks.len() == 1 || parts.len() == 1 {
            let sum = || self.training.sum(&self.model, self.batch, parts);
            return Ok((rank == ranks.start).then(sum));
        }
        let (one, other) = parts.split_at(parts.len().div_ceil(2));
        let [near, far] = halves(&ranks);
        let (to, from) = (near.start, far.start);
        if far.contains(&rank) {
            if let Some(sum) = self.reduce(other, far)? {
                self.peers.send(to, &pack_sum(&sum))?;
            }
            return Ok(None);
        }
        let mut sum = self.reduce(one, near)?;
        if let Some(sum) = &mut sum {
            add(sum, &self.peers.receive(from)?);
        }
        Ok(sum)
    }
}

type Model = Transformer<Matrix<f32>>;

/// The numbers of a model or a gradient, four bytes for each.
fn pack(tree: &Model) -> Vec<u8> {
    let leaves = tree.leaves().into_iter();
    let bytes = leaves.map(|(_, leaf)| f32::to_bytes(leaf.as_slice()));
    bytes.collect::<Vec<_>>().concat()
}

/// The numbers in some bytes.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let (numbers, _) = bytes.as_chunks();
    numbers.iter().map(|&bytes| f32::from_le_bytes(bytes))
}

/// Changes every number of a tree, with the number that was sent for it.
fn change(
    tree: &mut Model,
    sent: &mut impl Iterator<Item = f32>,
    f: impl Fn(&mut f32, f32),
) {
    for leaf in tree.leaves_mut() {
        leaf.iter_mut().for_each(|own| f(own, sent.next().expect("all")));
    }
}

/// A gradient, and after it the loss.
fn pack_sum((loss, gradient): &LossAndGradient<f32>) -> Vec<u8> {
    let mut bytes = pack(gradient);
    bytes.extend(loss.to_le_bytes());
    bytes
}

/// Adds what was sent to a sum.
fn add(sum: &mut LossAndGradient<f32>, bytes: &[u8]) {
    let mut sent = numbers(bytes);
    change(&mut sum.1, &mut sent, |own, sent| *own += sent);
    sum.0 += sent.next().expect("a loss");
}

/// A loss and a gradient as they were sent, for a model like this.
fn unpack_sum(model: &Model, bytes: &[u8]) -> LossAndGradient<f32> {
    let (mut gradient, mut sent) = (model.clone(), numbers(bytes));
    change(&mut gradient, &mut sent, |own, sent| *own = sent);
    (sent.next().expect("a loss"), gradient)
}

/// Why several processes have ended a training before its last update.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// It would have ended in a single process, too.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// One of the processes has ended.
    #[error(transparent)]
    Lost(#[from] LostPeer),
}

impl Training {
    /// The loss and the gradient of a batch, for every process.
    fn gradient_with(
        &self,
        peers: &impl Peers,
        batch: &[Example],
    ) -> Result<LossAndGradient<f32>, LostPeer> {
        if peers.size() == 1 {
            return Ok(self.gradient(batch));
        }
        let model = self.model.share();
        let together = Together { peers, training: self, model, batch };
        let sum = together.reduce(&self.parts(batch), 0..peers.size())?;
        let bytes = sum.as_ref().map(pack_sum).unwrap_or_default();
        let bytes = broadcast(peers, bytes)?;
        Ok(sum.unwrap_or_else(|| unpack_sum(&self.model, &bytes)))
    }

    /// [`run`](Self::run) in several processes, which all end with the same
    /// model, byte for byte, as one process alone.
    ///
    /// Every process must have the same training and the same examples, and
    /// `after` must end the run in all of them or in none.
    ///
    /// # Errors
    /// As [`run`](Self::run), and then in every process; or if one of the
    /// processes has ended.
    ///
    /// # Panics
    /// If there are more processes than parts, or if the examples do not fill
    /// one batch.
    pub fn run_with<B>(
        &mut self,
        peers: &impl Peers,
        examples: &(impl Examples + ?Sized),
        after: impl FnMut(&Self, Update<f32>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, ClusterError> {
        let (size, parts) = (peers.size(), self.recipe.parts);
        assert!(size <= parts, "{parts} parts for {size} processes");
        let gradient =
            |own: &Self, batch: &[_]| Ok(own.gradient_with(peers, batch)?);
        self.run_by(examples, gradient, after)
    }
}

impl Training {
    /// Takes over the model, the moments and the number of updates of the
    /// first process.
    ///
    /// # Errors
    /// If one of the processes has ended.
    ///
    /// # Panics
    /// If the model of the first process has another size.
    pub fn follow(&mut self, peers: &impl Peers) -> Result<(), LostPeer> {
        if peers.size() == 1 {
            return Ok(());
        }
        let Adam { betas: (b1, b2), epsilon, steps, mean, square } =
            &mut self.adam;
        let settings = [*b1, *b2, *epsilon, *steps as f64];
        let settings = settings.map(f64::to_le_bytes).concat();
        let settings = broadcast(peers, settings)?;
        let (settings, _) = settings.as_chunks();
        let mut settings = settings.iter().map(|&x| f64::from_le_bytes(x));
        let mut next = || settings.next().expect("four numbers");
        (*b1, *b2, *epsilon, *steps) =
            (next(), next(), next(), next() as usize);
        for tree in [&mut self.model, mean, square] {
            let bytes = broadcast(peers, pack(tree))?;
            let own = 4 * parameter_count(tree);
            assert!(bytes.len() == own, "a model of another size");
            change(tree, &mut numbers(&bytes), |own, sent| *own = sent);
        }
        Ok(())
    }
}

/// A process was started with something else than the first one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("process {rank} has {own}, and process 0 has {first}")]
pub struct Disagreement {
    /// Which process.
    pub rank: usize,
    /// The line that it has.
    pub own: String,
    /// What the first process has there.
    pub first: String,
}

/// Why it is not known that all processes do the same.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AgreementError {
    /// They do not.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// One of the processes has ended.
    #[error(transparent)]
    Lost(#[from] LostPeer),
}

/// Compares the texts of all processes, line by line, with that of the first.
///
/// # Errors
/// In the first process, if another one has something else. Then the others
/// are told that the first has ended, as they are if one of them has.
pub fn agree(peers: &impl Peers, text: &str) -> Result<(), AgreementError> {
    if peers.is_first() {
        for rank in 1..peers.size() {
            let other = peers.receive(rank)?;
            compare(rank, &String::from_utf8_lossy(&other), text)?;
        }
    } else {
        peers.send(0, text.as_bytes())?;
    }
    broadcast(peers, Vec::new())?;
    Ok(())
}

fn compare(rank: usize, own: &str, first: &str) -> Result<(), Disagreement> {
    let line = |text: &str, i| text.lines().nth(i).unwrap_or("").to_owned();
    let most = own.lines().count().max(first.lines().count());
    let mut pairs = (0..most).map(|i| (line(own, i), line(first, i)));
    match pairs.find(|(own, first)| own != first) {
        None => Ok(()),
        Some((own, first)) => Err(Disagreement { rank, own, first }),
    }
}
