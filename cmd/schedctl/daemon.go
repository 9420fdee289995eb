package main

import "github.com/spf13/cobra"

func newDaemon(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "daemon",
		Short: "Run the daemon that publishes",
		Long:  "Run the daemon: it keeps the posts in one file and publishes what is due.",
		Example: `  schedctl daemon run
  schedctl daemon run --listen unix:///run/user/1000/schedctl.sock`,
	})
	cmd.AddCommand(newDaemonRun(a))
	return cmd
}
