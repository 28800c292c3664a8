//! The first way that comes to mind: each process sends all of its numbers
//! up the tree, and the first one sends the sums down again.

use all_you_need::cluster::{LostPeer, Peers, broadcast};
use std::ops::Range;

/// Adds the numbers of all processes, with the same bits as the library's
/// `all_reduce`.
pub fn all_reduce_whole(
    peers: &impl Peers,
    numbers: &mut [f32],
) -> Result<(), LostPeer> {
    reduce(peers, 0..peers.size(), numbers)?;
    let sums = broadcast(peers, to_bytes(numbers))?;
    change(numbers, &sums, |own, sent| *own = sent);
    Ok(())
}

/// Gives the first of some processes the sums of all of them.
fn reduce(
    peers: &impl Peers,
    ranks: Range<usize>,
    numbers: &mut [f32],
) -> Result<(), LostPeer> {
    if ranks.len() == 1 {
        return Ok(());
    }
    let (rank, first) = (peers.rank(), ranks.start);
    let middle = first + ranks.len().div_ceil(2);
    if rank < middle {
        reduce(peers, first..middle, numbers)?;
    } else {
        reduce(peers, middle..ranks.end, numbers)?;
    }
    if rank == middle {
        peers.send(first, &to_bytes(numbers))?;
    } else if rank == first {
        let sent = peers.receive(middle)?;
        change(numbers, &sent, |own, sent| *own += sent);
    }
    Ok(())
}

fn to_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn change(own: &mut [f32], sent: &[u8], f: impl Fn(&mut f32, f32)) {
    let (sent, _) = sent.as_chunks();
    for (own, &bytes) in own.iter_mut().zip(sent) {
        f(own, f32::from_le_bytes(bytes));
    }
}
