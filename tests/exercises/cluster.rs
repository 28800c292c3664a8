use all_you_need::cluster::{LostPeer, Peers, broadcast};

#[path = "../../exercises/checks/cluster.rs"]
mod check;

// Exercise 1
//
// Process 0 has the first part, process 1 the second, and process 2 the third
// and the fourth. The update takes as long as two parts, so three processes
// are twice as fast as one at best, and no faster than two.

/// How many of these parts each process computes, one after the other.
fn shares(parts: usize, processes: usize) -> Vec<usize> {
    if processes == 1 || parts == 1 {
        let idle = vec![0; processes - 1];
        return [vec![parts], idle].concat();
    }
    let (some, first) = (parts.div_ceil(2), processes.div_ceil(2));
    [shares(some, first), shares(parts - some, processes - first)].concat()
}

#[test]
fn three_processes_are_no_faster_than_two() {
    assert_eq!(shares(4, 2), [2, 2]);
    assert_eq!(shares(4, 3), [1, 1, 2]);
    assert_eq!(shares(4, 4), [1, 1, 1, 1]);
}

// Exercise 2
//
// Every process but the first sends its seconds as eight bytes and then waits
// for the broadcast. The largest of some numbers is the same in any order, so
// process 0 may simply listen to one after the other.

/// How long the slowest process took, for every process.
pub fn slowest(peers: &impl Peers, seconds: f64) -> Result<f64, LostPeer> {
    let mut most = seconds;
    if peers.is_first() {
        for from in 1..peers.size() {
            let bytes = peers.receive(from)?.try_into();
            most = most.max(f64::from_le_bytes(bytes.expect("eight bytes")));
        }
    } else {
        peers.send(0, &seconds.to_le_bytes())?;
    }
    let bytes = broadcast(peers, most.to_le_bytes().to_vec())?;
    Ok(f64::from_le_bytes(bytes.try_into().expect("eight bytes")))
}

// Exercise 3
//
// The mean of means counts every process the same, and so a token of a
// process with few tokens counts more than others. Each mean must be
// multiplied by its number of tokens, and the sum be divided by all tokens, as
// `fraction` does for the parts of a batch.

/// The mean loss of a text in nats per token.
pub fn mean_of_all(measured: &[(f64, usize)]) -> f64 {
    let nats: f64 =
        measured.iter().map(|&(loss, tokens)| loss * tokens as f64).sum();
    let tokens: usize = measured.iter().map(|(_, tokens)| tokens).sum();
    nats / tokens as f64
}

// Exercise 4
//
// One machine takes F + T, and two take F + T/2 + S/B. Two are faster if S/B
// is less than T/2, that is if B is more than 2S/T = 2 · 80 / 0.64 = 250
// million bits per second. For n machines, T (1 − 1/n) is saved and
// 2 (1 − 1/n) S/B is paid: that is the same condition, so where two do not
// pay, 1,024 do not. F makes no difference.

/// Seconds of an update with a gradient of 80 million bits.
fn seconds(machines: f64, bits_a_second: f64) -> f64 {
    let messages = 2.0 * (1.0 - 1.0 / machines);
    0.1 + 0.64 / machines + messages * 80e6 / bits_a_second
}

#[test]
fn more_machines_pay_above_a_quarter_of_a_gigabit() {
    for machines in [2.0, 1024.0] {
        assert!(seconds(machines, 240e6) > seconds(1.0, 240e6));
        assert!(seconds(machines, 260e6) < seconds(1.0, 260e6));
    }
}
