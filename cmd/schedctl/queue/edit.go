package queue

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type editOptions struct {
	*cli.App
	settings
	name  string
	noGap bool
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{App: a}
	cmd := cli.DeclareJSON[withDisplaced](Queues.OnOne(a, &cobra.Command{
		Use:   "edit QUEUE",
		Short: "Change a queue",
		Long: `Change the name, the slots, the zone, the gap or the accounts of a queue. Other
settings stay as they are. --slot replaces all slots, and --account all accounts.

No post moves. If scheduled posts are no longer in a slot of the queue, the command
says so, and "schedctl queue reflow" moves them.

` + slotHelp,
		Example: `  schedctl queue edit main --slot "mon-fri 10:00"
  schedctl queue edit main --name weekdays --gap 1h
  schedctl queue edit main --account all --default`,
	}, o.run))
	cmd.Flags().StringVar(&o.name, "name", "", "a new `name`")
	cmd.Flags().BoolVar(&o.noGap, "no-gap", false, "keep no distance between a slot and other posts")
	o.add(a, cmd)
	return cmd
}

func (o *editOptions) run(ctx context.Context, ref string) error {
	change, err := o.change()
	if err != nil {
		return err
	}
	c, id, err := Queues.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	if err := o.readAccounts(ctx, c, &change); err != nil {
		return err
	}
	q, err := c.EditQueue(ctx, id, change)
	if err != nil {
		return Queues.Unknown(ref, err)
	}
	return printChanged(ctx, o.App, c, q, "Changed")
}

// change returns the change that the flags describe, without the accounts.
func (o *editOptions) change() (e apiv1.EditQueue, err error) {
	switch {
	case o.noGap:
		e.Gap = new("0s")
	case o.gap != 0:
		e.Gap = new(o.gap.String())
	}
	if o.name != "" {
		e.Name = &o.name
	}
	if o.standard {
		e.Default = &o.standard
	}
	if len(o.slots) > 0 {
		times, err := o.times()
		if err != nil {
			return e, err
		}
		e.Times = &times
	}
	if o.when.TZ != "" {
		zone, err := o.when.ZoneName(o.App)
		if err != nil {
			return e, err
		}
		e.Timezone = &zone
	}
	if e == (apiv1.EditQueue{}) && len(o.accounts) == 0 {
		return e, cli.UsageError("nothing to change").WithHint("give --name, --slot, --tz, --gap, --account or --default")
	}
	return e, nil
}

func (o *editOptions) readAccounts(ctx context.Context, c *client.Client, e *apiv1.EditQueue) error {
	if len(o.accounts) == 0 {
		return nil
	}
	ids, err := account.IDsOrAll(ctx, o.App, c, o.accounts)
	e.SocialAccountIDs = &ids
	return err
}
