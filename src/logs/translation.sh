#!/usr/bin/env bash
# Makes all files src/logs/translation-*, from the root of the repository:
#     src/logs/translation.sh train DATA
#     src/logs/translation.sh choose DATA
#     src/logs/translation.sh judge DATA
#     src/logs/translation.sh say
# and says where the model is, made if it is not there:
#     src/logs/translation.sh chosen
# DATA has train, val and test2016, each as .en and .de.
set -euo pipefail

cargo build --quiet --release --bin transformer
transformer=target/release/transformer
run=target/translation
logs=src/logs
scores=$logs/translation-scores.tsv
# What was chosen: checkpoints, beam, alpha.
best="5 5 1.0"

train() {
    "$transformer" train \
        --source "$1/train.en" --target "$1/train.de" \
        --valid-source "$1/val.en" --valid-target "$1/val.de" \
        --every 100 --keep 80 --out $run
    cp $run/log.tsv $logs/translation-run.tsv
}

# The mean of the last COUNT checkpoints after so many UPDATES.
mean() {
    place=$run-$1-$2
    if [ ! -e $place ]; then
        checkpoints=$(seq -f "$run/%08.0f" $(($2 - 100 * ($1 - 1))) 100 $2)
        "$transformer" average $checkpoints --out $place > /dev/null
    fi
    echo $place
}

# The model that was chosen.
chosen() {
    mean "${best%% *}" "$last"
}

# DATA, SET, UPDATES, COUNT, BEAM, ALPHA
score() {
    bleu=$("$transformer" score --model "$(mean $4 $3)" \
        --source "$1/$2.en" --reference "$1/$2.de" \
        --tokenizer none --beam $5 --alpha $6 | awk '/^BLEU/ { print $3 }')
    printf '%s\t' "${@:2}" >> $scores
    echo "$bleu" >> $scores
}

choose() {
    printf 'set\tupdates\tmean of\tbeam\talpha\tBLEU\n' > $scores
    score "$1" val $last 1 1 0.6
    for count in 1 5 10 20; do score "$1" val $last $count 5 0.6; done
    for count in 5 10; do
        for alpha in 0.0 1.0 1.4 1.8; do score "$1" val $last $count 5 $alpha; done
    done
    for third in 1 2; do score "$1" val $((last * third / 3)) $best; done
    learned "$1"
}

# A thousand of the captions that it has learned from.
learned() {
    mkdir -p $run-learned
    for side in en de; do
        head -n 1000 "$1/train.$side" > $run-learned/learned.$side
    done
    score $run-learned learned $last $best
}

judge() {
    score "$1" test2016 $last $best
    words "$1" > $logs/translation-words.tsv
}

# How many words each file has.
words() {
    printf 'set\tEnglish\tGerman\n'
    for set in train val test2016; do
        printf '%s\t%d\t%d\n' $set $(wc -w < "$1/$set.en") $(wc -w < "$1/$set.de")
    done
}

say() {
    read -r _ beam alpha <<< "$best"
    model=$(chosen)
    "$transformer" translate --model "$model" --beam $beam --alpha $alpha \
        < $logs/translation-captions.en > $logs/translation-captions.de
    number=0
    while read -r caption; do
        number=$((number + 1))
        "$transformer" attend --model "$model" --out $run-drawn "$caption"
        cp $run-drawn/cross-4.svg $logs/translation-looks-$number.svg
    done < $logs/translation-captions.en
}

# How many updates there were, once it has been trained.
[ "${1-}" = train ] || last=$(awk 'END { print $1 }' $logs/translation-run.tsv)

"$@"
