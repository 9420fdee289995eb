package main

import "github.com/spf13/cobra"

func newContextUse(a *app) *cobra.Command {
	return prints[contextView](&cobra.Command{
		Use:   "use NAME",
		Short: "Use a context from now on",
		Long:  "Use a context from now on, in all terminals. \"local\" is the daemon that you run on this machine.",
		Example: `  schedctl context use work
  schedctl context use local`,
		Args:              takes(1, 1, "the name of a context"),
		ValidArgsFunction: a.completeContext,
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			cfg, err := a.readConfig()
			if err != nil {
				return err
			}
			ctx, known := cfg.Contexts[name]
			switch {
			case name == localContext:
				cfg.Current = ""
				ctx.URL = a.localURL()
			case !known:
				return cfg.unknown(name)
			default:
				cfg.Current = name
			}
			if err := a.writeConfig(cfg); err != nil {
				return err
			}
			return a.printContext(viewOf(name, ctx, name), "From now on commands use")
		},
	})
}
