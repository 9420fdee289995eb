package source

import (
	"context"
	"reflect"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type editOptions struct {
	settings
	url                string
	noFilter, noLabels bool
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{settings: settings{App: a}}
	cmd := cli.DeclareJSON[apiv1.Source](sources.OnOne(a, &cobra.Command{
		Use:   "edit SOURCE",
		Short: "Change a source",
		Long: `Change the settings of a source. What you do not give stays as it is. A flag that can be
repeated replaces the whole list. Posts that exist do not change.

` + settingsHelp + `

If you change the mode or the accounts, the source acts for your API key from then on.
A new address keeps the known items, and removes the secrets of the old one.`,
		Example: `  schedctl source edit blog --mode submit
  schedctl source edit blog --include release --include security
  schedctl source edit blog --template @news.txt --every 1h`,
	}, o.run))
	o.add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.url, "feed", "", "the new address of the feed, a `URL`")
	f.BoolVar(&o.noFilter, "no-filter", false, "select all items except prereleases")
	f.BoolVar(&o.noLabels, "no-labels", false, "give the posts no labels")
	cmd.RegisterFlagCompletionFunc("feed", cobra.NoFileCompletions)
	return cmd
}

func (o *editOptions) run(ctx context.Context, ref string) error {
	blank, err := o.change(ctx, &apiv1.Source{})
	if err != nil {
		return err
	}
	if reflect.DeepEqual(blank, apiv1.EditSource{}) && !o.given("to") && !o.given("queue") && !o.given("override") && o.url == "" && !o.noFilter && !o.noLabels {
		return cli.UsageError("nothing to change").WithHint("give --mode, --template, --to, --every or another flag; see: schedctl source edit --help")
	}
	c, s, err := sources.Connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	e, err := o.edit(ctx, c, blank, &s)
	if err != nil {
		return err
	}
	changed, err := c.EditSource(ctx, s.ID, e, client.IfVersion(s.Version))
	if err != nil {
		return err
	}
	return printChanged(ctx, o.App, c, changed, "Changed")
}

// edit adds to a change what depends on the source or on the daemon.
func (o *editOptions) edit(ctx context.Context, c *client.Client, e apiv1.EditSource, s *apiv1.Source) (apiv1.EditSource, error) {
	filter := s.Filter
	if o.noFilter {
		filter = apiv1.SourceFilter{}
	}
	e.Filter = o.filter(filter)
	if o.noFilter && e.Filter == nil {
		e.Filter = &filter
	}
	if e.Mode != nil && *e.Mode != string(schedctl.SourceNextSlot) && s.QueueID != nil {
		e.QueueID = new("") // no other mode has one
	}
	if o.noLabels {
		e.Labels = &[]string{}
	}
	if o.url != "" {
		e.URL = &o.url
	}
	var err error
	if e.Link, err = o.link(s.Link); err != nil {
		return e, err
	}
	return e, o.resolve(ctx, c, &e)
}
