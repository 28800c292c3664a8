#!/usr/bin/env bash
# Kills a training run at twenty random moments, goes on each time, and ends with the same bytes as a run that was not disturbed.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --bin transformer
program=$PWD/${CARGO_TARGET_DIR-target}/debug/transformer
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
train=("$program" train --layers 1 --d-model 32 --d-ff 64
    --batch-tokens 500 --updates 300 --bidirectional-updates 150 --every 10)

began=$(date +%s%N)
"${train[@]}" --out "$folder/whole" > /dev/null
took=$((($(date +%s%N) - began) / 1000000))

# Goes on, if there is something to go on with.
go_on() {
    resume=()
    if compgen -G "$folder/killed/0*" > /dev/null; then resume=(--resume); fi
    "${train[@]}" --out "$folder/killed" "${resume[@]}" > /dev/null &
}

kills=0
while [ $kills -lt 20 ]; do
    # A run that has come to its end takes a step back: there are kills left.
    rm -rf "$folder"/killed/000003*
    go_on
    sleep "$(printf '0.%03d' $((RANDOM % (took / 3 + 1) % 1000)))"
    if kill -KILL $! 2> /dev/null; then kills=$((kills + 1)); fi
    wait $! 2> /dev/null || true
done
go_on
wait $!

for file in model adam; do
    cmp "$folder"/{whole,killed}/00000300/$file.safetensors
done
echo "killed $kills times, and the same bytes"
