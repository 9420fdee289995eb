package main

import "github.com/spf13/cobra"

func newDaemon(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "daemon",
		Short: "Run the daemon that publishes, or check or save its database",
		Long: `Run the daemon: it keeps the posts in one file and publishes what is due. Or check
that file, and save what is left of it when it is damaged.`,
		Example: `  schedctl daemon run
  schedctl daemon run --listen unix:///run/user/1000/schedctl.sock
  schedctl daemon check`,
	})
	cmd.AddCommand(newDaemonRun(a), newDaemonCheck(a), newDaemonSalvage(a))
	cmd.AddCommand(newDaemonStatus(a), newDaemonHealth(a))
	return cmd
}
