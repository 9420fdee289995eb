package mcp

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// achieved are the arguments of results.
type achieved struct {
	ID    string `json:"id,omitempty" doc:"Post id; else the latest posts." minLength:"1" maxLength:"100"`
	Limit int    `json:"limit,omitempty" doc:"Rows; 20 by default." minimum:"1" maximum:"50"`
	Days  int    `json:"days,omitempty" doc:"Of the last days; 30 with sort or by." minimum:"1" maximum:"366"`
	Sort  string `json:"sort,omitempty" doc:"Highest first." enum:"engagements,views,reactions,replies,clicks,rate"`
	By    string `json:"by,omitempty" doc:"Medians of groups." enum:"account,platform,label,series,queue,weekday,hour,media"`
}

func resultTools() []tool {
	return []tool{{
		name: "results", scopes: readsPosts,
		about: "Numbers of published posts as last read, and which are removed. Not given is unknown, not 0.",
		in:    reflect.TypeFor[achieved](), call: with(results),
	}}
}

// resultColumns are the cells of a row, in their order. A row of a target without any number
// ends with the cell read, which says why.
var resultColumns = []string{"account", "age", "read", "views", "reactions", "replies", "reposts", "clicks", "engagements", "rate", "note"}

// firstNumber is the column of the first number.
const firstNumber = 3

// notGiven stands for a number that a network does not report: a model could read null as 0.
const notGiven = "not given"

// resultsView is a published post with a row for each account.
type resultsView struct {
	ID   string  `json:"id"`
	Text string  `json:"text"`
	Rows [][]any `json:"rows"`
}

// maxPosted is how much of the text of a post results show.
const maxPosted = 50

// results returns what is stored: it reads no network.
func results(ctx context.Context, c *call, in achieved) (outcome, error) {
	if in.ID != "" && in.Days+len(in.Sort)+len(in.By) > 0 {
		return outcome{}, invalidArgument("id", "days, sort and by are for several posts; leave out id")
	}
	if in.ID != "" {
		found, err := c.Client.PostAnalytics(ctx, in.ID)
		if err != nil {
			return outcome{}, err
		}
		if len(found.Targets) == 0 {
			return outcome{fmt.Sprintf("%s is %s: no account that you see has published it.", found.PostID, found.Post.Status), map[string]any{"results": []resultsView{}}}, nil
		}
		for i := range found.Targets { // their rows name no post
			found.Targets[i].PostID, found.Targets[i].Preview = found.PostID, found.Post.Preview
		}
		return c.results(found.Targets, false), nil
	}
	q := client.ResultsQuery{Limit: cmp.Or(in.Limit, 20)}
	if days := in.Days; days > 0 || in.Sort+in.By != "" {
		q.After = c.now().Add(-time.Duration(cmp.Or(days, 30)) * 24 * time.Hour)
	}
	switch in.Sort {
	case "":
	case "rate":
		q.Sort = apiv1.ResultsByRate
	default:
		q.Sort = apiv1.ResultsSort("-" + in.Sort)
	}
	if in.By != "" {
		return c.resultGroups(ctx, apiv1.ResultsBy(in.By), q)
	}
	found, err := c.Client.Results(ctx, q)
	if err != nil {
		return outcome{}, err
	}
	return c.results(found.Results, found.NextCursor != nil), nil
}

// results shows targets by their posts, in the order of the first target of each.
func (c *call) results(targets []apiv1.AnalyticsRow, more bool) outcome {
	views, at := []resultsView{}, map[string]int{}
	for i := range targets {
		t := &targets[i]
		n, known := at[t.PostID]
		if !known {
			n, at[t.PostID] = len(views), len(views)
			views = append(views, resultsView{ID: t.PostID, Text: plain(t.Preview, maxPosted)})
		}
		views[n].Rows = append(views[n].Rows, c.resultCells(t))
	}
	data := map[string]any{"results": views}
	var text strings.Builder
	fmt.Fprintf(&text, "Results of %s.", plural(len(views), "post"))
	if len(views) > 0 {
		data["columns"] = resultColumns
		fmt.Fprintf(&text, " Rows: %s.", strings.Join(resultColumns, ", "))
	}
	for i := range views {
		fmt.Fprintf(&text, "\n%s %s", views[i].ID, quote(views[i].Text, maxPosted))
		for _, row := range views[i].Rows {
			words := []string{quote(fmt.Sprint(row[0]), 40)}
			for _, cell := range row[1:] {
				words = append(words, fmt.Sprint(cell))
			}
			text.WriteString("\n" + strings.Join(words, ", "))
		}
	}
	if silent := notGivenBy(targets); len(silent) > 0 {
		data["not_given"] = silent
		text.WriteString("\nUnknown, not 0: " + strings.Join(silent, "; "))
	}
	if more {
		data["more"] = true
		text.WriteString("\nOlder ones are not shown: limit can be 50, or give an id.")
	}
	return outcome{text.String(), data}
}

// numbers returns the numbers of a target in the order of the columns. A number that the network does not report is nil.
func numbers(t *apiv1.AnalyticsRow) []any {
	out := []any{}
	for _, n := range []*int64{t.Views, t.Reactions, t.Replies, t.Reposts, t.Clicks, t.Engagements} {
		if n == nil {
			out = append(out, nil)
		} else {
			out = append(out, *n)
		}
	}
	if t.EngagementRate == nil {
		return append(out, nil)
	}
	return append(out, *t.EngagementRate)
}

// resultCells returns the row of a target.
func (c *call) resultCells(t *apiv1.AnalyticsRow) []any {
	var age string
	if t.PublishedAt != nil {
		age = span(c.now().Sub(t.PublishedAt.Time))
	}
	row := []any{plain(t.AccountLabel, 40), age}
	removed := t.RemovedAt != nil
	var note string
	if removed {
		note = "removed: missing for " + span(c.now().Sub(t.RemovedAt.Time))
	}
	if t.LastRefreshAt == nil {
		return append(row, "no numbers: "+cmp.Or(note, clip(c.forTools(t.StatusLabel), maxSaid)))
	}
	if !removed && t.AnalyticsStatus != apiv1.ResultsReady && t.Reason != nil {
		note = strings.ReplaceAll(string(t.AnalyticsStatus)+": "+string(*t.Reason), "_", " ")
	}
	row = append(row, span(c.now().Sub(t.LastRefreshAt.Time))+" ago")
	for _, n := range numbers(t) {
		if n == nil {
			n = notGiven
		}
		row = append(row, n)
	}
	if note != "" {
		row = append(row, note)
	}
	return row
}

// notGivenBy returns the numbers that a network reports for none of the targets, with its name.
func notGivenBy(targets []apiv1.AnalyticsRow) []string {
	gives, platforms := map[string][]bool{}, []string{}
	for i := range targets {
		t := &targets[i]
		if t.LastRefreshAt == nil {
			continue
		}
		list := numbers(t)
		if gives[t.Platform] == nil {
			gives[t.Platform], platforms = make([]bool, len(list)), append(platforms, t.Platform)
		}
		for n := range list {
			gives[t.Platform][n] = gives[t.Platform][n] || list[n] != nil
		}
	}
	slices.Sort(platforms)
	var out []string
	for n, name := range resultColumns[firstNumber : len(resultColumns)-1] {
		silent := slices.DeleteFunc(slices.Clone(platforms), func(p string) bool { return gives[p][n] })
		if len(silent) > 0 {
			out = append(out, name+": "+notGiven+" by "+strings.Join(silent, ", "))
		}
	}
	return out
}

// span returns a time that has passed, in whole minutes, hours or days.
func span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
