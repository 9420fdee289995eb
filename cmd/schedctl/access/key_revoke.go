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
	cli.Removing
}

// revocation is the result of revoking a key.
type revocation struct {
	ID      string           `json:"id"`
	Revoked bool             `json:"revoked"`
	Open    *apiv1.OpenPosts `json:"open,omitempty"`
}

func newKeyRevoke(a *cli.App) *cobra.Command {
	o := &keyRevoke{App: a}
	cmd := cli.DeclareJSON[revocation](&cobra.Command{
		Use:   "revoke KEY",
		Short: "Revoke an API key",
		Long: `Revoke an API key by its id or name. The daemon refuses it from now on, and ends its
event streams and downloads. This cannot be undone. Keys that were created with it
stay valid: "schedctl audit" lists them.

Posts that were scheduled with it are still published, unless --posts unschedule makes
them drafts and pauses the series of the key, or --posts cancel cancels them and ends
the series. On a terminal you are asked. If the command stops early, run it again.

The last key that can create keys cannot be revoked.`,
		Example: `  schedctl key revoke ci
  schedctl key revoke ci --posts unschedule
  schedctl key revoke key_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
		Args:              cli.Args(1, 1, "a key: its id or its name"),
		ValidArgsFunction: cli.CompleteAPIKey(a),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
			return o.run(ctx, c, args[0])
		}),
	})
	o.AddFlags(cmd)
	return cmd
}

func (o *keyRevoke) run(ctx context.Context, c *client.Client, ref string) error {
	k, err := cli.APIKeyByName(ctx, c, ref)
	if err != nil {
		return err
	}
	if k.RevokedAt != nil && o.Posts == "" {
		o.Messagef("%s is already revoked", keyLabel(k))
		return o.print(k)
	}
	err = o.Removing.Confirm(ctx, o.App, fmt.Sprintf("Revoke %s for good?%s", keyLabel(k), ownKey(ctx, c, k)), func() (apiv1.OpenPosts, error) {
		full, err := c.APIKey(ctx, k.ID)
		return full.Open, err
	})
	if err != nil {
		return err
	}
	err = o.Remove(func() error { return c.RevokeAPIKey(ctx, k.ID) }, func(r client.Release) (apiv1.OpenPosts, error) { return c.RevokeAPIKeyAnd(ctx, k.ID, r) })
	if err != nil {
		return err
	}
	return o.print(k)
}

// ownKey warns if a person is about to revoke the key of this command.
func ownKey(ctx context.Context, c *client.Client, k apiv1.APIKey) string {
	if me, err := c.Me(ctx); err == nil && me.APIKey.ID == k.ID {
		return " It is the key that you use now."
	}
	return ""
}

func (o *keyRevoke) print(k apiv1.APIKey) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(revocation{ID: k.ID, Revoked: true, Open: o.Open})
	case o.OutTerminal && !o.Quiet:
		return o.Linef("Revoked %s%s", o.Bold(keyLabel(k)), o.StillOpen())
	}
	return o.PrintIDs(k.ID)
}
