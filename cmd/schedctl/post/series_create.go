package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/queue"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

// NewSeriesCreate returns the command series create, which shares its flags with post
// create.
func NewSeriesCreate(a *cli.App) *cobra.Command {
	o := &createOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Series](&cobra.Command{
		Use:   "create [TEXT]",
		Short: "Make a series",
		Long: `Make a series: a post that repeats. Its first posts are made at once, and the others 14
days ahead. The text and the other flags of posts are those of "schedctl post create".

` + repeatHelp + `

With --queue each occurrence takes the first free slot of the queue on its day, at or
after its time. With --variant the texts take turns: the first occurrence has the first
one. Variants replace the text. --skip leaves out occurrences. With --dry-run no series
is made; the output is that of "schedctl post validate" for the first post.`,
		Example: `  schedctl series create "Any questions?" --name questions --to demo --repeat "weekly on tue,thu at 9:00 until 2027-06-30"
  schedctl series create "Report" --name report --to demo --repeat "FREQ=MONTHLY;BYDAY=1MO at 9:00" --tz Europe/Berlin
  schedctl series create --name tips --variant "Tip one" --variant "Tip two" --to demo --repeat "weekdays at 12:00"
  schedctl series create "Open today" --to demo --repeat "daily at 9:00" --skip 2027-12-25T09:00
  schedctl series create -F news.txt --to all --repeat "daily at 9:00" --dry-run`,
		Args: cli.Args(0, 1, "one text"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.text, err = cli.NewTextSource(args, o.file); err != nil {
				return err
			}
			if !o.repeat.given() {
				return cli.UsageError("a series needs --repeat").WithHint(`give it with --repeat "weekly on tue at 9:00"`)
			}
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	addToOrAccount(a, cmd, &o.to)
	o.repeat.add(cmd, "name")
	o.repeat.addSettings(cmd)
	f.StringVar(&o.slot.queue, "queue", "", "take slots of this `queue`: its name or its id")
	o.content.Add(a, cmd)
	o.content.AddYes(cmd)
	o.when.AddZone(cmd)
	o.once.add(cmd)
	o.labels.add(cmd)
	f.StringVar(&o.externalID, "external-id", "", "your own `id` for the series, unique in the workspace; a repeated command creates no second series")
	addDryRun(cmd, &o.dry)
	cmd.RegisterFlagCompletionFunc("queue", queue.Queues.CompleteFlag(a))
	return cmd
}

// checkRepeat returns an error for flags that a series does not have.
func (o *createOptions) checkRepeat() error {
	switch {
	case !o.repeat.given() && o.repeat.name != "":
		return cli.UsageError("--%s is for a series", o.repeat.nameFlag).WithHint("give --repeat too")
	case !o.repeat.given():
		return nil
	case o.when.Given():
		return cli.UsageError("--repeat has times of its own, so it excludes --at, --in and --now").WithHint(`write the time in the repetition: --repeat "weekly on tue at 9:00"`)
	case o.slot.next || o.slot.notBefore != "":
		return cli.UsageError("--repeat excludes --next-slot and --not-before").WithHint("to take slots give --queue NAME, and a start in the repetition: \"daily at 9:00 from 2027-01-01\"")
	case o.wait:
		return cli.UsageError("--wait is for one post, and --repeat makes a series")
	case o.allowDuplicate || o.slot.allowBlackout:
		return cli.UsageError("--allow-duplicate and --allow-blackout are for one post, and --repeat makes a series")
	case o.content.HasNotes():
		return cli.UsageError("--title and --post-style are for one post, and --repeat makes a series")
	case len(o.to) == 0:
		return cli.InvalidError(schedctl.InvalidSocialAccounts, "a series needs an account").WithHint("give --to ACCOUNT, or --to all")
	}
	_, err := o.repeat.aheadDays()
	if err == nil {
		_, err = o.repeat.skipped()
	}
	return err
}

// seriesRequest returns the request for a series of a post.
func (o *createOptions) seriesRequest(p apiv1.CreatePost) (apiv1.CreateSeries, error) {
	s := apiv1.CreateSeries{
		Variants: o.repeat.variants, Timezone: o.repeat.zone, Start: string(o.repeat.parsed.Start), Rule: o.repeat.parsed.Rule.String(),
		MediaAssetIDs: p.MediaAssetIDs, QueueID: p.QueueID, ExternalID: p.ExternalID, Managed: p.Managed,
	}
	fields.Copy(&s, p)
	var err error
	if s.Exdates, err = o.repeat.skipped(); err != nil {
		return s, err
	}
	if s.AheadDays, err = o.repeat.aheadDays(); err != nil {
		return s, err
	}
	s.Name, err = o.repeat.seriesName(append([]string{p.Content}, o.repeat.variants...)...)
	return s, err
}

// createSeries creates the series of a post and prints it.
func (o *createOptions) createSeries(ctx context.Context, c *client.Client, p apiv1.CreatePost, write idempotentWrite) error {
	request, err := o.seriesRequest(p)
	if err == nil {
		request.Variants, err = snippet.NewTexts(ctx, c).ExpandList(request.Variants)
	}
	if err != nil {
		return err
	}
	var options []client.Option
	var replayed bool
	if write.key != "" {
		options = append(options, client.IdempotencyKey(write.key), client.Replayed(&replayed))
	}
	made, err := c.CreateSeries(ctx, request, options...)
	switch {
	case err == nil && !replayed:
		o.RememberID(cli.SeriesNoun, made.ID)
		if err := series.Print(ctx, o.App, c, made, "Created"); err != nil {
			return err
		}
		o.sayUnapproved(ctx, c, made)
		return nil
	case err == nil:
		return o.existingSeries(ctx, c, made.ID, err)
	case schedctl.CodeOf(err) == schedctl.IdempotencyKeyReused && client.CreatedBefore(err) != "":
		return o.existingSeries(ctx, c, client.CreatedBefore(err), err)
	case schedctl.CodeOf(err) == schedctl.ExternalIDExists:
		return o.sameSeries(ctx, c, request, err)
	case ctx.Err() != nil:
		return Interruption(o.App, "interrupted; the daemon may have created the series", "look with: schedctl series list")
	}
	return err
}

// sayUnapproved says that a new series waits for an approval before it makes posts. A
// series that may make posts has made its first one, whenever that is due.
func (o *createOptions) sayUnapproved(ctx context.Context, c *client.Client, s apiv1.Series) {
	if o.Quiet || o.JSON.Given || s.State != schedctl.SeriesActive {
		return
	}
	first, err := c.Occurrences(ctx, s.ID, client.OccurrenceQuery{After: o.Now(), Limit: 1})
	if err == nil && len(first.Results) == 1 && first.Results[0].State == apiv1.OccurrencePlanned {
		o.Messagef("the series makes no posts before another key has approved it; submit it with: schedctl series submit %s", s.ID)
	}
}

// existingSeries prints a series that an earlier run of the command has made.
func (o *createOptions) existingSeries(ctx context.Context, c *client.Client, id string, refused error) error {
	s, err := c.Series(ctx, id)
	if err != nil {
		if refused != nil {
			return refused
		}
		return err
	}
	o.Messagef("%s exists already, under the same idempotency key; no second series was created (see: schedctl help idempotency)", id)
	return series.Print(ctx, o.App, c, s, "Existing:")
}

// sameSeries prints the series that has the external id. It returns refused if that
// series differs from the requested one.
func (o *createOptions) sameSeries(ctx context.Context, c *client.Client, request apiv1.CreateSeries, refused error) error {
	list, err := c.SeriesList(ctx, client.SeriesQuery{ExternalID: o.externalID})
	if err != nil || len(list.Results) != 1 {
		return refused
	}
	s := list.Results[0]
	differs := ""
	switch {
	case s.State == schedctl.SeriesEnded:
		differs = "has ended"
	case s.Content != request.Content:
		differs = "has another text"
	case s.Rule != request.Rule || s.Timezone != request.Timezone:
		differs = "has another rule"
	}
	if differs != "" {
		return cli.NewFailure(cli.ExitConflict, schedctl.ExternalIDExists, "%s has the external id %s already, and %s", s.ID, o.externalID, differs).
			WithHint("use another external id, or see: schedctl series show " + s.ID)
	}
	o.Messagef("%s has the external id %s already, with the same text and rule; no changes were made", s.ID, o.externalID)
	return series.Print(ctx, o.App, c, s, "Existing:")
}
