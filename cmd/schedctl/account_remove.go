package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

type accountRemove struct {
	*app
	yes bool
}

func newAccountRemove(a *app) *cobra.Command {
	o := &accountRemove{app: a}
	cmd := prints[removal](&cobra.Command{
		Use:   "remove ACCOUNT",
		Short: "Disconnect an account",
		Long: `Disconnect an account and erase its secrets. Published posts stay published;
posts that wait for the account will fail.`,
		Example: `  schedctl account remove demo
  schedctl account remove mastodon:me --yes`,
		Args:              takes(1, 1, "an account: its id, its name or platform:name"),
		ValidArgsFunction: a.completeAccount,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *accountRemove) run(ctx context.Context, ref string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	acct, err := o.accountByName(ctx, c, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.confirm(ctx, fmt.Sprintf("Disconnect %s (%s) and erase its secrets?", oneLine(acct.Name), acct.Platform)); err != nil {
			return err
		}
	}
	if err := c.RemoveAccount(ctx, acct.ID); err != nil {
		return err
	}
	return o.printRemoval(acct.ID, "Disconnected")
}

// removal is the --json output for a removed object.
type removal struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

func (a *app) printRemoval(id, done string) error {
	switch {
	case a.json.set:
		return a.printJSON(removal{ID: id, Deleted: true})
	case a.outTerminal && !a.quiet:
		return a.write([]byte(done + " " + id + "\n"))
	}
	return a.printIDs(id)
}
