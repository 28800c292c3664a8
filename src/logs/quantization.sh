#!/usr/bin/env bash
# Makes the model that comes with the book, and measures what rounding costs
# it, from the root of the repository:
#     src/logs/quantization.sh DATA SEED
# src/logs/translation.sh has trained a model with this SEED before, and has
# chosen by val how many of its checkpoints are averaged and how to search.
set -euo pipefail

data=$1 seed=$2
logs=src/logs
own=code/models/captions

count=$(src/logs/translation.sh best "$seed" 3)
alpha=$(src/logs/translation.sh best "$seed" 5 "$count")
model=$(src/logs/translation.sh mean "$seed" "$count")

cargo build --quiet --release --bin transformer
rm -rf target/captions
target/release/transformer quantize --model "$model" --out target/captions
cp target/captions/* $own
cp "$logs/translation-run-$seed.tsv" $own/log.tsv

cargo bench --quiet --bench quantization -- tensors "$model" \
    > $logs/quantization-tensors.tsv
cargo bench --quiet --bench quantization -- scores "$model" "$data" "$alpha" \
    > $logs/quantization-scores.tsv

# The model that comes with the book, on the test that val did not choose it by.
target/release/transformer score --source "$data/test2016.en" --reference "$data/test2016.de" \
    --tokenizer none --sentences | grep -vE '^(BLEU|nrefs)' > $logs/quantization-sentences-test2016.tsv
