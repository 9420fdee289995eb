package access

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newContextAdd(a *cli.App) *cobra.Command {
	var use bool
	var kind string
	cmd := cli.DeclareJSON[contextView](&cobra.Command{
		Use:   "add NAME --url URL",
		Short: "Add a context",
		Long: `Add a context: a name for the daemon at --url. With --api-key-file the key is read
from that file whenever it is needed; "schedctl login --context NAME" keeps a key
in the keyring instead. The command does not contact the daemon.

With --kind agent, commands that use the context are in agent mode: they never use the
admin key and never prompt, and print JSON; see "schedctl help agent-mode".`,
		Example: `  schedctl context add work --url https://posts.example.org --api-key-file ~/work.key
  schedctl context add office --url http://10.0.0.7:7733 --use
  schedctl context add bot --url http://127.0.0.1:7733 --api-key-file ~/work.key --kind agent`,
		Args: cli.Args(1, 1, "a name"),
		RunE: func(_ *cobra.Command, args []string) error { return addContext(a, args[0], kind, use) },
	})
	cmd.Flags().StringVar(&kind, "kind", "", "the `kind` of the context: agent, for the key of an agent")
	cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{cli.KindAgent}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&use, "use", false, "use the new context from now on")
	return cmd
}

func addContext(a *cli.App, name, kind string, use bool) error {
	if a.URL == "" {
		return cli.UsageError("schedctl context add needs --url, the address of the daemon").WithHint("give --url http://host:port, https://host or unix:///path")
	}
	ctx := cli.SavedContext{URL: a.URL, Kind: kind}
	if kind != "" && kind != cli.KindAgent {
		return cli.UnknownValueError("--kind", kind, []string{cli.KindAgent})
	}
	if err := cli.CheckContextName(name); err != nil {
		return err
	}
	if err := cli.CheckContext(name, ctx); err != nil {
		return cli.UsageError("%v", err)
	}
	if a.KeyFile != "" {
		if _, err := cli.ReadKey(a.KeyFile); err != nil {
			return err
		}
		path, err := filepath.Abs(a.KeyFile)
		if err != nil {
			return fmt.Errorf("find the key: %w", err)
		}
		ctx.KeyFile = path
	}
	cfg, err := a.ReadConfig()
	if err != nil {
		return err
	}
	if _, there := cfg.Contexts[name]; there {
		return cli.NewFailure(cli.ExitConflict, cli.CodeOther, "there is a context %q already", name).
			WithHint("remove it first: schedctl context remove " + name)
	}
	cfg.Contexts[name] = ctx
	if use {
		cfg.Current = name
	}
	if err := a.WriteConfig(cfg); err != nil {
		return err
	}
	return printContext(a, viewOf(name, ctx, cfg.Current), "Added")
}

// printContext prints one context. On a terminal it is a sentence about what was done.
func printContext(a *cli.App, v contextView, done string) error {
	sentence := fmt.Sprintf("%s context %s, %s", done, a.Bold(v.Name), v.URL)
	if !v.Current {
		sentence += "; use it with: schedctl context use " + v.Name
	}
	return cli.PrintOne(a, v, sentence, printContexts)
}
