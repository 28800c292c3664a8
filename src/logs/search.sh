#!/usr/bin/env bash
# Measures searches of the book's model, from the root of the repository:
#     src/logs/search.sh patience DATA    in a search that ends sooner or later
#     src/logs/search.sh widths           with a beam of one hypothesis and of more
#     src/logs/search.sh times            one caption at a time, with a cache and without
# DATA has val as .en and .de, which is translated. The widths are measured on
# the fifty captions, ten times, in seconds that the processor worked.
set -euo pipefail

patience() {
    cargo bench --quiet --bench search -- patience "$1" > src/logs/search-patience.tsv
}

widths() {
    cargo build --quiet --release --bin transformer
    transformer=target/release/transformer
    TIMEFORMAT=%U
    captions=$(mktemp)
    for _ in {1..10}; do cat src/logs/translation-own.en; done > "$captions"
    printf 'beam\tseconds\n' > src/logs/search-widths.tsv
    for beam in 1 4 20; do
        seconds=$({ time "$transformer" translate --alpha 0.6 --beam $beam \
            < "$captions" > /dev/null; } 2>&1)
        printf '%s\t%s\n' $beam "$seconds" >> src/logs/search-widths.tsv
    done
    rm "$captions"
}

times() {
    RAYON_NUM_THREADS=1 cargo bench --quiet --bench search > src/logs/search-times.tsv
}

"$@"
