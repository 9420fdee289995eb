package post

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
)

// reviewedTimes is how many of the next times of a series a review shows.
const reviewedTimes = 3

// reviewSeriesText describes a series for its reviewer: the rule, the next times, and
// everything that its posts have, on which accounts, and how long it is there.
func reviewSeriesText(ctx context.Context, a *cli.App, c *client.Client, s apiv1.Series, names Accounts) (string, error) {
	next, err := nextTimes(ctx, a, c, s)
	if err != nil {
		return "", err
	}
	p := fields.OfSeries(s)
	var b bytes.Buffer
	pairs := []cli.Property{{Name: "ID", Value: s.ID}, {Name: "Series", Value: s.Name}, {Name: "Version", Value: fmt.Sprint(s.Version)}}
	pairs = append(pairs, content.ApprovalProperties(a, s.Approval)...)
	if s.State != schedctl.SeriesActive {
		pairs = append(pairs, cli.Property{Name: "State", Value: string(s.State)})
	}
	pairs = append(pairs,
		cli.Property{Name: "Repeats", Value: series.Words(s) + ", " + s.Timezone},
		cli.Property{Name: "Next", Value: next},
		cli.Property{Name: "Queue", Value: cli.Deref(s.QueueID)})
	b.Write(a.RenderProperties(append(pairs, content.Properties(a, p)...)))
	b.WriteString("\n")
	for i, text := range seriesTexts(s) {
		if len(s.Variants) > 0 {
			b.WriteString(a.Dim(fmt.Sprintf("variant %d:", i+1)) + "\n")
		}
		p.Content = text
		if err := reviewVariant(ctx, &b, a, c, p, names); err != nil {
			return "", err
		}
	}
	b.WriteString(content.Rest(a, p, names.Name))
	if r := s.Approval; r != nil && r.State == schedctl.ApprovalPending {
		b.WriteString(a.Dim("next: ") + "schedctl series approve " + cli.OneLine(s.ID) + "\n")
		b.WriteString(a.Dim("next: ") + "schedctl series request-changes " + s.ID + " --note TEXT\n")
	}
	return b.String(), nil
}

// reviewVariant writes one of the texts of a series, with its length for each account.
func reviewVariant(ctx context.Context, b *bytes.Buffer, a *cli.App, c *client.Client, p apiv1.Post, names Accounts) error {
	check, err := c.ValidatePost(ctx, fields.Request(p))
	if err != nil {
		return err
	}
	if p.Content != "" {
		b.WriteString(content.Indented(p.Content) + "\n")
	}
	b.Write(a.RenderTable(validationTable(check, names, true)))
	for _, line := range problemLines(check, names) {
		b.WriteString(line + "\n")
	}
	return nil
}

// nextTimes returns the next times of a series, whether or not it makes posts yet.
func nextTimes(ctx context.Context, a *cli.App, c *client.Client, s apiv1.Series) (string, error) {
	preview, err := c.PreviewSeries(ctx, apiv1.PreviewSeries{Timezone: s.Timezone, Start: s.Start, Rule: s.Rule, Exdates: s.Exdates})
	if err != nil {
		return "", err
	}
	next := preview.Results[:min(reviewedTimes, len(preview.Results))]
	if len(next) == 0 {
		return "no further times", nil
	}
	return strings.Join(cli.Map(next, func(o apiv1.PreviewedOccurrence) string {
		return o.At.In(a.Local).Format("Mon 2 Jan 2006 15:04")
	}), ", "), nil
}

// seriesTexts returns the texts that the posts of a series have, at least one.
func seriesTexts(s apiv1.Series) []string {
	if len(s.Variants) > 0 {
		return s.Variants
	}
	return []string{s.Content}
}
