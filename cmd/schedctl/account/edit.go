package account

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type editOptions struct {
	cli.Existing
	name string
	sets []string
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{Existing: cli.Existing{App: a}}
	cmd := cli.DeclareJSON[apiv1.Account](onAccount(a, &cobra.Command{
		Use:   "edit ACCOUNT",
		Short: "Change the name or the options of an account",
		Long: `Change the name or the options of an account. Its credentials stay as they are;
"schedctl account reconnect" replaces them. An option without a value, KEY=, returns
to its default. "schedctl account add --help" lists the options of each platform.

With --set approval=required, all posts of the account need an approval. If scheduled
posts or active series lack one, the command asks what becomes of them, and without a
terminal it exits with status 6. --existing approve approves them with your key, which
needs posts:approve; --existing submit makes them drafts that wait for an approval.`,
		Example: `  schedctl account edit demo --name site
  schedctl account edit mastodon:me --set visibility=unlisted
  schedctl account edit demo --set duplicate_guard=
  schedctl account edit demo --set approval=required --existing submit`,
	}, o.run))
	cmd.Flags().StringVar(&o.name, "name", "", "the new `name`")
	o.Existing.Add(cmd)
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "an option, as `key=value` (repeatable)")
	return cmd
}

func (o *editOptions) run(ctx context.Context, ref string) error {
	if o.name == "" && o.sets == nil && !o.Given() {
		return cli.UsageError("nothing to change").WithHint("give --name, --set or --existing")
	}
	c, acct, err := connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	edit := apiv1.EditAccount{}
	if o.name != "" {
		edit.Name = &o.name
	}
	if edit.Options, err = o.options(newConnection(acct.Platform, acct.Name)); err != nil {
		return err
	}
	err = o.Send(ctx, func(existing string) (err error) {
		edit.Existing = existing
		acct, err = c.EditAccount(ctx, acct.ID, edit)
		return err
	})
	if err != nil {
		return err
	}
	return printOne(o.App, acct, "Changed")
}

// options returns the options that --set gives. An option with the value nil returns
// to its default.
func (o *editOptions) options(conn *connection) (map[string]any, error) {
	options := map[string]any{}
	for _, set := range o.sets {
		key, value, found := strings.Cut(set, "=")
		if !found || key == "" {
			return nil, cli.UsageError("--set %q: write key=value", cli.Clip(set, 40))
		}
		if !conn.option(key) || !conn.has(key) {
			return nil, o.noOption(conn, key)
		}
		if _, twice := options[key]; twice {
			return nil, cli.UsageError("--set %s is given twice", key)
		}
		options[key] = nil
		if value != "" {
			options[key] = apiv1.OptionValue(key, value)
		}
	}
	if len(options) == 0 {
		return nil, nil
	}
	return options, nil
}

// noOption returns the error for a key that is not an option of the platform.
func (o *editOptions) noOption(conn *connection, key string) error {
	f := cli.InvalidError(schedctl.ValidationFailed, "--set %s: %s has no such option", cli.Clip(key, 40), conn.platform)
	names := commonNames(conn.platform)
	for _, field := range conn.fields {
		switch {
		case field.Option && !slices.Contains(names, field.Name):
			names = append(names, field.Name)
		case field.Name == key:
			f.Message = "--set " + key + ": this is a credential, and no option"
			f.Hint = "replace credentials with: schedctl account reconnect " + cli.OneLine(conn.name)
			return f
		}
	}
	f.Hint = "it has " + strings.Join(names, ", ")
	return f
}
