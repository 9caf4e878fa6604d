/** Shells that `slipway completion` writes a script for. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * The script for a shell. It knows no command itself: it passes what was typed to `slipway __complete`, so that it
 * stays right when commands change, in a clone and installed.
 */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}

const scripts: Readonly<Record<Shell, string>> = {
  // Bash splits words at `=` and `:`, so they are put together again, and what is already typed is cut off the answers.
  bash: `# Completion of slipway for bash. Load it with: source <(slipway completion bash)
_slipway() {
  local IFS=$'\\n' word glue='' line typed=() lines=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word == [=:] && \${#typed[@]} -gt 0 ]]; then
      typed[\${#typed[@]}-1]+=$word
      glue=yes
    elif [[ -n $glue ]]; then
      typed[\${#typed[@]}-1]+=$word
      glue=''
    else
      typed+=("$word")
    fi
  done
  lines=($("\${COMP_WORDS[0]/#\\~/$HOME}" __complete "\${typed[@]}" 2>/dev/null)) || return
  local current=\${typed[\${#typed[@]}-1]} directive=\${lines[\${#lines[@]}-1]}
  local shown=''
  [[ $current == *[=:]* ]] && shown=\${current%"\${current##*[=:]}"}
  COMPREPLY=()
  for line in "\${lines[@]:0:\${#lines[@]}-1}"; do
    line=\${line%%$'\\t'*}
    COMPREPLY+=("\${line#"$shown"}")
  done
  if [[ $directive == :0 ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "\${current#"$shown"}"))
  fi
}
complete -F _slipway slipway
`,
  zsh: `#compdef slipway
# Completion of slipway for zsh. Load it with: source <(slipway completion zsh)
_slipway() {
  local program=\${(Q)words[1]} directive line
  local -a lines found
  lines=("\${(@f)$("\${program/#\\~/$HOME}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  directive=\${lines[-1]}
  for line in "\${(@)lines[1,-2]}"; do
    if [[ $line == *$'\\t'* ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    else
      found+=("\${line//:/\\\\:}")
    fi
  done
  (( \${#found} )) && _describe -t words slipway found
  if [[ $directive == :0 ]]; then
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='
    _files
  fi
}
if [[ $funcstack[1] == _slipway ]]; then
  _slipway "$@"
else
  compdef _slipway slipway
fi
`,
  fish: `# Completion of slipway for fish. Load it with: slipway completion fish | source
function __slipway_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l program (string replace -r '^~' $HOME -- $words[1])
  set -e words[1]
  set -l lines ($program __complete $words 2>/dev/null)
  test (count $lines) -gt 0; or return
  if test (count $lines) -gt 1
    printf '%s\\n' $lines[1..-2]
  end
  if test $lines[-1] = ':0'
    set -l current (commandline -ct)
    set -l flag (string match -r '^--[^=]+=' -- $current)
    for file in (__fish_complete_path (string replace -r '^--[^=]+=' '' -- $current))
      printf '%s%s\\n' "$flag" $file
    end
  end
end
complete -c slipway -e
complete -c slipway -f -a '(__slipway_complete)'
`,
};
