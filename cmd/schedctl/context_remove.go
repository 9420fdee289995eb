package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newContextRemove(a *app) *cobra.Command {
	var yes bool
	cmd := prints[removal](&cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a context and its key",
		Long: `Remove a context, and its key where "schedctl login" has kept it. The key stays
valid, and a file that --api-key-file named stays where it is. When the context was
the one in use, the local daemon is used.`,
		Example: `  schedctl context remove work
  schedctl context remove work --yes -q`,
		Args:              takes(1, 1, "the name of a context"),
		ValidArgsFunction: a.completeContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.removeContext(cmd.Context(), args[0], yes)
		},
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) removeContext(ctx context.Context, name string, yes bool) error {
	cfg, err := a.readConfig()
	if err != nil {
		return err
	}
	saved, known := cfg.Contexts[name]
	if !known {
		return cfg.unknown(name)
	}
	if !yes {
		if err := a.confirm(ctx, "Remove context "+name+" and its key?"); err != nil {
			return err
		}
	}
	if err := a.forgetKey(name, saved); err != nil {
		return err
	}
	delete(cfg.Contexts, name)
	if cfg.Current == name {
		cfg.Current = ""
	}
	if err := a.writeConfig(cfg); err != nil {
		return err
	}
	return a.printRemoval(name, "Removed context")
}
