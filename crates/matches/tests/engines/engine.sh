#!/bin/sh
# A tiny engine that follows the protocol, except for the behaviour changed by its arguments.
#
# Arguments, all optional shell code: for `go`, with the first listed move as "$1"; for `isready`; for `quit`;
# for the start, before any line is read; for `ponderhit` and `stop`, with "$1" of the last `go`.
go=${1:-'echo "bestmove $1"'}
isready=${2:-'echo readyok'}
quit=${3:-'exit 0'}
eval "${4-}"
hit=${5:-'echo "bestmove $1"'}
while read -r command rest; do
    case $command in
    uci)
        echo 'id name tiny'
        echo 'option name Hash type spin default 1 min 1 max 64'
        echo 'uciok'
        ;;
    isready) eval "$isready" ;;
    go)
        set -- ${rest#*searchmoves }
        eval "$go"
        ;;
    ponderhit | stop) eval "$hit" ;;
    quit) eval "$quit" ;;
    esac
done
