#!/bin/sh
# Stands for Chromium: prints a page into what looks like its PDF, and has the page in it.
if [ "$1" = --version ]; then
    echo "Chromium ${VERSION-131}.0.6778.33 snap"
    exit
fi
# The sandbox does not work for root, and everybody else needs it.
case "$(id -u) $*" in
    "0 "*--no-sandbox*) ;;
    "0 "* | *--no-sandbox*) exit 1 ;;
esac
for page; do
    case $page in --print-to-pdf=*) pdf=${page#*=} ;; esac
done
{
    cat << 'PDF'
%PDF-1.4
1 0 obj
<</Creator (Mozilla/5.0 \(X11; Linux x86_64\) HeadlessChrome)
/Producer (Skia/PDF m131)>>
endobj
7 0 obj
<</Type /Page
/Resources <<>>>>
endobj
9 0 obj
<</Type /Page
/Resources <<>>>>
endobj
10 0 obj
<</sheet-p [7 0 R /XYZ 0 0 0]
/sheet-a [9 0 R /XYZ 0 0 0]>>
endobj
PDF
    cat "$page"
    echo '%%EOF'
} > "$pdf"
