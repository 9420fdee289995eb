package blackout

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type resumeOptions struct {
	*cli.App
	accounts []string
}

// NewResume returns the command resume.
func NewResume(a *cli.App) *cobra.Command {
	o := &resumeOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Blackout](&cobra.Command{
		Use:   "resume",
		Short: "Publish again after a pause",
		Long: `End every active hold, or with --account the holds of these accounts. Posts whose slot
has passed get new slots in their order. Other late posts are published one after the
other. Holds that start later are not changed.

The command prints the holds that it ended or changed. If no account is paused, there is
no change.`,
		Example: `  schedctl resume
  schedctl resume --account blog`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	account.AddSeveral(a, cmd, &o.accounts, "only this `account`: an id, a name or platform:name (repeatable)")
	return cmd
}

func (o *resumeOptions) run(ctx context.Context) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	ids, err := account.IDsOrAll(ctx, o.App, c, o.accounts)
	if err != nil {
		return err
	}
	list, err := c.Blackouts(ctx)
	if err != nil {
		return err
	}
	var resumed []apiv1.Blackout
	for _, b := range list {
		if b.Mode != schedctl.BlackoutHold || status(o.App, b) != "active" {
			continue
		}
		changed, err := o.end(ctx, c, b, ids)
		if err != nil {
			return err
		}
		if changed != nil {
			resumed = append(resumed, *changed)
		}
	}
	if !o.Quiet && !o.JSON.Given {
		text := "nothing is paused"
		if len(resumed) > 0 {
			text = "resumed; posts that waited get new times, see: schedctl post list"
		}
		o.Messagef("%s", text)
	}
	return named(o.App, account.Names(ctx, o.App, c)).Print(o.App, resumed...)
}

// end ends a hold for the accounts; no accounts are all. It returns the hold as it is
// afterwards, or nil if the hold does not concern the accounts.
func (o *resumeOptions) end(ctx context.Context, c *client.Client, b apiv1.Blackout, ids []string) (*apiv1.Blackout, error) {
	named := func(id string) bool { return slices.Contains(ids, id) }
	switch {
	case len(ids) == 0:
		return o.remove(ctx, c, b)
	case len(b.SocialAccountIDs) == 0:
		return nil, cli.NewFailure(cli.ExitConflict, schedctl.ValidationFailed, "%s holds all accounts and cannot end for some of them", blackouts.Label(b)).
			WithHint("name the accounts that stay paused: schedctl blackout edit " + b.ID + " --account ACCOUNT, or end it for all with: schedctl resume")
	}
	rest := slices.DeleteFunc(slices.Clone(b.SocialAccountIDs), named)
	switch len(rest) {
	case len(b.SocialAccountIDs):
		return nil, nil
	case 0:
		return o.remove(ctx, c, b)
	}
	changed, err := c.EditBlackout(ctx, b.ID, apiv1.EditBlackout{SocialAccountIDs: &rest})
	return &changed.Blackout, err
}

// remove deletes a hold and returns it as one that ended now.
func (o *resumeOptions) remove(ctx context.Context, c *client.Client, b apiv1.Blackout) (*apiv1.Blackout, error) {
	b.EndsAt = &apiv1.Time{Time: o.Now().UTC()}
	return &b, c.DeleteBlackout(ctx, b.ID)
}
