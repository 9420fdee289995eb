package series

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newSubmit(a *cli.App) *cobra.Command {
	var note string
	cmd := onChange(a, &cobra.Command{
		Use:   "submit SERIES",
		Short: "Ask for the approval of a series",
		Long: `Ask for the approval of a series. Where posts need an approval, a series makes no posts
before it is approved. Its posts are then approved with it. An edit of the text, the
accounts or the rule asks again.

The exit status is 6 when the series waits for an approval already, or is approved.`,
		Example: `  schedctl series submit questions
  schedctl series submit questions --note "every week until autumn"`,
	}, func(c *client.Client, ctx context.Context, id string, options ...client.Option) (apiv1.SeriesEnvelope, error) {
		return c.SubmitSeries(ctx, id, apiv1.SubmitSeries{Note: given(note)}, options...)
	}, "Submitted")
	cmd.Flags().StringVarP(&note, "note", "m", "", "a `text` for the reviewers")
	return cmd
}

// decision are the flags of "series approve" and "series request-changes".
type decision struct {
	*cli.App
	note    string
	version int64
	yes     bool
}

func (d *decision) add(cmd *cobra.Command, note string) {
	cmd.Flags().StringVarP(&d.note, "note", "m", "", note)
	cmd.Flags().Int64Var(&d.version, "version", 0, "fail if the series has another version than this `number`")
}

// read returns a series in the version that the decision is about.
func (d *decision) read(ctx context.Context, ref string) (*client.Client, apiv1.Series, error) {
	c, s, err := All.Connect(ctx, d.App, ref)
	if err == nil && d.version != 0 && s.Version != d.version {
		err = cli.NewFailure(cli.ExitConflict, schedctl.VersionMismatch, "the series has version %d, and not %d; review it again", s.Version, d.version)
	}
	return c, s, err
}

func newApprove(a *cli.App) *cobra.Command {
	d := &decision{App: a}
	cmd := cli.DeclareJSON[Changed](All.OnOne(a, &cobra.Command{
		Use:   "approve SERIES",
		Short: "Approve a series",
		Long: `Approve a series that was submitted. It then makes its posts, which are approved with it.

On a terminal the command shows the text and the rule, and asks. In scripts, give the
version that was reviewed with --version; "schedctl series show --json" has it.

You need a key with the scope posts:approve. The key that submitted the series, and the
key that edited it last, cannot approve it. The exit status is then 4; it is 6 when the
series does not wait for an approval or has another version.`,
		Example: `  schedctl series approve questions
  schedctl series approve questions --version 2 --yes`,
	}, d.approve))
	d.add(cmd, "a `text` for the author")
	cmd.Flags().BoolVarP(&d.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (d *decision) approve(ctx context.Context, ref string) error {
	c, s, err := d.read(ctx, ref)
	if err != nil {
		return err
	}
	if !d.yes && d.InTerminal && d.ErrTerminal && !d.NoInput {
		d.Messagef("%s, %s (%s):", All.Label(s), Words(s), s.Timezone)
		for _, text := range append([]string{s.Content}, s.Variants...) {
			d.Message(text)
		}
		if err := d.Confirm(ctx, "Approve this series?"); err != nil {
			return err
		}
	}
	e, err := c.ApproveSeries(ctx, s.ID, apiv1.ApproveSeries{Note: given(d.note)}, client.IfVersion(s.Version))
	if err != nil {
		return All.Unknown(ref, err)
	}
	return PrintChanged(ctx, d.App, c, e, "Approved")
}

func newRequestChanges(a *cli.App) *cobra.Command {
	d := &decision{App: a}
	cmd := cli.DeclareJSON[Changed](All.OnOne(a, &cobra.Command{
		Use:   "request-changes SERIES --note TEXT",
		Short: "Ask the author of a series to change it",
		Long: `Ask the author of a submitted series to change it. The note says what has to change. The
series leaves the review until it is submitted again.

You need a key with the scope posts:approve. The exit status is 4 for your own request,
and 6 when the series does not wait for an approval.`,
		Example: `  schedctl series request-changes questions --note "not on holidays"`,
	}, d.requestChanges))
	d.add(cmd, "what has to change: a `text`")
	return cmd
}

func (d *decision) requestChanges(ctx context.Context, ref string) error {
	if d.note == "" {
		return cli.UsageError("schedctl series request-changes needs --note, which says what has to change")
	}
	c, s, err := d.read(ctx, ref)
	if err != nil {
		return err
	}
	e, err := c.RequestSeriesChanges(ctx, s.ID, apiv1.RequestChanges{Note: d.note}, client.IfVersion(s.Version))
	if err != nil {
		return All.Unknown(ref, err)
	}
	return PrintChanged(ctx, d.App, c, e, "Requested changes of")
}

func newWithdraw(a *cli.App) *cobra.Command {
	return onChange(a, &cobra.Command{
		Use:   "withdraw SERIES",
		Short: "Withdraw a series from review",
		Long: `Withdraw a series from review. It can be submitted again. To stop a series that was
approved, pause or end it.

The exit status is 6 when the series does not wait for an approval.`,
		Example: `  schedctl series withdraw questions
  schedctl series withdraw ser_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
	}, (*client.Client).WithdrawSeries, "Withdrew")
}

// given returns nil for an empty text.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
