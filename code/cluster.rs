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
use crate::parameters::{Parameters, Trainable};
use crate::tensor::Matrix;
use crate::training::{
    Example, Examples, LossAndGradient, Training, TrainingError, Update,
};
use crate::transformer::Transformer;
use std::iter::once;
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

    /// Sends a message to another process, which sends one here by the same
    /// call, and waits for that. This way is right for every network, and
    /// one with room for both messages at a time may override it.
    ///
    /// # Errors
    /// If that process has ended.
    fn exchange(
        &self,
        with: usize,
        bytes: &[u8],
    ) -> Result<Vec<u8>, LostPeer> {
        // A `send` may last until its message is taken, so one must listen.
        if self.rank() < with {
            self.send(with, bytes)?;
            return self.receive(with);
        }
        let received = self.receive(with)?;
        self.send(with, bytes)?;
        Ok(received)
    }

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

/// The groups of one process or of two that are left when some processes
/// are cut into halves, and the halves again: 2ᵏ of them.
fn groups(size: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<_> = once(0..size).collect();
    while 2 * groups.len() <= size {
        groups = groups.iter().flat_map(halves).collect();
    }
    groups
}

/// Adds up numbers that all processes have, place by place, and gives all of
/// them the sums. Each sum is that of the first half of the processes and
/// that of the second, which are halved as [`broadcast`] halves them.
///
/// Each of 2ᵏ processes sends 2(1 − 1/*n*) times as many numbers as it has,
/// and no way needs less (recursive vector halving with distance doubling;
/// Rabenseifner, 2004; Thakur, Rabenseifner and Gropp, 2005). With others in
/// between, some second processes hand their numbers to a first one, and wait
/// for the sums.
///
/// # Errors
/// If one of the processes has ended.
///
/// # Panics
/// If another process has more numbers, or fewer.
pub fn all_reduce(
    peers: &impl Peers,
    numbers: &mut [f32],
) -> Result<(), LostPeer> {
    let (rank, groups) = (peers.rank(), groups(peers.size()));
    let own = groups.iter().position(|group| group.contains(&rank));
    let own = own.expect("every process is in a group");
    let Range { start: first, end } = groups[own];
    if rank != first {
        peers.send(first, &f32::to_bytes(numbers))?;
        set(numbers, &peers.receive(first)?);
        return Ok(());
    }
    let second = (first + 1..end).next();
    if let Some(second) = second {
        add(numbers, &peers.receive(second)?);
    }
    halve(peers, &groups, own, 1, numbers)?;
    if let Some(second) = second {
        peers.send(second, &f32::to_bytes(numbers))?;
    }
    Ok(())
}

/// Adds the numbers of a group to those of the group so far away, then to
/// those of a pair of groups twice as far, and so on. Each of two partners
/// adds up one half of the numbers, and gets the sums of the other half from
/// its partner in the end.
fn halve(
    peers: &impl Peers,
    groups: &[Range<usize>],
    own: usize,
    distance: usize,
    numbers: &mut [f32],
) -> Result<(), LostPeer> {
    if distance == groups.len() {
        return Ok(());
    }
    let partner = groups[own ^ distance].start;
    let (near, far) = numbers.split_at_mut(numbers.len().div_ceil(2));
    let (kept, given) = match own & distance {
        0 => (near, far),
        _ => (far, near),
    };
    add(kept, &peers.exchange(partner, &f32::to_bytes(given))?);
    halve(peers, groups, own, 2 * distance, kept)?;
    set(given, &peers.exchange(partner, &f32::to_bytes(kept))?);
    Ok(())
}

/// Adds the numbers that were sent.
fn add(own: &mut [f32], sent: &[u8]) {
    change(own, sent, |own, sent| *own += sent);
}

/// Takes over the numbers that were sent.
fn set(own: &mut [f32], sent: &[u8]) {
    change(own, sent, |own, sent| *own = sent);
}

/// Changes each number with the one that was sent for it.
fn change(own: &mut [f32], sent: &[u8], f: impl Fn(&mut f32, f32)) {
    let (sent, rest) = sent.as_chunks();
    let same = rest.is_empty() && sent.len() == own.len();
    assert!(same, "not as many numbers as here");
    for (own, &bytes) in own.iter_mut().zip(sent) {
        f(own, f32::from_le_bytes(bytes));
    }
}

type Model = Transformer<Matrix<f32>>;

/// All numbers of a model or a gradient, one after the other.
fn numbers(tree: &Model) -> Vec<f32> {
    let leaves = tree.leaves().into_iter();
    let leaves: Vec<_> = leaves.map(|(_, leaf)| leaf.as_slice()).collect();
    leaves.concat()
}

/// Puts numbers into a tree from which as many would come.
fn fill(tree: &mut Model, mut numbers: &[f32]) {
    for leaf in tree.leaves_mut() {
        let own = numbers.split_off(..leaf.len()).expect("as many numbers");
        leaf.copy_from_slice(own);
    }
}

/// The parts of a batch that a process computes: the parts are cut into
/// halves as the processes are. If there are fewer parts than processes,
/// some have none.
fn share<'a, T>(mut parts: &'a [T], peers: &impl Peers) -> &'a [T] {
    let mut ranks = 0..peers.size();
    while ranks.len() > 1 {
        let (one, other) = parts.split_at(parts.len().div_ceil(2));
        let [near, far] = halves(&ranks);
        (parts, ranks) = match far.contains(&peers.rank()) {
            true => (other, far),
            false => (one, near),
        };
    }
    parts
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

/// What changes no number when it is added: 0 would make 0 of −0.
const NOTHING: f32 = -0.0;

/// As many of them as a leaf has numbers.
fn nothing(leaf: &Matrix<f32>) -> Matrix<f32> {
    leaf.map(|_| NOTHING)
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
        let parts = self.parts(batch);
        let (loss, mut gradient) = match share(&parts, peers) {
            [] => (NOTHING, self.model.map("", &mut |_, leaf| nothing(leaf))),
            own => self.sum(&self.model.share(), batch, own),
        };
        let mut sums = numbers(&gradient);
        sums.push(loss);
        all_reduce(peers, &mut sums)?;
        let loss = sums.pop().expect("the loss");
        fill(&mut gradient, &sums);
        Ok((loss, gradient))
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
            let bytes = f32::to_bytes(&numbers(tree));
            let own = bytes.len();
            let first = f32::from_bytes(&broadcast(peers, bytes)?);
            assert!(4 * first.len() == own, "a model of another size");
            fill(tree, &first);
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
