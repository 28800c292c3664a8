#!/usr/bin/env bash
# Trains the translator and scores it, from the root of the repository:
#     src/logs/translation.sh train DATA SEED    two hours; goes on if it was stopped
#     src/logs/translation.sh check DATA SEED    whether this machine repeats the log's first updates
#     src/logs/translation.sh choose DATA SEED   checkpoints and search, by val
#     src/logs/translation.sh judge DATA SEED    test2016, test2017 and mscoco, once
#     src/logs/translation.sh beams DATA SEED    narrow and wide beams, on val
# DATA has train, val, test2016, test2017 and mscoco, each as .en and .de.
#
# Three models are trained, with the seeds 1, 2 and 3. The one that comes with
# the book is that of seed 1, whatever the scores are.
set -euo pipefail

cargo build --quiet --release --bin transformer
transformer=target/release/transformer
logs=src/logs
scores=$logs/translation-scores.tsv
updates=7800

# DATA SEED OUT [FLAGS]: the recipe is the program's own.
run() {
    "$transformer" train \
        --source "$1/train.en" --target "$1/train.de" \
        --valid-source "$1/val.en" --valid-target "$1/val.de" \
        --every 100 --keep 80 --seed "$2" --out "$3" "${@:4}"
}

train() {
    out=target/translation-$2
    if [ -e "$out" ]; then resume=--resume; fi
    run "$1" "$2" "$out" ${resume-}
    cp "$out/log.tsv" "$logs/translation-run-$2.tsv"
}

# A row of the log says how many updates there were, the learning rate, the
# losses and the tokens: all but the seconds must be the same.
check() {
    out=target/translation-check-$2
    rm -rf "$out"
    timeout 1000 "$0" first "$@" || true
    diff <(head -n 3 "$logs/translation-run-$2.tsv" | cut -f 1-5) \
        <(head -n 3 "$out/log.tsv" | cut -f 1-5)
    echo "the first 200 updates are the same"
}

# Starts a training, and stops it after 200 updates.
first() {
    out=target/translation-check-$2
    run "$1" "$2" "$out" &
    until [ -e "$out/00000200" ]; do sleep 1; done
    kill -INT $!
    wait $!
}

# SEED COUNT: the mean of the last checkpoints.
mean() {
    run=target/translation-$1
    if [ ! -e "$run-mean-$2" ]; then
        checkpoints=$(seq -f "$run/%08.0f" $((updates - 100 * ($2 - 1))) 100 $updates)
        "$transformer" average $checkpoints --out "$run-mean-$2" > /dev/null
    fi
    echo "$run-mean-$2"
}

# DATA SET SEED COUNT BEAM ALPHA: a row of the scores. What was counted in each
# sentence is printed.
score() {
    printed=$("$transformer" score --model "$(mean "$3" "$4")" \
        --source "$1/$2.en" --reference "$1/$2.de" \
        --tokenizer none --beam "$5" --alpha "$6" --sentences)
    bleu=$(sed -nE 's/^BLEU = ([0-9.]+) .*BP = ([0-9.]+) ratio = ([0-9.]+) .*/\1\t\2\t\3/p' <<< "$printed")
    printf '%s\t' "$3" "$2" "$4" "$5" "$6" >> $scores
    echo "$bleu" >> $scores
    grep -vE '^(BLEU|nrefs)' <<< "$printed"
}

# SEED COLUMN [COUNT]: this column of the seed's best row on val, of those
# with a beam of 5, and of equals the first.
best() {
    awk -F '\t' -v seed="$1" -v column="$2" -v count="${3-}" '
        $1 == seed && $2 == "val" && $4 == 5 && (count == "" || $3 == count) {
            if ($6 > bleu) { bleu = $6; value = $column }
        }
        END { print value }' $scores
}

# What the columns of the scores are called.
names() {
    printf 'seed\tset\tmean of\tbeam\talpha\tBLEU\tBP\tratio\n'
}

# First the number of checkpoints is chosen, with the paper's length penalty,
# then the penalty.
choose() {
    [ -e $scores ] || names > $scores
    score "$1" val "$2" 1 1 0.6 > /dev/null
    for count in 1 5 10 20; do
        score "$1" val "$2" $count 5 0.6 > /dev/null
    done
    count=$(best "$2" 3)
    for alpha in 0.0 1.0 1.4 1.8; do
        score "$1" val "$2" "$count" 5 $alpha > /dev/null
    done
}

# With no length penalty, and with the one that was chosen.
beams() {
    count=$(best "$2" 3)
    alpha=$(best "$2" 5 "$count")
    local scores=$logs/translation-beams.tsv
    names > $scores
    for beam in 1 5 20 50; do
        for penalty in 0.0 "$alpha"; do
            score "$1" val "$2" "$count" $beam "$penalty" > /dev/null
        done
    done
}

judge() {
    count=$(best "$2" 3)
    alpha=$(best "$2" 5 "$count")
    for set in test2016 test2017 mscoco; do
        score "$1" $set "$2" "$count" 5 "$alpha" \
            > "$logs/translation-sentences-$2-$set.tsv"
    done
}

"$@"
