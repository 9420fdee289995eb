package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// groupColumns are the cells of a row of a group, in their order.
var groupColumns = []string{"group", "posts", "targets", "median engagements", "engagements", "median views", "views", "median rate", "note"}

// maxGroups is how many groups a tool shows.
const maxGroups = 50

// resultGroups returns published targets in groups.
func (c *call) resultGroups(ctx context.Context, by apiv1.ResultsBy, q client.ResultsQuery) (outcome, error) {
	found, err := c.Client.ResultsSummary(ctx, by, q)
	if err != nil {
		return outcome{}, err
	}
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	groups := found.Groups[:min(len(found.Groups), min(q.Limit, maxGroups))]
	rows := [][]any{}
	var text strings.Builder
	fmt.Fprintf(&text, "Results by %s. Rows: %s.", by, strings.Join(groupColumns, ", "))
	for i := range groups {
		row := groupCells(&groups[i], d)
		rows = append(rows, row)
		words := []string{quote(fmt.Sprint(row[0]), 40)}
		for _, cell := range row[1:] {
			words = append(words, fmt.Sprint(cell))
		}
		text.WriteString("\n" + strings.Join(words, ", "))
	}
	data := map[string]any{"columns": groupColumns, "rows": rows}
	if found.Truncated || len(groups) < len(found.Groups) {
		data["more"] = true
		text.WriteString("\nMore groups are not shown.")
	}
	return outcome{text.String(), data}, nil
}

func groupCells(g *apiv1.ResultsGroup, d *directory) []any {
	name := "none"
	if g.Key != nil {
		name = plain(d.name(*g.Key), 40)
	}
	row := []any{name, g.Posts, g.Targets}
	for _, n := range []*float64{g.Engagements.Median, g.Engagements.Sum, g.Views.Median, g.Views.Sum, g.Rate.Median} {
		if n == nil {
			row = append(row, notGiven)
		} else {
			row = append(row, *n)
		}
	}
	if g.Few {
		row = append(row, "few posts: says little")
	}
	return row
}
