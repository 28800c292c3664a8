#!/usr/bin/env bash
# Makes the EPUB and the PDF, and has others' programs look at them: epubcheck finds nothing, every page of the PDF ends with its
# number, its bookmarks name every chapter, its contents lead to the pages where the chapters begin, each page says of which chapter it is,
# and the authors are named.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cargo run --quiet -- epub
java -jar /usr/share/java/epubcheck.jar --failonwarnings all-you-need.epub

cargo run --quiet -- pdf
# The foot of an A4 page, in points.
pdftotext -x 0 -y 775 -W 595 -H 67 all-you-need.pdf "$folder/text"
# A page ends with a form feed.
awk 'BEGIN { RS = "\f" } NF && $NF != NR { print "page " NR " ends with " $NF; wrong = 1 } END { exit wrong }' "$folder/text"
pdftohtml -xml -i -stdout all-you-need.pdf > "$folder/xml"
sed -n '/<outline>/,$ s/.*<item[^>]*>\(.*\)<\/item>.*/\1/p' "$folder/xml" | sed -E 's/&amp;/\&/g; s/^[0-9]+ +//; s/&#39;|’/\x27/g' > "$folder/bookmarks"
for page in $(sed -n 's/.*(\([a-z]*\.md\)).*/\1/p' src/SUMMARY.md); do
    title=$(sed -n '1 s/^# //p' "src/$page")
    grep --quiet --fixed-strings --line-regexp "$title" "$folder/bookmarks" || { echo "no bookmark $title"; exit 1; }
done
# Whether the head of a sheet names a chapter. The head goes through a file: a quiet grep stops at its first match, and writing to it then fails.
names() {
    pdftotext -f "$1" -l "$1" -x 0 -y 0 -W 595 -H 57 all-you-need.pdf "$folder/head"
    grep --quiet --fixed-strings "$2" "$folder/head"
}
# A line of the contents ends with a number: that page begins with the title, after the head that says it.
pdftotext -layout -nopgbrk -f 2 -l 3 all-you-need.pdf "$folder/contents"
sed -nE 's/^ *(.*[^ ]) {2,}([0-9]+)$/\2 \1/p' "$folder/contents" > "$folder/numbered"
lines=$(wc -l < "$folder/numbered")
[ "$lines" -eq "$(grep -cE '\([a-z]+\.md\)' src/SUMMARY.md)" ] || { echo "$lines lines of contents"; exit 1; }
while read -r number title; do
    names "$number" "$title" || { echo "page $number is not of $title"; exit 1; }
    # The contents name every chapter, but their sheets have no head.
    if names "$((number - 1))" "$title"; then echo "$title begins before page $number"; exit 1; fi
done < "$folder/numbered"
pdfinfo all-you-need.pdf | grep '^Author: ' > /dev/null || { echo "no author"; exit 1; }
! pdftotext all-you-need.pdf - | grep --line-regexp 'To the text' || { echo "a link for the keyboard on paper"; exit 1; }
! pdftotext all-you-need.pdf - | grep --extended-regexp '^code/examples/[a-z]+\.rs$' || { echo "a fold that is empty"; exit 1; }
echo "$(pdfinfo all-you-need.pdf | sed -n 's/^Pages: *//p') pages, $(wc -l < "$folder/bookmarks") bookmarks"
