package content

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

// OverrideHelp explains --override and --override-field.
const OverrideHelp = `With --override an account gets a different text. Write @@ for a text that starts
with @, because ACCOUNT=@FILE names a file. --override-field ACCOUNT=FIELD=VALUE sets
another field for an account; FIELD is the name of a flag: media, alt, part, part-media,
part-alt, poll, poll-for, poll-multiple, poll-hide-totals, content-warning, visibility,
language, no-media, no-thread or no-poll. A FIELD option=NAME sets an option of the
account for this post.`

// Overrides are the flags for what single accounts get: --override, --override-field
// and --no-override.
type Overrides struct {
	texts, fields, removed []string
	list                   []*override
}

// override is what the flags set for one account.
type override struct {
	account string
	text    *string // empty removes the text and the parts of the account; nil keeps both
	content Flags
	options map[string]any
	change  *apiv1.EditPost // what content says, after its files are uploaded
}

// add defines --override and --override-field.
func (f *Overrides) add(a *cli.App, cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringArrayVar(&f.texts, "override", nil,
		"a different text for one account, as `account=text` or account=@file (repeatable); with --thread, lines --- separate its parts")
	s.StringArrayVar(&f.fields, "override-field", nil, "a different field for one account, as `account=field=value`, such as demo=visibility=unlisted (repeatable)")
	complete := func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := account.Complete(a)(cmd, nil, typed)
		for i, name := range names {
			account, platform, _ := strings.Cut(name, "\t")
			names[i] = account + "=\t" + platform
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	cmd.RegisterFlagCompletionFunc("override", complete)
	cmd.RegisterFlagCompletionFunc("override-field", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		of, _, named := strings.Cut(typed, "=")
		if !named {
			return complete(cmd, args, typed)
		}
		names := []string{of + "=option="}
		newOverride(of).content.cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if name := of + "=" + flag.Name; flag.NoOptDefVal == "" {
				names = append(names, name+"=\t"+flag.Usage)
			} else {
				names = append(names, name+"\t"+flag.Usage)
			}
		})
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// addRemovals defines --no-override.
func (f *Overrides) addRemovals(a *cli.App, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.removed, "no-override", nil, "remove what this `account` gets instead, before the other flags (repeatable)")
	cmd.RegisterFlagCompletionFunc("no-override", account.Complete(a))
}

// Given reports whether a flag changes an override.
func (f *Overrides) Given() bool { return f.texts != nil || f.fields != nil || f.removed != nil }

func newOverride(account string) *override {
	o := &override{account: account}
	o.content.addOwn(&cobra.Command{})
	o.content.addRemovals()
	return o
}

// parse reads the flags and the files that they name. of are the flags of the same command:
// with --thread, the texts are split, too.
func (f *Overrides) parse(of *Flags) error {
	for _, flag := range f.texts {
		o, err := readText(flag, of)
		if err != nil {
			return err
		}
		f.list = append(f.list, o)
	}
	for _, flag := range f.fields {
		account, field, found := strings.Cut(flag, "=")
		name, value, hasValue := strings.Cut(field, "=")
		if !found || account == "" || name == "" {
			return cli.UsageError("--override-field %q: write ACCOUNT=FIELD=VALUE", cli.Clip(cli.OneLine(flag), 40))
		}
		at := slices.IndexFunc(f.list, func(o *override) bool { return o.account == account })
		if at < 0 {
			at, f.list = len(f.list), append(f.list, newOverride(account))
		}
		if err := f.list[at].setField(name, value, hasValue); err != nil {
			return cli.UsageError("--override-field %q: %v", cli.Clip(cli.OneLine(flag), 40), err)
		}
	}
	for _, o := range f.list {
		if err := o.check(of); err != nil {
			return err
		}
	}
	return nil
}

// readText reads a value of --override.
func readText(flag string, of *Flags) (*override, error) {
	account, text, found := strings.Cut(flag, "=")
	if !found || account == "" {
		return nil, cli.UsageError("--override %q: write ACCOUNT=TEXT or ACCOUNT=@FILE", cli.Clip(cli.OneLine(flag), 40))
	}
	switch {
	case strings.HasPrefix(text, "@@"):
		text = text[1:]
	case strings.HasPrefix(text, "@"):
		data, err := cli.ReadFile(text[1:])
		if err != nil {
			return nil, fmt.Errorf("read the text for %s: %w; write @@ for a text that starts with @", account, err)
		}
		text = cli.TextOf(data)
		if err := cli.CheckText(text, flag[len(account)+2:]); err != nil {
			return nil, err
		}
	}
	if text != "" {
		if err := cli.CheckText(text, "the text for "+account); err != nil {
			return nil, err
		}
	}
	text = schedctl.TidyText(text)
	o := newOverride(account)
	o.text = &text
	if !of.thread {
		return o, nil
	}
	texts := threadtext.Split(text)
	o.text = &texts[0]
	if len(texts) == 1 {
		return o, nil
	}
	o.content.parts = texts[1:]
	for i, text := range texts {
		if err := cli.CheckText(text, fmt.Sprintf("part %d for %s", i+1, account)); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// setField sets a field as a flag of that name does.
func (o *override) setField(name, value string, hasValue bool) error {
	if name == "option" {
		key, text, found := strings.Cut(value, "=")
		if !found || key == "" {
			return errors.New("write option=NAME=VALUE")
		}
		if o.options == nil {
			o.options = map[string]any{}
		}
		var v any = text
		if json.Unmarshal([]byte(text), &v) != nil { // a text without quotes
			v = text
		}
		o.options[key] = v
		return nil
	}
	flag := o.content.cmd.Flags().Lookup(name)
	switch {
	case flag == nil:
		return fmt.Errorf("there is no field %q for single accounts; see: schedctl post create --help", cli.Clip(name, 40))
	case !hasValue && flag.NoOptDefVal == "":
		return fmt.Errorf("the field %s needs a value", name)
	case !hasValue:
		value = flag.NoOptDefVal
	}
	return o.content.cmd.Flags().Set(name, value)
}

// check checks the fields of an account. of are the flags of the post.
func (o *override) check(of *Flags) error {
	switch err := cmp.Or(cli.RefuseConflicts(o.content.cmd), o.content.Check()); {
	case err != nil:
		return fmt.Errorf("the override for %s: %w", o.account, err)
	case o.content.numbered[CommentPart] != nil:
		return cli.UsageError("all accounts get the same first comment")
	case o.content.parts != nil && of.numbersParts() && !o.content.numbersParts():
		return cli.UsageError("--override %s has parts of its own, which would not get the files of --part-media", o.account).
			WithHint("give the account other files with --override-field " + o.account + "=part-media=2=FILE")
	}
	return nil
}

// Read returns overrides for a request: those in before, replaced or extended by the flags,
// after [Flags.Check]. ids are the accounts of the post. It uploads files.
func (f *Overrides) Read(ctx context.Context, a *cli.App, c *client.Client, before []apiv1.Override, ids []string) ([]apiv1.Override, error) {
	out := KeptOverrides(before, ids)
	removed, err := account.Recipients(ctx, a, c, f.removed)
	if err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(o apiv1.Override) bool { return slices.Contains(removed, o.SocialAccountID) })
	given := map[string]bool{}
	for _, o := range f.list {
		found, err := account.Recipients(ctx, a, c, []string{o.account})
		if err != nil {
			return nil, err
		}
		if o.text != nil {
			if *o.text, err = snippet.NewTexts(ctx, c).Expand(*o.text); err != nil {
				return nil, err
			}
		}
		if o.change == nil {
			change, err := o.content.Change(ctx, a, c, Subject{})
			if err != nil {
				return nil, err
			}
			o.change = &change
		}
		for _, id := range found {
			switch {
			case !slices.Contains(ids, id):
				return nil, cli.InvalidError(schedctl.InvalidSocialAccounts, "--override %s: the post does not go to that account", o.account).
					WithHint("add --to " + o.account)
			case given[id]:
				return nil, cli.UsageError("--override %s: the account has a text already; give one", o.account)
			}
			given[id] = true
			out = o.apply(out, id)
		}
	}
	return out, nil
}

// apply returns overrides with the changed fields of one account.
func (o *override) apply(list []apiv1.Override, id string) []apiv1.Override {
	at := slices.IndexFunc(list, func(o apiv1.Override) bool { return o.SocialAccountID == id })
	if at < 0 {
		at, list = len(list), append(list, apiv1.Override{SocialAccountID: id})
	}
	to := &list[at]
	if o.text != nil {
		if to.Content = o.text; *o.text == "" {
			to.Content, to.Thread = nil, nil
		}
	}
	fields.Copy(to, *o.change)
	for _, t := range fields.Texts {
		if value := t.Of(to); value != nil && t.Get(to) == "" {
			*value = nil
		}
	}
	if o.options != nil {
		options := maps.Clone(to.Options)
		if options == nil {
			options = map[string]any{}
		}
		maps.Copy(options, o.options)
		to.Options = options
	}
	if fields.IsEmpty(*to) {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// KeptOverrides returns the overrides of the accounts that the post keeps.
func KeptOverrides(overrides []apiv1.Override, ids []string) []apiv1.Override {
	out := []apiv1.Override{}
	for _, o := range overrides {
		if slices.Contains(ids, o.SocialAccountID) {
			out = append(out, o)
		}
	}
	return out
}

// Key describes the flags, for the idempotency key of a command in a CI job.
func (f *Overrides) Key() (parts []string) {
	for _, o := range f.list {
		if o.text != nil {
			parts = append(append(parts, "override", o.account, *o.text), o.content.parts...)
		}
	}
	for _, field := range f.fields {
		parts = append(parts, "override-field", field)
	}
	return parts
}
