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
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

type testOptions struct{ settings }

func newTest(a *cli.App) *cobra.Command {
	o := &testOptions{settings{App: a}}
	cmd := cli.DeclareJSON[apiv1.SourcePreview](&cobra.Command{
		Use:   "test URL|SOURCE",
		Short: "Read a feed and show the posts that it would make",
		Long: `Read a feed and show what kind it is, how many items it has, by what they are known again,
what is unusual about it, and the posts of its newest three items: the text for each
account with its length, and the picture. Nothing is stored.

With the URL of a web page, the error names the feeds of the page. With a source, its
settings count, and flags change them for the test. Its secrets are not used: give them
again with --user or --header.

` + settingsHelp,
		Example: `  schedctl source test https://example.com/feed.xml
  schedctl source test https://example.com/feed.xml --to demo --template '{{fit .Title}} {{hashtags .Tags 3}} {{.Link}}'
  schedctl source test blog --include release`,
		Args:              cli.Args(1, 1, "the URL of a feed, or a source"),
		ValidArgsFunction: sources.Complete(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	o.add(cmd)
	return cmd
}

func (o *testOptions) run(ctx context.Context, ref string) error {
	request := apiv1.CreateSource{URL: ref, Name: "test"}
	old := apiv1.Source{Link: apiv1.SourceLink{Strip: true}}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if !strings.Contains(ref, "://") {
		if old, err = sources.Find(ctx, o.App, c, ref); err != nil {
			return err
		}
		request = stored(old)
	} else if !o.given("to") {
		o.to = []string{"all"}
		if request.SocialAccountIDs, err = account.Recipients(ctx, o.App, c, o.to); err != nil {
			return err
		}
	}
	e, err := o.change(ctx, &old)
	if err != nil {
		return err
	}
	if err := o.resolve(ctx, c, &e); err != nil {
		return err
	}
	preview, err := c.PreviewSource(ctx, overlay(request, e))
	if err != nil {
		return err
	}
	if o.JSON.Given {
		return o.PrintJSON(preview)
	}
	return o.Write([]byte(previewText(ctx, o.App, c, preview)))
}

// stored returns the request that would create a source again, without its secrets.
func stored(s apiv1.Source) apiv1.CreateSource {
	return apiv1.CreateSource{
		Name: s.Name, Kind: string(s.Kind), URL: cli.Deref(s.URL), Interval: s.Interval, Template: s.Template, SocialAccountIDs: s.SocialAccountIDs,
		Overrides: s.Overrides, QueueID: cli.Deref(s.QueueID), Mode: string(s.Mode), Filter: &s.Filter, Delay: s.Delay, MaxPerDay: s.MaxPerDay,
		Image: string(s.Image), ImageRequired: s.ImageRequired, Link: &s.Link, Identity: string(s.Identity), Labels: s.Labels, Language: cli.Deref(s.Language),
	}
}

// previewText describes what a feed would make.
func previewText(ctx context.Context, a *cli.App, c *client.Client, p apiv1.SourcePreview) string {
	var b strings.Builder
	b.Write(a.RenderProperties([]cli.Property{
		{Name: "Feed", Value: p.Title},
		{Name: "Format", Value: p.Format},
		{Name: "Items", Value: fmt.Sprint(p.Items)},
		{Name: "Known by", Value: string(p.KnownBy)},
		{Name: "Warnings", Value: strings.Join(p.Warnings, "; ")},
	}))
	names := account.Names(ctx, a, c)
	for _, post := range p.Posts {
		b.WriteString("\n" + a.Bold(cli.Clip(cli.OneLine(itemTitle(post.Item)), 100)) + "\n")
		if post.Item.State != schedctl.ItemWaiting {
			fmt.Fprintf(&b, "no post: %s\n", cli.OneLine(cli.FirstNonEmpty(cli.Deref(post.Item.Reason), string(post.Item.State))))
			continue
		}
		if post.Image != nil {
			fmt.Fprintf(&b, "picture: %s\n", cli.OneLine(*post.Image))
		}
		for _, t := range post.Texts {
			fmt.Fprintf(&b, "%s (%s, %s):\n%s", cli.OneLine(names([]string{t.SocialAccountID})), cli.OneLine(t.Platform), lengthText(t), content.Indented(t.Content))
			if t.Error != "" {
				fmt.Fprintf(&b, "  no post: %s\n", cli.OneLine(t.Error))
			}
		}
	}
	return b.String()
}

func lengthText(t apiv1.SourcePreviewText) string {
	if t.Limit == 0 {
		return fmt.Sprintf("%d %s", t.Length, cli.OneLine(t.Unit))
	}
	return fmt.Sprintf("%d of %d %s", t.Length, t.Limit, cli.OneLine(t.Unit))
}
