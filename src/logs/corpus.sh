#!/usr/bin/env bash
# Makes src/logs/corpus-steps.tsv and corpus-memory.tsv, from the root of the repository, on Linux with GNU time, Open MPI
# and libclang:
#     src/logs/corpus.sh [BEFORE]
#     src/logs/corpus.sh words DATA    different words in the captions DATA/train.en and train.de: src/logs/corpus-words.tsv
#     src/logs/corpus.sh windows       what is learned of words that were shuffled in windows: src/logs/corpus-window.tsv
# BEFORE is `transformer` as it was when all texts were in memory, built from commit 0475aab. It needs several gigabytes. The files that are made have
# up to 1.3 GB together, their tokens 1.2 GB more.
set -euo pipefail

logs=$PWD/src/logs
if [ "${1-}" = words ]; then
    printf 'pairs\tdifferent words\n' > "$logs/corpus-words.tsv"
    for pairs in 290 2900 29000; do
        words=$(head --quiet --lines $pairs "$2"/train.{en,de} | tr --squeeze-repeats ' ' '\n' | sort --unique | wc --lines)
        printf '%s\t%s\n' $pairs "$words" >> "$logs/corpus-words.tsv"
    done
    exit
fi
if [ "${1-}" = windows ]; then
    cargo bench --quiet --bench corpus -- windows > "$logs/corpus-window.tsv"
    exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ "$(id --user)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
cargo build --release --bin transformer --features transformer/cluster
now=${CARGO_TARGET_DIR-target}/release/transformer
bench=$(cargo bench --package all-you-need --bench corpus --no-run 2>&1 | sed -nE 's/^ *Executable.*\((.*)\)$/\1/p')

train() { # NAME COMMAND...: the most memory that a process of it had, and its seconds
    rm -rf "$folder/run"
    "${@:2}" train --source "$folder/source" --target "$folder/target" --valid-source "$folder/valid-source" \
        --valid-target "$folder/valid-target" --out "$folder/run" --layers 1 --d-model 8 --d-ff 16 --heads 2 \
        --batch-tokens 25000 --updates 1 > /dev/null
    sed "s/^/$1\t$pairs\t/" "$folder/measured" >> "$logs/corpus-memory.tsv"
    rm "$folder/measured"
}

timed=(/usr/bin/time --append --output "$folder/measured" --format '%M\t%e\t%U\t%S')
lscpu | sed -nE 's/^Model name: +/processor\t/p' > "$logs/corpus-steps.tsv"
printf 'pairs\ttext\tdistinct\ttokens\ttable\tcounting\t\tlearning\t\tpacking\t\tbatch\n' >> "$logs/corpus-steps.tsv"
printf 'program\tpairs\tkilobytes\tseconds\tuser\tsystem\n' > "$logs/corpus-memory.tsv"
for pairs in 450000 4500000; do
    "$bench" generate $pairs "$folder"
    for side in source target; do head --lines 100 "$folder/$side" > "$folder/valid-$side"; done
    "$bench" measure "$folder" >> "$logs/corpus-steps.tsv"
    train now "${timed[@]}" "$now"
    if [ $pairs = 450000 ]; then train two mpirun --oversubscribe --bind-to none -n 2 "${timed[@]}" "$now"; fi
    if [ $# = 1 ]; then train before "${timed[@]}" "$1"; fi
done
