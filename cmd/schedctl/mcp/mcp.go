// Package mcp has the command that serves the Model Context Protocol on standard input
// and output.
package mcp

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/mcp"
)

// New returns the command.
func New(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools of an agent on standard input and output",
		Long: `Serve the Model Context Protocol (MCP) on standard input and output, so that an agent
can draft posts. MCP clients start this command; you do not type it. See docs/agents.md
for their settings.

The agent needs an API key of its own:

  ` + schedctl.MakeAgentKey + `

Its scopes decide what the agent can do. With the default scopes it reads and drafts;
a person schedules or approves. The admin key of the daemon is never used. Keys that may
approve posts, or change accounts, keys, webhooks or workspaces, are refused.

The daemon also serves MCP over HTTP, at /mcp.`,
		Example: `  schedctl mcp --api-key-file agent.key`,
		Args:    cli.Args(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), a) },
	}
}

func run(ctx context.Context, a *cli.App) error {
	c, err := connect(a)
	if err != nil {
		return err
	}
	caller, err := mcp.Read(ctx, c)
	if schedctl.CodeOf(err) == schedctl.KeyNotAllowed {
		return cli.NewFailure(cli.ExitAuth, schedctl.KeyNotAllowed, "%s", message(err))
	}
	if err != nil {
		return err
	}
	server := &mcp.Server{Version: cli.VersionText(), Logger: a.Logger()}
	return server.RunStdio(ctx, caller, a.In, a.Out())
}

// connect returns a client with the key of the agent. Waits are not shown, because no
// one reads standard error.
func connect(a *cli.App) (*client.Client, error) {
	e, err := a.EndpointWithOwnKey()
	if err != nil {
		return nil, err
	}
	if e.Key == "" {
		return nil, cli.NewFailure(cli.ExitAuth, schedctl.AuthenticationRequired, "an agent needs an API key of its own").
			WithHint("create one with: " + schedctl.MakeAgentKey + ", then give it with --api-key-file agent.key or SCHEDCTL_API_KEY_FILE")
	}
	cfg := a.ClientConfig(e)
	cfg.Waiting, cfg.MaxWait = nil, 0
	if cfg.Timeout <= 0 || cfg.Timeout > mcp.CallTimeout {
		cfg.Timeout = mcp.CallTimeout
	}
	c, err := client.New(cfg)
	if err != nil {
		return nil, cli.UsageError("%v", err)
	}
	return c, nil
}

// message returns the message of a [schedctl.Error].
func message(err error) string {
	if e, ok := errors.AsType[*schedctl.Error](err); ok {
		return e.Message
	}
	return err.Error()
}
