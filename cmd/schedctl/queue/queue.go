package queue

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// Queues finds and prints queues.
var Queues = cli.Kind[apiv1.Queue]{
	Noun:   cli.QueueNoun,
	Advice: `make one with: schedctl queue create main --slot "mon-fri 09:00"`,
	Get: func(c *client.Client, ctx context.Context, id string) (apiv1.Queue, error) {
		q, err := c.Queue(ctx, id)
		return q.Queue, err
	},
	List:   (*client.Client).Queues,
	ID:     func(q apiv1.Queue) string { return q.ID },
	Name:   func(q apiv1.Queue) *string { return &q.Name },
	About:  func(q apiv1.Queue) string { return timesText(q) },
	Remove: (*client.Client).DeleteQueue,
	Header: []string{"ID", "DEFAULT", "NAME", "TIMEZONE", "GAP", "ACCOUNTS", "SLOTS"},

	CompleteNames: true,
}

// New returns the command queue.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "queue",
		Short: "Publish posts in the next free slot",
		Long: `Publish posts in the next free slot of a timetable.

A queue is a list of weekly slots, such as 09:00 from Monday to Friday. With
"schedctl post create --next-slot" a post takes the next slot that is free for its
accounts, and gets its time. Two posts of one account never have the same slot.

Give the id or the name of a queue. A post uses the queue that names its accounts, or
else the default queue, unless you choose one with --queue.`,
		Example: `  schedctl queue create main --slot "mon-fri 09:00" --slot "mon-fri 17:00"
  schedctl queue slots main`,
	})
	cmd.AddCommand(newCreate(a), newList(a), newShow(a), newEdit(a), newDelete(a), newSlots(a), newMove(a), newReflow(a))
	return cmd
}

// withDisplaced is a queue with the posts whose times are no longer slots of it.
type withDisplaced struct {
	apiv1.Queue
	Displaced []string `json:"displaced"`
}

// timesText returns the times of a queue in words.
func timesText(q apiv1.Queue) string {
	var times []schedctl.QueueTime
	for _, t := range q.Times {
		if at, ok := t.Domain(); ok {
			times = append(times, at)
		}
	}
	return strings.Join(repeat.SlotWords(times), "; ")
}

// named returns Queues with rows that show accounts by name. A terminal has no room for
// the zone and the gap.
func named(a *cli.App, names func([]string) string) cli.Kind[apiv1.Queue] {
	k := Queues
	if a.OutTerminal {
		k.Header = []string{"ID", "DEFAULT", "NAME", "ACCOUNTS", "SLOTS"}
	}
	k.Row = func(a *cli.App, q apiv1.Queue) []string {
		mark := ""
		if q.Default {
			mark = "default"
		}
		if a.OutTerminal {
			return []string{q.ID, mark, q.Name, names(q.SocialAccountIDs), timesText(q)}
		}
		return []string{q.ID, mark, q.Name, q.Timezone, q.Gap, names(q.SocialAccountIDs), timesText(q)}
	}
	return k
}

func newList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Queue](&cobra.Command{
		Use:   "list",
		Short: "List queues",
		Long:  `List queues, the oldest first.`,
		Example: `  schedctl queue list
  schedctl queue list --jq '.[] | select(.default) | .name'`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			all, err := c.Queues(ctx)
			if err != nil {
				return err
			}
			if len(all) == 0 && a.ErrTerminal {
				a.Messagef("no queues; %s", Queues.Advice)
			}
			return named(a, account.Names(ctx, a, c)).Print(a, all...)
		}),
	})
}

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[withDisplaced](Queues.OnOne(a, &cobra.Command{
		Use:   "show QUEUE",
		Short: "Show a queue",
		Long: `Show a queue, and its displaced posts: scheduled posts whose times are no longer slots
of the queue, because its slots were changed. "schedctl queue reflow" moves them.`,
		Example: `  schedctl queue show main
  schedctl queue show que_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=name,times`,
	}, func(ctx context.Context, ref string) error {
		c, id, err := Queues.ConnectID(ctx, a, ref)
		if err != nil {
			return err
		}
		q, err := c.Queue(ctx, id)
		if err != nil {
			return Queues.Unknown(ref, err)
		}
		return a.PrintObject(withDisplaced{q.Queue, q.Displaced}, q.Queue.ID, properties(a, q, account.Names(ctx, a, c)))
	}))
}

func properties(a *cli.App, q apiv1.QueueEnvelope, names func([]string) string) []cli.Property {
	yes := map[bool]string{true: "yes", false: "no"}
	pairs := []cli.Property{
		{Name: "ID", Value: q.Queue.ID},
		{Name: "Name", Value: q.Queue.Name},
		{Name: "Slots", Value: timesText(q.Queue)},
		{Name: "Timezone", Value: q.Queue.Timezone},
		{Name: "Gap", Value: q.Queue.Gap},
		{Name: "Accounts", Value: names(q.Queue.SocialAccountIDs)},
		{Name: "Default", Value: yes[q.Queue.Default]},
		{Name: "Displaced", Value: strings.Join(q.Displaced, " ")},
		{Name: "Collection", Value: cli.Deref(q.Queue.Managed).Collection},
		{Name: "File", Value: cli.Deref(q.Queue.Managed).Path},
		{Name: "Created", Value: a.TimeText(q.Queue.CreatedAt)},
		{Name: "Updated", Value: a.TimeText(q.Queue.UpdatedAt)},
	}
	if a.OutTerminal && len(q.Displaced) > 0 {
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl queue reflow " + q.Queue.ID + " --dry-run"})
	}
	return pairs
}

// printChanged prints a queue that was created or changed, and says what to do about
// displaced posts.
func printChanged(ctx context.Context, a *cli.App, c *client.Client, q apiv1.QueueEnvelope, done string) error {
	if n := len(q.Displaced); n > 0 && !a.Quiet {
		a.Messagef("%s not in a slot of the queue any more; to move them: schedctl queue reflow %s", cli.IsOrAre(n, "scheduled post"), q.Queue.ID)
	}
	if a.JSON.Given {
		return a.PrintJSON(withDisplaced{q.Queue, append([]string{}, q.Displaced...)})
	}
	names := account.Names(ctx, a, c)
	text := fmt.Sprintf("%s %s: %s (%s), %s", done, a.Bold(Queues.Label(q.Queue)), timesText(q.Queue), q.Queue.Timezone, names(q.Queue.SocialAccountIDs))
	if q.Queue.Default {
		text += ", the default queue"
	}
	return named(a, names).PrintOne(a, q.Queue, text)
}

func newDelete(a *cli.App) *cobra.Command {
	ask := func(q apiv1.Queue) string {
		return fmt.Sprintf("Delete %s? Its posts keep their times.", Queues.Label(q))
	}
	return cli.DeclareJSON[cli.Removal](Queues.OnRemoval(a, &cobra.Command{
		Use:   "delete QUEUE",
		Short: "Delete a queue",
		Long: `Delete a queue. Its posts keep their times. Series that use the queue publish at the
times of their rules from then on.`,
		Example: `  schedctl queue delete main
  schedctl queue delete que_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, ask, "Deleted"))
}
