package queue

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type slotsOptions struct {
	*cli.App
	account, after, before string
	when                   cli.WhenFlags // for --tz
	limit                  cli.ListLimit
	free                   bool
}

// maxSlots is the number of slots that one request returns.
const maxSlots = 500

func newSlots(a *cli.App) *cobra.Command {
	o := &slotsOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.QueueSlot](&cobra.Command{
		Use:   "slots [QUEUE]",
		Short: "List the slots of a queue",
		Long: `List the next slots of a queue: free, proposed by drafts that wait for an approval, taken
by a post, or blocked by a blackout. The command reserves nothing. A slot is taken only
by a post that you create or schedule with --next-slot, which also takes proposed ones.

Without an argument it is the queue that a post would use: with --account the queue that
names the account, or else the default queue. With --account, free means free for this
account; otherwise it means free for all accounts of the queue.

Without a terminal there is a line for each slot: the time, its local time in the zone
of the queue, the state, the id of the post, and "skipped" or "repeated" if clocks
change then.`,
		Example: `  schedctl queue slots
  schedctl queue slots main --free --limit 3
  schedctl queue slots --account blog --before "in 2 weeks"`,
		Args:              cli.Args(0, 1, "at most one queue"),
		ValidArgsFunction: Queues.Complete(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args)
		},
	})
	f := cmd.Flags()
	f.StringVar(&o.account, "account", "", "free for this `account`: an id, a name or platform:name")
	f.StringVar(&o.after, "after", "", "from this `time` on; a day alone means its start. The default is now")
	f.StringVar(&o.before, "before", "", "before this `time`")
	f.BoolVar(&o.free, "free", false, "only free slots")
	o.limit.Add(cmd, "slots")
	o.when.AddZone(cmd)
	cmd.RegisterFlagCompletionFunc("account", account.Complete(a))
	return cmd
}

func (o *slotsOptions) run(ctx context.Context, refs []string) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if q.AccountID, err = account.FilterID(ctx, o.App, c, o.account); err != nil {
		return err
	}
	id, err := queueFor(ctx, o.App, c, refs, q.AccountID)
	if err != nil {
		return err
	}
	slots, err := c.QueueSlots(ctx, id, q)
	if err != nil {
		return err
	}
	if o.free {
		slots = slices.DeleteFunc(slots, func(s apiv1.QueueSlot) bool { return s.State != apiv1.SlotFree })
	}
	slots = slots[:min(len(slots), o.limit.Max(o.App, false))]
	if len(slots) == 0 && o.ErrTerminal {
		o.Messagef("no slots in this period")
	}
	return o.print(slots)
}

func (o *slotsOptions) query() (q client.SlotQuery, err error) {
	if err := o.limit.Check(); err != nil {
		return q, err
	}
	if q.After, err = o.when.ParseBound(o.App, "at", o.after); err != nil {
		return q, err
	}
	q.Before, err = o.when.ParseBound(o.App, "at", o.before)
	q.Limit = min(o.limit.Max(o.App, false), maxSlots)
	if o.free { // the daemon counts all of them
		q.Limit = maxSlots
	}
	return q, err
}

// queueFor returns the id of the queue that the argument names. Without an argument it
// is the queue that names the account, or else the default queue.
func queueFor(ctx context.Context, a *cli.App, c *client.Client, refs []string, accountID string) (string, error) {
	if len(refs) > 0 {
		return Queues.FindID(ctx, a, c, refs[0])
	}
	all, err := c.Queues(ctx)
	if err != nil {
		return "", err
	}
	for _, fits := range []func(apiv1.Queue) bool{
		func(q apiv1.Queue) bool { return accountID != "" && slices.Contains(q.SocialAccountIDs, accountID) },
		func(q apiv1.Queue) bool { return q.Default },
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].ID, nil
		}
	}
	return "", cli.NewFailure(cli.ExitConflict, schedctl.NoQueue, "there is no queue").WithHint(Queues.Advice)
}

func (o *slotsOptions) print(slots []apiv1.QueueSlot) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(append([]apiv1.QueueSlot{}, slots...))
	case o.Quiet:
		return o.PrintIDs(cli.Map(slots, func(s apiv1.QueueSlot) string { return s.At.String() })...)
	}
	t := cli.Table{Header: []string{"WHEN", "LOCAL", "STATE", "POST", "NOTE"}, Status: 2}
	for _, s := range slots {
		t.Rows = append(t.Rows, []string{o.ShortTime(&s.At), s.Local, string(s.State), cli.Deref(s.PostID) + strings.Join(s.PostIDs, " "), o.ClockText(s.Note)})
	}
	return o.WriteList(o.RenderTable(t))
}
