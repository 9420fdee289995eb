package post

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// addOverride defines --override.
func addOverride(a *cli.App, cmd *cobra.Command, overrides *[]string) {
	cmd.Flags().StringArrayVar(overrides, "override", nil,
		"a different text for one account, as `account=text` or account=@file (repeatable); with --thread, lines --- separate its parts")
	cmd.RegisterFlagCompletionFunc("override", func(cmd *cobra.Command, args []string, part string) ([]string, cobra.ShellCompDirective) {
		names, _ := account.Complete(a)(cmd, nil, part)
		for i, name := range names {
			account, platform, _ := strings.Cut(name, "\t")
			names[i] = account + "=\t" + platform
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// override is one --override. An empty text removes the text and the parts of the account.
type override struct {
	account, text string
	thread        []string // the parts after the first one; nil for those of the post
}

// readOverrides reads the flags and the files that they name. parts are the flags of the
// same command: with --thread, the texts are split, too.
func readOverrides(flags []string, parts *partFlags) (list []override, err error) {
	for _, flag := range flags {
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
			text = cli.TrimFile(data)
			if err := cli.CheckText(text, flag[len(account)+2:]); err != nil {
				return nil, err
			}
		}
		if text != "" {
			if err := cli.CheckText(text, "the text for "+account); err != nil {
				return nil, err
			}
		}
		o := override{account: account, text: text}
		if parts.thread {
			texts := threadtext.Split(text)
			if o.text = texts[0]; len(texts) > 1 {
				o.thread = texts[1:]
			}
		}
		if err := o.checkParts(parts); err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

// checkParts returns an error for parts without a text, and for files of parts that the
// account would not get.
func (o override) checkParts(parts *partFlags) error {
	if o.thread == nil {
		return nil
	}
	for i, text := range append([]string{o.text}, o.thread...) {
		if err := cli.CheckText(text, fmt.Sprintf("part %d for %s", i+1, o.account)); err != nil {
			return err
		}
	}
	if parts.numbersParts() {
		return cli.UsageError("--override %s has parts of its own, which would not get the files of --part-media", o.account).
			WithHint("give the account other files with a post file; see schedctl apply --help")
	}
	return nil
}

// overridesFor returns overrides for a request: those in before, replaced or extended
// by the flags. ids are the accounts of the post.
func overridesFor(ctx context.Context, a *cli.App, c *client.Client, list []override, before []apiv1.Override, ids []string) ([]apiv1.Override, error) {
	out := keptOverrides(before, ids)
	given := map[string]bool{}
	for _, o := range list {
		found, err := account.Recipients(ctx, a, c, []string{o.account})
		if err != nil {
			return nil, err
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
			out = replaceOverride(out, id, o)
		}
	}
	return out, nil
}

// replaceOverride returns the overrides with a new text for one account. Its options
// stay.
func replaceOverride(list []apiv1.Override, id string, o override) []apiv1.Override {
	var content *string
	if o.text != "" {
		content = &o.text
	}
	var thread *[]apiv1.Part
	if o.thread != nil {
		thread = &[]apiv1.Part{}
		for _, text := range o.thread {
			*thread = append(*thread, apiv1.Part{Content: text, Media: []apiv1.PostMedia{}})
		}
	}
	for i := range list {
		if list[i].SocialAccountID != id {
			continue
		}
		list[i].Content = content
		if thread != nil || content == nil {
			list[i].Thread = thread
		}
		if isEmptyOverride(list[i]) {
			return slices.Delete(list, i, i+1)
		}
		return list
	}
	if content == nil {
		return list
	}
	return append(list, apiv1.Override{SocialAccountID: id, Content: content, Thread: thread})
}

// isEmptyOverride reports whether an override changes nothing.
func isEmptyOverride(o apiv1.Override) bool {
	return o.Content == nil && len(o.Options) == 0 && o.Media == nil && o.Thread == nil && o.Poll == nil &&
		o.ContentWarning == nil && o.Visibility == nil && o.Language == nil
}

// keptOverrides returns the overrides of the accounts that the post keeps.
func keptOverrides(overrides []apiv1.Override, ids []string) []apiv1.Override {
	out := []apiv1.Override{}
	for _, o := range overrides {
		if slices.Contains(ids, o.SocialAccountID) {
			out = append(out, o)
		}
	}
	return out
}
