package post

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// resultsFormats are the formats of --export, the default first.
var resultsFormats = []string{"csv", "jsonl"}

// exportedResults is the --json output of an export.
type exportedResults struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	Targets int    `json:"targets"`
}

// export writes the targets of a query to a file, which is replaced only when it is complete.
func (o *resultsOptions) export(ctx context.Context, c *client.Client, q client.ResultsQuery) error {
	done := exportedResults{File: o.file, Format: o.format}
	if done.Format == "" {
		done.Format = resultsFormats[0]
		if filepath.Ext(o.file) == ".jsonl" {
			done.Format = "jsonl"
		}
	}
	write := func(w io.Writer) (err error) {
		done.Targets, err = o.writeRows(ctx, c, q, done.Format, w)
		return err
	}
	if o.file == "-" {
		return write(o.Out())
	}
	if err := cli.ReplaceFile(o.file, write); err != nil {
		return err
	}
	if o.JSON.Given {
		return o.PrintJSON(done)
	}
	if !o.Quiet {
		o.Messagef("%s written to %s", cli.Plural(done.Targets, "target"), o.file)
	}
	o.tellWindow()
	return nil
}

func (o *resultsOptions) writeRows(ctx context.Context, c *client.Client, q client.ResultsQuery, format string, w io.Writer) (n int, err error) {
	table, lines := csv.NewWriter(w), json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	encode := lines.Encode
	if o.file == "-" {
		encode = o.PrintLine // a terminal must not obey texts
	}
	if format == "csv" {
		if err := table.Write(cli.Map(exportColumns, func(c exportColumn) string { return c.name })); err != nil {
			return 0, err
		}
	}
	bar := o.NewProgress("exporting", 0)
	defer bar.Clear()
	most := o.limit.Max(o.App, true)
	for row, err := range c.EachResult(ctx, q) {
		if err != nil {
			return n, err
		}
		if n == most {
			break
		}
		if format == "csv" {
			err = table.Write(cli.Map(exportColumns, func(c exportColumn) string { return cli.OneLine(c.cell(&row)) }))
		} else {
			err = encode(row)
		}
		if err != nil {
			return n, err
		}
		n++
		bar.Step()
	}
	table.Flush()
	return n, table.Error()
}

// exportColumn is a column of an exported table. Its name is that of the field in JSON.
type exportColumn struct {
	name string
	cell func(*apiv1.AnalyticsRow) string
}

var exportColumns = []exportColumn{
	{"post_id", func(r *apiv1.AnalyticsRow) string { return r.PostID }},
	{"post_target_id", func(r *apiv1.AnalyticsRow) string { return r.PostTargetID }},
	{"social_account_id", func(r *apiv1.AnalyticsRow) string { return r.SocialAccountID }},
	{"platform", func(r *apiv1.AnalyticsRow) string { return r.Platform }},
	{"account_label", func(r *apiv1.AnalyticsRow) string { return textCell(r.AccountLabel) }},
	{"preview", func(r *apiv1.AnalyticsRow) string { return textCell(r.Preview) }},
	{"platform_url", func(r *apiv1.AnalyticsRow) string { return textCell(cli.Deref(r.PlatformURL)) }},
	{"published_at", func(r *apiv1.AnalyticsRow) string { return instantText(r.PublishedAt) }},
	{"last_refresh_at", func(r *apiv1.AnalyticsRow) string { return instantText(r.LastRefreshAt) }},
	{"views", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Views) }},
	{"reach", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Reach) }},
	{"reactions", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Reactions) }},
	{"reposts", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Reposts) }},
	{"quotes", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Quotes) }},
	{"replies", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Replies) }},
	{"saves", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Saves) }},
	{"clicks", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Clicks) }},
	{"engagements", func(r *apiv1.AnalyticsRow) string { return rawNumber(r.Engagements) }},
	{"engagement_rate", func(r *apiv1.AnalyticsRow) string { return rawFraction(r.EngagementRate) }},
	{"estimated", func(r *apiv1.AnalyticsRow) string { return fmt.Sprint(r.Estimated) }},
	{"removed_at", func(r *apiv1.AnalyticsRow) string { return instantText(r.RemovedAt) }},
	{"analytics_status", func(r *apiv1.AnalyticsRow) string { return string(r.AnalyticsStatus) }},
	{"reason", func(r *apiv1.AnalyticsRow) string { return string(cli.Deref(r.Reason)) }},
}

// textCell returns a text that a spreadsheet does not read as a formula.
func textCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
