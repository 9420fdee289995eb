package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// notificationArgument is what commands about a notification take.
const notificationArgument = "a notification: its id or its name"

const notificationAdvice = "add one with: schedctl notify add --to ACCOUNT"

// notificationByName returns the notification that an argument names.
func notificationByName(ctx context.Context, c *client.Client, ref string) (apiv1.Notification, error) {
	if _, isID := schedctl.ParseID(schedctl.NotificationPrefix, ref); isID {
		n, err := c.Notification(ctx, ref)
		return n, unknownNotification(ref, err)
	}
	all, err := c.Notifications(ctx)
	if err != nil {
		return apiv1.Notification{}, err
	}
	return pickNotification(all, ref)
}

// unknownNotification adds to a refusal which notification it is about.
func unknownNotification(ref string, err error) error {
	if schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return reworded(err, fmt.Sprintf("there is no notification %q; see: schedctl notify list", ref))
}

// pickNotification returns the one notification with this name: an exact match, or
// else a match that ignores case.
func pickNotification(all []apiv1.Notification, name string) (apiv1.Notification, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []apiv1.Notification
		for _, n := range all {
			if n.Name != nil && same(*n.Name, name) {
				found = append(found, n)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			f := invalid(schedctl.ValidationFailed, "%q is the name of several notifications", name)
			f.hint = "use one of " + notificationCandidates(found)
			return apiv1.Notification{}, f
		}
	}
	f := &failure{status: exitNotFound, code: schedctl.NotFound, message: fmt.Sprintf("there is no notification %q", name)}
	if f.hint = notificationAdvice; len(all) > 0 {
		f.hint = "the notifications are " + notificationCandidates(all)
	}
	return apiv1.Notification{}, f
}

func notificationCandidates(all []apiv1.Notification) string {
	var labels []string
	for i, n := range all {
		if i == maxCandidates {
			labels = append(labels, fmt.Sprintf("%d more", len(all)-i))
			break
		}
		labels = append(labels, notificationLabel(n))
	}
	return strings.Join(labels, ", ")
}

// completeNotification offers the ids of notifications for the first argument.
func (a *app) completeNotification(cmd *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	a.ask(cmd, func(ctx context.Context, c *client.Client) {
		list, err := c.Notifications(ctx)
		if err != nil {
			return
		}
		for _, n := range list {
			out = append(out, n.ID+"\t"+clip(oneLine(first(deref(n.Name), notificationTarget(n))), 50))
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}
