package series

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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

// decision is "series approve" or "series request-changes".
type decision struct{ *cli.Decision }

// read returns a series in the version that the decision is about. On a terminal it shows
// the series and asks.
func (d *decision) read(ctx context.Context, ref, question string) (*client.Client, apiv1.Series, error) {
	if err := d.Check(); err != nil {
		return nil, apiv1.Series{}, err
	}
	c, s, err := All.Connect(ctx, d.App, ref)
	if err != nil {
		return c, s, err
	}
	return c, s, d.Confirmed(ctx, s.Version, func() (string, error) {
		lines := append([]string{fmt.Sprintf("%s, %s (%s):", All.Label(s), Words(s), s.Timezone), s.Content}, s.Variants...)
		return strings.Join(lines, "\n"), nil
	}, question)
}

func newApprove(a *cli.App) *cobra.Command {
	d := &decision{cli.NewDecision(a, "series")}
	cmd := cli.DeclareJSON[Changed](All.OnOne(a, &cobra.Command{
		Use:   "approve SERIES",
		Short: "Approve a series",
		Long: `Approve a series that was submitted. It then makes its posts, which are approved with it.

On a terminal the command shows the text and the rule, and asks. Elsewhere, and with
--yes, --version is required: the version that was reviewed, which "schedctl review
--json" shows. Without it, the exit status is 2.

You need a key with the scope posts:approve. The key that submitted the series cannot
approve it. A key that has edited it can, unless "schedctl workspace edit --four-eyes"
demands two people for each text. The exit status of a refusal is 4; it is 6 when the
series does not wait for an approval or has another version.`,
		Example: `  schedctl series approve questions --version 2
  schedctl series approve questions --version 2 --note "thank you"`,
	}, d.approve))
	d.Add(cmd, "a `text` for the author")
	return cmd
}

func (d *decision) approve(ctx context.Context, ref string) error {
	c, s, err := d.read(ctx, ref, "Approve this series?")
	if err != nil {
		return err
	}
	e, err := c.ApproveSeries(ctx, s.ID, apiv1.ApproveSeries{Note: given(d.Note)}, client.IfVersion(s.Version))
	if err != nil {
		return All.Unknown(ref, err)
	}
	return PrintChanged(ctx, d.App, c, e, "Approved")
}

func newRequestChanges(a *cli.App) *cobra.Command {
	d := &decision{cli.NewDecision(a, "series")}
	cmd := cli.DeclareJSON[Changed](All.OnOne(a, &cobra.Command{
		Use:   "request-changes SERIES --note TEXT",
		Short: "Ask the author of a series to change it",
		Long: `Ask the author of a submitted series to change it. The note says what has to change. The
series leaves the review until it is submitted again. An approval is taken back the same
way: the scheduled posts are removed, and made again after the next approval.

On a terminal the command shows the series and asks. Elsewhere, and with --yes, --version
is required: the version that was reviewed.

You need a key with the scope posts:approve. The exit status is 4 for your own request,
and 6 when the series does not wait for an approval and has none.`,
		Example: `  schedctl series request-changes questions --version 2 --note "not on holidays"`,
	}, d.requestChanges))
	d.Add(cmd, "what has to change: a `text`")
	return cmd
}

func (d *decision) requestChanges(ctx context.Context, ref string) error {
	if d.Note == "" {
		return cli.UsageError("schedctl series request-changes needs --note, which says what has to change")
	}
	c, s, err := d.read(ctx, ref, "Request these changes of this series?")
	if err != nil {
		return err
	}
	e, err := c.RequestSeriesChanges(ctx, s.ID, apiv1.RequestChanges{Note: d.Note}, client.IfVersion(s.Version))
	if err != nil {
		return All.Unknown(ref, err)
	}
	return PrintChanged(ctx, d.App, c, e, "Requested changes of")
}

func newWithdraw(a *cli.App) *cobra.Command {
	return onChange(a, &cobra.Command{
		Use:   "withdraw SERIES",
		Short: "Withdraw a series from review",
		Long: `Withdraw a series from review. It can be submitted again. An approval is taken back: the
scheduled posts are removed, and made again after the next approval.

The exit status is 6 when the series does not wait for an approval and has none.`,
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
