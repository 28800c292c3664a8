use all_you_need::tokens::BytePairs;
use std::fs::read_to_string as r;
fn main() {
    let d = "/work/shared/multi30k/";
    let (s, t) = (
        r(format!("{d}train.en")).unwrap(),
        r(format!("{d}train.de")).unwrap(),
    );
    let both: Vec<&str> =
        s.lines().zip(t.lines()).flat_map(|(a, b)| [a, b]).collect();
    let v =
        [r(format!("{d}val.en")).unwrap(), r(format!("{d}val.de")).unwrap()]
            .concat();
    let nl = format!("{}\n", both.join("\n"));
    let sp = format!(" {}", both.join(" "));
    for (name, text, pre) in [
        ("newline", &nl, ""),
        ("space", &sp, ""),
        ("space, first word too", &sp, " "),
    ] {
        for m in [4000, 9742] {
            let b = BytePairs::train(text, m);
            let n: usize =
                v.lines().map(|l| b.encode(&format!("{pre}{l}")).len()).sum();
            let waste = (256..b.len())
                .filter(|&i| b.bytes(i).contains(&b'\n'))
                .count();
            println!("{name} {m}: {n} tokens, {waste} wasted");
        }
    }
}
