#!/usr/bin/env bash
# Makes the EPUB and the PDF, and has others' programs look at them: epubcheck finds nothing, every page of the PDF ends with its
# number, and its bookmarks name every chapter.
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
echo "$(pdfinfo all-you-need.pdf | sed -n 's/^Pages: *//p') pages, $(wc -l < "$folder/bookmarks") bookmarks"
