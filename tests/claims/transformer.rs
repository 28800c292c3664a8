use all_you_need::encoder::Config;
use all_you_need::tensor::{Bill, Matrix, Shape};
use all_you_need::transformer::{Transformer, count};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn parameters(config: &Config) -> usize {
    let model: Transformer<Shape> =
        Transformer::new(config, &mut Bill::default());
    count(&model)
}

#[test]
fn the_papers_models_have_the_papers_sizes() {
    assert_eq!(parameters(&Config::base()), 63_045_632);
    assert_eq!(parameters(&Config::big()), 214_171_648);
}

#[test]
fn a_batch_gives_what_its_sentences_give_alone() {
    let config = Config {
        vocabulary: 11,
        layers: 2,
        d_model: 8,
        d_ff: 12,
        heads: 2,
        d_k: 3,
        d_v: 5,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let sources = [vec![1, 2, 3, 4], vec![5, 6]];
    let targets = [vec![7, 8, 9], vec![10, 0, 1, 2]];
    let together = model.forward(&sources, &targets);
    let first = model.forward(&sources[..1], &targets[..1]);
    let second = model.forward(&sources[1..], &targets[1..]);
    assert!((together.rows(0, 3) - first).amax() < 1e-12);
    assert!((together.rows(3, 4) - second).amax() < 1e-12);
    println!("{:?}", model.greedy(&[1, 2, 3], 0, 10));
}
