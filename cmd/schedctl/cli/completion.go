package cli

import (
	"bytes"
	"errors"

	"github.com/spf13/cobra"
)

// Shells are the shells with completions.
var Shells = []string{"bash", "zsh", "fish", "powershell"}

func NewCompletion(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print completions for a shell",
		Long: `Print the completions for bash, zsh, fish or powershell. They know commands, flags,
contexts and time zones, and ask the daemon for accounts and posts; a daemon that
does not respond within 300 ms is skipped.

The script for bash works with the bash-completion package and without it, from bash
3.2 on. For zsh, "autoload -U compinit; compinit" must be in ~/.zshrc.`,
		Example: `  source <(schedctl completion bash)
  schedctl completion zsh > "${fpath[1]}/_schedctl"
  schedctl completion fish > ~/.config/fish/completions/schedctl.fish
  schedctl completion powershell | Out-String | Invoke-Expression`,
		Args:      Args(1, 1, "a shell: bash, zsh, fish or powershell"),
		ValidArgs: Shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := completions(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			return a.Write(text)
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
		return nil, UnknownValueError("shell", shell, Shells)
	}
	if err != nil {
		return nil, err
	}
	return patch(b.Bytes(), patches[shell])
}

// patches are the parts of cobra's scripts that are replaced, by shell.
var patches = map[string][][2]string{
	"bash": {{packageSplit, ownSplit}, {packageDirs, ownDirs}},
	"zsh":  {{"'*:dirname:_files -/'", "'*:dirname:_path_files -/'"}}, // _path_files does not offer files as well
	"fish": {{fishFilter, fishDirs + fishFilter}},
}

// patch replaces parts of a script. Each must occur exactly once.
func patch(script []byte, parts [][2]string) ([]byte, error) {
	for _, part := range parts {
		if bytes.Count(script, []byte(part[0])) != 1 {
			return nil, errors.New("the script of cobra is not as expected")
		}
		script = bytes.Replace(script, []byte(part[0]), []byte(part[1]), 1)
	}
	return script, nil
}

// Cobra's script for fish offers files where only directories are valid.
const (
	fishFilter = `    if test $filefilter -eq 1; or test $dirfilter -eq 1
`
	fishDirs = `    if test $dirfilter -eq 1
        set -l typed (commandline -ct)
        set -l prefix (string match -r -- '^-[^=]*=' "$typed")
        set --global __schedctl_comp_results "$prefix"(__fish_complete_directories (string replace -- "$prefix" "" "$typed"))
        return 0
    end

`
)

// Parts of cobra's script for bash that need the bash-completion package, and
// replacements that work without it.
const (
	packageDirs = `            _filedir -d
`
	ownDirs = `            if [[ $(type -t compopt) == builtin ]]; then
                compopt -o filenames +o default
            fi
            if declare -F _filedir >/dev/null 2>&1; then
                _filedir -d
            else
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
