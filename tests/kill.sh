#!/usr/bin/env bash
# Kills a training run at twenty random moments, goes on each time, and ends with the same bytes as a run that nobody disturbed.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --release --bin transformer
transformer=target/release/transformer
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

train() {
    "$transformer" train --layers 1 --d-model 32 --d-ff 64 --tokens 500 \
        --updates 300 --every 10 --out "$folder/$1" "${@:2}" > /dev/null
}

# How many checkpoints there are; with one, there is something to go on with.
kept() { find "$folder/killed" -maxdepth 1 -name '0*' 2> /dev/null | wc -l; }
resume() { [ "$(kept)" -eq 0 ] || echo --resume; }

began=$(date +%s%N)
train undisturbed
took=$(( ($(date +%s%N) - began) / 1000000 ))

kills=0 done=$folder/killed/00000300
while [ $kills -lt 20 ]; do
    # The last updates are left for after the last kill.
    if [ -e "$done" ]; then rm -r "$done" "$folder"/killed/000002*; fi
    train killed $(resume) & run=$!
    sleep "$(awk -v most=$took -v seed=$RANDOM 'BEGIN { srand(seed); print rand() * most / 5000 }')"
    if kill -KILL $run 2> /dev/null; then kills=$((kills + 1)); fi
    wait $run 2> /dev/null || true
done
train killed $(resume)

for file in model adam; do
    cmp "$folder"/{undisturbed,killed}/00000300/$file.safetensors
done
echo "killed $kills times: the same bytes"
