package blackout

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type editOptions struct {
	*cli.App
	period   periodFlags
	accounts []string
	reason   string
	label    string
	noLabel  bool
	mode     string
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{App: a}
	cmd := cli.DeclareJSON[withScheduled](blackouts.OnOne(a, &cobra.Command{
		Use:   "edit BLACKOUT",
		Short: "Change a blackout",
		Long: `Change the period, the accounts, the reason, the mode or the label of a blackout. Other
settings stay as they are; --account replaces all accounts. Times without a zone are in
the zone of --tz, which also becomes the zone of the blackout.`,
		Example: `  schedctl blackout edit holidays --to 2027-12-28
  schedctl blackout edit blk_01KAK3R9ZC4VBX1D2E3F4G5H6J --account blog --mode hold`,
	}, o.run))
	o.period.add(cmd)
	account.AddSeveral(a, cmd, &o.accounts, "an `account`, or all (repeatable)")
	cmd.Flags().StringVar(&o.reason, "reason", "", "the new reason, a `text`")
	cmd.Flags().StringVar(&o.label, "label", "", "hold posts with this label `text` alone")
	cmd.Flags().BoolVar(&o.noLabel, "no-label", false, "hold all posts")
	cmd.Flags().StringVar(&o.mode, "mode", "", "the new `mode`: avoid or hold")
	cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(cli.Strings(schedctl.BlackoutModes()), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *editOptions) run(ctx context.Context, ref string) error {
	c, before, err := blackouts.Connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	o.period.when.Stored = before.Timezone
	change, err := o.change(before)
	if err != nil {
		return err
	}
	if len(o.accounts) > 0 {
		ids, err := account.IDsOrAll(ctx, o.App, c, o.accounts)
		if err != nil {
			return err
		}
		change.SocialAccountIDs = &ids
	}
	if change == (apiv1.EditBlackout{}) {
		return cli.UsageError("nothing to change").WithHint("give --from, --to, --tz, --account, --reason or --mode")
	}
	b, err := c.EditBlackout(ctx, before.ID, change)
	if err != nil {
		return blackouts.Unknown(ref, err)
	}
	return printChanged(ctx, o.App, c, b, "Changed")
}

// change returns the change that the flags describe, without the accounts.
func (o *editOptions) change(before apiv1.Blackout) (e apiv1.EditBlackout, err error) {
	from, to, zone, err := o.period.read(o.App, before)
	if err != nil {
		return e, err
	}
	if from != "" {
		e.From = &from
	}
	if to != "" {
		e.To = &to
	}
	if zone != before.Timezone {
		e.Timezone = &zone
	}
	if o.reason != "" {
		e.Reason = &o.reason
	}
	if o.label != "" || o.noLabel {
		e.Label = &o.label
	}
	if o.mode != "" {
		mode := schedctl.BlackoutMode(o.mode)
		if mode != schedctl.BlackoutAvoid && mode != schedctl.BlackoutHold {
			return e, cli.UnknownValueError("--mode", o.mode, cli.Strings(schedctl.BlackoutModes()))
		}
		e.Mode = &mode
	}
	return e, nil
}
