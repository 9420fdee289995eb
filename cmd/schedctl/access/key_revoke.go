package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
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
		ValidArgsFunction: completeKey(a),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
			return o.run(ctx, c, args[0])
		}),
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *keyRevoke) run(ctx context.Context, c *client.Client, ref string) error {
	k, err := keyByName(ctx, c, ref)
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

// keyByName returns the key with an id or name. A name selects the active key; it is
// an error if several active keys have the name.
func keyByName(ctx context.Context, c *client.Client, ref string) (apiv1.APIKey, error) {
	keys, err := c.APIKeys(ctx)
	if err != nil {
		return apiv1.APIKey{}, err
	}
	var found, revoked []apiv1.APIKey
	for _, k := range keys {
		switch {
		case k.ID == ref:
			return k, nil
		case k.Name == ref && k.RevokedAt == nil:
			found = append(found, k)
		case k.Name == ref:
			revoked = append(revoked, k)
		}
	}
	if len(found) == 0 {
		found = revoked
	}
	if len(found) == 0 {
		found = cli.MatchShortID(keys, schedctl.KeyPrefix, ref, keyID)
	}
	switch len(found) {
	case 0:
		return apiv1.APIKey{}, cli.NewFailure(cli.ExitNotFound, schedctl.NotFound, "there is no API key %q", ref).WithHint("see: schedctl key list")
	case 1:
		return found[0], nil
	}
	return apiv1.APIKey{}, cli.InvalidError(schedctl.ValidationFailed, "%q matches several API keys", ref).
		WithHint("use one of " + cli.Enumerate(cli.Candidates(cli.Map(found, keyID))))
}

// completeKey offers the ids of keys that were not revoked.
func completeKey(a *cli.App) cobra.CompletionFunc {
	return a.CompleteFrom(1, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
		keys, err := c.APIKeys(ctx)
		keys = slices.DeleteFunc(keys, func(k apiv1.APIKey) bool { return k.RevokedAt != nil })
		return cli.Map(keys, func(k apiv1.APIKey) string { return k.ID + "\t" + cli.Clip(cli.OneLine(k.Name), 50) }), err
	})
}
