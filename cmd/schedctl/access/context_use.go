package access

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newContextUse(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[contextView](&cobra.Command{
		Use:   "use NAME",
		Short: "Use a context from now on",
		Long: `Use a context from now on, in all terminals. "local" is the daemon that you run on
this machine.`,
		Example: `  schedctl context use work
  schedctl context use local`,
		Args:              cli.Args(1, 1, "the name of a context"),
		ValidArgsFunction: completeContext(a),
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			cfg, err := a.ReadConfig()
			if err != nil {
				return err
			}
			ctx, known := cfg.Contexts[name]
			switch {
			case name == cli.LocalContext:
				cfg.Current = ""
				ctx.URL = a.LocalURL()
			case !known:
				return cfg.Unknown(name)
			default:
				cfg.Current = name
			}
			if err := a.WriteConfig(cfg); err != nil {
				return err
			}
			return printContext(a, viewOf(name, ctx, name), "From now on commands use")
		},
	})
}
