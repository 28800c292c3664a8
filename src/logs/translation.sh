#!/usr/bin/env bash
# Makes all files src/logs/translation-*, from the root of the repository:
#     src/logs/translation.sh train DATA
#     src/logs/translation.sh score DATA val
#     src/logs/translation.sh say last
#     src/logs/translation.sh score DATA test2016
# DATA has train, val and test2016, each as .en and .de.
set -euo pipefail

cargo build --quiet --release --bin transformer
transformer=target/release/transformer
run=target/translation
logs=src/logs

train() {
    "$transformer" train \
        --source "$1/train.en" --target "$1/train.de" \
        --valid-source "$1/val.en" --valid-target "$1/val.de" \
        --tokens 2750 --updates 40000 --every 500 --keep 20 --out $run
    cp $run/log.tsv $logs/translation-run.tsv
    # The names have equally many digits, so the last are the newest.
    "$transformer" average $(ls -d $run/0* | tail -n 10) --out $run-mean
}

score() {
    for model in last mean; do
        for beam in 1 5; do
            bleu=$("$transformer" score --model "$(place $model)" \
                --source "$1/$2.en" --reference "$1/$2.de" \
                --tokenizer none --beam $beam | awk '/^BLEU/ { print $3 }')
            printf '%s\t%s\t%s\t%s\n' "$2" $model $beam "$bleu"
        done
    done >> $logs/translation-scores.tsv
}

place() {
    if [ "$1" = mean ]; then echo $run-mean; else echo $run; fi
}

say() {
    model=$(place "$1")
    "$transformer" translate --model "$model" \
        < $logs/translation-captions.en > $logs/translation-captions.de
    number=0
    while read -r caption; do
        number=$((number + 1))
        "$transformer" attend --model "$model" --out $run-drawn "$caption"
        cp $run-drawn/cross-4.svg $logs/translation-looks-$number.svg
    done < $logs/translation-captions.en
}

"$@"
