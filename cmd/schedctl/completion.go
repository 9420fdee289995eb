package main

import (
	"bytes"

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
does not answer within 300 ms is not waited for.`,
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
	return b.Bytes(), err
}
