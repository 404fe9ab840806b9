#!/bin/sh
# Put the files of all countries together: one header, every line once, sorted by country and year.
# Output: rows, countries. Fails when nothing was delivered or when one file has other columns than the rest.
set -eu

from="$PROC_ARTIFACTS/deliveries"
whole="$PROC_ARTIFACTS/consolidated.csv"
part="$PROC_ARTIFACTS/.consolidated.$$"
trap 'rm -f "$part"' EXIT

set -- "$from"/*.csv
if [ ! -f "$1" ]; then
    echo "Nothing was delivered: $from holds no CSV file." >&2
    exit 1
fi

head_of() { head -n 1 "$1" | tr -d '\r'; }
header=$(head_of "$1")
for file in "$@"; do
    if [ "$(head_of "$file")" != "$header" ]; then
        echo "$file has other columns than ${1##*/}: $(head_of "$file")" >&2
        exit 1
    fi
done

# awk ends a last line without newline itself, so no line is glued to the next file's header.
printf '%s\n' "$header" >"$part"
awk 'FNR > 1 { sub(/\r$/, ""); if ($0 != "") print }' "$@" | LC_ALL=C sort -u >>"$part"
mv "$part" "$whole"

rows=$(($(wc -l <"$whole") - 1))
echo "$rows rows from $# countries are in consolidated.csv."
echo "::process-output rows=$rows::"
echo "::process-output countries=$#::"
