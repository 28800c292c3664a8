#!/usr/bin/env bash
# Makes src/logs/speed-{steps,cores,profile,rival}.tsv, from the root of the
# repository:
#     src/logs/speed.sh steps
#     src/logs/speed.sh cores       the paper's models need 8 GB
#     src/logs/speed.sh profile     with Linux's perf
#     src/logs/speed.sh rival DATA PYTHON
# DATA has train and val as .en and .de. PYTHON is one that has what
# tests/reference/README.md asks for.
# speed-elsewhere.tsv is made as speed-rival.tsv, by four pairs of 40 updates, on
# two threads of an Intel Emerald Rapids.
# speed-subnormal.tsv has two lines of the first that were measured on
# another processor, for half as many rows.
set -euo pipefail

logs=src/logs

steps() {
    cargo bench --quiet --bench speed > $logs/speed-steps.tsv
}

cores() {
    cargo bench --quiet --bench speed -- cores > $logs/speed-cores.tsv
}

# The share of each function in an update, and in which file it is.
profile() {
    cargo bench --quiet --bench speed --no-run
    perf record --quiet --output target/speed.data cargo bench --quiet --bench speed -- update
    printf 'share\tfunction\n' > $logs/speed-profile.tsv
    perf report --input target/speed.data --no-children --percent-limit 0.1 \
        --sort dso,symbol --field-separator ';' --stdio --quiet 2> /dev/null \
        | awk -F ';' '{ gsub(/[ %]/, "", $1); gsub(/ /, "", $2); sub(/^ *\[.\] /, "", $3); sub(/ *$/, "", $3) }
            $2 ~ /^(speed-|libc|\[kernel|\[unknown)/ { print $1 "\t" $2 " " $3 }' \
        >> $logs/speed-profile.tsv
}

# Five pairs in turn.
rival() {
    cargo build --quiet --release --bin transformer
    data=$1 python=$2 out=target/speed
    transformer="target/release/transformer"
    rival="$python tests/reference/rival.py"
    printf 'what\tours\tPyTorch\n' > $logs/speed-rival.tsv
    for _ in 1 2 3 4 5; do
        rm -rf $out
        "$transformer" train \
            --source "$data/train.en" --target "$data/train.de" \
            --valid-source "$data/val.en" --valid-target "$data/val.de" \
            --batch-tokens 2750 --bidirectional-updates 0 --updates 60 --every 60 --out $out
        ours=$(awk 'END { printf "%.0f", $5 / $6 }' $out/log.tsv)
        theirs=$($rival train "$(exported $out/00000060)" \
            "$data/train.en" "$data/train.de" 60)
        printf 'training\t%s\t%s\n' "$ours" "$theirs" >> $logs/speed-rival.tsv
    done
}

# A model, with a file that PyTorch reads beside the others.
exported() {
    rm -f "$1/torch.safetensors"
    "$transformer" export --model "$1" --out "$1/torch.safetensors" > /dev/null
    echo "$1"
}

"$@"
