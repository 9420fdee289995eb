package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// APIKeyID returns the id of the API key that a flag names: by its id, which needs no
// request; as me, the key of the command; or by its name, which needs a key with the scope
// keys:write. It returns nothing for no name.
func APIKeyID(ctx context.Context, c *client.Client, ref string) (string, error) {
	if _, ok := schedctl.ParseID(schedctl.KeyPrefix, ref); ok || ref == "" {
		return ref, nil
	}
	if ref == "me" {
		me, err := c.Me(ctx)
		return me.APIKey.ID, err
	}
	k, err := APIKeyByName(ctx, c, ref)
	return k.ID, err
}

// APIKeyByName returns the key with an id or name. A name selects the active key; it is
// an error if several active keys have the name.
func APIKeyByName(ctx context.Context, c *client.Client, ref string) (apiv1.APIKey, error) {
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
		found = MatchShortID(keys, schedctl.KeyPrefix, ref, func(k apiv1.APIKey) string { return k.ID })
	}
	switch len(found) {
	case 0:
		return apiv1.APIKey{}, NewFailure(ExitNotFound, schedctl.NotFound, "there is no API key %q", ref).WithHint("see: schedctl key list")
	case 1:
		return found[0], nil
	}
	return apiv1.APIKey{}, InvalidError(schedctl.ValidationFailed, "%q matches several API keys", ref).
		WithHint("use one of " + Enumerate(Candidates(Map(found, func(k apiv1.APIKey) string { return k.ID }))))
}

// CompleteAPIKey offers the ids of keys that were not revoked.
func CompleteAPIKey(a *App) cobra.CompletionFunc {
	return a.CompleteFrom(1, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
		keys, err := c.APIKeys(ctx)
		keys = slices.DeleteFunc(keys, func(k apiv1.APIKey) bool { return k.RevokedAt != nil })
		return Map(keys, func(k apiv1.APIKey) string { return k.ID + "\t" + Clip(OneLine(k.Name), 50) }), err
	})
}

// AuthorText names the API key that made or changed a post or a series.
func AuthorText(by *apiv1.Author) string {
	switch {
	case by == nil:
		return ""
	case by.Kind == apiv1.KeyAgent || by.Kind == apiv1.AuthorSource:
		return OneLine(by.Name) + " (" + by.Kind + ")"
	}
	return OneLine(by.Name)
}
