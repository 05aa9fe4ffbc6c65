#!/bin/sh
# A tiny engine that keeps to the protocol, but for what the arguments change.
#
# Arguments, all shell code and all optional: what is done on `go`, where "$1" is the first of the moves
# listed; what is done on `isready`; what is done on `quit`; what is done before anything is read; what is done
# on `ponderhit` and `stop`, where "$1" is that of the last `go`.
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
