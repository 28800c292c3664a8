#!/usr/bin/env bash
# Makes src/logs/search-patience.tsv, from the root of the repository:
#     src/logs/search.sh DATA
# DATA has val as .en and .de. The book's model translates val, in a search
# that ends sooner or later. The seconds are those that the processor worked.
set -euo pipefail

cargo build --quiet --release --bin transformer
transformer=target/release/transformer data=$1 out=target/patience
mkdir -p $out

printf 'alpha\tpatience\tBLEU\tchanged\tseconds\n' > src/logs/search-patience.tsv
for alpha in 0.6 1.8; do
    for patience in inf 4 2 1; do
        found=$out/$alpha-$patience
        TIMEFORMAT=%U
        seconds=$({ time "$transformer" translate --alpha $alpha --patience $patience \
            < "$data/val.en" > "$found"; } 2>&1)
        bleu=$("$transformer" score --hypotheses "$found" --reference "$data/val.de" \
            --tokenizer none 2> /dev/null | sed -nE 's/^BLEU = ([0-9.]+) .*/\1/p')
        changed=$(diff "$out/$alpha-inf" "$found" | grep -c '^<' || true)
        printf '%s\t%s\t%s\t%s\t%s\n' $alpha $patience "$bleu" "$changed" "$seconds" \
            >> src/logs/search-patience.tsv
    done
done
