#!/usr/bin/env bash
# Trains the translator and scores it, from the root of the repository:
#     src/logs/translation.sh train DATA SEED    two hours; goes on if it was stopped
#     src/logs/translation.sh check DATA SEED    whether this machine repeats the log's first updates
#     src/logs/translation.sh choose DATA SEED   checkpoints and search, by val
#     src/logs/translation.sh judge DATA SEED    test2016, test2017 and mscoco, once
#     src/logs/translation.sh beams DATA SEED    narrow and wide beams, on val
#     src/logs/translation.sh further DATA SEED  more than `choose` may choose from, on val
#     src/logs/translation.sh penalties DATA     the α of the paper and the one that was chosen, on val
#     src/logs/translation.sh rival DATA         what a look-up in train scores, on val and test2016
#     src/logs/translation.sh words DATA         in how many captions of train some words are
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
    printf '%s\t' "$3" "$2" "$4" "$5" "$6" >> $scores
    numbers <<< "$printed" >> $scores
    grep -vE '^(BLEU|nrefs)' <<< "$printed"
}

# BLEU, BP and ratio, of what `score` has printed.
numbers() {
    sed -nE 's/^BLEU = ([0-9.]+) .*BP = ([0-9.]+) ratio = ([0-9.]+) .*/\1\t\2\t\3/p'
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

# Nothing is chosen by these: whether the best lies beyond the last values that
# `choose` tries.
further() {
    count=$(best "$2" 3)
    alpha=$(best "$2" 5 "$count")
    local scores=$logs/translation-further.tsv
    names > $scores
    for more in 40 60; do
        score "$1" val "$2" $more 5 "$alpha" > /dev/null
    done
    for penalty in 2.2 2.6 3.0; do
        score "$1" val "$2" "$count" 5 $penalty > /dev/null
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

# What is counted in each caption of val, with the paper's length penalty and
# with the one that was chosen. The model is the one that comes with the book.
penalties() {
    for penalty in 0.6 "$(best 1 5)"; do
        "$transformer" score --source "$1/val.en" --reference "$1/val.de" \
            --tokenizer none --beam 5 --alpha "$penalty" --sentences \
            | grep -vE '^(BLEU|nrefs)' | sed "s/^/$penalty\t/"
    done > $logs/translation-penalties.tsv
}

# A rival that learns nothing: for each caption the translation of the most
# similar caption of train. Whether pairs of words count as well is chosen on
# val. Only the scores are kept.
rival() {
    local scores=$logs/translation-rival.tsv out=target/translation-rival.de
    printf 'set\tby\tBLEU\tBP\tratio\n' > $scores
    for what in "val words" "val pairs" "test2016 pairs"; do
        set -- "$1" $what
        recall "$@" > $out
        printf '%s\t%s\t' "$2" "$3" >> $scores
        "$transformer" score --hypotheses $out --reference "$1/$2.de" \
            --tokenizer none | numbers >> $scores
    done
}

# DATA SET BY: two captions with m and n words, c of them in common, have the
# similarity 2c / (m + n). By pairs, those of neighbours are counted with the
# words. Of equals the first is taken.
recall() {
    awk -v by="$3" '
        # How often the line has each word, and how many it has.
        function count() {
            split("", times)
            for (i = 1; i <= NF; i++) times[$i]++
            for (i = 1; i < NF && by == "pairs"; i++) times[$i " " $(i + 1)]++
            return by == "pairs" && NF > 0 ? 2 * NF - 1 : NF
        }
        FILENAME == ARGV[1] { german[FNR] = $0; next }
        FILENAME == ARGV[2] {
            size[FNR] = count()
            for (word in times) lines[word] = lines[word] FNR " " times[word] " "
            next
        }
        {
            n = count()
            split("", common)
            for (word in times) {
                pairs = split(lines[word], pair, " ")
                for (i = 1; i < pairs; i += 2) {
                    smaller = times[word] < pair[i + 1] ? times[word] : pair[i + 1]
                    common[pair[i]] += smaller
                }
            }
            best = 1
            highest = 0
            for (line in common) {
                similar = 2 * common[line] / (n + size[line])
                if (similar > highest || similar == highest && line + 0 < best) {
                    best = line + 0
                    highest = similar
                }
            }
            print german[best]
        }
    ' "$1/train.de" "$1/train.en" "$1/$2.en"
}

# In how many captions of train a word is, and in how many of these the
# translation has a certain one, alone or in a compound. The words are those of
# captions that go wrong.
words() {
    local counts=$logs/translation-words.tsv
    printf 'word\tcaptions\ttranslation\tof these\n' > $counts
    for pair in glasses:brille bank:ufer "no one:" \
        honeycomb: tortoise: beekeeper: hive: seventeen:; do
        paste "$1/train.en" "$1/train.de" | awk -F '\t' -v english="${pair%:*}" \
            -v german="${pair#*:}" -v OFS='\t' '
            index(" " $1 " ", " " english " ") {
                captions++
                if (german && index($2, german)) these++
            }
            END { print english, captions + 0, german, these + 0 }
        ' >> $counts
    done
}

"$@"
