package access

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type keyRevoke struct {
	*cli.App
	yes bool
}

// revocation is the result of revoking a key.
type revocation struct {
	ID      string `json:"id"`
	Revoked bool   `json:"revoked"`
}

func newKeyRevoke(a *cli.App) *cobra.Command {
	o := &keyRevoke{App: a}
	cmd := cli.DeclareJSON[revocation](&cobra.Command{
		Use:   "revoke KEY",
		Short: "Revoke an API key",
		Long: `Revoke an API key by its id or name. The daemon refuses it from now on, and ends its
event streams and downloads. This cannot be undone. Posts that were scheduled with
it are still published, and keys that were created with it stay valid: "schedctl
audit" lists them.

The last key that can create keys cannot be revoked.`,
		Example: `  schedctl key revoke ci
  schedctl key revoke key_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
		Args:              cli.Args(1, 1, "a key: its id or its name"),
		ValidArgsFunction: cli.CompleteAPIKey(a),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
			return o.run(ctx, c, args[0])
		}),
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *keyRevoke) run(ctx context.Context, c *client.Client, ref string) error {
	k, err := cli.APIKeyByName(ctx, c, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.Confirm(ctx, fmt.Sprintf("Revoke %s for good?%s", keyLabel(k), ownKey(ctx, c, k))); err != nil {
			return err
		}
	}
	if err := c.RevokeAPIKey(ctx, k.ID); err != nil {
		return err
	}
	return printRevocation(o.App, k)
}

// ownKey warns if a person is about to revoke the key of this command.
func ownKey(ctx context.Context, c *client.Client, k apiv1.APIKey) string {
	if me, err := c.Me(ctx); err == nil && me.APIKey.ID == k.ID {
		return " It is the key that you use now."
	}
	return ""
}

func printRevocation(a *cli.App, k apiv1.APIKey) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(revocation{ID: k.ID, Revoked: true})
	case a.OutTerminal && !a.Quiet:
		return a.Linef("Revoked %s", a.Bold(keyLabel(k)))
	}
	return a.PrintIDs(k.ID)
}
