package account

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type removeOptions struct {
	*cli.App
	cli.Removing
}

// disconnection is the --json output for a disconnected account.
type disconnection struct {
	cli.Removal
	Open *apiv1.OpenPosts `json:"open,omitempty"`
}

func newRemove(a *cli.App) *cobra.Command {
	o := &removeOptions{App: a}
	cmd := cli.DeclareJSON[disconnection](onAccount(a, &cobra.Command{
		Use:   "remove ACCOUNT",
		Short: "Disconnect an account",
		Long: `Disconnect an account and erase its secrets. Published posts stay published;
posts that wait for the account will fail.

Say what becomes of them with --posts or --move-to; on a terminal you are asked.
--posts unschedule makes scheduled posts drafts and pauses series; --posts cancel
cancels them and ends series. A post with other accounts only loses this one then.
--move-to publishes posts and series, drafts too, to another account; if one of them
does not fit there, nothing changes. If the command stops early, run it again.`,
		Example: `  schedctl account remove demo
  schedctl account remove demo --move-to blog
  schedctl account remove mastodon:me --posts unschedule --yes`,
	}, o.run))
	o.AddFlags(cmd)
	cmd.Flags().StringVar(&o.MoveTo, "move-to", "", "publish open posts to this `account` instead")
	cmd.RegisterFlagCompletionFunc("move-to", Complete(a))
	return cmd
}

func (o *removeOptions) run(ctx context.Context, ref string) error {
	c, acct, err := connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	if o.MoveTo != "" {
		to, err := ByName(ctx, o.App, c, o.MoveTo)
		if err != nil {
			return err
		}
		o.MoveTo = to.ID
	}
	question := fmt.Sprintf("Disconnect %s (%s) and erase its secrets?", cli.OneLine(acct.Name), acct.Platform)
	err = o.Removing.Confirm(ctx, o.App, question, func() (apiv1.OpenPosts, error) {
		full, err := c.AccountWithOpen(ctx, acct.ID)
		return cli.Deref(full.Open), err
	})
	if err != nil {
		return err
	}
	err = o.Remove(func() error { return c.RemoveAccount(ctx, acct.ID) }, func(r client.Release) (apiv1.OpenPosts, error) { return c.RemoveAccountAnd(ctx, acct.ID, r) })
	if err != nil {
		return err
	}
	switch {
	case o.JSON.Given:
		return o.PrintJSON(disconnection{Removal: cli.Removal{ID: acct.ID, Deleted: true}, Open: o.Open})
	case o.OutTerminal && !o.Quiet:
		return o.Linef("Disconnected %s%s", acct.ID, o.StillOpen())
	}
	return o.PrintIDs(acct.ID)
}
