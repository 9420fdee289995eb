package main

import (
	"bytes"
	"errors"

	"github.com/spf13/cobra"
)

//go:generate sh -c "go run . completion bash > ../../completions/schedctl.bash"
//go:generate sh -c "go run . completion zsh > ../../completions/_schedctl"
//go:generate sh -c "go run . completion fish > ../../completions/schedctl.fish"
//go:generate sh -c "go run . completion powershell > ../../completions/schedctl.ps1"

// shells are those that completions exist for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print completions for a shell",
		Long: `Print the completions for bash, zsh, fish or powershell. They know commands, flags,
contexts and time zones, and ask the daemon for accounts and posts; a daemon that
does not answer within 300 ms is not waited for.

The script for bash works with the bash-completion package and without it, from bash
3.2 on. For zsh, "autoload -U compinit; compinit" must be in ~/.zshrc.`,
		Example: `  source <(schedctl completion bash)
  schedctl completion zsh > "${fpath[1]}/_schedctl"
  schedctl completion fish > ~/.config/fish/completions/schedctl.fish
  schedctl completion powershell | Out-String | Invoke-Expression`,
		Args:      takes(1, 1, "a shell: bash, zsh, fish or powershell"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := completions(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			return a.write(text)
		},
	}
}

func completions(root *cobra.Command, shell string) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&b, true)
	case "zsh":
		err = root.GenZshCompletion(&b)
	case "fish":
		err = root.GenFishCompletion(&b, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&b)
	default:
		return nil, oneOf("shell", shell, shells)
	}
	text := b.Bytes()
	if shell == "bash" && err == nil {
		text, err = standalone(text)
	}
	return text, err
}

// What cobra's script takes from the bash-completion package, and what does the same
// without it.
const (
	packageDirs = `            _filedir -d
`
	ownDirs = `            if declare -F _filedir >/dev/null 2>&1; then
                _filedir -d
            else
                if [[ $(type -t compopt) == builtin ]]; then
                    compopt -o filenames +o default
                fi
                local name
                while IFS= read -r name; do
                    COMPREPLY+=("${name}")
                done < <(compgen -d -- "${cur}")
            fi
`
	packageSplit = `    _get_comp_words_by_ref "$@" cur prev words cword
`
	ownSplit = `    # Without the package: join the words that bash has split at "=" and ":".
    if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        local line=${COMP_LINE} word before="" last=-1 i
        words=() cword=0
        for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
            word=${COMP_WORDS[i]}
            if [[ ${last} -ge 0 && ${line} != [[:blank:]]* && (${word} == [=:]* || ${before} == *[=:]) ]]; then
                words[last]+=${word}
            else
                last=$((last + 1))
                words[last]=${word}
            fi
            [[ ${i} -eq ${COMP_CWORD} ]] && cword=${last}
            line=${line#"${line%%[![:blank:]]*}"}
            line=${line#"${word}"}
            before=${word}
        done
        cur=${words[cword]}
        return
    fi
` + packageSplit
)

// standalone lets the script for bash work without the bash-completion package.
func standalone(script []byte) ([]byte, error) {
	for _, part := range [][2]string{{packageSplit, ownSplit}, {packageDirs, ownDirs}} {
		if bytes.Count(script, []byte(part[0])) != 1 {
			return nil, errors.New("the script for bash is not as expected")
		}
		script = bytes.Replace(script, []byte(part[0]), []byte(part[1]), 1)
	}
	return script, nil
}
