use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::costs::{Bill, Cost, LayerKind, Shape, convolve};
use all_you_need::decoder::Decoder;
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::gradient::Tape;
use all_you_need::heads::{Heads, MultiHead};
use all_you_need::layers::{FeedForward, LayerNorm, Rowwise};
use all_you_need::loss::CrossEntropy;
use all_you_need::parameters::parameter_count;
use all_you_need::search::Cache;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::transformer::Transformer;

use crate::golden::{noise, random};
use crate::mask::any_mask;
use crate::property::for_any;

/// Sizes that all differ, so that no two roles can be swapped unseen.
const SIZES: Config = Config {
    vocabulary: 9,
    layers: 3,
    d_model: 8,
    d_ff: 13,
    heads: 2,
    d_k: 3,
    d_v: 6,
};

/// One formula with every operation in it.
fn everything<T: Tensor>(x: &T, w: &T) -> Vec<T> {
    let product = x.matmul(w);
    let parts = product.chunk(2);
    let joined = T::concat(&[parts[1].clone(), product.clone()]);
    let moved = joined.scale(0.5).add(&joined).gather(&[1, 1, 0, 2, 0]);
    let given = x.constant(&Matrix::zeros(7, 9));
    vec![parts[0].clone(), moved.matmul_t(&joined), moved.transpose(), given]
}

#[test]
fn shapes_and_variables_have_the_sizes_that_the_numbers_have() {
    let numbers = everything(&noise(3, 4, 1), &noise(4, 6, 2));
    let bill = Bill::default();
    let shapes = everything(&bill.shape(3, 4), &bill.shape(4, 6));
    let tape = Tape::default();
    let put = |rows, cols, seed| tape.variable(noise(rows, cols, seed));
    let variables = everything(&put(3, 4, 1), &put(4, 6, 2));
    let sizes: Vec<_> = numbers.iter().map(Tensor::shape).collect();
    let found: Vec<_> = shapes.iter().map(Tensor::shape).collect();
    assert_eq!(sizes, [(3, 3), (5, 3), (9, 5), (7, 9)]);
    assert_eq!(found, sizes);
    let found: Vec<_> = variables.iter().map(Tensor::shape).collect();
    assert_eq!(found, sizes);
}

#[test]
fn only_products_cost_multiply_adds_and_every_result_is_written() {
    let bill = Bill::default();
    let (a, b) = (bill.shape(3, 4), bill.shape(4, 6));
    assert_eq!(bill.cost(), Cost::default());
    let cost = |multiply_adds, numbers| Cost {
        multiply_adds,
        numbers,
        ..Cost::default()
    };
    let product = a.matmul(&b);
    assert_eq!(bill.cost(), cost(72, 18));
    let _ = product.add(&product.scale(2.0)).transpose();
    assert_eq!(bill.cost(), cost(72, 72));
    let _ = Shape::concat(&product.gather(&[0, 1]).chunk(3));
    assert_eq!(bill.cost(), cost(72, 108));
    let _ = product.constant(&Matrix::zeros(7, 9));
    assert_eq!(bill.cost(), cost(72, 108));
    // A product with a transpose copies nothing.
    let _ = a.matmul_t(&bill.shape(2, 4));
    assert_eq!(bill.cost(), cost(72 + 24, 108 + 6));
}

#[test]
fn looking_up_costs_no_multiplication() {
    let bill = Bill::default();
    let table: Shape = bill.shape(37_000, 512);
    let found = table.gather(&[3, 7, 0, 7]);
    assert_eq!(found.shape(), (4, 512));
    assert_eq!(bill.cost().multiply_adds, 0);
    let product = bill.shape(4, 37_000).matmul(&table);
    assert_eq!(product.shape(), found.shape());
    assert_eq!(bill.cost().multiply_adds, 4 * 37_000 * 512);
}

#[test]
fn a_shape_attends_at_the_price_of_two_products() {
    let bill = Bill::default();
    let (q, k, v) = (bill.shape(3, 4), bill.shape(5, 4), bill.shape(5, 2));
    let seen = attention(&q, &k, &v, &Mask::none(3, 5));
    let cost = bill.cost();
    assert_eq!(seen.shape(), (3, 2));
    assert_eq!(cost.multiply_adds, 3 * 5 * 4 + 3 * 5 * 2);
    assert_eq!(cost.exponentials, 3 * 5);
}

/// What 512 words cost in h heads of so many columns.
fn price(h: usize, d_k: usize) -> Cost {
    let bill = Bill::default();
    let heads: MultiHead<Shape> =
        MultiHead::new(h, 512, (d_k, d_k), &mut bill.clone());
    let x = bill.shape(512, 512);
    let _ = heads.forward(&x, &x, &Mask::none(512, 512));
    let cost = bill.cost();
    assert_eq!(cost.parameters, parameter_count(&heads) as u64);
    cost
}

#[test]
fn eight_narrow_heads_multiply_as_often_as_a_wide_one() {
    let (one, eight) = (price(1, 512), price(8, 64));
    assert_eq!(one.multiply_adds, 805_306_368);
    assert_eq!(eight.multiply_adds, 805_306_368);
    assert_eq!(one.exponentials, 262_144);
    assert_eq!(eight.exponentials, 2_097_152);
    assert_eq!((one.parameters, eight.parameters), (1_048_576, 1_048_576));
    assert_eq!(price(8, 512).multiply_adds, 6_442_450_944);
}

#[test]
fn a_shape_counts_queries_and_keys_apart() {
    let bill = Bill::default();
    let (n, m, d_model, h, d_k, d_v) = (3, 5, 10, 2, 4, 7);
    let heads: MultiHead<Shape> =
        MultiHead::new(h, d_model, (d_k, d_v), &mut bill.clone());
    let (x, y) = (bill.shape(n, d_model), bill.shape(m, d_model));
    let seen = heads.forward(&x, &y, &Mask::none(n, m));
    assert_eq!(Tensor::shape(&seen), (n, d_model));
    let projections = n * d_model * h * d_k + m * d_model * h * (d_k + d_v);
    let attention = h * n * m * (d_k + d_v);
    let last = n * h * d_v * d_model;
    let cost = bill.cost();
    assert_eq!(cost.multiply_adds, (projections + attention + last) as u64);
    assert_eq!(cost.exponentials, (h * n * m) as u64);
}

#[test]
fn a_shape_pays_only_for_what_is_seen() {
    for_any(64, any_mask(), |mask| {
        let bill = Bill::default();
        let _ = bill.shape(mask.queries(), mask.keys()).softmax(&mask);
        let seen = mask.matrix().iter().filter(|&&x| x == 0.0).count();
        assert_eq!(bill.cost().exponentials, seen as u64);
    });
}

#[test]
fn shapes_have_the_sizes_and_the_price_of_matrices() {
    let bill = &mut Bill::default();
    let net: FeedForward<Shape> = FeedForward::new(3, 7, bill);
    let norm: LayerNorm<Shape> = LayerNorm::new(3, bill);
    let x = bill.shape(5, 3);
    let out = norm.add_norm(&x, &net.forward(&x));
    assert_eq!(out.shape(), (5, 3));
    assert_eq!(bill.cost().multiply_adds, (2 * 5 * 3 * 7) as u64);
}

#[test]
#[should_panic(expected = "3 columns meet a row 1×1")]
fn a_shape_refuses_a_bias_of_another_width() {
    let bill = Bill::default();
    let _ = bill.shape(5, 3).add_row(&bill.shape(1, 1));
}

#[test]
fn a_layer_costs_its_products() {
    let mut bill = Bill::default();
    let layer: EncoderLayer<Shape> = EncoderLayer::new(&SIZES, &mut bill);
    let z = layer.forward(&bill.shape(5, 8), &Mask::none(5, 5));
    assert_eq!(z.shape(), (5, 8));
    let (queries, values) = (2 * 3, 2 * 6);
    let projections = 5 * 8 * (2 * queries + 2 * values);
    let between = 5 * 5 * (queries + values);
    let network = 2 * 5 * 8 * 13;
    let expected = (projections + between + network) as u64;
    assert_eq!(bill.cost().multiply_adds, expected);
    assert_eq!(bill.cost().exponentials, (2 * 5 * 5) as u64);
}

#[test]
fn at_3072_words_the_two_kinds_of_work_are_equal() {
    let (config, n) = (Config::base(), 3072);
    let mut bill = Bill::default();
    let (x, mask) = (bill.shape(n, config.d_model), Mask::none(n, n));
    let _ = Shape::attend_heads(&x, &x, &x, config.heads, &mask);
    let between = bill.cost().multiply_adds;
    let layer: EncoderLayer<Shape> = EncoderLayer::new(&config, &mut bill);
    let _ = layer.forward(&x, &mask);
    assert_eq!(bill.cost().multiply_adds, 3 * between);
}

/// Per layer: six products of the target with d_model × h·d or its
/// transpose, two of the source, four with weights, two in the feed-forward
/// network.
#[test]
fn a_shape_decodes_at_the_price_of_its_products() {
    let bill = Bill::default();
    let config =
        Config { d_model: 10, d_ff: 12, heads: 2, d_k: 3, d_v: 5, ..SIZES };
    let decoder: Decoder<Shape> = Decoder::new(&config, &mut bill.clone());
    let (y, x) = (bill.shape(4, 10), bill.shape(7, 10));
    let z = decoder.forward(&y, &x, &Mask::causal(4), &Mask::none(4, 7));
    assert_eq!(Tensor::shape(&z), (4, 10));
    let (k, v) = (2 * 3, 2 * 5);
    let own = 4 * 10 * (2 * k + 2 * v) + 4 * 4 * (k + v);
    let cross = 4 * 10 * (k + v) + 7 * 10 * (k + v) + 4 * 7 * (k + v);
    let layer = own + cross + 2 * 4 * 10 * 12;
    assert_eq!(bill.cost().multiply_adds, 3 * layer as u64);
}

/// One for each parameter on a token's way, and the weights of attention.
#[test]
fn a_forward_pass_costs_its_products() {
    let (n, m) = (30, 20);
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut bill.clone());
    let scores = model.forward(&[vec![0; m]], &[vec![0; n]]);
    assert_eq!(Tensor::shape(&scores), (n, 37_000));
    let (d, attention, network) = (512, 4 * 512 * 512, 2 * 512 * 2048);
    let encoder = m * (attention + network) + 2 * m * m * d;
    let own = n * (attention + network) + 2 * n * n * d;
    let cross = (n + m) * attention / 2 + 2 * n * m * d;
    let all = 6 * (encoder + own + cross) + n * d * 37_000;
    assert_eq!(bill.cost().multiply_adds, all as u64);
}

#[test]
fn a_shape_pays_an_exponential_for_every_score() {
    let bill = Bill::default();
    let loss = bill.shape(3, 5).cross_entropy(&[4, 0, 4], 0.1);
    assert_eq!(Tensor::shape(&loss), (1, 1));
    assert_eq!(bill.cost().exponentials, 3 * 5);
    assert_eq!(bill.cost().numbers, 1);
}

#[test]
fn one_token_more_costs_a_row_and_a_look_back() {
    let bill = Bill::default();
    let config = Config {
        vocabulary: 9,
        layers: 2,
        d_model: 12,
        d_ff: 20,
        heads: 2,
        d_k: 5,
        d_v: 3,
    };
    let model: Transformer<Shape> =
        Transformer::new(&config, &mut bill.clone());
    let (m, steps) = (4, 6);
    let mut cache = Cache::new(&model, &[vec![0; m]]);
    for fed in 1..=steps {
        let before = bill.cost();
        let scores = cache.feed(&[0], &[0]);
        assert_eq!(Tensor::shape(&scores), (9, 1));
        let spent = bill.cost().multiply_adds - before.multiply_adds;
        // W^Q and W^K, W^V and W^O; then the same but for keys and values.
        let (q, v) = (12 * 10, 12 * 6);
        let layer = (2 * q + 2 * v) + (q + v) + 2 * 12 * 20;
        let looks = (fed + m) * (10 + 6);
        assert_eq!(spent as usize, 2 * (layer + looks) + 9 * 12);
    }
}

#[test]
fn a_convolution_looks_back_as_far_as_its_kernel() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0];
    let kernel = [10.0, 1.0];
    assert_eq!(convolve(&x, &kernel, 1), [10.0, 21.0, 32.0, 43.0, 54.0]);
    assert_eq!(convolve(&x, &kernel, 3), [10.0, 20.0, 30.0, 41.0, 52.0]);
}

#[test]
fn a_kernel_of_one_sees_no_neighbour() {
    assert_eq!(convolve(&[1.0, 2.0, 3.0], &[4.0], 1), [4.0, 8.0, 12.0]);
}

/// Layers of ones, until the first word reaches the last.
fn layers_until_arrival(n: usize, k: usize, dilated: bool) -> usize {
    let mut x = vec![0.0; n];
    x[0] = 1.0;
    let mut step = 1;
    for layers in 1..=n {
        x = convolve(&x, &vec![1.0; k], step);
        if x[n - 1] > 0.0 {
            return layers;
        }
        step *= if dilated { k } else { 1 };
    }
    panic!("{n} layers and nothing arrives")
}

#[test]
fn the_path_through_convolutions_is_as_long_as_it_takes_to_arrive() {
    for n in 2..40 {
        for k in 2..6 {
            let path = LayerKind::Convolution(k).path(n);
            assert_eq!(path, layers_until_arrival(n, k, false), "{n} {k}");
            let path = LayerKind::Dilated(k).path(n);
            assert_eq!(path, layers_until_arrival(n, k, true), "{n} {k}");
        }
    }
}

/// A window is a neighbourhood to both sides, the last `r` words to one.
#[test]
fn restricted_attention_hands_on_word_by_word() {
    let (n, r) = (17, 4);
    let mask = Mask::window(n, r - 1);
    let mut reached = 0;
    let mut layers = 0;
    while reached < n - 1 {
        reached =
            (0..n).rfind(|i| mask.visible()[*i].contains(&reached)).unwrap();
        layers += 1;
    }
    assert_eq!(LayerKind::Restricted(r).path(n), layers);
}

#[test]
fn the_ledgers_paths_hold() {
    for (n, golden) in
        [(10, [9, 5, 3, 1]), (100, [99, 50, 5, 1]), (1000, [999, 500, 7, 1])]
    {
        let layers = [
            LayerKind::Recurrent,
            LayerKind::Convolution(3),
            LayerKind::Dilated(3),
            LayerKind::Attention,
        ];
        assert_eq!(layers.map(|layer| layer.path(n)), golden);
    }
}

#[test]
fn the_ledgers_costs_hold() {
    for (n, attention, recurrent, convolution) in [
        (30, 460_800, 7_864_320, 23_592_960),
        (512, 134_217_728, 134_217_728, 402_653_184),
        (2048, 2_147_483_648, 536_870_912, 1_610_612_736),
    ] {
        assert_eq!(LayerKind::Attention.cost(n, 512), attention);
        assert_eq!(LayerKind::Recurrent.cost(n, 512), recurrent);
        assert_eq!(LayerKind::Convolution(3).cost(n, 512), convolution);
        assert_eq!(LayerKind::Dilated(3).cost(n, 512), convolution);
        assert_eq!(LayerKind::Restricted(7).cost(n, 512), 7 * n * 512);
    }
}

#[test]
fn attention_is_cheaper_than_recurrence_while_n_is_less_than_d() {
    let (n, d) = (11, 13);
    assert!(
        LayerKind::Attention.cost(n, d) < LayerKind::Recurrent.cost(n, d)
    );
    assert!(
        LayerKind::Attention.cost(d, n) > LayerKind::Recurrent.cost(d, n)
    );
}

#[test]
fn counted_to_the_end_attention_is_2n2d_and_4nd2() {
    let d = 24;
    for n in [5, 2 * d] {
        let mut bill = Bill::default();
        let heads: MultiHead<Shape> = MultiHead::new(4, d, (6, 6), &mut bill);
        let x = bill.shape(n, d);
        let _ = heads.forward(&x, &x, &Mask::none(n, n));
        let counted = bill.cost().multiply_adds as usize;
        assert_eq!(counted, 2 * n * n * d + 4 * n * d * d);
        let lstm = 8 * n * d * d;
        assert_eq!(counted == lstm, n == 2 * d);
    }
}

#[test]
fn only_recurrence_waits() {
    let others = [
        LayerKind::Convolution(3),
        LayerKind::Dilated(3),
        LayerKind::Attention,
        LayerKind::Restricted(3),
    ];
    assert_eq!(LayerKind::Recurrent.rounds(7), 7);
    assert_eq!(others.map(|layer| layer.rounds(7)), [1; 4]);
}

#[test]
#[should_panic(expected = "a layer one word wide leads to no other word")]
fn a_kernel_of_one_has_no_path() {
    LayerKind::Dilated(1).path(5);
}

#[test]
#[should_panic(expected = "a text without words has no path")]
fn no_words_have_no_path() {
    LayerKind::Recurrent.path(0);
}

#[test]
fn a_bill_counts_the_parameters_it_makes() {
    for config in [Config::toy(), Config::tiny(), Config::base(), SIZES] {
        let mut bill = Bill::default();
        let model: Transformer<Shape> = Transformer::new(&config, &mut bill);
        let count = parameter_count(&model);
        assert_eq!(bill.cost().parameters, count as u64);
        assert_eq!(config.parameters(), count as u128);
        // Using them makes no more of them.
        let _ = model.forward(&[[0, 1]], &[[2]]);
        assert_eq!(bill.cost().parameters, count as u64);
    }
    let sizes = [(1, 2), (3, 5), (4, 1)];
    for (heads, d_v) in sizes {
        let config = Config { heads, d_v, d_k: d_v + 2, ..SIZES };
        let count = parameter_count(&random(&config, 1));
        assert_eq!(config.parameters(), count as u128);
    }
}

#[test]
fn what_copies_of_a_bill_pay_is_on_all_of_them() {
    let bill = Bill::default();
    let copy = bill.clone();
    let _ = copy.shape(2, 3).matmul(&copy.shape(3, 4));
    assert_eq!(bill.cost().multiply_adds, 2 * 3 * 4);
    let cost = |n| Cost {
        parameters: n,
        multiply_adds: 2 * n,
        exponentials: 3 * n,
        numbers: 4 * n,
    };
    let mut sum = cost(1);
    sum += cost(10);
    assert_eq!(sum, cost(11));
}

#[test]
fn the_sizes_that_are_given_can_be_had() {
    let given =
        [Config::toy(), Config::tiny(), Config::base(), Config::big(), SIZES];
    for config in given {
        assert_eq!(config.check(), Ok(()));
    }
    let ones = Config { vocabulary: 1, layers: 1, d_ff: 1, ..SIZES };
    let ones = Config { heads: 1, d_k: 1, d_v: 1, d_model: 2, ..ones };
    assert_eq!(ones.check(), Ok(()));
}

/// One field is changed, and the error begins with its name.
#[test]
fn sizes_that_no_model_can_have_are_refused_by_their_names() {
    fn refused(name: &str, change: impl Fn(&mut Config, usize)) {
        for size in [0, 1_000_001, usize::MAX] {
            let mut config = SIZES;
            change(&mut config, size);
            let error = config.check().unwrap_err().to_string();
            assert_eq!(error, format!("{name} cannot be {size}"));
        }
    }
    refused("vocabulary", |config, size| config.vocabulary = size);
    refused("layers", |config, size| config.layers = size);
    refused("d_model", |config, size| config.d_model = size);
    refused("d_ff", |config, size| config.d_ff = size);
    refused("heads", |config, size| config.heads = size);
    refused("d_k", |config, size| config.d_k = size);
    refused("d_v", |config, size| config.d_v = size);
    let high = Config { layers: 1001, ..SIZES }.check().unwrap_err();
    assert_eq!(high.to_string(), "layers cannot be 1001");
    assert!(Config { layers: 1000, ..SIZES }.check().is_ok());
    let odd = Config { d_model: 7, ..SIZES }.check().unwrap_err();
    assert_eq!(odd.to_string(), "d_model = 7 is odd");
}

/// V = 500,000 and d_model = 2,000 make 10⁹; and the largest sizes of all
/// make more than 64 bits hold.
#[test]
fn a_model_of_too_many_parameters_is_refused() {
    let large = Config { vocabulary: 500_000, d_model: 2000, ..SIZES };
    assert_eq!(large.check(), Ok(()));
    let wide = Config { vocabulary: 600_000, ..large };
    let said = wide.check().unwrap_err().to_string();
    let all = wide.parameters();
    assert!(all > 1 << 30);
    assert_eq!(said, format!("{all} parameters are too many"));
    let most = 1_000_000;
    let huge = Config {
        vocabulary: most,
        layers: most,
        d_model: most,
        d_ff: most,
        heads: most,
        d_k: most,
        d_v: most,
    };
    assert!(huge.parameters() > u128::from(u64::MAX));
    assert!(huge.check().is_err());
}
