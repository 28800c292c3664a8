#!/usr/bin/env bash
# The writer learns from this book, from the root of the repository:
#     src/logs/writer.sh text           the pages as text: target/writer/*.txt
#     src/logs/writer.sh learn SEED     trains a writer: target/writer/SEED
#     src/logs/writer.sh count          the counts, on the same text
#     src/logs/writer.sh long           one more with three times the updates
#     src/logs/writer.sh write SEED     what a writer says, with counts and alone
#     src/logs/writer.sh                all of it, for the seeds 1 to 5
# Everything measured goes to src/logs/writer-*, and the counts to ngram-*.
set -euo pipefail

logs=src/logs work=$PWD/target/writer
program=target/release/transformer
# Pages from which nothing is learned, and pages that have little prose or
# are about what is learned here.
held_out="heads loss search"
left_out="SUMMARY bibliography ngram writer gaps classifier"

# A paragraph per line, without code, formulas, tables and directives. A
# number that comes from an output, and what is set as math, becomes #.
prose() {
    sed -e '/^```/,/^```/d' -e '/^\$\$.*[^$]$/,/\$\$$/d' "$1" | awk '
        BEGIN { RS = "" }
        /^(\$\$|[{|<#!]|: )/ { next }
        {
            gsub(/\n/, " ")
            gsub(/\{\{#[^}]*\}\}/, "#")
            gsub(/\$[^$]*\$/, "#")
            gsub(/\]\([^)]*\)/, "]")
            gsub(/[][*`]/, "")
            gsub(/^(> ?|- |[0-9]+\. )+|  +/, " ")
            gsub(/ > /, " ")
            sub(/^ +/, "")
            if (length($0) > 60) print
        }'
    echo
}

text() {
    mkdir -p $work
    : > $work/training.txt
    : > $work/held-out.txt
    for page in src/*.md; do
        name=$(basename "$page" .md)
        case " $left_out " in *" $name "*) continue ;; esac
        case " $held_out " in
            *" $name "*) prose "$page" >> $work/held-out.txt ;;
            *) prose "$page" >> $work/training.txt ;;
        esac
    done
    wc --lines --words $work/training.txt $work/held-out.txt
}

learn() {
    rm -rf "$work/$1"
    $program learn --text $work/training.txt --held-out $work/held-out.txt \
        --seed "$1" --out "$work/$1" > "$logs/writer-run-$1.tsv"
}

# A writer with three times the updates.
long() {
    rm -rf "$work/long"
    $program learn --text $work/training.txt --held-out $work/held-out.txt \
        --updates 9000 --out "$work/long" > "$logs/writer-long.tsv"
}

count() {
    cargo bench --quiet --bench ngram -- \
        $work/training.txt $work/held-out.txt > $logs/ngram-counts.tsv
}

write() {
    cargo bench --quiet --bench writer -- \
        mix "$work/$1" $work/training.txt $work/held-out.txt \
        > $logs/writer-mixed.tsv
    cargo bench --quiet --bench writer -- \
        say "$work/$1" $work/training.txt > $logs/writer-said.tsv
}

case ${1-all} in
    text | learn | long | count | write) "$@" ;;
    all)
        cargo build --quiet --release --bin transformer
        text
        count
        for seed in 1 2 3 4 5; do learn $seed; done
        long
        write 1
        ;;
esac
