package post

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/resulttext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// print prints a list of targets with what the list leaves out.
func (o *resultsOptions) print(rows []apiv1.AnalyticsRow) error {
	if o.JSON.Given {
		return o.PrintJSON(append([]apiv1.AnalyticsRow{}, rows...))
	}
	if err := o.printRows(rows, false); err != nil || o.Quiet {
		return err
	}
	switch {
	case len(rows) == 0 && o.ErrTerminal:
		o.Messagef("no published posts")
	case o.partial && o.OutTerminal:
		o.Messagef("there are more; use --limit")
	}
	o.tellWindow()
	return nil
}

func (o *resultsOptions) tellWindow() {
	if o.windowed && o.ErrTerminal {
		o.Messagef("of the last 30 days; give --after for a longer time")
	}
}

// printRows prints targets. Those of one post have their readings below, but not its text.
func (o *resultsOptions) printRows(rows []apiv1.AnalyticsRow, onePost bool) error {
	switch {
	case o.Quiet && onePost:
		return o.PrintIDs(cli.Map(rows, func(r apiv1.AnalyticsRow) string { return r.PostTargetID })...)
	case o.Quiet:
		return o.PrintIDs(slices.Compact(cli.Map(rows, func(r apiv1.AnalyticsRow) string { return r.PostID }))...)
	case !o.OutTerminal:
		return o.Write(o.RenderTable(cli.Table{Status: -1, Rows: cli.Map(rows, resultFields)}))
	case len(rows) == 0:
		return nil
	}
	columns := resultColumns
	if onePost {
		columns = columns[1:]
	}
	table := cli.Table{Status: -1}
	for _, c := range columns {
		table.Header = append(table.Header, c.name)
	}
	for i := range rows {
		table.Rows = append(table.Rows, cli.Map(columns, func(c resultColumn) string { return cli.OneLine(c.cell(o.App, &rows[i])) }))
		if onePost {
			table.Rows[i][0] = removedMark(&rows[i]) + table.Rows[i][0]
			table.Below = append(table.Below, readLine(o.App, &rows[i]))
		}
	}
	fitResults(&table, columns, o.Width)
	var b bytes.Buffer
	b.Write(o.RenderTable(table))
	if missing := resulttext.Missing(rows); missing != "" && !onePost {
		b.WriteString(o.Dim(missing) + "\n")
	}
	return o.WriteList(b.Bytes())
}

// resultColumn is a column of the table of targets on a terminal.
type resultColumn struct {
	name string
	rank int // columns of a higher rank are left out first when there is no room; 0 for never
	cell func(*cli.App, *apiv1.AnalyticsRow) string
}

func numberColumn(name string, rank int, of func(*apiv1.AnalyticsRow) *int64) resultColumn {
	return resultColumn{name, rank, func(_ *cli.App, r *apiv1.AnalyticsRow) string {
		n := of(r)
		if n != nil && r.Estimated {
			return "~" + resulttext.Number(n)
		}
		return resulttext.Number(n)
	}}
}

var resultColumns = []resultColumn{
	{"TEXT", 0, func(_ *cli.App, r *apiv1.AnalyticsRow) string { return removedMark(r) + r.Preview }},
	{"ACCOUNT", 0, func(_ *cli.App, r *apiv1.AnalyticsRow) string { return r.AccountLabel }},
	{"AGE", 0, func(a *cli.App, r *apiv1.AnalyticsRow) string {
		if r.PublishedAt == nil {
			return ""
		}
		return strings.TrimSuffix(cli.ShortRelative(r.PublishedAt.Sub(a.Now())), " ago")
	}},
	numberColumn("VIEWS", 1, func(r *apiv1.AnalyticsRow) *int64 { return r.Views }),
	numberColumn("REACTIONS", 0, func(r *apiv1.AnalyticsRow) *int64 { return r.Reactions }),
	numberColumn("REPLIES", 2, func(r *apiv1.AnalyticsRow) *int64 { return r.Replies }),
	numberColumn("REPOSTS", 3, func(r *apiv1.AnalyticsRow) *int64 { return r.Reposts }),
	numberColumn("CLICKS", 4, func(r *apiv1.AnalyticsRow) *int64 { return r.Clicks }),
	{"RATE", 5, func(_ *cli.App, r *apiv1.AnalyticsRow) string { return resulttext.Percent(r.EngagementRate) }},
	{"GROWTH", 6, func(a *cli.App, r *apiv1.AnalyticsRow) string { return resulttext.Sparkline(r.Growth, a.ASCII()) }},
}

// removedMark marks a target that its network no longer has.
func removedMark(r *apiv1.AnalyticsRow) string {
	if r.RemovedAt != nil {
		return "✗ "
	}
	return ""
}

// minResultText is how much of the texts of posts a table shows at least.
const minResultText = 20

// fitResults makes a table as wide as the terminal: it leaves out columns without a number, then
// others, and then cuts the first column.
func fitResults(t *cli.Table, columns []resultColumn, width int) {
	ranks := cli.Map(columns, func(c resultColumn) int { return c.rank })
	for i := range columns {
		empty := func(row []string) bool { return strings.Trim(row[i], resulttext.NotGiven) == "" }
		if ranks[i] > 0 && !slices.ContainsFunc(t.Rows, func(row []string) bool { return !empty(row) }) {
			ranks[i] += 100 // first of all
		}
	}
	first := 0
	for {
		room := width
		for i := range t.Header {
			room -= columnWidth(t, i) + 2
		}
		first = room + 2 + columnWidth(t, 0)
		last := slices.Index(ranks, slices.Max(ranks))
		if first >= min(minResultText, columnWidth(t, 0)) || ranks[last] == 0 {
			break
		}
		ranks = slices.Delete(ranks, last, last+1)
		t.Header = slices.Delete(t.Header, last, last+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], last, last+1)
		}
	}
	for i := range t.Rows {
		t.Rows[i][0] = cli.Clip(t.Rows[i][0], max(first, len(t.Header[0])))
	}
}

func columnWidth(t *cli.Table, i int) int {
	width := cli.TextWidth(t.Header[i])
	for _, row := range t.Rows {
		width = max(width, cli.TextWidth(row[i]))
	}
	return width
}

// resultFields returns the results of a target for programs.
func resultFields(r apiv1.AnalyticsRow) []string {
	reason := ""
	if r.Reason != nil {
		reason = string(*r.Reason)
	}
	return []string{
		r.PostTargetID, r.AccountLabel, string(r.AnalyticsStatus), rawNumber(r.Views), rawNumber(r.Reactions), rawNumber(r.Replies), rawNumber(r.Reposts), rawNumber(r.Quotes),
		rawNumber(r.Saves), rawNumber(r.Clicks), rawNumber(r.Engagements), rawFraction(r.EngagementRate), instantText(r.LastRefreshAt), instantText(r.NextRefreshAt),
		instantText(r.RemovedAt), reason, r.PostID, instantText(r.PublishedAt), r.Preview,
	}
}

func rawNumber(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func rawFraction(f *float64) string {
	if f == nil {
		return ""
	}
	return fmt.Sprint(*f)
}

// readLine says when a target was read, and why it has no newer numbers.
func readLine(a *cli.App, r *apiv1.AnalyticsRow) string {
	var parts []string
	if r.LastRefreshAt != nil {
		parts = append(parts, "read "+a.TimeText(r.LastRefreshAt))
	}
	switch {
	case r.RemovedAt != nil:
		parts = append(parts, "missing since "+a.TimeText(r.RemovedAt))
	case r.AnalyticsStatus != apiv1.ResultsReady:
		parts = append(parts, r.StatusLabel)
	}
	return strings.Join(parts, " · ")
}
