package access

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewKey(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "key",
		Short: "Create and revoke API keys",
		Long: `Create and revoke API keys. A key belongs to one workspace and can do what its scopes
allow. It can be limited to some accounts, and it can expire. The daemon stores only a
hash of it. If you lose a key, create another.`,
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

func keyID(k apiv1.APIKey) string { return k.ID }

// keyLabel returns the name of a key for people: its name, or else its id.
func keyLabel(k apiv1.APIKey) string { return fmt.Sprintf("%s (%s)", cli.OneLine(k.Name), k.ID) }

func keyRow(a *cli.App, k apiv1.APIKey) []string {
	return []string{k.ID, keyStatus(k, a.Now()), farTime(a, k.ExpiresAt), farTime(a, k.LastUsedAt), k.Name, cli.JoinStrings(k.Scopes, ",")}
}

// farTime formats a time for a column in which only the distance from now matters.
func farTime(a *cli.App, t *apiv1.Time) string {
	switch {
	case !a.OutTerminal:
		return a.TimeText(t)
	case t == nil:
		return "never"
	}
	return cli.ShortRelative(t.Sub(a.Now()))
}

// printKeys prints keys as a list.
func printKeys(a *cli.App, keys []apiv1.APIKey) error {
	layout := cli.Table{Header: []string{"ID", "STATUS", "EXPIRES", "USED", "NAME", "SCOPES"}, Status: 1, Excerpt: true}
	return cli.PrintList(a, keys, keyID, layout, func(k apiv1.APIKey) []string { return keyRow(a, k) })
}

// keyWithSecret is a key and its secret. The secret is null when it must not be shown.
type keyWithSecret struct {
	apiv1.APIKey
	Secret *string `json:"secret"`
}

// printKey prints a new key with its secret.
func printKey(o *cli.OneTimeSecret, made apiv1.CreatedAPIKey) error {
	secret, err := o.Save(made.Secret)
	k := made.APIKey
	return errors.Join(o.Print(cli.CreatedResult{
		ID: k.ID, Sentence: "Created " + o.Bold(keyLabel(k)) + ": " + keySentence(o.App, k), Row: keyRow(o.App, k),
		Object: keyWithSecret{APIKey: k, Secret: secret}, Secret: secret,
	}), err)
}

// keySentence says what a key can do.
func keySentence(a *cli.App, k apiv1.APIKey) string {
	text := "it has " + cli.JoinStrings(k.Scopes, " ")
	if n := len(k.SocialAccountIDs); n > 0 {
		text += ", for " + cli.Plural(n, "account") + " only"
	}
	if k.ExpiresAt != nil {
		text += ", until " + a.TimeText(k.ExpiresAt)
	}
	return text
}
