package main

import (
	"bytes"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
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
		Long: `Print the completions for bash, zsh, fish or powershell. They know commands and
flags, and ask the daemon for accounts and posts.`,
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

// completionTime is how long a shell may wait for the daemon at the press of a
// key.
const completionTime = 2 * time.Second

// completeAccount offers the names of accounts.
func (a *app) completeAccount(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && cmd.ValidArgsFunction != nil && cmd.Parent().Name() == "account" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	a.ask(cmd, func(ctx context.Context, c *client.Client) {
		list, err := c.Accounts(ctx, client.AccountQuery{})
		if err != nil {
			return
		}
		for _, acct := range list {
			out = append(out, oneLine(acct.Name)+"\t"+acct.Platform)
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completePost offers the ids of recent posts.
func (a *app) completePost(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	a.ask(cmd, func(ctx context.Context, c *client.Client) {
		page, err := c.Posts(ctx, client.PostQuery{Limit: 50})
		if err != nil {
			return
		}
		for _, p := range page.Results {
			out = append(out, p.ID+"\t"+string(p.Status)+": "+clip(oneLine(p.Content), 50))
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// ask calls fn with a client, unless there is no daemon to ask.
func (a *app) ask(cmd *cobra.Command, fn func(context.Context, *client.Client)) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	if c, err := a.connect(); err == nil {
		fn(ctx, c)
	}
}
