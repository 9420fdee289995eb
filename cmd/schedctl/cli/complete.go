package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/when"
)

// CompleteInOrder is the directive for values that are sorted by something else than
// their names.
const CompleteInOrder = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// CompletionTime is the longest time that a completion waits for the daemon.
const CompletionTime = 300 * time.Millisecond

// CompleteFrom offers what list reads from the daemon and the command line does not have
// yet: values with descriptions, each after a tab. It offers nothing after most arguments.
func (a *App) CompleteFrom(most int, directive cobra.ShellCompDirective, list func(context.Context, *client.Client) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (found []string, _ cobra.ShellCompDirective) {
		if most == Unlimited || len(args) < most {
			a.AskDaemon(cmd, func(ctx context.Context, c *client.Client) { found, _ = list(ctx, c) })
		}
		found = slices.DeleteFunc(found, func(offer string) bool {
			value, _, _ := strings.Cut(offer, "\t")
			return slices.Contains(args, value)
		})
		return found, directive
	}
}

// AskDaemon calls fn with a client and a context that ends after AskTime. It does
// nothing if there is no daemon.
func (a *App) AskDaemon(cmd *cobra.Command, fn func(context.Context, *client.Client)) {
	ctx, cancel := context.WithTimeout(cmd.Context(), a.AskTime)
	defer cancel()
	if c := a.connectWithin(ctx); c != nil {
		fn(ctx, c)
	}
}

// connectWithin returns a client, or nil after a timeout: a keyring may
// prompt its user. A connection that takes longer ends with the process, and works on
// a copy of the command line.
func (a *App) connectWithin(ctx context.Context) *client.Client {
	own, connected := *a, make(chan *client.Client, 1)
	go func() {
		c, err := own.Connect()
		if err != nil {
			c = nil
		}
		connected <- c
	}()
	select {
	case c := <-connected:
		return c
	case <-ctx.Done():
		return nil
	}
}

// CompleteZone offers the zones whose name starts with the typed text, ignoring case.
func CompleteZone(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for name := range strings.Lines(when.ZoneNames) {
		name = strings.TrimSpace(name)
		if len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
