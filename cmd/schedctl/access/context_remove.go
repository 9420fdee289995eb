package access

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newContextRemove(a *cli.App) *cobra.Command {
	var yes bool
	cmd := cli.DeclareJSON[cli.Removal](&cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a context and its key",
		Long: `Remove a context, and its key if "schedctl login" has stored it. The key stays valid,
and a file that --api-key-file named is not deleted. If the context was the current
one, commands use the local daemon again.`,
		Example: `  schedctl context remove work
  schedctl context remove work --yes -q`,
		Args:              cli.Args(1, 1, "the name of a context"),
		ValidArgsFunction: completeContext(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return removeContext(cmd.Context(), a, args[0], yes) },
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func removeContext(ctx context.Context, a *cli.App, name string, yes bool) error {
	cfg, err := a.ReadConfig()
	if err != nil {
		return err
	}
	saved, known := cfg.Contexts[name]
	if !known {
		return cfg.Unknown(name)
	}
	if !yes {
		if err := a.Confirm(ctx, "Remove context "+name+" and its key?"); err != nil {
			return err
		}
	}
	if err := a.ForgetKey(name, saved); err != nil {
		return err
	}
	delete(cfg.Contexts, name)
	if cfg.Current == name {
		cfg.Current = ""
	}
	if err := a.WriteConfig(cfg); err != nil {
		return err
	}
	return a.PrintRemoval(name, "Removed context")
}
