#!/bin/sh
# An engine that speaks the UCI of chess engines and knows many variants, but no words that this project adds: it
# exits with status 9 at a line that it does not understand. It prints many lines that were not requested.
#
# It knows no rules, either: it plays the first of the moves in `searchmoves`.
refuse() {
    echo "not plain UCI: $line" >&2
    exit 9
}
echo 'Plain 1.0 [upstream: , 64 bit] by nobody'
while read -r line; do
    case $line in
    uci)
        echo 'id name Plain 1.0 [upstream: , 64 bit]'
        echo 'id author nobody'
        echo
        echo 'option name Debug Log File type string default '
        echo 'option name Clear Hash type button'
        echo 'option name UCI_Variant type combo default chess var chess var fox-and-hounds var xiangqi'
        echo 'uciok'
        ;;
    'setoption name UCI_Variant value fox-and-hounds')
        echo 'info string variant fox-and-hounds files 8 ranks 8 pocket 0 template fairy'
        ;;
    isready) echo 'readyok' ;;
    ucinewgame) ;;
    quit) exit 0 ;;
    position*players* | position*+*) refuse ;;
    'position startpos' | 'position startpos moves '*) ;;
    'position fen '*' '[wb]' - - 0 1' | 'position fen '*' '[wb]' - - 0 1 moves '*) ;;
    go*)
        set -- $line
        [ "$2 $4 $6 $8 ${10}" = 'wtime btime winc binc searchmoves' ] || refuse
        shift 10
        echo 'info string classical evaluation enabled'
        echo "info depth 1 seldepth 1 multipv 1 score cp 30 nodes 2 nps 37 tbhits 0 time 53 pv $1"
        echo "info depth 2 currmove $1 currmovenumber 1"
        echo "info depth 2 seldepth 3 multipv 1 score cp -14 wdl 1 2 3 nodes 9 time 54 pv $1 a1b2"
        echo 'info depth 3 seldepth 4 multipv 1 score cp 60 lowerbound nodes 12 time 55'
        echo 'info string depth 3 score cp 99 estimate 1000 0'
        echo "bestmove $1 ponder a1b2"
        ;;
    *) refuse ;;
    esac
done
