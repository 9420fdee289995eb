package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

type accountEdit struct {
	*app
	name string
	sets []string
}

func newAccountEdit(a *app) *cobra.Command {
	o := &accountEdit{app: a}
	cmd := prints[apiv1.Account](&cobra.Command{
		Use:   "edit ACCOUNT",
		Short: "Change the name or the options of an account",
		Long: `Change the name or the options of an account. Its credentials stay as they are and
are not asked for again; "schedctl account reconnect" replaces them. An option
without a value, KEY=, gets its default again. "schedctl account add --help" lists
the options of each platform.`,
		Example: `  schedctl account edit demo --name site
  schedctl account edit mastodon:me --set visibility=unlisted
  schedctl account edit demo --set duplicate_guard=`,
		Args:              takes(1, 1, "an account: its id, its name or platform:name"),
		ValidArgsFunction: a.completeAccount,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	cmd.Flags().StringVar(&o.name, "name", "", "the new `name`")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "an option, as `key=value` (repeatable)")
	return cmd
}

func (o *accountEdit) run(ctx context.Context, ref string) error {
	if o.name == "" && o.sets == nil {
		f := usage("nothing to change")
		f.hint = "give --name or --set"
		return f
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	acct, err := o.accountByName(ctx, c, ref)
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
	if acct, err = c.EditAccount(ctx, acct.ID, edit); err != nil {
		return err
	}
	return o.printAccount(acct, "Changed")
}

// options returns the options that --set gives, nil for one that gets its default.
func (o *accountEdit) options(conn *connection) (map[string]any, error) {
	options := map[string]any{}
	for _, set := range o.sets {
		key, value, found := strings.Cut(set, "=")
		if !found || key == "" {
			return nil, usage("--set %q: write key=value", clip(set, 40))
		}
		if !conn.option(key) {
			return nil, o.noOption(conn, key)
		}
		if _, twice := options[key]; twice {
			return nil, usage("--set %s is given twice", key)
		}
		options[key] = nil
		if value != "" {
			options[key] = optionValue(key, value)
		}
	}
	if len(options) == 0 {
		return nil, nil
	}
	return options, nil
}

// noOption is the failure of a key that is no option of the platform.
func (o *accountEdit) noOption(conn *connection, key string) error {
	f := invalid(schedctl.ValidationFailed, "--set %s: %s has no such option", clip(key, 40), conn.platform)
	names := slices.Clone(commonOptions)
	for _, field := range conn.fields {
		switch {
		case field.Option && !slices.Contains(names, field.Name):
			names = append(names, field.Name)
		case field.Name == key:
			f.message = "--set " + key + ": this is a credential, and no option"
			f.hint = "replace credentials with: schedctl account reconnect " + oneLine(conn.name)
			return f
		}
	}
	f.hint = "it has " + strings.Join(names, ", ")
	return f
}
