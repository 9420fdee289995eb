package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type keyRevoke struct {
	*app
	yes bool
}

// revocation is the result of revoking a key.
type revocation struct {
	ID      string `json:"id"`
	Revoked bool   `json:"revoked"`
}

func newKeyRevoke(a *app) *cobra.Command {
	o := &keyRevoke{app: a}
	cmd := prints[revocation](&cobra.Command{
		Use:   "revoke KEY",
		Short: "Revoke an API key",
		Long: `Revoke an API key, named by its id or by its name: from now on no request with it is
accepted, and nothing brings it back. Its event streams and downloads end. Posts that
were scheduled with it still go out, and keys that were made with it stay: "schedctl
audit" lists them.

The last key that can make keys cannot be revoked: without it no key could be made.`,
		Example: `  schedctl key revoke ci
  schedctl key revoke key_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
		Args:              takes(1, 1, "a key: its id or its name"),
		ValidArgsFunction: a.completeKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *keyRevoke) run(ctx context.Context, ref string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	k, err := keyByName(ctx, c, ref)
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.confirm(ctx, fmt.Sprintf("Revoke %s for good?%s", keyLabel(k), ownKey(ctx, c, k))); err != nil {
			return err
		}
	}
	if err := c.RevokeAPIKey(ctx, k.ID); err != nil {
		return err
	}
	return o.printRevocation(k)
}

// ownKey warns of a key that is about to lock out the one who revokes it.
func ownKey(ctx context.Context, c *client.Client, k apiv1.APIKey) string {
	if me, err := c.Me(ctx); err == nil && me.APIKey.ID == k.ID {
		return " It is the key that you use now."
	}
	return ""
}

func (a *app) printRevocation(k apiv1.APIKey) error {
	switch {
	case a.json.set:
		return a.printJSON(revocation{ID: k.ID, Revoked: true})
	case a.outTerminal && !a.quiet:
		return a.write([]byte("Revoked " + a.bold(keyLabel(k)) + "\n"))
	}
	return a.printIDs(k.ID)
}

// keyByName returns the key that an argument names by its id or its name. A name
// means the key that is still good; several of them are refused.
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
		found = abbreviated(keys, schedctl.KeyPrefix, ref, func(k apiv1.APIKey) string { return k.ID })
	}
	switch len(found) {
	case 0:
		return apiv1.APIKey{}, &failure{status: exitNotFound, code: schedctl.NotFound, message: fmt.Sprintf("there is no API key %q", ref), hint: "see: schedctl key list"}
	case 1:
		return found[0], nil
	}
	f := invalid(schedctl.ValidationFailed, "%q could be several API keys", ref)
	f.hint = "use one of " + keyCandidates(found)
	return apiv1.APIKey{}, f
}

func keyCandidates(keys []apiv1.APIKey) string {
	var ids []string
	for i, k := range keys {
		if i == maxCandidates {
			ids = append(ids, fmt.Sprintf("%d more", len(keys)-i))
			break
		}
		ids = append(ids, k.ID)
	}
	return enumerated(ids)
}

// completeKey offers the ids of keys that were not revoked.
func (a *app) completeKey(cmd *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	a.ask(cmd, func(ctx context.Context, c *client.Client) {
		keys, err := c.APIKeys(ctx)
		if err != nil {
			return
		}
		for _, k := range keys {
			if k.RevokedAt == nil {
				out = append(out, k.ID+"\t"+clip(oneLine(k.Name), 50))
			}
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}
