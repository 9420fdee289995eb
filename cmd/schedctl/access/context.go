package access

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewContext(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{Use: "context", Short: "Keep daemons under names, and choose one", Long: `Save the addresses of daemons. A context is a name for the address of a daemon and its
API key. All commands use the current context; "local" is the daemon that you run on
this machine.

A command finds its daemon by, in this order: --url and --api-key-file,
--context, SCHEDCTL_URL and SCHEDCTL_API_KEY, SCHEDCTL_CONTEXT, the context in use,
the local daemon. The key of a context is only ever sent to its URL.

A context of kind agent is for an agent: commands that use it are in agent mode, see
"schedctl help agent-mode".

Contexts are in config.yaml in the directory schedctl of the user's configuration
(environment: SCHEDCTL_CONFIG, XDG_CONFIG_HOME).`, Example: `  schedctl context add work --url https://posts.example.org
  schedctl context use local
  schedctl context list`,
	})
	cmd.AddCommand(newContextAdd(a), newContextUse(a), newContextList(a), newContextRemove(a))
	return cmd
}

// contextView is a context in the output of --json.
type contextView struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Key     string `json:"key"`  // keyring, the path of a file, or empty
	Kind    string `json:"kind"` // agent, or empty
	Current bool   `json:"current"`
}

func viewOf(name string, ctx cli.SavedContext, current string) contextView {
	return contextView{Name: name, URL: ctx.URL, Kind: ctx.Kind, Key: cli.FirstNonEmpty(ctx.Key, ctx.KeyFile), Current: name == current}
}

// completeContext offers the names of contexts.
func completeContext(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, directive := a.CompleteContextFlag(cmd, args, typed)
		if cmd.Name() == "remove" {
			names = names[1:] // the local context cannot be removed
		}
		return names, directive
	}
}
