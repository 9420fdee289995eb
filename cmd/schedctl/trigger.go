package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func newTrigger(a *app) *cobra.Command {
	names := strings.Split(wordsOf(triggerTypes(), " "), " ")
	return prints[forwarded](&cobra.Command{
		Use:   "trigger EVENT",
		Short: "Make an event for a receiver you develop",
		Long: `Make an event for a receiver you develop, and have every "schedctl listen" of yours
on this machine forward it, signed, whatever --event says there. The types are

` + eventTypesText(triggerTypes()) + `

The event refers to made-up objects: no post is published, the daemon does not store
the event, and webhooks do not receive it. To test a webhook of the daemon, use
"schedctl webhook test".

The exit status is 9 when a receiver did not respond with a 2xx status, and 7 when
there is no "schedctl listen".`,
		Example: `  schedctl trigger post.published
  schedctl trigger post.failed --json=http_status,response`,
		Args: takes(1, 1, "the type of an event"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(names, args[0]) {
				return oneOf("event", args[0], names)
			}
			return a.trigger(cmd.Context(), schedctl.EventType(args[0]))
		},
	})
}

func (a *app) trigger(ctx context.Context, typ schedctl.EventType) error {
	sample, err := sampleEvent(typ, a.now())
	if err != nil {
		return fmt.Errorf("make a sample of %s: %w", typ, err)
	}
	limit := triggerPatience
	if a.timeout > 0 {
		limit = time.Duration(a.timeout)
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errTimedOut)
	defer cancel()
	heard := false
	var failed several
	for _, path := range a.listenSockets() {
		err := a.triggerAt(limited, path, apiv1.NewEvent(sample))
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
		return &failure{
			status: exitUnreachable, code: codeUnreachable, message: "no schedctl listen is running that could forward the event",
			hint: "start one with: schedctl listen --forward-to URL",
		}
	case failed != nil:
		return failed
	}
	return nil
}

// triggerAt has one "schedctl listen" forward the event, and prints what came of
// it.
func (a *app) triggerAt(ctx context.Context, path string, e apiv1.Event) error {
	result, err := handOver(ctx, path, e)
	switch {
	case errors.Is(err, errTimedOut):
		return &failure{status: exitTimedOut, code: codeTimedOut, message: "schedctl listen has not forwarded the event in time", hint: "see what it shows"}
	case err != nil:
		return err
	}
	if err := a.printForwarded(result); err != nil || result.Status == schedctl.DeliveryDelivered {
		return err
	}
	return receiverFailure(result)
}

// receiverFailure returns the failure of an event that a receiver refused.
func receiverFailure(f forwarded) error {
	return &failure{
		status: exitFailed, code: codeFailed, message: fmt.Sprintf("%s did not take %s: %s", f.ForwardTo, f.Type, f.answerText()),
		hint: "a receiver must respond with a 2xx status",
	}
}

// printForwarded prints what a receiver made of an event.
func (a *app) printForwarded(f forwarded) error {
	switch {
	case a.json.set:
		return a.printLine(f)
	case a.quiet:
		return a.printIDs(f.ID)
	case !a.outTerminal:
		return a.write(a.render(table{rows: [][]string{{f.ID, string(f.Status), string(f.Type), f.ForwardTo, f.answerText()}}}))
	}
	return a.write([]byte(fmt.Sprintf("%s to %s: %s\n", a.bold(string(f.Type)), oneLine(f.ForwardTo), a.outcome(f))))
}
