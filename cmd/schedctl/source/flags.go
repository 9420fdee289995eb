package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/queue"
)

// settingsHelp explains the flags of a source.
const settingsHelp = `--mode says what becomes of an item: draft (default); submit, a draft that waits for an
approval; next-slot, a post in the next free slot of a queue; or now. The last two need a
key with the scope posts:write, and ask for an approval where your accounts need one.

--template is the text of the posts, and not of the output. It has fields of the item:
.Title .Summary .Link .Author .Tags .Published .Updated .Version .Source .Image .Audio
.Platform. What "fit" marks is shortened to the length that the network allows. The
default is {{fit .Title}}, an empty line and {{.Link}}. See: schedctl source test.

--include and --exclude select items by whole words in their titles and texts. Versions
such as v1.2.0-rc.1 make no posts without --prereleases.`

// settings are the flags of a source that commands set and change.
type settings struct {
	*cli.App
	cmd *cobra.Command

	name, mode, queue, template   string
	image, identity, language     string
	titleMatches                  string
	to, labels                    []string
	include, exclude              []string
	categories, authors           []string
	overrides, linkParams         []string
	every, delay                  cli.DurationFlag
	maxPerDay                     int
	prereleases, required, strip  bool
	user, headerName, secretsFile string
}

func (s *settings) add(cmd *cobra.Command) {
	s.cmd = cmd
	f := cmd.Flags()
	f.StringVar(&s.name, "name", "", "the `name` of the source")
	f.StringArrayVar(&s.to, "to", nil, "an `account` of the posts: an id, a name, platform:name, @group or all (repeatable)")
	f.StringVar(&s.mode, "mode", "", "what becomes of an item, the `mode` "+cli.JoinStrings(schedctl.SourceModes(), ", "))
	f.StringVar(&s.queue, "queue", "", "the `queue` of the mode next-slot: its name or its id")
	f.StringVar(&s.template, "template", "", "the `text` of the posts with fields such as {{.Title}}, or @FILE")
	f.StringArrayVar(&s.overrides, "override", nil, "another template for one account, as `account=text` or account=@file (repeatable)")
	f.Var(&s.every, "every", "the `duration` between two reads of the feed, 5m to 24h (default 30m)")
	f.Var(&s.delay, "delay", "the `duration` from the first sight of an item to its post (default 10m, none for drafts)")
	f.IntVar(&s.maxPerDay, "max-per-day", 0, "the largest `number` of posts in 24 hours (default 5, 20 for drafts)")
	f.StringArrayVar(&s.include, "include", nil, "only items with this `text`, in whole words (repeatable: one of them)")
	f.StringArrayVar(&s.exclude, "exclude", nil, "no items with this `text`, in whole words (repeatable)")
	f.StringArrayVar(&s.categories, "category", nil, "only items of this category, a `text` (repeatable: one of them)")
	f.StringArrayVar(&s.authors, "author", nil, "only items of the author with this `name` (repeatable: one of them)")
	f.StringVar(&s.titleMatches, "title-matches", "", "only items whose titles match this regular `expression`")
	f.BoolVar(&s.prereleases, "prereleases", false, "also versions such as v1.2.0-rc.1")
	f.StringVar(&s.image, "image", "", "where the picture comes from, the `choice` item (default), page or none")
	f.BoolVar(&s.required, "image-required", false, "make no post of an item without a usable picture")
	f.BoolVar(&s.strip, "strip-links", true, "remove parameters that track readers from links")
	f.StringArrayVar(&s.linkParams, "link-param", nil, "add this parameter to links, as `key=value` (repeatable)")
	f.StringVar(&s.identity, "identity", "", "by what an item is known again, the `choice` auto (default), guid or link")
	f.StringArrayVar(&s.labels, "label", nil, "a `label` of the posts (repeatable)")
	f.StringVar(&s.language, "language", "", "the `language` of the posts, such as en or pt-BR")
	f.StringVar(&s.user, "user", "", "the user `name` that the server of the feed asks for")
	f.StringVar(&s.headerName, "header", "", "the `name` of a secret header that the server of the feed asks for")
	f.StringVar(&s.secretsFile, "secret-file", "", "`file` that holds the password of --user or the value of --header, - for standard input")
	s.complete(cmd)
}

// choices are the values of flags that take one of a few words.
var choices = map[string][]string{
	"mode":     cli.Strings(schedctl.SourceModes()),
	"image":    cli.Strings([]schedctl.SourceImage{schedctl.ImageItem, schedctl.ImagePage, schedctl.ImageNone}),
	"identity": cli.Strings([]schedctl.SourceIdentity{schedctl.IdentityAuto, schedctl.IdentityGUID, schedctl.IdentityLink}),
}

func (s *settings) complete(cmd *cobra.Command) {
	cmd.RegisterFlagCompletionFunc("to", account.Complete(s.App))
	cmd.RegisterFlagCompletionFunc("queue", queue.Queues.CompleteFlag(s.App))
	for name, values := range choices {
		cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	for _, name := range []string{"name", "every", "delay", "include", "exclude", "category", "author", "title-matches", "link-param", "label", "language", "user", "header", "override"} {
		cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

func (s *settings) given(name string) bool { return s.cmd.Flags().Changed(name) }

// optional returns the value of a flag that was given, or else nil.
func optional[T any](s *settings, name string, value T) *T {
	if !s.given(name) {
		return nil
	}
	return &value
}

// change returns what the flags change of a source, without accounts and queues, which only
// the daemon knows. old is nil for a new source.
func (s *settings) change(ctx context.Context, old *apiv1.Source) (e apiv1.EditSource, err error) {
	for _, name := range []string{"mode", "image", "identity"} {
		if value := s.cmd.Flag(name).Value.String(); s.given(name) && !slices.Contains(choices[name], value) {
			return e, cli.UnknownValueError("--"+name, value, choices[name])
		}
	}
	e = apiv1.EditSource{
		Name: optional(s, "name", s.name), Mode: optional(s, "mode", s.mode), Image: optional(s, "image", s.image),
		Identity: optional(s, "identity", s.identity), Language: optional(s, "language", s.language), Labels: optional(s, "label", s.labels),
		Interval: optional(s, "every", spelled(s.every)), Delay: optional(s, "delay", spelled(s.delay)),
		MaxPerDay: optional(s, "max-per-day", s.maxPerDay), ImageRequired: optional(s, "image-required", s.required),
	}
	if e.MaxPerDay != nil && (s.maxPerDay < 1 || s.maxPerDay > schedctl.MaxSourcePerDay) {
		return e, cli.UsageError("--max-per-day %d: give 1 to %d", s.maxPerDay, schedctl.MaxSourcePerDay)
	}
	if s.given("template") {
		text, err := templateText(s.template)
		if err != nil {
			return e, err
		}
		e.Template = &text
	}
	base := apiv1.Source{Link: apiv1.SourceLink{Strip: true}}
	if old != nil {
		base = *old
	}
	e.Filter = s.filter(base.Filter)
	if e.Link, err = s.link(base.Link); err != nil {
		return e, err
	}
	return e, s.secrets(ctx, &e)
}

// spelled returns a duration as the API has it.
func spelled(d cli.DurationFlag) string { return cli.FirstNonEmpty(d.String(), "0s") }

// filter returns a filter with the changes of the flags, nil without one.
func (s *settings) filter(f apiv1.SourceFilter) *apiv1.SourceFilter {
	changed := false
	for _, list := range []struct {
		name string
		from []string
		to   *[]string
	}{{"include", s.include, &f.Include}, {"exclude", s.exclude, &f.Exclude}, {"category", s.categories, &f.Categories}, {"author", s.authors, &f.Authors}} {
		if s.given(list.name) {
			*list.to, changed = list.from, true
		}
	}
	if s.given("title-matches") {
		f.TitleRegex, changed = s.titleMatches, true
	}
	if s.given("prereleases") {
		f.Prereleases, changed = s.prereleases, true
	}
	if !changed {
		return nil
	}
	return &f
}

// link returns a way to change links with the changes of the flags, nil without one.
func (s *settings) link(l apiv1.SourceLink) (*apiv1.SourceLink, error) {
	if !s.given("strip-links") && !s.given("link-param") {
		return nil, nil
	}
	if s.given("strip-links") {
		l.Strip = s.strip
	}
	if s.given("link-param") {
		l.Params = map[string]string{}
		for _, param := range s.linkParams {
			key, value, ok := strings.Cut(param, "=")
			if !ok || key == "" {
				return nil, cli.UsageError("--link-param %q: write KEY=VALUE", cli.Clip(cli.OneLine(param), 40)).WithHint("for example utm_source=schedctl")
			}
			l.Params[key] = value
		}
	}
	return &l, nil
}

// templateText returns the value of --template: a text, or with @ the content of a file.
func templateText(value string) (string, error) {
	name, isFile := strings.CutPrefix(value, "@")
	if !isFile || strings.HasPrefix(name, "@") {
		return name, nil // @@ starts a text with @
	}
	data, err := cli.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read the template: %w; write @@ for a template that starts with @", err)
	}
	return cli.TextOf(data), nil
}

// secrets reads what the server of the feed asks for.
func (s *settings) secrets(ctx context.Context, e *apiv1.EditSource) error {
	switch {
	case s.user == "" && s.headerName == "":
		if s.secretsFile != "" {
			return cli.UsageError("--secret-file needs --user or --header")
		}
		return nil
	case s.user != "" && s.headerName != "":
		return cli.UsageError("--user and --header exclude each other: there is one --secret-file")
	}
	secret := s.Getenv("SCHEDCTL_SECRET")
	if s.secretsFile != "" {
		var err error
		if secret, err = account.ReadSecretFile(ctx, s.App, s.secretsFile); err != nil {
			return err
		}
	}
	switch {
	case secret == "":
		return cli.UsageError("the secret of the feed is missing").WithHint("give it with --secret-file FILE, --secret-file - or SCHEDCTL_SECRET")
	case s.user != "":
		e.BasicAuth = &apiv1.SourceAuth{Username: s.user, Password: secret}
	default:
		e.Header = &apiv1.SourceHeader{Name: s.headerName, Value: secret}
	}
	return nil
}

// resolve adds the accounts and the queue that the flags name.
func (s *settings) resolve(ctx context.Context, c *client.Client, e *apiv1.EditSource) (err error) {
	if s.given("to") {
		ids, err := account.Recipients(ctx, s.App, c, s.to)
		if err != nil {
			return err
		}
		e.SocialAccountIDs = &ids
	}
	if s.given("queue") {
		id, err := queue.Queues.FlagID(ctx, s.App, c, s.queue)
		if err != nil {
			return err
		}
		e.QueueID = &id
	}
	if !s.given("override") {
		return nil
	}
	list := []apiv1.SourceOverride{}
	for _, override := range s.overrides {
		ref, text, ok := strings.Cut(override, "=")
		if !ok || ref == "" || text == "" {
			return cli.UsageError("--override %q: write ACCOUNT=TEXT or ACCOUNT=@FILE", cli.Clip(cli.OneLine(override), 40))
		}
		if text, err = templateText(text); err != nil {
			return err
		}
		acct, err := account.ByName(ctx, s.App, c, ref)
		if err != nil {
			return err
		}
		list = append(list, apiv1.SourceOverride{SocialAccountID: acct.ID, Template: text})
	}
	e.Overrides = &list
	return nil
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// newestText returns how many of the newest items are meant.
func newestText(n int) string {
	if n == 1 {
		return "the newest item"
	}
	return "the newest " + strconv.Itoa(n) + " items"
}
