package api

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// resultsFilters are the parameters that select published targets.
var resultsFilters = []string{"after", "before", "social_account_id", "platform", "label", "series_id", "removed"}

// resultsFilterParams describes them.
func resultsFilterParams() []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	at := &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	return []*huma.Param{
		queryParam("after", "only targets published at this time or later; "+utcOnly, at),
		queryParam("before", "only targets published before this time; "+utcOnly, at),
		queryParam("social_account_id", "only this account; repeat it for any of several",
			&huma.Schema{Type: huma.TypeArray, MaxItems: new(schedctl.MaxAccounts), Items: text}),
		queryParam("platform", "only this platform", text),
		queryParam("label", "only posts with this label; repeat it to require several",
			&huma.Schema{Type: huma.TypeArray, MaxItems: new(schedctl.MaxLabels), Items: &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(schedctl.MaxLabel)}}),
		queryParam("series_id", "only occurrences of this series", text),
		queryParam("removed", "true: only those that the network no longer has; false: only the others", &huma.Schema{Type: huma.TypeString, Enum: []any{"false", "true"}}),
	}
}

func resultsListParams() []*huma.Param {
	return append(append(resultsFilterParams(),
		queryParam("sort", "the order", &huma.Schema{Type: huma.TypeString, Enum: values(apiv1.ResultsSorts()), Default: string(apiv1.ResultsByTime)})),
		pageParams("targets")...)
}

func resultsSummaryParams() []*huma.Param {
	by := queryParam("by", "what the targets of a group have in common", &huma.Schema{Type: huma.TypeString, Enum: values(apiv1.ResultsGroupings())})
	by.Required = true
	return append([]*huma.Param{by}, resultsFilterParams()[:len(summaryFilters)]...)
}

// summaryFilters are those of resultsFilters that a summary has: it leaves out removed targets.
var summaryFilters = resultsFilters[:len(resultsFilters)-1]

// resultsFilter reads the parameters that select published targets.
func (s *Server) resultsFilter(q *query) (f usecase.ResultsFilter) {
	f = usecase.ResultsFilter{
		After: q.time("after"), Before: q.time("before"),
		Labels: q.labels("label"), SeriesID: q.objectID("series_id", schedctl.SeriesPrefix),
	}
	if n := len(q.values["social_account_id"]); n > schedctl.MaxAccounts {
		q.refuse("social_account_id", "social_account_id is given %d times; the limit is %d", n, schedctl.MaxAccounts)
	}
	for _, id := range q.values["social_account_id"] {
		if _, ok := schedctl.ParseID(schedctl.AccountPrefix, id); !ok {
			q.refuse("social_account_id", "social_account_id is not the id of an account; list them with GET %s/social-accounts", prefix)
		}
		f.AccountIDs = append(f.AccountIDs, id)
	}
	if q.has("platform") {
		f.Platform = oneOf(q, "platform", q.text("platform"), slices.Sorted(maps.Keys(s.cases.Publishers)))
	}
	if q.has("removed") {
		f.Removed = new(oneOf(q, "removed", q.text("removed"), []string{"false", "true"}) == "true")
	}
	if !f.After.IsZero() && !f.Before.IsZero() && !f.After.Before(f.Before) {
		q.refuse("after", "after must be before %s", f.Before.Format(time.RFC3339))
	}
	return f
}

// listResults handles GET /results.
func (s *Server) listResults(ctx context.Context, c *request) (response, error) {
	q := parseQuery(c.query, append([]string{"sort", "limit", "cursor"}, resultsFilters...), []string{"social_account_id", "label"})
	list := usecase.ResultsQuery{ResultsFilter: s.resultsFilter(q), Sort: apiv1.ResultsByTime, Limit: q.number("limit", 1, maxLimit, defaultLimit)}
	if q.has("sort") {
		list.Sort = oneOf(q, "sort", q.text("sort"), apiv1.ResultsSorts())
	}
	of := resultsListName(c, &list)
	if q.err == nil && q.has("cursor") {
		list.From, q.err = readResultsCursor(of, q.values.Get("cursor"))
	}
	if q.err != nil {
		return response{}, q.err
	}
	page, err := storage.Read(ctx, s.scanner(c), func(r storage.Reader) (usecase.ResultsPage, error) {
		return s.cases.ListResults(ctx, r, &c.Request, list)
	})
	if err != nil {
		return response{}, storeError(err, "the request ended before all targets were read")
	}
	found := apiv1.ResultsList{Results: page.Rows, Count: len(page.Rows)}
	if page.Next != nil {
		found.NextCursor = new(resultsCursor(of, page.Next))
	}
	return newResponse(http.StatusOK, found)
}

// summarizeResults handles GET /results/summary.
func (s *Server) summarizeResults(ctx context.Context, c *request) (response, error) {
	q := parseQuery(c.query, append([]string{"by"}, summaryFilters...), []string{"social_account_id", "label"})
	by, filter := oneOf(q, "by", q.text("by"), apiv1.ResultsGroupings()), s.resultsFilter(q)
	if q.err != nil {
		return response{}, q.err
	}
	found, err := storage.Read(ctx, s.scanner(c), func(r storage.Reader) (apiv1.ResultsSummary, error) {
		return s.cases.SummarizeResults(ctx, r, &c.Request, by, filter)
	})
	if err != nil {
		return response{}, storeError(err, "the request ended before all targets were read")
	}
	return newResponse(http.StatusOK, found)
}

// resultsListName returns what the cursors of a list are bound to.
func resultsListName(c *request, q *usecase.ResultsQuery) string {
	accounts, labels, removed := slices.Sorted(slices.Values(q.AccountIDs)), slices.Sorted(slices.Values(q.Labels)), ""
	if q.Removed != nil {
		removed = fmt.Sprint(*q.Removed)
	}
	return fmt.Sprintf("results %s %d %d %q %q %q %q %q %q", c.Key.WorkspaceID, q.After.UnixMilli(), q.Before.UnixMilli(), slices.Compact(accounts), q.Platform,
		slices.Compact(labels), q.SeriesID, removed, q.Sort)
}

// The position of a cursor is: whether there is a value (1 byte) · the value (8) · the time of the
// publication (8, Unix milliseconds) · target (16, its ULID).
const resultsPosition = 1 + 8 + 8 + 16

func resultsCursor(of string, p *usecase.ResultsPosition) string {
	raw := make([]byte, resultsPosition)
	if p.Known {
		raw[0] = 1
	}
	binary.BigEndian.PutUint64(raw[1:], math.Float64bits(p.Value))
	binary.BigEndian.PutUint64(raw[9:], uint64(p.At.UnixMilli()))
	id, _ := schedctl.ParseID(schedctl.TargetPrefix, p.TargetID)
	copy(raw[17:], id[:])
	return sealPosition(of, raw)
}

func readResultsCursor(of, text string) (*usecase.ResultsPosition, error) {
	raw, err := openPosition(of, text, resultsPosition)
	if err != nil {
		return nil, err
	}
	return &usecase.ResultsPosition{
		Known: raw[0] == 1, Value: math.Float64frombits(binary.BigEndian.Uint64(raw[1:])),
		At: time.UnixMilli(int64(binary.BigEndian.Uint64(raw[9:]))).UTC(), TargetID: schedctl.ULID(raw[17:]).ID(schedctl.TargetPrefix),
	}, nil
}
