package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// itemNoun is what arguments of commands about items name.
var itemNoun = cli.Noun{Word: "item", Command: "source items", Prefix: schedctl.SourceItemPrefix}

const itemPage = 100

type itemsOptions struct {
	*cli.App
	state string
	limit cli.ListLimit
	all   bool
}

func newItems(a *cli.App) *cobra.Command {
	o := &itemsOptions{App: a}
	states := cli.Strings(schedctl.ItemStates())
	cmd := cli.DeclareJSON[apiv1.SourceItem](sources.OnOne(a, &cobra.Command{
		Use:   "items SOURCE",
		Short: "List the items of a source",
		Long: `List the items of a source, newest first, with what became of each and why.

  baseline    in the feed when the source was added
  waiting     makes a post after the delay, or when a limit allows it
  held        one of too many; see: schedctl source release
  posted      made a post
  filtered    not selected by the filter
  old         published long before the newest known item
  duplicate   another source made a post of the same address
  over_limit  waited for 7 days
  failed      could not become a post
  skipped     by a person
  changed     the feed changed it after its post was made`,
		Example: `  schedctl source items blog
  schedctl source items blog --state failed --json=title,reason`,
	}, func(ctx context.Context, ref string) error { return o.run(ctx, ref, states) }))
	f := cmd.Flags()
	f.StringVar(&o.state, "state", "", "only items in this `state`")
	o.limit.Add(cmd, "items")
	f.BoolVar(&o.all, "all", false, "all items")
	cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(states, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *itemsOptions) run(ctx context.Context, ref string, states []string) error {
	if o.state != "" && !slices.Contains(states, o.state) {
		return cli.UnknownValueError("--state", o.state, states)
	}
	if err := o.limit.Check(); err != nil {
		return err
	}
	c, id, err := sources.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	most := o.limit.Max(o.App, o.all)
	items, more, err := cli.Collect(c.EachSourceItem(ctx, id, client.SourceItemQuery{State: schedctl.ItemState(o.state), Limit: min(most, itemPage)}), most)
	if err != nil {
		return sources.Unknown(ref, err)
	}
	if err := printItems(o.App, items...); err != nil {
		return err
	}
	switch {
	case more && o.OutTerminal:
		o.Messagef("there are more; use --limit or --all")
	case len(items) == 0 && o.ErrTerminal:
		o.Messagef("no items; see when the feed is read: schedctl source show %s", ref)
	}
	return nil
}

func printItems(a *cli.App, items ...apiv1.SourceItem) error {
	layout := cli.Table{Header: []string{"ID", "STATE", "SEEN", "POST", "REASON", "TITLE"}, Status: 1, Excerpt: true}
	id := func(i apiv1.SourceItem) string { return i.ID }
	return cli.PrintList(a, items, id, layout, func(i apiv1.SourceItem) []string {
		return []string{i.ID, string(i.State), a.TimeText(i.FirstSeenAt), cli.Deref(i.PostID), cli.Deref(i.Reason), itemTitle(i)}
	})
}

// itemTitle returns the title of an item, or else its address.
func itemTitle(i apiv1.SourceItem) string {
	return cli.FirstNonEmpty(i.Title, cli.Deref(i.Link))
}

type releaseOptions struct {
	*cli.App
	take int
	none bool
}

func newRelease(a *cli.App) *cobra.Command {
	o := &releaseOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Source](sources.OnOne(a, &cobra.Command{
		Use:   "release SOURCE",
		Short: "Decide about too many new items",
		Long: `Continue a source that is held because its feed had too many new items at once, or
because all items of the feed were new. "schedctl source items SOURCE --state held" lists
them. With --take N the newest N make posts; the others make none. With --none no held
item makes a post.`,
		Example: `  schedctl source release blog --take 3
  schedctl source release blog --none`,
	}, o.run))
	cmd.Flags().IntVar(&o.take, "take", 0, "make posts of this `number` of the newest held items, 1 to 50")
	cmd.Flags().BoolVar(&o.none, "none", false, "make no posts of the held items")
	return cmd
}

func (o *releaseOptions) run(ctx context.Context, ref string) error {
	switch {
	case o.none && o.take != 0:
		return cli.UsageError("--take and --none exclude each other")
	case !o.none && o.take == 0:
		return cli.UsageError("schedctl source release needs --take or --none").WithHint("list the held items with: schedctl source items " + ref + " --state held")
	case o.take < 0 || o.take > schedctl.MaxSourcePerDay:
		return cli.UsageError("--take %d: give 1 to %d", o.take, schedctl.MaxSourcePerDay)
	}
	c, id, err := sources.ConnectID(ctx, o.App, ref)
	if err != nil {
		return err
	}
	s, err := c.ReleaseSource(ctx, id, o.take)
	if err != nil {
		return sources.Unknown(ref, err)
	}
	what := "no held item makes a post"
	if o.take > 0 {
		what = newestText(o.take) + " will make posts"
	}
	return sources.PrintOne(o.App, s, fmt.Sprintf("Released %s: %s", o.Bold(sources.Label(s)), what))
}

func newItem(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:     "item",
		Short:   "Decide about single items",
		Long:    `Decide about single items of a source. "schedctl source items" lists them.`,
		Example: `  schedctl source item skip blog itm_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
	})
	cmd.AddCommand(newItemStep(a, itemStep{
		use: "post", short: "Make the post of an item", run: (*client.Client).PostSourceItem,
		long: `Make the post of an item that made none, or that the feed changed after its post was made.
The filter and the limits of the source do not count.`,
	}))
	cmd.AddCommand(newItemStep(a, itemStep{
		use: "skip", short: "Make no post of an item", run: (*client.Client).SkipSourceItem,
		long: `Make no post of an item that waits. An item that made a post cannot be skipped: cancel the
post.`,
	}))
	return cmd
}

// itemStep is a command about one item.
type itemStep struct {
	use, short, long string
	run              func(*client.Client, context.Context, string, string, ...client.Option) (apiv1.SourceItem, error)
}

func newItemStep(a *cli.App, s itemStep) *cobra.Command {
	return cli.DeclareJSON[apiv1.SourceItem](&cobra.Command{
		Use:   s.use + " SOURCE ITEM",
		Short: s.short,
		Long:  s.long,
		Example: `  schedctl source item ` + s.use + ` blog itm_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl source item ` + s.use + ` @last itm_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=state`,
		Args:              cli.Args(2, 2, "a source and an item"),
		ValidArgsFunction: completeItem(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runItemStep(cmd.Context(), a, s, args[0], args[1])
		},
	})
}

func runItemStep(ctx context.Context, a *cli.App, s itemStep, ref, item string) error {
	c, id, err := sources.ConnectID(ctx, a, ref)
	if err != nil {
		return err
	}
	label := func(i apiv1.SourceItem) string { return cli.Clip(cli.OneLine(itemTitle(i)), 40) }
	itemID, err := cli.FindID(a, itemNoun, item, c.EachSourceItem(ctx, id, client.SourceItemQuery{Limit: itemPage}), "items", func(i apiv1.SourceItem) string { return i.ID }, label)
	if err != nil {
		return err
	}
	changed, err := s.run(c, ctx, id, itemID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return cli.WithMessage(err, fmt.Sprintf("%s has no item %q; see: schedctl source items %s", ref, cli.Clip(item, 60), ref))
	}
	if err != nil {
		return err
	}
	sentence := fmt.Sprintf("%s: %s", a.Bold(cli.Clip(cli.OneLine(itemTitle(changed)), 60)), strings.ReplaceAll(string(changed.State), "_", " "))
	if changed.PostID != nil {
		sentence += " as " + *changed.PostID
	}
	return cli.PrintOne(a, changed, sentence, printItems)
}

// completeItem offers sources and then their items.
func completeItem(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return sources.Complete(a)(cmd, args, text)
		}
		return a.CompleteFrom(2, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
			id, err := sources.FindID(ctx, a, c, args[0])
			if err != nil {
				return nil, err
			}
			page, err := c.SourceItems(ctx, id, client.SourceItemQuery{Limit: 50})
			return cli.Map(page.Results, func(i apiv1.SourceItem) string {
				return fmt.Sprintf("%s\t%s: %s", i.ID, i.State, cli.Clip(cli.OneLine(itemTitle(i)), 40))
			}), err
		})(cmd, args, text)
	}
}
