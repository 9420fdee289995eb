package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// sources finds and prints sources.
var sources = cli.Kind[apiv1.Source]{
	Noun:   cli.SourceNoun,
	Advice: "add one with: schedctl source add URL --name NAME --to ACCOUNT",
	Get:    (*client.Client).Source,
	List:   (*client.Client).Sources,
	ID:     func(s apiv1.Source) string { return s.ID },
	Name:   func(s apiv1.Source) *string { return &s.Name },
	About:  origin,
	Remove: (*client.Client).DeleteSource,
	Header: []string{"ID", "STATE", "NAME", "MODE", "TODAY", "LAST", "NEXT", "URL"},
	Row:    row,

	CompleteNames: true,
}

// New returns the command source.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "source",
		Short: "Make posts of what appears in a feed",
		Long: `Make posts of what appears in a feed: of a blog, a podcast, the releases of a project or
the videos of a channel.

A source reads a feed and makes a post of each new item, at most once. Items that are in
the feed when you add it make no posts. By default the posts are drafts. A source never
does more than your API key may, and it stops when the key ends.

Give the id or the name of a source.`,
		Example: `  schedctl source add https://example.com/feed.xml --name blog --to demo
  schedctl source items blog`,
	})
	cmd.AddCommand(newAdd(a), newList(a), newShow(a), newEdit(a), newItems(a), newItem(a), newRelease(a), newRemove(a), newFetch(a), newTest(a))
	cmd.AddCommand(newStep(a, step{
		use: "pause", short: "Stop a source for now", done: "Paused", run: (*client.Client).PauseSource,
		long: `Stop a source until "schedctl source resume". Items that appear in its
feed before then make posts after it. The posts that it made stay.`,
	}))
	cmd.AddCommand(newStep(a, step{
		use: "resume", short: "Continue a source", done: "Resumed", run: (*client.Client).ResumeSource,
		long: `Continue a source that is paused, that fails, or that is held because its API key ended
or because its feed has moved. The source then acts for your key, or reads the new
address. A source that is held because of too many new items continues with
"schedctl source release".`,
	}))
	return cmd
}

// origin returns where the items of a source come from.
func origin(s apiv1.Source) string {
	if s.URL == nil {
		return "items that another program sends"
	}
	return *s.URL
}

func row(a *cli.App, s apiv1.Source) []string {
	return []string{s.ID, string(s.State), s.Name, string(s.Mode), fmt.Sprint(s.ItemsToday), a.TimeText(s.LastSuccessAt), a.TimeText(s.NextFetchAt), cli.Deref(s.URL)}
}

func newList(a *cli.App) *cobra.Command {
	k := sources
	if a.OutTerminal { // which has no room for addresses
		k.Header = []string{"ID", "STATE", "NAME", "MODE", "TODAY", "LAST", "NEXT"}
		k.Row = func(a *cli.App, s apiv1.Source) []string { return row(a, s)[:7] }
	}
	return cli.DeclareJSON[apiv1.Source](k.OnList(a, &cobra.Command{
		Use:   "list",
		Short: "List sources",
		Long: `List sources, the oldest first: their states, how many posts each made in the last 24
hours, when its feed was last read without an error, and when it is read next.`,
		Example: `  schedctl source list
  schedctl source list --jq '.[] | select(.state == "held") | .name'`,
	}))
}

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Source](sources.OnOne(a, &cobra.Command{
		Use:   "show SOURCE",
		Short: "Show a source",
		Long: `Show everything about a source except its secrets: what it reads, what it makes, what is
unusual about its feed, and why it makes no posts.`,
		Example: `  schedctl source show blog
  schedctl source show blog --json=state,error`,
	}, func(ctx context.Context, ref string) error {
		c, s, err := sources.Connect(ctx, a, ref)
		if err != nil {
			return err
		}
		return a.PrintObject(s, s.ID, properties(a, s, account.Names(ctx, a, c)))
	}))
}

func properties(a *cli.App, s apiv1.Source, names func([]string) string) []cli.Property {
	fault := cli.Deref(s.Error)
	pairs := []cli.Property{
		{Name: "ID", Value: s.ID},
		{Name: "Name", Value: s.Name},
		{Name: "State", Value: string(s.State)},
		{Name: "Reason", Value: fault.Message},
		{Name: "Since", Value: a.TimeText(fault.Since)},
		{Name: "URL", Value: cli.Deref(s.URL)},
		{Name: "Every", Value: s.Interval},
		{Name: "Mode", Value: string(s.Mode)},
		{Name: "Queue", Value: cli.Deref(s.QueueID)},
		{Name: "Accounts", Value: names(s.SocialAccountIDs)},
		{Name: "Template", Value: s.Template},
		{Name: "Delay", Value: s.Delay},
		{Name: "Per day", Value: fmt.Sprint(s.MaxPerDay)},
		{Name: "Filter", Value: filterText(s.Filter)},
		{Name: "Picture", Value: pictureText(s)},
		{Name: "Links", Value: linkText(s.Link)},
		{Name: "Labels", Value: strings.Join(s.Labels, ", ")},
		{Name: "Language", Value: cli.Deref(s.Language)},
		{Name: "Secrets", Value: strings.Join(s.Secrets, " ")},
		{Name: "Known by", Value: string(s.KnownBy)},
		{Name: "Warnings", Value: strings.Join(s.Warnings, "; ")},
		{Name: "Last read", Value: a.TimeText(s.LastFetchAt)},
		{Name: "Last success", Value: a.TimeText(s.LastSuccessAt)},
		{Name: "Next", Value: a.TimeText(s.NextFetchAt)},
		{Name: "Made today", Value: fmt.Sprint(s.ItemsToday)},
		{Name: "API key", Value: s.APIKeyID},
		{Name: "Collection", Value: cli.Deref(s.Managed).Collection},
		{Name: "File", Value: cli.Deref(s.Managed).Path},
		{Name: "Created", Value: a.TimeText(s.CreatedAt)},
		{Name: "Updated", Value: a.TimeText(s.UpdatedAt)},
	}
	if next := remedy(s); next != "" && a.OutTerminal {
		pairs = append(pairs, cli.Property{Name: "To do", Value: next})
	}
	return pairs
}

// remedy returns the command that continues a source, empty for an active one.
func remedy(s apiv1.Source) string {
	switch {
	case s.State == schedctl.SourceHeld && s.Error != nil && s.Error.Code == schedctl.SourceFlood:
		return "schedctl source items " + s.ID + " --state held"
	case s.State == schedctl.SourceHeld || s.State == schedctl.SourcePaused:
		return "schedctl source resume " + s.ID
	}
	return ""
}

func filterText(f apiv1.SourceFilter) string {
	var parts []string
	for _, p := range []struct {
		word string
		list []string
	}{{"with", f.Include}, {"without", f.Exclude}, {"category", f.Categories}, {"author", f.Authors}} {
		if len(p.list) > 0 {
			parts = append(parts, p.word+" "+strings.Join(p.list, ", "))
		}
	}
	if f.TitleRegex != "" {
		parts = append(parts, "title matches "+f.TitleRegex)
	}
	if f.Prereleases {
		parts = append(parts, "also prereleases")
	}
	return strings.Join(parts, "; ")
}

func pictureText(s apiv1.Source) string {
	if s.ImageRequired {
		return string(s.Image) + ", required"
	}
	return string(s.Image)
}

func linkText(l apiv1.SourceLink) string {
	var parts []string
	if l.Strip {
		parts = append(parts, "without tracking")
	}
	for _, key := range sortedKeys(l.Params) {
		parts = append(parts, key+"="+l.Params[key])
	}
	return strings.Join(parts, ", ")
}

// printChanged prints a source that was added or changed.
func printChanged(ctx context.Context, a *cli.App, c *client.Client, s apiv1.Source, done string) error {
	sentence := ""
	if a.OutTerminal && !a.Quiet && !a.JSON.Given {
		names := account.Names(ctx, a, c)
		sentence = fmt.Sprintf("%s %s: %s for %s", done, a.Bold(sources.Label(s)), madeText(s.Mode), names(s.SocialAccountIDs))
	}
	return sources.PrintOne(a, s, sentence)
}

// madeText returns what a source makes.
func madeText(m schedctl.SourceMode) string {
	switch m {
	case schedctl.SourceSubmit:
		return "drafts that wait for an approval"
	case schedctl.SourceNextSlot:
		return "posts in the next free slots"
	case schedctl.SourceNow:
		return "posts that are published at once"
	}
	return "drafts"
}

func newRemove(a *cli.App) *cobra.Command {
	ask := func(s apiv1.Source) string {
		return fmt.Sprintf("Remove %s? Its posts stay.", sources.Label(s))
	}
	return cli.DeclareJSON[cli.Removal](sources.OnRemoval(a, &cobra.Command{
		Use:   "remove SOURCE",
		Short: "Remove a source",
		Long: `Remove a source. Its posts stay. If you add the same address again within 90 days, the
items that made posts make no second ones.`,
		Example: `  schedctl source remove blog
  schedctl source remove src_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, ask, "Removed"))
}

// step is a command that continues or stops a source.
type step struct {
	use, short, long, done string
	run                    func(*client.Client, context.Context, string, ...client.Option) (apiv1.Source, error)
}

func newStep(a *cli.App, s step) *cobra.Command {
	return cli.DeclareJSON[apiv1.Source](sources.OnOne(a, &cobra.Command{
		Use:   s.use + " SOURCE",
		Short: s.short,
		Long:  s.long,
		Example: `  schedctl source ` + s.use + ` blog
  schedctl source ` + s.use + ` @last --json=state`,
	}, func(ctx context.Context, ref string) error {
		c, id, err := sources.ConnectID(ctx, a, ref)
		if err != nil {
			return err
		}
		changed, err := s.run(c, ctx, id)
		if err != nil {
			return sources.Unknown(ref, err)
		}
		return sources.PrintOne(a, changed, fmt.Sprintf("%s %s", s.done, a.Bold(sources.Label(changed))))
	}))
}
