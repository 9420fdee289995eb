package post

import (
	"context"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
	"github.com/schedctl/schedctl/cmd/schedctl/queue"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

type seriesEditOptions struct {
	*cli.App
	text               cli.TextSource
	file, from         string
	to                 []string
	when               cli.WhenFlags // for --tz
	labels             labelFlags
	content            content.Flags
	repeat             repeatFlags
	queue              string
	noQueue, noVariant bool
}

// NewSeriesEdit returns the command series edit, which shares its flags with post edit.
func NewSeriesEdit(a *cli.App) *cobra.Command {
	o := &seriesEditOptions{App: a}
	cmd := cli.DeclareJSON[series.Changed](&cobra.Command{
		Use:   "edit SERIES [TEXT]",
		Short: "Change a series, or what follows an occurrence",
		Long: `Change the text, the accounts, the rule or another setting of a series. Without a flag, a
setting stays as it is. Scheduled posts of the series change as well, except those that
you changed alone. Published posts stay as they are.

With --from only this occurrence and later ones change: the series ends before it, and a
new series continues. To change a single occurrence, use "schedctl post edit" with the id
of its post, which "schedctl series occurrences" shows. --skip replaces the list of
skipped occurrences; "schedctl series skip" adds one to it.

` + repeatHelp + ` A
new rule makes no second post on a day on which the series has published one.`,
		Example: `  schedctl series edit questions "Any questions left?"
  schedctl series edit questions --repeat "weekly on wed at 10:00"
  schedctl series edit questions --to demo --from next
  schedctl series edit questions --from 2028-02-01 -F news.txt
  schedctl series edit questions --override-field demo=visibility=unlisted`,
		Args: cli.Args(1, 2, "a series and at most one text"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return series.All.Complete(a)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.text, err = cli.NewTextSource(args[1:], o.file); err != nil {
				return err
			}
			return o.run(cmd.Context(), args[0])
		},
	})
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	f.StringVar(&o.from, "from", "", "change only this `occurrence` and later ones: next, a local time, or a day")
	addToOrAccount(a, cmd, &o.to)
	o.repeat.add(cmd, "name")
	cmd.Flag("name").Usage = "a new `name`"
	o.repeat.addSettings(cmd)
	cmd.Flag("ahead-days").Usage = "how many `days` before its time a post is made: 1 to 60"
	cmd.Flag("skip").Usage = "skip this `occurrence`, as its local time (repeatable); replaces the list of skipped ones"
	f.BoolVar(&o.repeat.noSkip, "no-skip", false, "skip no occurrence")
	f.BoolVar(&o.noVariant, "no-variants", false, "remove all variants")
	f.StringVar(&o.queue, "queue", "", "take slots of this `queue`: its name or its id")
	f.BoolVar(&o.noQueue, "no-queue", false, "publish at the times of the rule, not in slots")
	o.content.Add(a, cmd)
	o.content.AddYes(cmd)
	o.content.AddRemovals(a)
	o.labels.add(cmd)
	o.labels.addNone(cmd)
	o.when.AddZone(cmd)
	cmd.RegisterFlagCompletionFunc("queue", queue.Queues.CompleteFlag(a))
	cmd.RegisterFlagCompletionFunc("from", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return series.CompleteOccurrences(a, args[0])(cmd, nil, typed)
	})
	return cmd
}

func (o *seriesEditOptions) run(ctx context.Context, ref string) error {
	if err := o.check(); err != nil {
		return err
	}
	c, s, err := series.All.Connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	occurrence := ""
	if o.from != "" {
		if occurrence, err = series.FindOccurrence(ctx, o.App, c, s, o.from); err != nil {
			return err
		}
	}
	edit, err := o.change(ctx, c, s, occurrence)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(edit, apiv1.EditSeries{}) {
		return cli.UsageError("nothing to change").WithHint("give a text, --repeat, --to, --name, --media, --queue or another setting")
	}
	// The request may replace overrides that were read before.
	options := []client.Option{client.IfVersion(s.Version)}
	var e apiv1.SeriesEnvelope
	if o.from == "" {
		e, err = c.EditSeries(ctx, s.ID, edit, options...)
	} else {
		e, err = c.EditSeriesFrom(ctx, s.ID, occurrence, edit, options...)
	}
	if schedctl.CodeOf(err) == schedctl.VersionMismatch {
		return cli.NewFailure(cli.ExitConflict, schedctl.VersionMismatch, "the series was changed in the meantime, and nothing was edited").WithHint("run the command again")
	}
	if err != nil {
		return series.All.Unknown(ref, err)
	}
	return series.PrintChanged(ctx, o.App, c, e, "Changed")
}

// check returns an error for flags that contradict each other.
func (o *seriesEditOptions) check() error {
	switch {
	case o.content.Splits() && !o.text.Given():
		return cli.UsageError("--thread and --thread-split need the text of all parts").WithHint("give it as an argument, or with -F FILE")
	}
	return o.content.Check()
}

// change returns the change that the flags describe. occurrence is that of --from, or
// empty.
func (o *seriesEditOptions) change(ctx context.Context, c *client.Client, s apiv1.Series, occurrence string) (e apiv1.EditSeries, err error) {
	if err := o.changeRule(&e, s, occurrence); err != nil {
		return e, err
	}
	if o.repeat.name != "" {
		e.Name = &o.repeat.name
	}
	if e.AheadDays, err = o.repeat.aheadDays(); err != nil {
		return e, err
	}
	if o.repeat.variants != nil || o.noVariant {
		variants, err := snippet.NewTexts(ctx, c).ExpandList(append([]string{}, o.repeat.variants...))
		if err != nil {
			return e, err
		}
		e.Variants = &variants
	}
	if o.noQueue {
		e.QueueID = new("")
	} else if id, err := queue.Queues.FlagID(ctx, o.App, c, o.queue); err != nil {
		return e, err
	} else if id != "" {
		e.QueueID = &id
	}
	skipped, err := o.repeat.skipped()
	if err != nil {
		return e, err
	}
	if skipped != nil {
		e.Exdates = &skipped
	}
	if e.Labels, err = o.labels.read(); err != nil {
		return e, err
	}
	if e.SocialAccountIDs, err = replacementAccounts(ctx, o.App, c, o.to); err != nil {
		return e, err
	}
	ids := s.SocialAccountIDs
	if e.SocialAccountIDs != nil {
		ids = *e.SocialAccountIDs
	}
	if o.content.Overrides.Given() {
		list, err := o.content.Overrides.Read(ctx, o.App, c, s.TargetOverrides, ids)
		if err != nil {
			return e, err
		}
		e.TargetOverrides = &list
	}
	return e, o.changeContent(ctx, c, &e, ids)
}

// changeRule adds the change of the rule and of the zone. The new rule starts on the day of
// the occurrence of --from at the earliest.
func (o *seriesEditOptions) changeRule(e *apiv1.EditSeries, s apiv1.Series, occurrence string) error {
	if o.when.TZ != "" {
		zone, err := o.when.ZoneName(o.App)
		if err != nil {
			return err
		}
		e.Timezone = &zone
	}
	if !o.repeat.given() {
		return nil
	}
	flags := o.when
	flags.Stored = s.Timezone
	now := o.Now()
	if occurrence != "" {
		loc, err := time.LoadLocation(s.Timezone)
		if err != nil {
			return err
		}
		day, _ := schedctl.LocalTime(schedctl.LocalTime(occurrence).Day() + "T00:00").In(loc)
		if day.After(now) {
			now = day.Add(-time.Minute)
		}
	}
	if err := o.repeat.read(o.App, &flags, now); err != nil {
		return err
	}
	e.Start, e.Rule = new(string(o.repeat.parsed.Start)), new(o.repeat.parsed.Rule.String())
	return nil
}

// changeContent adds the change of the text and of the rest of the content.
func (o *seriesEditOptions) changeContent(ctx context.Context, c *client.Client, e *apiv1.EditSeries, ids []string) (err error) {
	subject := content.Subject{Post: func() (apiv1.CreatePost, error) {
		return apiv1.CreatePost{SocialAccountIDs: ids, PublishAt: apiv1.Now()}, nil
	}}
	if o.text.Given() {
		text, err := o.ReadText(ctx, o.text)
		if err != nil {
			return err
		}
		subject.Text = &text
	}
	change, err := o.content.Change(ctx, o.App, c, subject)
	fields.Copy(e, change)
	return err
}
