package account

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type accountRemove struct {
	*cli.App
	yes bool
}

func newAccountRemove(a *cli.App) *cobra.Command {
	o := &accountRemove{App: a}
	cmd := cli.DeclareJSON[Removal](&cobra.Command{
		Use:   "remove ACCOUNT",
		Short: "Disconnect an account",
		Long: `Disconnect an account and erase its secrets. Published posts stay published;
posts that wait for the account will fail.`,
		Example: `  schedctl account remove demo
  schedctl account remove mastodon:me --yes`,
		Args:              cli.Args(1, 1, "an account: its id, its name or platform:name"),
		ValidArgsFunction: CompleteAccount(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *accountRemove) run(ctx context.Context, ref string) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	acct, err := AccountByName(ctx, o.App, c, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.Confirm(ctx, fmt.Sprintf("Disconnect %s (%s) and erase its secrets?", cli.OneLine(acct.Name), acct.Platform)); err != nil {
			return err
		}
	}
	if err := c.RemoveAccount(ctx, acct.ID); err != nil {
		return err
	}
	return PrintRemoval(o.App, acct.ID, "Disconnected")
}

// Removal is the --json output for a removed object.
type Removal struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

func PrintRemoval(a *cli.App, id, done string) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(Removal{ID: id, Deleted: true})
	case a.OutTerminal && !a.Quiet:
		return a.Write([]byte(done + " " + id + "\n"))
	}
	return a.PrintIDs(id)
}
