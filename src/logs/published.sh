#!/usr/bin/env bash
# Runs published models, from the root of the repository. PYTHON is one that has
# what tests/reference/README.md asks for:
#     src/logs/published.sh speed PYTHON      GPT-2's sizes with random numbers, beside PyTorch
#     src/logs/published.sh smollm2 PYTHON    what SmolLM2 writes, here and with `transformers`, and with slips
set -euo pipefail

cargo build --quiet --release --bin transformer

ours() {
    most=$(mktemp)
    note=$(/usr/bin/time -o "$most" -f '%M' target/release/transformer write \
        --model $model --length 21 "$read" 2>&1 > /dev/null)
    [[ $note == *"100 tokens read"*"20 more in"* ]]
    first=$(sed -E 's/.*written in ([0-9.]+m?s),.*/\1/' <<< "$note")
    case $first in
        *ms) first=$(awk "BEGIN { printf \"%.2f\", ${first%ms} / 1000 }") ;;
        *) first=${first%s} ;;
    esac
    speed=$(sed -E 's/.*: ([0-9.]+) a second/\1/' <<< "$note")
    printf '%s\t%s\t%.0f\n' "$first" "$speed" "$(($(cat "$most") / 1024))"
}

# Three pairs in turn: 100 tokens are read, and 21 written. The columns are the
# seconds until the first token is written, tokens a second after it, megabytes
# at most, and the machine.
speed() {
    python=$1 log=src/logs/published-speed.tsv model=target/published
    [ -d $model ] || "$python" tests/reference/speed.py make $model
    read=a$(printf ' a%.0s' {2..100})
    processor=$(lscpu | sed -nE 's/^Model name: +//p')
    printf 'who\tfirst\tspeed\tmemory\tprocessor\tthreads\n' > $log
    row() {
        printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$processor" "$(nproc)" >> $log
    }
    for _ in 1 2 3; do
        row ours "$(ours)"
        row PyTorch "$("$python" tests/reference/speed.py run $model 100 21 2> /dev/null)"
    done
}

# The text, after both have written the same, and by the plain functions.
smollm2() {
    python=$1 model=target/smollm2 beginning="A Transformer is a neural network that"
    [ -d $model ] || "$python" tests/reference/smollm2.py make $model
    said=$(target/release/transformer write --model $model --top-k 1 --length 40 "$beginning" 2> /dev/null)
    other=$("$python" tests/reference/smollm2.py said $model 40 "$beginning" 2> /dev/null)
    [ "$said" = "$other" ] || { printf 'here:\n%s\nthere:\n%s\n' "$said" "$other"; exit 1; }
    echo "$said" > src/logs/published-smollm2.txt
    cargo run --quiet --example published $model "$beginning" > src/logs/published-slips.txt
}

"$@"
