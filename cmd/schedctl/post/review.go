package post

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
)

// NewReview returns "schedctl review".
func NewReview(a *cli.App) *cobra.Command {
	return cli.DeclareMixedJSON[apiv1.Post, apiv1.Series](&cobra.Command{
		Use:   "review [ID...]",
		Short: "Show the drafts and series that wait for an approval",
		Long: `Show the drafts and the series that wait for an approval, or the given ones: who
submitted them and when, what has changed since the last decision, the notes, and for
each account the text with its length and the limit of the network. A draft has a proposed
time. A series has a rule and its next times.

Decide with "schedctl post approve" or "schedctl post request-changes", and about series
with "schedctl series approve" or "schedctl series request-changes".

Without a terminal there is a line for each, drafts first: its id, its version, the
proposed time or the rule of the series, who submitted it, and the text. --json prints
an array with the objects of the API. The id of a post starts with post_, and that of a
series with ser_. With --json=FIELDS, a field that an object does not have is null.`,
		Example: `  schedctl review
  schedctl review --json=id,version,content,rule,approval
  schedctl review post_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
		Args:              cli.Args(0, cli.Unlimited, ""),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, ids []string) error { return review(cmd.Context(), a, ids) },
	})
}

// inReview are the posts and the series that a review shows.
type inReview struct {
	posts  []apiv1.Post
	series []apiv1.Series
}

func review(ctx context.Context, a *cli.App, refs []string) error {
	c, err := a.Connect()
	if err != nil {
		return err
	}
	var shown inReview
	var failed error
	if len(refs) == 0 {
		shown, err = readPending(ctx, c)
	} else {
		shown, failed, err = readNamed(ctx, a, c, refs)
	}
	switch {
	case err != nil:
		return err
	case a.JSON.Given || a.Quiet || !a.OutTerminal:
		return joinErrors(failed, shown.print(a))
	case len(shown.posts)+len(shown.series) == 0 && failed == nil:
		a.Messagef("nothing waits for an approval")
		return nil
	}
	names := AccountsByID(ctx, c)
	var blocks []string
	for _, p := range shown.posts {
		text, err := reviewText(ctx, a, c, p, names)
		if err != nil {
			return err
		}
		blocks = append(blocks, text)
	}
	for _, s := range shown.series {
		text, err := reviewSeriesText(ctx, a, c, s, names)
		if err != nil {
			return err
		}
		blocks = append(blocks, text)
	}
	return joinErrors(failed, a.WriteList([]byte(strings.Join(blocks, "\n"))))
}

// readPending returns what waits for an approval, the oldest first.
func readPending(ctx context.Context, c *client.Client) (r inReview, err error) {
	for p, err := range c.EachPost(ctx, client.PostQuery{Approval: schedctl.ApprovalPending, Sort: "created_at"}) {
		if err != nil {
			return r, err
		}
		r.posts = append(r.posts, p)
	}
	for s, err := range c.EachSeries(ctx, client.SeriesQuery{Approval: schedctl.ApprovalPending, Limit: PageSize}) {
		if err != nil {
			return r, err
		}
		if s.State != schedctl.SeriesEnded {
			r.series = append(r.series, s)
		}
	}
	slices.Reverse(r.series)
	return r, nil
}

// readNamed returns the posts and the series that arguments name. failed has the errors of
// those that could not be read.
func readNamed(ctx context.Context, a *cli.App, c *client.Client, refs []string) (r inReview, failed, err error) {
	var posts, others []string
	for _, ref := range refs {
		if strings.HasPrefix(ref, string(schedctl.SeriesPrefix)+"_") {
			others = append(others, ref)
		} else {
			posts = append(posts, ref)
		}
	}
	ids, err := IDs(ctx, a, c, posts)
	if err != nil {
		return r, nil, err
	}
	r.posts, failed = eachPost(ctx, a, ids, c.Post)
	for _, ref := range others {
		s, err := series.All.Find(ctx, a, c, ref)
		if err != nil {
			failed = joinErrors(failed, err)
			continue
		}
		r.series = append(r.series, s)
	}
	return r, failed, nil
}

// print prints drafts and series for programs.
func (r inReview) print(a *cli.App) error {
	var rows []reviewRow
	for _, p := range r.posts {
		rows = append(rows, reviewRow{p, []string{p.ID, fmt.Sprint(p.Version), proposedText(a, p), requester(p.Approval), cli.OneLine(p.Content)}})
	}
	for _, s := range r.series {
		rule := cli.OneLine(series.Words(s)) + ", " + s.Timezone
		rows = append(rows, reviewRow{s, []string{s.ID, fmt.Sprint(s.Version), rule, requester(s.Approval), cli.OneLine(seriesTexts(s)[0])}})
	}
	if a.JSON.Given {
		return a.PrintJSON(cli.Map(rows, func(r reviewRow) any { return r.object }))
	}
	layout := cli.Table{Header: []string{"ID", "VERSION", "PROPOSED", "BY", "CONTENT"}, Status: -1}
	return cli.PrintList(a, rows, func(r reviewRow) string { return r.cells[0] }, layout, func(r reviewRow) []string { return r.cells })
}

// reviewRow is a post or a series with its row in the list.
type reviewRow struct {
	object any
	cells  []string
}

func requester(r *apiv1.Approval) string {
	if r == nil {
		return ""
	}
	return cli.OneLine(r.RequestedBy.String())
}

// proposedText returns when a draft shall be published, or "".
func proposedText(a *cli.App, p apiv1.Post) string {
	switch {
	case p.ProposedAt == nil:
		return ""
	case p.ProposedAt.NextSlot:
		return apiv1.PublishNextSlot
	}
	return a.TimeText(apiv1.NewTime(p.ProposedAt.Time))
}

// reviewText describes a draft for its reviewer: everything that is published, on which
// accounts, and how long it is there.
func reviewText(ctx context.Context, a *cli.App, c *client.Client, p apiv1.Post, names Accounts) (string, error) {
	check, err := c.ValidateChange(ctx, p.ID, fields.Request(p))
	if err != nil {
		return "", err
	}
	notes, err := c.PostNotes(ctx, p.ID)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	pairs := []cli.Property{{Name: "ID", Value: p.ID}, {Name: "Version", Value: fmt.Sprint(p.Version)}}
	pairs = append(pairs, content.ApprovalProperties(a, p.Approval)...)
	if was := previousOf(p); was != nil {
		pairs = append(pairs, cli.Property{Name: "Changed", Value: strings.Join(was.Changed, ", ") + " since the last decision"})
	}
	if at := proposedText(a, p); at != "" {
		pairs = append(pairs, cli.Property{Name: "Proposed", Value: at})
	}
	b.Write(a.RenderProperties(append(pairs, content.Properties(a, p)...)))
	b.WriteString("\n")
	for _, line := range changeLines(p, names) {
		b.WriteString(line + "\n")
	}
	b.WriteString(content.Text(a, p, names.Name))
	b.Write(a.RenderTable(validationTable(check, names, true)))
	for _, line := range problemLines(check, names) {
		b.WriteString(line + "\n")
	}
	b.WriteString(noteLines(a, p.ID, notes))
	if r := p.Approval; r != nil && r.State == schedctl.ApprovalPending {
		b.WriteString(a.Dim("next: ") + "schedctl post approve " + cli.OneLine(p.ID) + "\n")
		b.WriteString(a.Dim("next: ") + "schedctl post request-changes " + p.ID + " --note TEXT\n")
	}
	return b.String(), nil
}

// previousOf returns the post as it was at the last decision, or nil.
func previousOf(p apiv1.Post) *apiv1.ReviewedPost {
	if p.Approval == nil {
		return nil
	}
	return p.Approval.Previous
}

// changeLines returns what has changed since the last decision, line by line: removed lines
// start with "- ", added ones with "+ ".
func changeLines(p apiv1.Post, names Accounts) (lines []string) {
	was := previousOf(p)
	if was == nil {
		return nil
	}
	for _, line := range cli.LineDiff(was.Content, p.Content) {
		lines = append(lines, cli.OneLine(line))
	}
	label := func(id string) string {
		if a, ok := names[id]; ok {
			return "account " + cli.OneLine(a.Name)
		}
		return "account " + id
	}
	lines = append(lines, setDiff(was.SocialAccountIDs, p.SocialAccountIDs, label)...)
	return append(lines, setDiff(was.MediaAssetIDs, p.MediaAssetIDs, func(id string) string { return "media " + id })...)
}

// setDiff returns the entries that only one of two lists has.
func setDiff(before, after []string, label func(string) string) (lines []string) {
	for _, id := range before {
		if !slices.Contains(after, id) {
			lines = append(lines, "- "+label(id))
		}
	}
	for _, id := range after {
		if !slices.Contains(before, id) {
			lines = append(lines, "+ "+label(id))
		}
	}
	return lines
}
