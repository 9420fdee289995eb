package server

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewDaemon(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "daemon",
		Short: "Start and stop the daemon that publishes, or check or save its database",
		Long: `The daemon stores the posts in one file and publishes them when they are due. Start
it in the background, as a service of your session, or in the foreground. Check its
file, and recover what is readable when the file is damaged.`,
		Example: `  schedctl daemon start
  schedctl daemon install
  schedctl daemon run --listen unix:///run/user/1000/schedctl.sock
  schedctl daemon check`,
	})
	cmd.AddCommand(newDaemonStart(a), newDaemonStop(a), newDaemonRestart(a), newDaemonInstall(a), newDaemonUninstall(a))
	cmd.AddCommand(newDaemonRun(a), newDaemonCheck(a), newDaemonSalvage(a))
	cmd.AddCommand(newDaemonStatus(a), newDaemonHealth(a))
	return cmd
}
