#!/bin/sh
# An engine that goes away in the midst of a game: the given program, which hears no more after so many `go`.
program=$1
left=$2
while read -r line; do
    case $line in
    go*)
        [ "$left" -eq 0 ] && exit 1
        left=$((left - 1))
        ;;
    esac
    echo "$line"
done | "$program" engine
