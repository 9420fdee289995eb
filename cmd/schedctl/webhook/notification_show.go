package webhook

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newNotifyShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Notification](&cobra.Command{
		Use:   "show NOTIFICATION",
		Short: "Show a notification",
		Long: `Show everything about a notification except its password: where messages go, when
the last one was sent, and why messages fail.`,
		Example: `  schedctl notify show on-call
  schedctl notify show ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=sent_at,last_error`,
		Args:              cli.Args(1, 1, notificationArgument),
		ValidArgsFunction: notificationLookup.completeFirst(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return showNotification(cmd.Context(), a, args[0]) },
	})
}

func showNotification(ctx context.Context, a *cli.App, ref string) error {
	c, err := a.Connect()
	if err != nil {
		return err
	}
	n, err := notificationLookup.find(ctx, a, c, ref)
	switch {
	case err != nil:
		return err
	case a.JSON.Given:
		return a.PrintJSON(n)
	case a.Quiet:
		return a.PrintIDs(n.ID)
	}
	return a.Write(a.RenderProperties(notificationPairs(a, n)))
}

func notificationPairs(a *cli.App, n apiv1.Notification) []cli.Property {
	pairs := []cli.Property{{Name: "ID", Value: n.ID}, {Name: "Name", Value: cli.Deref(n.Name)}, {Name: "Account", Value: cli.Deref(n.SocialAccountID)}}
	if e := n.Email; e != nil {
		pairs = append(pairs,
			cli.Property{Name: "Recipients", Value: strings.Join(e.To, " ")}, cli.Property{Name: "Sender", Value: e.From}, cli.Property{Name: "Server", Value: fmt.Sprintf("%s:%d", e.Host, e.Port)},
			cli.Property{Name: "User", Value: cli.Deref(e.Username)}, cli.Property{Name: "Encryption", Value: string(e.TLS)},
		)
	}
	pairs = append(pairs,
		cli.Property{Name: "Events", Value: cli.JoinStrings(n.EventTypes, " ")}, cli.Property{Name: "Status", Value: hookStatus(n.Enabled, n.FailingSince)}, cli.Property{Name: "Error", Value: cli.Deref(n.LastError)},
		cli.Property{Name: "Failing since", Value: a.TimeText(n.FailingSince)}, cli.Property{Name: "Last message", Value: a.TimeText(n.SentAt)},
		cli.Property{Name: "Created", Value: a.TimeText(n.CreatedAt)}, cli.Property{Name: "Updated", Value: a.TimeText(n.UpdatedAt)},
	)
	switch {
	case !a.OutTerminal:
	case !n.Enabled:
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl notify edit " + n.ID + " --enable"})
	case n.FailingSince != nil:
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl notify test " + n.ID})
	}
	return pairs
}
