package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// OnNamedRemoval sets up the command that removes what has a name instead of an id, after
// a prompt. noun is what it removes, and list the command that lists the others.
func OnNamedRemoval(a *App, cmd *cobra.Command, noun, list string, remove func(*client.Client, context.Context, string, ...client.Option) error) *cobra.Command {
	yes := cmd.Flags().BoolP("yes", "y", false, "do not ask")
	cmd.Args = Args(1, 1, "the name of the "+noun)
	cmd.RunE = a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
		name := args[0]
		if !*yes {
			if err := a.Confirm(ctx, "Remove the "+noun+" "+OneLine(name)+"?"); err != nil {
				return err
			}
		}
		err := remove(c, ctx, name)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return UnknownName(noun, name, list)
		}
		if err != nil {
			return err
		}
		return a.PrintRemoval(name, "Removed")
	})
	return cmd
}

// UnknownName returns the error about a name that does not exist.
func UnknownName(noun, name, list string) error {
	return NewFailure(ExitNotFound, schedctl.NotFound, "there is no %s %q", noun, OneLine(name)).WithHint("see: " + list)
}
