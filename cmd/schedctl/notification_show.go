package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newNotifyShow(a *app) *cobra.Command {
	return prints[apiv1.Notification](&cobra.Command{
		Use:   "show NOTIFICATION",
		Short: "Show a notification",
		Long: `Show everything about a notification except its password: where messages go, when
the last one was sent, and why messages fail.`,
		Example: `  schedctl notify show on-call
  schedctl notify show ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=sent_at,last_error`,
		Args:              takes(1, 1, notificationArgument),
		ValidArgsFunction: notificationLookup.completeFirst(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showNotification(cmd.Context(), args[0])
		},
	})
}

func (a *app) showNotification(ctx context.Context, ref string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	n, err := notificationLookup.find(ctx, a, c, ref)
	switch {
	case err != nil:
		return err
	case a.json.set:
		return a.printJSON(n)
	case a.quiet:
		return a.printIDs(n.ID)
	}
	return a.write(a.describe(a.notificationPairs(n)))
}

func (a *app) notificationPairs(n apiv1.Notification) []pair {
	pairs := []pair{{"ID", n.ID}, {"Name", deref(n.Name)}, {"Account", deref(n.SocialAccountID)}}
	if e := n.Email; e != nil {
		pairs = append(pairs,
			pair{"Recipients", strings.Join(e.To, " ")}, pair{"Sender", e.From}, pair{"Server", fmt.Sprintf("%s:%d", e.Host, e.Port)},
			pair{"User", deref(e.Username)}, pair{"Encryption", string(e.TLS)},
		)
	}
	pairs = append(pairs,
		pair{"Events", wordsOf(n.EventTypes, " ")}, pair{"Status", hookStatus(n.Enabled, n.FailingSince)}, pair{"Error", deref(n.LastError)},
		pair{"Failing since", a.timeText(n.FailingSince)}, pair{"Last message", a.timeText(n.SentAt)},
		pair{"Created", a.timeText(n.CreatedAt)}, pair{"Updated", a.timeText(n.UpdatedAt)},
	)
	switch {
	case !a.outTerminal:
	case !n.Enabled:
		pairs = append(pairs, pair{"Next", "schedctl notify edit " + n.ID + " --enable"})
	case n.FailingSince != nil:
		pairs = append(pairs, pair{"Next", "schedctl notify test " + n.ID})
	}
	return pairs
}
