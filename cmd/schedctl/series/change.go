package series

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newSkip(a *cli.App) *cobra.Command {
	var undo bool
	cmd := cli.DeclareJSON[Changed](&cobra.Command{
		Use:   "skip SERIES OCCURRENCE",
		Short: "Skip one occurrence of a series",
		Long: `Skip one occurrence of a series. Its scheduled post is removed, and does not come back.
With --undo, an occurrence that was skipped, canceled or deleted takes place again.

OCCURRENCE is "next", a local time as "schedctl series occurrences" shows it, or a day
on which the series has one occurrence. Other times are read in the zone of the series.`,
		Example: `  schedctl series skip questions next
  schedctl series skip questions 2028-01-04T09:00
  schedctl series skip questions 2028-01-04T09:00 --undo`,
		Args:              cli.Args(2, 2, "a series and one of its occurrences"),
		ValidArgsFunction: completeOccurrence(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return skip(cmd.Context(), a, args[0], args[1], undo)
		},
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "let the occurrence take place again")
	return cmd
}

func skip(ctx context.Context, a *cli.App, ref, text string, undo bool) error {
	c, s, err := All.Connect(ctx, a, ref)
	if err != nil {
		return err
	}
	if undo && text == nextOccurrence {
		return cli.UsageError("--undo needs the time of the occurrence").WithHint("see: schedctl series occurrences " + s.ID)
	}
	occurrence, err := FindOccurrence(ctx, a, c, s, text)
	if err != nil {
		return err
	}
	if undo {
		return unskip(ctx, a, c, s, occurrence)
	}
	e, err := c.SkipOccurrence(ctx, s.ID, occurrence)
	if err != nil {
		return All.Unknown(ref, err)
	}
	return PrintChanged(ctx, a, c, e, "Skipped "+occurrence+" of")
}

func unskip(ctx context.Context, a *cli.App, c *client.Client, s apiv1.Series, occurrence string) error {
	i := slices.Index(s.Exdates, occurrence)
	if i < 0 {
		return cli.NewFailure(cli.ExitConflict, cli.CodeOther, "%s of %s is not skipped", occurrence, All.Label(s)).
			WithHint("see: schedctl series occurrences " + s.ID)
	}
	exdates := slices.Delete(slices.Clone(s.Exdates), i, i+1)
	e, err := c.EditSeries(ctx, s.ID, apiv1.EditSeries{Exdates: &exdates}, client.IfVersion(s.Version))
	if err != nil {
		return err
	}
	return PrintChanged(ctx, a, c, e, occurrence+" takes place again in")
}

// onChange sets up a command that changes one series without further input.
func onChange(a *cli.App, cmd *cobra.Command, change func(*client.Client, context.Context, string, ...client.Option) (apiv1.SeriesEnvelope, error), done string) *cobra.Command {
	return cli.DeclareJSON[Changed](All.OnOne(a, cmd, func(ctx context.Context, ref string) error {
		c, id, err := All.ConnectID(ctx, a, ref)
		if err != nil {
			return err
		}
		e, err := change(c, ctx, id)
		if err != nil {
			return All.Unknown(ref, err)
		}
		return PrintChanged(ctx, a, c, e, done)
	}))
}

func newPause(a *cli.App) *cobra.Command {
	return onChange(a, &cobra.Command{
		Use:   "pause SERIES",
		Short: "Publish no posts of a series until you resume it",
		Long: `Pause a series. Its scheduled posts are removed, except those that you changed alone.
"schedctl series resume" makes them again, as far as their times are in the future.`,
		Example: `  schedctl series pause questions
  schedctl series pause ser_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
	}, (*client.Client).PauseSeries, "Paused")
}

func newResume(a *cli.App) *cobra.Command {
	return onChange(a, &cobra.Command{
		Use:   "resume SERIES",
		Short: "Continue a paused series",
		Long: `Continue a paused series with its next occurrence. Occurrences during the pause are not
published.`,
		Example: `  schedctl series resume questions
  schedctl series resume ser_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
	}, (*client.Client).ResumeSeries, "Resumed")
}

func newEnd(a *cli.App) *cobra.Command {
	var yes bool
	cmd := cli.DeclareJSON[Changed](All.OnOne(a, &cobra.Command{
		Use:   "end SERIES",
		Short: "End a series",
		Long: `End a series permanently and remove its scheduled posts, also those that you changed
alone. Published posts stay. An ended series can still be shown.`,
		Example: `  schedctl series end questions
  schedctl series end ser_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, func(ctx context.Context, ref string) error {
		c, s, err := All.Connect(ctx, a, ref)
		if err != nil {
			return err
		}
		if !yes {
			if err := a.Confirm(ctx, fmt.Sprintf("End %s for good, and remove its scheduled posts?", All.Label(s))); err != nil {
				return err
			}
		}
		e, err := c.EndSeries(ctx, s.ID)
		if err != nil {
			return err
		}
		return PrintChanged(ctx, a, c, e, "Ended")
	}))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func newDelete(a *cli.App) *cobra.Command {
	ask := func(s apiv1.Series) string {
		return fmt.Sprintf("Delete %s for good, with its scheduled posts?", All.Label(s))
	}
	return cli.DeclareJSON[cli.Removal](All.OnRemoval(a, &cobra.Command{
		Use:   "delete SERIES",
		Short: "Delete a series",
		Long: `Delete a series permanently, with its scheduled posts, also those that you changed alone.
Published posts stay. To keep the series itself, use "schedctl series end".`,
		Example: `  schedctl series delete questions
  schedctl series delete ser_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, ask, "Deleted"))
}
