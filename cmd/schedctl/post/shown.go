package post

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// overwriteFlag is --overwrite.
type overwriteFlag struct{ overwrite bool }

func (o *overwriteFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "also change a post that was changed since it was shown here")
}

// unchanged sends a change of a post with the version that this machine showed last. If
// someone else has changed the post since, it is a conflict that says what changed, unless
// --overwrite is given or nothing changed that people see.
func (o *overwriteFlag) unchanged(ctx context.Context, a *cli.App, c *client.Client, id string, send func(...client.Option) (apiv1.Post, error)) (apiv1.Post, error) {
	shown, known := a.LastShown(id)
	if o.overwrite || !known {
		return send()
	}
	p, err := send(client.IfVersion(shown.Version))
	if schedctl.CodeOf(err) != schedctl.VersionMismatch {
		return p, err
	}
	now, failed := c.Post(ctx, id)
	if failed != nil {
		return p, refusedPost(id, failed)
	}
	changes := shown.Changes(now, shownValue(ctx, a, c))
	if shown.Fields != nil && len(changes) == 0 {
		return send(client.IfVersion(now.Version))
	}
	text := ""
	if len(changes) > 0 {
		text = " (" + strings.Join(changes, "; ") + ")"
	}
	return p, cli.NewFailure(cli.ExitConflict, schedctl.VersionMismatch, "%s was changed since it was shown here, and nothing was done%s", id, text).
		WithHint("see: schedctl post show " + id + ", then repeat the command; --overwrite changes it in any case")
}

// shownValue returns a function that formats the value of a field for people.
func shownValue(ctx context.Context, a *cli.App, c *client.Client) func(cli.ShownField) string {
	var names Accounts
	return func(f cli.ShownField) string {
		value, _, _ := strings.Cut(f.Value, "… #")
		switch f.Name {
		case "accounts":
			if names == nil {
				names = AccountsByID(ctx, c)
			}
			return strings.Join(cli.Map(strings.Split(value, ", "), names.Name), ", ")
		case "time":
			if at, err := time.Parse(time.RFC3339, value); err == nil {
				return when.Format(at.In(a.Local))
			}
		}
		return value
	}
}
