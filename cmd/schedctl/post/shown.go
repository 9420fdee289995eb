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
type overwriteFlag struct {
	overwrite bool
	anyStatus bool // the status may have changed, as when the daemon publishes the post
}

func (o *overwriteFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "also change a post that was changed since it was shown here")
}

// maxSends is how often a change is sent while the daemon changes the post.
const maxSends = 3

// unchanged sends a change of a post with the version from which the change starts: the one
// that the command itself has read or listed, or else the one that this machine showed last
// before the command. The version of before is 0 if there is none. If someone else has changed
// the post since, it is a conflict that says what changed, unless --overwrite is given or
// nothing changed that people see.
func (o *overwriteFlag) unchanged(ctx context.Context, a *cli.App, c *client.Client, id string, before cli.Shown, send func(...client.Option) (apiv1.Post, error)) (p apiv1.Post, err error) {
	if o.overwrite || before.Version == 0 {
		return send()
	}
	version := before.Version
	for range maxSends {
		if p, err = send(client.IfVersion(version)); schedctl.CodeOf(err) != schedctl.VersionMismatch {
			return p, err
		}
		now, failed := c.Post(ctx, id)
		if failed != nil {
			return p, refusedPost(id, failed)
		}
		if changed := o.compare(ctx, a, c, before, now); changed != nil {
			return p, changed
		}
		version = now.Version
	}
	return p, err
}

// compare returns a conflict if a post differs from what it was before.
func (o *overwriteFlag) compare(ctx context.Context, a *cli.App, c *client.Client, before cli.Shown, now apiv1.Post) error {
	if o.overwrite || before.Version == 0 || before.Version == now.Version {
		return nil
	}
	if o.anyStatus && before.Fields != nil {
		now.Status = schedctl.Status(before.Fields["status"])
	}
	changes := before.Changes(now, shownValue(ctx, a, c))
	if before.Fields != nil && len(changes) == 0 {
		return nil
	}
	text := ""
	if len(changes) > 0 {
		text = " (" + strings.Join(changes, "; ") + ")"
	}
	return cli.NewFailure(cli.ExitConflict, schedctl.VersionMismatch, "%s was changed since it was shown here, and nothing was done%s", now.ID, text).
		WithHint("see: schedctl post show " + now.ID + ", then repeat the command; --overwrite changes it in any case")
}

// inText returns a text with the names of accounts instead of their ids.
func (names Accounts) inText(text string) string {
	var pairs []string
	for id := range names {
		pairs = append(pairs, id, names.Name(id))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// shownValue returns a function that formats the value of a field for people.
func shownValue(ctx context.Context, a *cli.App, c *client.Client) func(cli.ShownField) string {
	var names Accounts
	return func(f cli.ShownField) string {
		value := f.Text()
		switch f.Name {
		case "accounts", "overrides":
			if names == nil {
				names = AccountsByID(ctx, c)
			}
			if f.Name == "overrides" {
				return names.inText(value)
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
