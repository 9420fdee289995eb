// Package agent holds the commands that connect agents: they make the key of an agent, set
// up its client, and check what its key can do.
package agent

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// New returns the command agent.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "agent",
		Short: "Connect an agent, and check what its key can do",
		Long: `Connect an agent with an API key of its own, and check that the key cannot publish. See
docs/agents.md for what agents can do.`,
		Example: `  schedctl agent setup claude --write
  schedctl agent check --api-key-file agent.key`,
	})
	cmd.AddCommand(newSetup(a), newCheck(a))
	return cmd
}
