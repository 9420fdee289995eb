package series

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Series](All.OnOne(a, &cobra.Command{
		Use:   "show SERIES",
		Short: "Show a series",
		Long: `Show a series: its rule, in words and as an RRULE, the content of its posts, its accounts,
and the occurrences that are skipped. "schedctl series occurrences" shows its posts.

Without a terminal, files with an alt text have a line "alt" with the id of the asset and
the text. Further parts, the first comment, the poll and overrides have the lines that
"schedctl post show" prints.`,
		Example: `  schedctl series show questions
  schedctl series show ser_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=rule,next_at`,
	}, func(ctx context.Context, ref string) error {
		c, s, err := All.Connect(ctx, a, ref)
		if err != nil {
			return err
		}
		if a.JSON.Given || a.Quiet {
			return a.PrintObject(s, s.ID, nil)
		}
		return a.Write(detail(a, s, account.Names(ctx, a, c)))
	}))
}

// detail describes a series: for people with its unchanged text, for programs as a line
// for each field.
func detail(a *cli.App, s apiv1.Series, names func([]string) string) []byte {
	pairs := []cli.Property{
		{Name: "ID", Value: s.ID},
		{Name: "Name", Value: s.Name},
		{Name: "State", Value: string(s.State)},
		{Name: "Repeats", Value: Words(s)},
		{Name: "Rule", Value: s.Rule},
		{Name: "Start", Value: s.Start},
		{Name: "Timezone", Value: s.Timezone},
		{Name: "Next", Value: a.TimeText(s.NextAt)},
	}
	review := content.ApprovalProperties(a, s.Approval)
	if waits := s.Waits(); s.Approval == nil && waits != "" {
		needed := cli.Property{Name: "Approval", Value: waits + "; submit it with: schedctl series submit " + s.ID}
		review = append([]cli.Property{needed}, review[min(1, len(review)):]...)
	}
	pairs = append(pairs, review...)
	pairs = append(pairs, []cli.Property{
		{Name: "Accounts", Value: names(s.SocialAccountIDs)},
		{Name: "Queue", Value: cli.Deref(s.QueueID)},
		{Name: "Ahead", Value: cli.Plural(s.AheadDays, "day")},
		{Name: "Skipped", Value: strings.Join(s.Exdates, " ")},
		{Name: "Labels", Value: strings.Join(s.Labels, ", ")},
		{Name: "Previous", Value: cli.Deref(s.PreviousID)},
		{Name: "External ID", Value: cli.Deref(s.ExternalID)},
		{Name: "Collection", Value: cli.Deref(s.Managed).Collection},
		{Name: "File", Value: cli.Deref(s.Managed).Path},
		{Name: "Media", Value: strings.Join(s.MediaAssetIDs, " ")},
		{Name: "Created", Value: a.TimeText(s.CreatedAt)},
		{Name: "Created by", Value: cli.AuthorText(s.CreatedBy)},
		{Name: "Updated by", Value: cli.AuthorText(s.UpdatedBy)},
		{Name: "Updated", Value: a.TimeText(s.UpdatedAt)},
		{Name: "Version", Value: fmt.Sprint(s.Version)},
	}...)
	p := fields.OfSeries(s)
	pairs = append(pairs, content.Properties(a, p)...)
	name := func(id string) string { return names([]string{id}) }
	if !a.OutTerminal {
		pairs = append(pairs, cli.Property{Name: "Content", Value: s.Content})
		for _, v := range s.Variants {
			pairs = append(pairs, cli.Property{Name: "Variant", Value: v})
		}
		out := a.RenderProperties(pairs)
		for _, m := range p.Media {
			if alt := cli.Deref(m.AltText); alt != "" {
				out = fmt.Appendf(out, "alt\t%s\t%s\n", m.ID, cli.OneLine(alt))
			}
		}
		p.Media = nil // in the properties
		return append(out, content.Rows(p, name)...)
	}
	var b bytes.Buffer
	b.Write(a.RenderProperties(pairs))
	for i, text := range append([]string{s.Content}, s.Variants...) {
		if i > 0 {
			b.WriteString(a.Dim(fmt.Sprintf("variant %d:", i)) + "\n")
		}
		if text != "" {
			b.WriteString("\n" + content.Indented(text) + "\n")
		}
	}
	b.WriteString(content.Rest(a, p, name))
	for _, step := range nextSteps(s) {
		b.WriteString(a.Dim("next: ") + cli.OneLine(step) + "\n")
	}
	return b.Bytes()
}

// nextSteps returns the commands that make sense in the state of a series.
func nextSteps(s apiv1.Series) []string {
	switch s.State {
	case schedctl.SeriesActive:
		return []string{"schedctl series occurrences " + s.ID, "schedctl series skip " + s.ID + " next", "schedctl series pause " + s.ID}
	case schedctl.SeriesPaused:
		return []string{"schedctl series resume " + s.ID}
	}
	return []string{"schedctl post list --all --series " + s.ID}
}
