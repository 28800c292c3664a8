//! Which messages an update has, and how much a process sends.

use super::whole::all_reduce_whole;
use super::{newborn, processes, words};
use all_you_need::cluster::{Channels, LostPeer, Peers, all_reduce};
use std::cell::Cell;
use std::ops::ControlFlow::Continue;
use std::sync::Mutex;

/// A message: in which step, from whom, to whom, and how many bytes.
pub type Message = (u8, usize, usize, usize);

/// Notes every message that arrives, with a step that is later than those of
/// all messages which its sender and its receiver had seen before.
struct Noted<'a> {
    peers: Channels,
    step: Cell<u8>,
    messages: &'a Mutex<Vec<Message>>,
}

impl Noted<'_> {
    fn send_in(
        &self,
        step: u8,
        to: usize,
        bytes: &[u8],
    ) -> Result<(), LostPeer> {
        self.step.set(step);
        self.peers.send(to, &[&[step], bytes].concat())
    }

    fn receive_in(&self, step: u8, from: usize) -> Result<Vec<u8>, LostPeer> {
        let mut bytes = self.peers.receive(from)?;
        let step = step.max(bytes.remove(0));
        self.step.set(step);
        let message = (step, from, self.rank(), bytes.len());
        self.messages.lock().unwrap().push(message);
        Ok(bytes)
    }
}

impl Peers for Noted<'_> {
    fn rank(&self) -> usize {
        self.peers.rank()
    }

    fn size(&self) -> usize {
        self.peers.size()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), LostPeer> {
        self.send_in(self.step.get() + 1, to, bytes)
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        self.receive_in(self.step.get() + 1, from)
    }

    fn exchange(
        &self,
        with: usize,
        bytes: &[u8],
    ) -> Result<Vec<u8>, LostPeer> {
        let step = self.step.get() + 1;
        self.send_in(step, with, bytes)?;
        self.receive_in(step, with)
    }
}

/// The messages of some work, in their order.
fn noted(size: usize, work: impl Fn(&Noted) + Sync) -> Vec<Message> {
    let messages = Mutex::new(Vec::new());
    processes(size, |peers| {
        let (step, messages) = (Cell::new(0), &messages);
        work(&Noted { peers, step, messages });
    });
    let mut messages = messages.into_inner().unwrap();
    messages.sort_unstable();
    messages
}

/// The messages of one update.
pub fn of_an_update(size: usize) -> Vec<Message> {
    let words = words();
    noted(size, |peers| {
        let mut training = newborn(8);
        training.recipe.updates = 1;
        let end = training.run_with(peers, &words, |_, _| Continue::<()>(()));
        assert!(end.is_ok(), "a loss that is not a number");
    })
}

/// Numbers enough that all halves of them are equal, or nearly.
const MANY: usize = 1 << 12;

/// The most that a process sends and receives when so many add up numbers,
/// whole along the tree and in halves, as times of all numbers.
pub fn most_sent(size: usize) -> [f64; 2] {
    let whole = noted(size, |peers| {
        all_reduce_whole(peers, &mut [1.0; MANY]).expect("all");
    });
    let halves = noted(size, |peers| {
        all_reduce(peers, &mut [1.0; MANY]).expect("all");
    });
    [whole, halves].map(|messages| {
        let of = |rank| {
            let own = messages.iter().filter(|m| m.1 == rank || m.2 == rank);
            own.map(|message| message.3).sum()
        };
        let most: usize = (0..size).map(of).max().unwrap_or(0);
        most as f64 / (4 * MANY) as f64
    })
}
