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
	take int
}

func newAdd(a *cli.App) *cobra.Command {
	o := &addOptions{settings: settings{App: a}}
	cmd := cli.DeclareJSON[apiv1.Source](&cobra.Command{
		Use:   "add URL",
		Short: "Add a source",
		Long: `Add a feed whose new items become posts: RSS, Atom or JSON Feed. The items that are
already in the feed make no posts. With --take N the newest N make drafts.

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
	r := newSource(e)
	r.Take = o.take
	return r, nil
}

// newSource returns the request for a source that has the fields of a change. Both requests
// have the same names.
func newSource(e apiv1.EditSource) (r apiv1.CreateSource) {
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
