package post

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/resulttext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// summarize prints targets in groups.
func (o *resultsOptions) summarize(ctx context.Context, c *client.Client, q client.ResultsQuery) error {
	by := apiv1.ResultsBy(o.by)
	found, err := c.ResultsSummary(ctx, by, q)
	if err != nil {
		return err
	}
	groups, more, _ := cli.Collect(each(found.Groups), o.limit.Max(o.App, true))
	if o.JSON.Given {
		return o.PrintJSON(append([]apiv1.ResultsGroup{}, groups...))
	}
	names := groupNames(ctx, c, by)
	if o.Quiet {
		return o.PrintIDs(cli.Map(groups, func(g apiv1.ResultsGroup) string { return names(g.Key) })...)
	}
	table := cli.Table{Status: -1}
	if !o.OutTerminal {
		table.Rows = cli.Map(groups, func(g apiv1.ResultsGroup) []string { return groupFields(&g, names(g.Key)) })
		return o.Write(o.RenderTable(table))
	}
	table.Header = []string{strings.ToUpper(o.by), "POSTS", "ENGAGEMENTS", "MEDIAN", "VIEWS", "MEDIAN", "RATE"}
	table.Rows = cli.Map(groups, func(g apiv1.ResultsGroup) []string { return groupRow(&g, names(g.Key)) })
	var b bytes.Buffer
	b.Write(o.RenderTable(table))
	for _, line := range groupNotes(by, groups) {
		b.WriteString(o.Dim(line) + "\n")
	}
	if err := o.WriteList(b.Bytes()); err != nil {
		return err
	}
	switch {
	case len(groups) == 0:
		o.Messagef("no published posts")
	case more || found.Truncated:
		o.Messagef("there are more groups")
	}
	o.tellWindow()
	return nil
}

// each iterates over a list as over pages.
func each[T any](list []T) func(func(T, error) bool) {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// groupNames returns a function that names groups, for display only: without the scope to read
// them, ids are shown.
func groupNames(ctx context.Context, c *client.Client, by apiv1.ResultsBy) func(*string) string {
	names := map[string]string{}
	switch by {
	case apiv1.ResultsByAccount:
		for id, a := range AccountsByID(ctx, c) {
			names[id] = a.Name
		}
	case apiv1.ResultsBySeries:
		for s, err := range c.EachSeries(ctx, client.SeriesQuery{}) {
			if err != nil {
				break
			}
			names[s.ID] = s.Name
		}
	case apiv1.ResultsByQueue:
		list, _ := c.Queues(ctx)
		for _, q := range list {
			names[q.ID] = q.Name
		}
	}
	return func(key *string) string {
		switch {
		case key == nil:
			return ""
		case names[*key] != "":
			return names[*key]
		}
		return *key
	}
}

func groupRow(g *apiv1.ResultsGroup, name string) []string {
	if name == "" {
		name = "(none)"
	}
	posts := fmt.Sprint(g.Posts)
	if g.Few {
		posts += " ?"
	}
	return []string{name, posts, measured(g.Engagements.Sum), measured(g.Engagements.Median), measured(g.Views.Sum), measured(g.Views.Median), resulttext.Percent(g.Rate.Median)}
}

// measured shows a sum or a median, which can end with .5.
func measured(f *float64) string {
	if f == nil {
		return resulttext.NotGiven
	}
	whole := int64(*f)
	if rest := *f - float64(whole); rest != 0 {
		return resulttext.Number(&whole) + strings.TrimPrefix(fmt.Sprintf("%.1f", max(rest, -rest)), "0")
	}
	return resulttext.Number(&whole)
}

func groupFields(g *apiv1.ResultsGroup, name string) []string {
	row := []string{name, fmt.Sprint(g.Posts), fmt.Sprint(g.Targets)}
	for _, m := range []apiv1.ResultsMeasure{g.Engagements, g.Views, g.Rate} {
		row = append(row, fmt.Sprint(m.Known), rawFraction(m.Sum), rawFraction(m.Median))
	}
	return row
}

// groupNotes explain the signs of a table of groups, those that it has.
func groupNotes(by apiv1.ResultsBy, groups []apiv1.ResultsGroup) (notes []string) {
	few, mixed, unknown, targets := false, false, 0, 0
	for i := range groups {
		g := &groups[i]
		few = few || g.Few
		mixed = mixed || g.Views.Known > 0 && g.Views.Sum == nil
		unknown, targets = unknown+g.Targets-g.Engagements.Known, targets+g.Targets
	}
	if few {
		notes = append(notes, "? fewer than 5 posts: the median says little")
	}
	if mixed {
		notes = append(notes, "networks count views in different ways: use --by platform, or --platform or --account for one of them")
	}
	if unknown > 0 && by != apiv1.ResultsByLabel { // a post can have several labels
		notes = append(notes, fmt.Sprintf("%d of %d without engagements", unknown, targets))
	}
	return notes
}
