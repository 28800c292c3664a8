use all_you_need::checkpoint::Digest;
use all_you_need::cluster::{
    AgreementError, Alone, Channels, LostPeer, Peers, agree, all_reduce,
    broadcast,
};
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::training::{Example, Recipe, Training};
use proptest::strategy::{Just, Strategy};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::thread;

use crate::common::letters::{self, VOCABULARY, word};
use crate::golden::sizes;
use crate::property::for_any;

/// What so many processes return, in their order.
fn processes<T: Send>(
    size: usize,
    work: impl Fn(Channels) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let all = Channels::between(size).into_iter();
        let start = |peers| {
            let work = &work;
            scope.spawn(move || work(peers))
        };
        let threads: Vec<_> = all.map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Words and their reversals.
fn words(count: usize) -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let one = |word: Vec<_>| {
        let answer: Vec<_> = word.iter().rev().copied().collect();
        letters::example(&word, &answer)
    };
    (0..count).map(|_| one(word(rng))).collect()
}

fn recipe(parts: usize) -> Recipe {
    Recipe {
        batch_tokens: 60,
        parts,
        updates: 6,
        bidirectional_updates: 3,
        warmup: 4,
        peak_lr: 0.01,
        dropout: 0.2,
        weight_decay: 0.1,
        label_smoothing: 0.1,
        seed: 7,
    }
}

fn untrained(parts: usize) -> Training {
    Training::new(&sizes(VOCABULARY), recipe(parts))
}

/// The bytes of a model and of Adam's moments.
fn bytes(Training { model, adam, .. }: &Training) -> Vec<u8> {
    let trees = [model, &adam.mean, &adam.square];
    let leaves = trees.into_iter().flat_map(Parameters::leaves);
    let numbers = leaves.flat_map(|(_, leaf): (_, &Matrix<f32>)| leaf.iter());
    numbers.flat_map(|x| x.to_le_bytes()).collect()
}

/// The losses of a run, and what it ends with.
fn trained(peers: &impl Peers, parts: usize) -> (Vec<u32>, Vec<u8>) {
    let (mut training, mut losses) = (untrained(parts), Vec::new());
    let end = training.run_with(peers, &words(60), |_, update| {
        losses.push(update.loss.to_bits());
        ControlFlow::<()>::Continue(())
    });
    assert!(end.is_ok() && losses.len() == 6);
    (losses, bytes(&training))
}

/// A batch of this recipe has some 12 words, so not all of many parts have
/// one.
#[test]
fn any_number_of_processes_ends_with_the_same_bytes() {
    let sizes = (1..30usize).prop_flat_map(|n| (Just(n), 1..=n.min(9)));
    for_any(12, sizes, |(parts, size)| {
        let mut training = untrained(parts);
        let mut losses = Vec::new();
        let end = training.run(&words(60), |_, update| {
            losses.push(update.loss.to_bits());
            ControlFlow::<()>::Continue(())
        });
        assert!(end.is_ok());
        let alone = (losses, bytes(&training));
        assert!(trained(&Alone, parts) == alone);
        let all = processes(size, |peers| trained(&peers, parts));
        assert!(all.into_iter().all(|found| found == alone));
    });
}

#[test]
fn processes_with_several_threads_end_with_the_same_bytes() {
    let with = |threads: usize| {
        processes(2, |peers| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(move || trained(&peers, 8))
        })
    };
    let alone = trained(&Alone, 8);
    assert!([1, 3].into_iter().flat_map(with).all(|end| end == alone));
}

/// So that no change of a bit goes unnoticed. A processor without fused
/// multiply-add has other last digits.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_process_alone_computes_what_it_always_has() {
    if is_x86_feature_detected!("fma") {
        let (_, bytes) = trained(&Alone, 4);
        let digest = Digest::of(&bytes).to_string();
        assert_eq!(
            digest,
            "b96c66cae1233298ceabd16330d6ed89d222fdd0a18f40c23c6e0e58a1aa1fda"
        );
    }
}

/// Counts the messages and bytes that a process sends.
struct Counted<'a> {
    peers: &'a Channels,
    sent: Cell<(usize, usize)>,
}

impl Peers for Counted<'_> {
    fn rank(&self) -> usize {
        self.peers.rank()
    }

    fn size(&self) -> usize {
        self.peers.size()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), LostPeer> {
        let (messages, all) = self.sent.get();
        self.sent.set((messages + 1, all + bytes.len()));
        self.peers.send(to, bytes)
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        self.peers.receive(from)
    }
}

/// What each of these processes sends in six updates: messages and bytes.
fn sent(size: usize) -> Vec<(usize, usize)> {
    processes(size, |peers| {
        let peers = Counted { peers: &peers, sent: Cell::default() };
        trained(&peers, 8);
        peers.sent.get()
    })
}

/// The halves of an odd number of numbers are not the same.
#[test]
fn each_of_2_to_the_k_processes_sends_less_than_two_gradients() {
    let gradient = 4 * (parameter_count(&untrained(8).model) + 1);
    assert_eq!(sent(1), [(0, 0)]);
    for k in 1..=3 {
        let size = 1 << k;
        let least = 2 * gradient * (size - 1) / size;
        for (messages, bytes) in sent(size) {
            assert_eq!(messages, 6 * 2 * k);
            assert!((bytes / 6).abs_diff(least) <= 8 * k);
        }
    }
}

#[test]
fn the_second_of_a_pair_too_many_sends_its_gradient_whole() {
    let gradient = 4 * (parameter_count(&untrained(8).model) + 1);
    let [pair, extra, single] = sent(3)[..] else { unreachable!() };
    assert_eq!(extra, (6, 6 * gradient));
    assert_eq!(pair, (6 * 3, 6 * 2 * gradient));
    assert_eq!(single, (6 * 2, 6 * gradient));
}

/// The sum of so many numbers: of the first half, and of the second.
fn tree(numbers: &[f32]) -> f32 {
    match numbers {
        [number] => *number,
        _ => {
            let (near, far) = numbers.split_at(numbers.len().div_ceil(2));
            tree(near) + tree(far)
        }
    }
}

#[test]
fn each_number_is_added_along_the_tree_of_the_halves() {
    let four = [2.0, 33_554_432.0, -33_554_432.0, 1.0];
    let found = processes(4, |peers| {
        let mut own = [four[peers.rank()]];
        all_reduce(&peers, &mut own).unwrap();
        own[0]
    });
    assert_eq!(found, [0.0; 4]);
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    for size in 1..=17 {
        for count in [0, 1, 2, 5, 40] {
            let all: Vec<Vec<f32>> =
                (0..size).map(|_| noise(count, rng)).collect();
            let at = |i: usize| all.iter().map(|own| own[i]).collect();
            let at = |i| -> Vec<f32> { at(i) };
            let sums: Vec<f32> = (0..count).map(|i| tree(&at(i))).collect();
            let found = processes(size, |peers| {
                let mut own = all[peers.rank()].clone();
                all_reduce(&peers, &mut own).unwrap();
                own
            });
            let bits = |numbers: &[f32]| -> Vec<u32> {
                numbers.iter().map(|x| x.to_bits()).collect()
            };
            for own in found {
                assert_eq!(bits(&own), bits(&sums), "{size} processes");
            }
        }
    }
}

/// Numbers of many sizes.
fn noise(count: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let number = || {
        let power: i32 = rng.random_range(-20..20);
        rng.random_range(-1.0..1.0f32) * 2f32.powi(power)
    };
    std::iter::repeat_with(number).take(count).collect()
}

/// −0 and 0 have different bytes.
#[test]
fn nothing_is_added_by_a_process_without_a_part() {
    let found = processes(3, |peers| {
        let mut own = [[-0.0, 1.5], [-0.0; 2], [-0.0; 2]][peers.rank()];
        all_reduce(&peers, &mut own).unwrap();
        own.map(f32::to_bits)
    });
    assert_eq!(found, [[-0.0, 1.5].map(f32::to_bits); 3]);
}

#[test]
#[should_panic(expected = "not as many numbers as here")]
fn processes_with_unlike_numbers_are_misuse() {
    let mut all = Channels::between(2);
    let other = all.pop().unwrap();
    other.send(0, &[0; 12]).unwrap();
    let _ = all_reduce(&all[0], &mut [1.0; 4]);
}

#[test]
fn what_the_first_says_reaches_all_in_few_steps() {
    for size in 1..20 {
        let heard = processes(size, |peers| {
            let counted = Counted { peers: &peers, sent: Cell::default() };
            let heard =
                broadcast(&counted, vec![peers.rank() as u8; 3]).unwrap();
            (heard, counted.sent.get().0)
        });
        assert!(heard.iter().all(|(bytes, _)| *bytes == [0; 3]));
        let steps = size.next_power_of_two().trailing_zeros() as usize;
        assert_eq!(heard[0].1, steps, "messages of the first of {size}");
    }
}

#[test]
fn all_go_on_from_where_the_first_is() {
    let examples = words(60);
    let ends = processes(3, |peers| {
        let mut training = untrained(4);
        if peers.is_first() {
            let short = Recipe { updates: 2, ..recipe(4) };
            let recipe = std::mem::replace(&mut training.recipe, short);
            let go_on = |_: &_, _| ControlFlow::<()>::Continue(());
            assert!(training.run(&examples, go_on).is_ok());
            training.recipe = recipe;
            training.adam.epsilon = 1e-8;
        }
        training.follow(&peers).unwrap();
        assert_eq!(training.adam.steps, 2);
        assert_eq!(training.adam.epsilon, 1e-8);
        let go_on = |_: &_, _| ControlFlow::<()>::Continue(());
        assert!(training.run_with(&peers, &examples, go_on).is_ok());
        bytes(&training)
    });
    assert!(ends.iter().all(|end| *end == ends[0]));
}

#[test]
fn a_model_of_another_size_is_not_followed() {
    let said = processes(2, |peers| {
        let config = match peers.is_first() {
            true => sizes(VOCABULARY),
            false => sizes(VOCABULARY + 1),
        };
        let mut training: Training = Training::new(&config, recipe(4));
        let follow = std::panic::AssertUnwindSafe(|| training.follow(&peers));
        std::panic::catch_unwind(follow).is_ok()
    });
    assert!(!said[1]);
}

#[test]
fn the_first_is_told_who_has_something_else_and_none_goes_on() {
    let said = |texts: [&'static str; 3]| {
        let said = processes(3, |peers| agree(&peers, texts[peers.rank()]));
        said.into_iter().map(|said| said.map_err(|e| e.to_string()))
    };
    let same = ["a = 1\nb = 2\n"; 3];
    assert!(said(same).all(|said| said.is_ok()));
    let other = ["a = 1\nb = 2\n", "a = 1\nb = 2\n", "a = 1\nb = 3\n"];
    let sentences = [
        "process 2 has b = 3, and process 0 has b = 2",
        "process 0 has ended too early",
        "process 0 has ended too early",
    ];
    assert!(said(other).eq(sentences.map(|said| Err(said.to_owned()))));
}

#[test]
fn a_line_too_many_is_a_difference() {
    for (first, second) in [("a\nb", "a"), ("a", "a\nb"), ("", "a")] {
        let texts = [first, second];
        let said = processes(2, |peers| agree(&peers, texts[peers.rank()]));
        assert!(said.iter().all(Result::is_err));
    }
}

/// A learning rate of 10²⁰ moves the weights so far that the next loss is
/// not a number, and all processes have the same one.
#[test]
fn all_stop_when_the_loss_is_not_a_number() {
    let examples = words(60);
    let ends = processes(3, |peers| {
        let peak_lr = 1e20;
        let mut training = untrained(4);
        training.recipe = Recipe { peak_lr, warmup: 1, ..recipe(4) };
        let go_on = |_: &_, _| ControlFlow::<()>::Continue(());
        training.run_with(&peers, &examples, go_on).unwrap_err().to_string()
    });
    assert!(ends[0].contains("the loss or its gradient is too large"));
    assert!(ends.iter().all(|end| *end == ends[0]));
}

#[test]
#[should_panic(expected = "2 parts for 3 processes")]
fn a_process_without_a_part_is_misuse() {
    trained(&Channels::between(3)[0], 2);
}

#[test]
#[should_panic(expected = "there is no process 1")]
fn alone_there_is_no_other_process() {
    assert!(Alone.is_first());
    assert_eq!(broadcast(&Alone, vec![3]).unwrap(), [3]);
    let _ = Alone.send(1, &[3]);
}

#[test]
#[should_panic(expected = "there is no process 1")]
fn alone_there_is_nothing_to_wait_for() {
    let _ = Alone.receive(1);
}

/// The second of two processes goes away before the first update.
#[test]
fn a_process_that_has_gone_is_an_error_and_no_panic() {
    let ends = processes(2, |peers| {
        let mut training = untrained(4);
        let go_on = |_: &_, _| ControlFlow::<()>::Continue(());
        peers.is_first().then(|| {
            let run = training.run_with(&peers, &words(60), go_on);
            run.unwrap_err().to_string()
        })
    });
    assert_eq!(ends[0].as_deref(), Some("process 1 has ended too early"));
    let mut peers = Channels::between(2);
    drop(peers.pop());
    let lost = LostPeer { rank: 1 };
    assert_eq!(peers[0].send(1, &[3]), Err(lost));
    assert_eq!(agree(&peers[0], "a = 1"), Err(AgreementError::Lost(lost)));
    assert_eq!(untrained(4).follow(&peers[0]), Err(lost));
}
