package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

func NewTrigger(a *cli.App) *cobra.Command {
	names := cli.Strings(triggerTypes())
	return cli.DeclareJSON[forwarded](&cobra.Command{
		Use:   "trigger EVENT",
		Short: "Send a test event to \"schedctl listen\"",
		Long: `Send a test event to every "schedctl listen" that you run on this machine. Each
forwards the event, signed, to its receiver, regardless of its --event flags. The
types are

` + eventTypesText(triggerTypes()) + `

The event refers to made-up objects: no post is published, the daemon does not store
the event, and webhooks do not receive it. To test a webhook of the daemon, use
"schedctl webhook test".

The exit status is 9 when a receiver did not respond with a 2xx status, and 7 when
there is no "schedctl listen".`,
		Example: `  schedctl trigger post.published
  schedctl trigger post.failed --json=http_status,response`,
		Args: cli.Args(1, 1, "the type of an event"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(names, args[0]) {
				return cli.UnknownValueError("event", args[0], names)
			}
			return triggerEvent(cmd.Context(), a, schedctl.EventType(args[0]))
		},
	})
}

func triggerEvent(ctx context.Context, a *cli.App, typ schedctl.EventType) error {
	sample, err := sampleEvent(typ, a.Now())
	if err != nil {
		return fmt.Errorf("make a sample of %s: %w", typ, err)
	}
	limit := triggerTimeout
	if a.Timeout > 0 {
		limit = time.Duration(a.Timeout)
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, post.ErrTimedOut)
	defer cancel()
	heard := false
	var failed cli.ErrorList
	for _, path := range listenSockets(a) {
		err := triggerAt(limited, a, path, apiv1.NewEvent(sample))
		if errors.Is(err, errNoListener) {
			continue
		}
		if heard = true; err != nil {
			failed = append(failed, err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !heard:
		return cli.NewFailure(cli.ExitUnreachable, cli.CodeUnreachable, "no schedctl listen is running that could forward the event").
			WithHint("start one with: schedctl listen --forward-to URL")
	case failed != nil:
		return failed
	}
	return nil
}

// triggerAt sends the event to one "schedctl listen" and prints the result.
func triggerAt(ctx context.Context, a *cli.App, path string, e apiv1.Event) error {
	result, err := sendTriggered(ctx, path, e)
	switch {
	case errors.Is(err, post.ErrTimedOut):
		return cli.NewFailure(cli.ExitTimedOut, cli.CodeTimedOut, "schedctl listen has not forwarded the event in time").WithHint("see what it shows")
	case err != nil:
		return err
	}
	if err := printForwarded(a, result); err != nil || result.Status == schedctl.DeliveryDelivered {
		return err
	}
	return receiverFailure(result)
}

// receiverFailure returns the error for an event that a receiver did not accept.
func receiverFailure(f forwarded) error {
	return cli.NewFailure(cli.ExitFailed, cli.CodeFailed, "%s did not take %s: %s", f.ForwardTo, f.Type, f.responseText()).
		WithHint("a receiver must respond with a 2xx status")
}

// printForwarded prints the receiver's response to an event.
func printForwarded(a *cli.App, f forwarded) error {
	switch {
	case a.JSON.Given:
		return a.PrintLine(f)
	case a.Quiet:
		return a.PrintIDs(f.ID)
	case !a.OutTerminal:
		return a.Write(a.RenderTable(cli.Table{Rows: [][]string{{f.ID, string(f.Status), string(f.Type), f.ForwardTo, f.responseText()}}}))
	}
	return a.Linef("%s to %s: %s", a.Bold(string(f.Type)), f.ForwardTo, outcomeText(a, f))
}
