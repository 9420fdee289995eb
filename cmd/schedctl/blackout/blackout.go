package blackout

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// blackouts finds and prints blackouts. The reason is their name.
var blackouts = cli.Kind[apiv1.Blackout]{
	Noun:   cli.BlackoutNoun,
	Advice: `add one with: schedctl blackout add --from 2027-12-24 --to 2027-12-27`,
	Get: func(c *client.Client, ctx context.Context, id string) (apiv1.Blackout, error) {
		b, err := c.Blackout(ctx, id)
		return b.Blackout, err
	},
	List:   (*client.Client).Blackouts,
	ID:     func(b apiv1.Blackout) string { return b.ID },
	Name:   func(b apiv1.Blackout) *string { return b.Reason },
	About:  periodText,
	Remove: (*client.Client).DeleteBlackout,
	Header: []string{"ID", "STATUS", "MODE", "FROM", "TO", "TIMEZONE", "ACCOUNTS", "REASON", "FILE", "LABEL"},
}

// New returns the command blackout.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "blackout",
		Short: "Keep periods free of posts",
		Long: `Keep a period free of posts, for example holidays.

Slots of queues and posts of series step around a blackout. A post with a fixed time
in it is refused, unless you give --allow-blackout. Posts that were scheduled in the
period before stay as they are, and the command lists them.

With --hold no post is published in the period, whatever its time. "schedctl pause" and
"schedctl resume" are the short forms of that.

Give the id or the reason of a blackout.`,
		Example: `  schedctl blackout add --from 2027-12-24 --to 2027-12-27 --reason holidays
  schedctl blackout list`,
	})
	cmd.AddCommand(newAdd(a), newList(a), newShow(a), newEdit(a), newRemove(a), newImport(a))
	return cmd
}

// status returns where a blackout is in its life.
func status(a *cli.App, b apiv1.Blackout) string {
	now := a.Now()
	switch {
	case b.SettledAt != nil, b.EndsAt != nil && !b.EndsAt.After(now):
		return "ended"
	case b.StartsAt.After(now):
		return "planned"
	}
	return "active"
}

// ended reports whether a blackout has no effect any more.
func ended(a *cli.App, b apiv1.Blackout) bool { return status(a, b) == "ended" }

// localText formats a local time for people.
func localText(local string) string {
	return schedctl.LocalTime(local).Civil().Format("Mon 2 Jan 2006 15:04")
}

// periodText describes the period of a blackout.
func periodText(b apiv1.Blackout) string {
	if b.To == nil {
		return fmt.Sprintf("from %s on (%s)", localText(b.From), b.Timezone)
	}
	return fmt.Sprintf("from %s until %s (%s)", localText(b.From), localText(*b.To), b.Timezone)
}

// dayOrTime shortens the local time of a midnight to its day.
func dayOrTime(local string) string {
	return strings.Replace(strings.TrimSuffix(local, "T00:00"), "T", " ", 1)
}

// fileText says which file of which collection describes a blackout, empty for none.
func fileText(b apiv1.Blackout) string {
	if b.Managed == nil {
		return ""
	}
	return b.Managed.Path + " of " + b.Managed.Collection
}

// named returns blackouts with rows that show accounts by name. A terminal has no room for
// the zone.
func named(a *cli.App, names func([]string) string) cli.Kind[apiv1.Blackout] {
	k := blackouts
	if a.OutTerminal {
		k.Header = []string{"ID", "STATUS", "MODE", "FROM", "TO", "ACCOUNTS", "REASON", "FILE", "LABEL"}
	}
	k.Row = func(a *cli.App, b apiv1.Blackout) []string {
		if a.OutTerminal {
			return []string{b.ID, status(a, b), string(b.Mode), dayOrTime(b.From), dayOrTime(cli.Deref(b.To)), names(b.SocialAccountIDs), cli.Deref(b.Reason), fileText(b), cli.Deref(b.Label)}
		}
		return []string{b.ID, status(a, b), string(b.Mode), b.From, cli.Deref(b.To), b.Timezone, names(b.SocialAccountIDs), cli.Deref(b.Reason), fileText(b), cli.Deref(b.Label)}
	}
	return k
}

func newList(a *cli.App) *cobra.Command {
	var all bool
	cmd := cli.DeclareJSON[apiv1.Blackout](&cobra.Command{
		Use:   "list",
		Short: "List blackouts",
		Long: `List blackouts that are active or planned, the oldest first. With --all, ended ones are
listed too. A hold without an end has an empty TO.`,
		Example: `  schedctl blackout list
  schedctl blackout list --all --json=reason,from,to`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Blackouts(ctx)
			if err != nil {
				return err
			}
			shown := []apiv1.Blackout{}
			for _, b := range list {
				if all || !ended(a, b) {
					shown = append(shown, b)
				}
			}
			if len(shown) == 0 && a.ErrTerminal {
				a.Messagef("no blackouts; %s", blackouts.Advice)
			}
			return named(a, account.Names(ctx, a, c)).Print(a, shown...)
		}),
	})
	cmd.Flags().BoolVar(&all, "all", false, "ended blackouts too")
	return cmd
}

// withScheduled is a blackout with the posts that are scheduled in its period.
type withScheduled struct {
	apiv1.Blackout
	Scheduled []string `json:"scheduled"`
}

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[withScheduled](blackouts.OnOne(a, &cobra.Command{
		Use:   "show BLACKOUT",
		Short: "Show a blackout",
		Long:  `Show a blackout, and the posts that are scheduled in its period, at most 100.`,
		Example: `  schedctl blackout show holidays
  schedctl blackout show blk_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=scheduled`,
	}, func(ctx context.Context, ref string) error {
		c, id, err := blackouts.ConnectID(ctx, a, ref)
		if err != nil {
			return err
		}
		b, err := c.Blackout(ctx, id)
		if err != nil {
			return blackouts.Unknown(ref, err)
		}
		return a.PrintObject(withScheduled{b.Blackout, b.Scheduled}, b.Blackout.ID, properties(a, b, account.Names(ctx, a, c)))
	}))
}

func properties(a *cli.App, e apiv1.BlackoutEnvelope, names func([]string) string) []cli.Property {
	b := e.Blackout
	return []cli.Property{
		{Name: "ID", Value: b.ID},
		{Name: "Status", Value: status(a, b)},
		{Name: "Reason", Value: cli.Deref(b.Reason)},
		{Name: "Mode", Value: string(b.Mode)},
		{Name: "Label", Value: cli.Deref(b.Label)},
		{Name: "From", Value: b.From},
		{Name: "To", Value: cli.Deref(b.To)},
		{Name: "Timezone", Value: b.Timezone},
		{Name: "Accounts", Value: names(b.SocialAccountIDs)},
		{Name: "Scheduled", Value: cli.JoinStrings(e.Scheduled, " ")},
		{Name: "Collection", Value: cli.Deref(b.Managed).Collection},
		{Name: "File", Value: cli.Deref(b.Managed).Path},
		{Name: "Starts", Value: a.TimeText(&b.StartsAt)},
		{Name: "Ends", Value: a.TimeText(b.EndsAt)},
		{Name: "Settled", Value: a.TimeText(b.SettledAt)},
		{Name: "Created", Value: a.TimeText(b.CreatedAt)},
		{Name: "Updated", Value: a.TimeText(b.UpdatedAt)},
	}
}

// printChanged prints a blackout that was added or changed, and warns about posts that
// are published in its period nevertheless.
func printChanged(ctx context.Context, a *cli.App, c *client.Client, e apiv1.BlackoutEnvelope, done string) error {
	if n := len(e.Scheduled); n > 0 && e.Blackout.Mode == schedctl.BlackoutAvoid && !a.Quiet {
		a.Messagef("warning: %s scheduled in this period and will be published; see: schedctl blackout show %s", cli.IsOrAre(n, "post"), e.Blackout.ID)
	}
	if a.JSON.Given {
		return a.PrintJSON(withScheduled{e.Blackout, append([]string{}, e.Scheduled...)})
	}
	names := account.Names(ctx, a, c)
	accounts := "any account"
	if ids := e.Blackout.SocialAccountIDs; len(ids) > 0 {
		accounts = names(ids)
	}
	text := fmt.Sprintf("%s %s: no %s to %s %s", done, a.Bold(blackouts.Label(e.Blackout)), heldWhat(e.Blackout), accounts, periodText(e.Blackout))
	return named(a, names).PrintOne(a, e.Blackout, text)
}

func newRemove(a *cli.App) *cobra.Command {
	ask := func(b apiv1.Blackout) string {
		return fmt.Sprintf("Remove the blackout %s?", periodText(b))
	}
	return cli.DeclareJSON[cli.Removal](blackouts.OnRemoval(a, &cobra.Command{
		Use:   "remove BLACKOUT",
		Short: "Remove a blackout",
		Long: `Remove a blackout. Posts of series that it left out are made again, as far as their times
are in the future. The end of a hold publishes the posts that it kept back: posts with a
slot get new slots in their order, and other posts are published late, one after the
other.`,
		Example: `  schedctl blackout remove holidays
  schedctl blackout remove blk_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, ask, "Removed"))
}
