package source

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type addOptions struct {
	settings
	take          int
	yes, untested bool
}

func newAdd(a *cli.App) *cobra.Command {
	o := &addOptions{settings: settings{App: a}}
	cmd := cli.DeclareJSON[apiv1.Source](&cobra.Command{
		Use:   "add URL",
		Short: "Add a source",
		Long: `Add a feed whose new items become posts: RSS, Atom or JSON Feed. The items that are
already in the feed make no posts. With --take N the newest N make drafts. The feed is
read first: an address without one is refused, and a web page names its feeds. On a
terminal you see what the newest items would make, and are asked.

` + settingsHelp + `

If the server asks for a name and a password, give --user and --secret-file; for a secret
header, --header and --secret-file. They are stored encrypted, and sent to the server of
the feed only.`,
		Example: `  schedctl source add https://example.com/feed.xml --name blog --to demo
  schedctl source add https://example.com/releases.atom --name releases --to all --mode submit
  schedctl source add https://example.com/feed.xml --name news --to demo --template '{{fit .Title}} {{.Link}}' --take 1`,
		Args: cli.Args(1, 1, "the URL of a feed"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	o.add(cmd)
	cmd.Flags().IntVar(&o.take, "take", 0, "make drafts of this `number` of the newest items, 1 to 10")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.untested, "no-test", false, "do not read the feed first")
	return cmd
}

func (o *addOptions) run(ctx context.Context, url string) error {
	if o.name == "" || len(o.to) == 0 {
		return cli.UsageError("a source needs --name and --to").WithHint("for example: --name blog --to demo")
	}
	if o.given("take") && (o.take < 1 || o.take > schedctl.MaxSourceTake) {
		return cli.UsageError("--take %d: give 1 to %d", o.take, schedctl.MaxSourceTake)
	}
	request, err := o.request(ctx, url)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if err := o.resolveNew(ctx, c, &request); err != nil {
		return err
	}
	if err := o.test(ctx, c, request); err != nil {
		return err
	}
	added, err := c.CreateSource(ctx, request)
	if err != nil {
		return err
	}
	o.RememberID(cli.SourceNoun, added.Source.ID)
	if err := printChanged(ctx, o.App, c, added.Source, "Added"); err != nil {
		return err
	}
	if o.OutTerminal && !o.Quiet && !o.JSON.Given {
		o.Messagef("%s; see what it finds: schedctl source items %s", firstText(o.take), added.Source.ID)
	}
	return nil
}

// test reads the feed of a new source. On a terminal it shows what the feed would make, and asks.
func (o *addOptions) test(ctx context.Context, c *client.Client, request apiv1.CreateSource) error {
	if o.untested {
		return nil
	}
	preview, err := c.PreviewSource(ctx, request)
	if err != nil {
		return err
	}
	if !o.ErrTerminal {
		for _, warning := range preview.Warnings {
			o.Messagef("warning: %s", warning)
		}
		return nil
	}
	o.Message(previewText(ctx, o.App, c, preview))
	if o.yes {
		return nil
	}
	return o.Confirm(ctx, fmt.Sprintf("Add %s?", o.name))
}

// firstText returns what the first fetch makes.
func firstText(take int) string {
	if take == 0 {
		return "items that are in the feed now make no posts"
	}
	return fmt.Sprintf("%s will make drafts", newestText(take))
}

// request returns the request that the flags describe, without accounts and queues.
func (o *addOptions) request(ctx context.Context, url string) (apiv1.CreateSource, error) {
	e, err := o.change(ctx, nil)
	if err != nil {
		return apiv1.CreateSource{}, err
	}
	e.URL = &url
	return overlay(apiv1.CreateSource{Take: o.take}, e), nil
}

// overlay returns a request with the fields of a change. Both requests have the same names.
func overlay(r apiv1.CreateSource, e apiv1.EditSource) apiv1.CreateSource {
	text, _ := json.Marshal(e)
	json.Unmarshal(text, &r)
	return r
}

func (o *addOptions) resolveNew(ctx context.Context, c *client.Client, r *apiv1.CreateSource) error {
	var e apiv1.EditSource
	if err := o.resolve(ctx, c, &e); err != nil {
		return err
	}
	r.SocialAccountIDs, r.QueueID, r.Overrides = cli.Deref(e.SocialAccountIDs), cli.Deref(e.QueueID), cli.Deref(e.Overrides)
	return nil
}
