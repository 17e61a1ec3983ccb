"""`ore completion`: makes a shell complete what `ore` takes."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Final

from ore.cli.parser import Execute, Words
from ore.cli.printed import printed
from ore.cli.status import Status

__all__ = ["SCRIPTS", "configure"]

_BASH: Final = """\
# ore completion bash: eval "$(ore completion bash)" in ~/.bashrc
_ore() {
    local line="${COMP_LINE:0:COMP_POINT}" words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    mapfile -t COMPREPLY < <("${words[0]}" completion candidates -- "${words[@]:1}" 2>/dev/null)
    # Where a colon parts words, what stands before the last one is on the line already.
    local last="${words[-1]}"
    if [[ $last == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*:}"}"}")
    fi
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace
    return 0
}
complete -o default -F _ore ore
"""

_ZSH: Final = """\
#compdef ore
# ore completion zsh: eval "$(ore completion zsh)" in ~/.zshrc, behind compinit
_ore() {
    local -a found
    found=("${(@f)$("${words[1]}" completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=("${(@)found:#}")
    if (( ${#found} )); then
        compadd -- "${found[@]}"
    else
        _files
    fi
}
compdef _ore ore
"""

_FISH: Final = """\
# ore completion fish: ore completion fish | source, in ~/.config/fish/config.fish
function __ore_candidates
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completion candidates -- $words[2..-1] 2>/dev/null
end
complete -c ore -a '(__ore_candidates)'
"""

SCRIPTS: Final[Mapping[str, str]] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
"""What each shell has to read; all ask `ore` itself what may stand at the cursor."""


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the options."""
    parser.epilog = 'For bash: eval "$(ore completion bash)" in ~/.bashrc; zsh and fish say theirs in the first lines.'
    parser.add_argument(
        "shell",
        metavar="SHELL",
        choices=(*SCRIPTS, "candidates"),
        help="bash, zsh or fish; candidates prints what may stand where the last of WORDS is, one a line",
    )
    parser.add_argument(
        "words", metavar="WORDS", nargs="*", default=[], help="behind --, what stands behind `ore` so far"
    )
    return _execute


def _execute(options: Namespace) -> Status:
    if options.shell in SCRIPTS:
        return printed(SCRIPTS[options.shell])
    from ore.cli.candidates import candidates

    return printed("".join(f"{candidate}\n" for candidate in candidates(options.words or [""])))
