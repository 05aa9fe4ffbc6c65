#!/bin/sh
# An engine that fails during a game: runs the given program, and exits at the `go` after the given number of them.
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
