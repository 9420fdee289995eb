package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newKey(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "key",
		Short: "Make and revoke API keys",
		Long: `Make and revoke API keys. A key belongs to one workspace, can do what its scopes
say, and may be limited to some accounts and to some time. The daemon keeps no more
of it than a hash: whoever loses a key makes another.`,
		Example: `  schedctl key create --name ci --scope posts:read --scope posts:write --expires 90d
  schedctl key list
  schedctl key revoke ci`,
	})
	cmd.AddCommand(newKeyCreate(a), newKeyList(a), newKeyRevoke(a))
	return cmd
}

// The statuses of keys, as they are shown.
const (
	keyActive  = "active"
	keyExpired = "expired"
	keyRevoked = "revoked"
)

func keyStatus(k apiv1.APIKey, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return keyRevoked
	case k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time):
		return keyExpired
	}
	return keyActive
}

// keyLabel is what a person calls a key.
func keyLabel(k apiv1.APIKey) string { return fmt.Sprintf("%s (%s)", oneLine(k.Name), k.ID) }

func (a *app) keyRow(k apiv1.APIKey) []string {
	return []string{k.ID, keyStatus(k, a.now()), a.farTime(k.ExpiresAt), a.farTime(k.LastUsedAt), k.Name, wordsOf(k.Scopes, ",")}
}

// farTime is timeText for a column where only the distance from now matters.
func (a *app) farTime(t *apiv1.Time) string {
	switch {
	case !a.outTerminal:
		return a.timeText(t)
	case t == nil:
		return "never"
	}
	return shortRelative(t.Sub(a.now()))
}

// printKeys prints keys as a list.
func (a *app) printKeys(keys []apiv1.APIKey) error {
	switch {
	case a.json.set:
		return a.printJSON(append([]apiv1.APIKey{}, keys...))
	case a.quiet:
		ids := make([]string, len(keys))
		for i := range keys {
			ids[i] = keys[i].ID
		}
		return a.printIDs(ids...)
	}
	t := table{header: []string{"ID", "STATUS", "EXPIRES", "USED", "NAME", "SCOPES"}, status: 1, excerpt: true}
	for _, k := range keys {
		t.rows = append(t.rows, a.keyRow(k))
	}
	return a.writeList(a.render(t))
}

// keyWithSecret is a key and its secret; null when it is not to be shown.
type keyWithSecret struct {
	apiv1.APIKey
	Secret *string `json:"secret"`
}

// printKey prints a new key with its secret.
func (o *onceSecret) printKey(made apiv1.CreatedAPIKey) error {
	secret, err := o.save(made.Secret)
	k := made.APIKey
	return errors.Join(o.print(result{
		id: k.ID, sentence: "Created " + o.bold(keyLabel(k)) + ": " + o.keySentence(k), row: o.keyRow(k),
		object: keyWithSecret{APIKey: k, Secret: secret}, secret: secret,
	}), err)
}

// keySentence says what a key can do.
func (a *app) keySentence(k apiv1.APIKey) string {
	text := "it has " + wordsOf(k.Scopes, " ")
	if n := len(k.SocialAccountIDs); n > 0 {
		text += ", for " + plural(n, "account") + " only"
	}
	if k.ExpiresAt != nil {
		text += ", until " + a.timeText(k.ExpiresAt)
	}
	return text
}
