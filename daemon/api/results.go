package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// resultsRoutes are the routes that read what became of published posts. They read what is
// stored, and contact no network.
func (s *Server) resultsRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/posts/{id}/results", id: "getPostResults", tag: "Results",
		summary: "Get the results of a post",
		description: "What the networks report about the published targets of a post, and whether they still have it. Null means that a network does not tell a number, 0 that there is none. " +
			"Contacts no network: published posts are read at fixed ages, from 15 minutes to 30 days.",
		scopes: readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.PostResults](),
		handle: reads(s, (*usecase.Service).PostResults),
	}, {
		method: http.MethodGet, path: "/results", id: "listResults", tag: "Results",
		summary: "List published targets by their results",
		description: "A page of the published targets that match all filters. Every sort but -published_at needs after, a window of at most 366 days, and at most 10,000 targets in it; " +
			"targets without the number come last. A page by time reads at most 2,000 targets and can be short.",
		scopes: readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidCursor}, params: resultsListParams(),
		status: http.StatusOK, response: reflect.TypeFor[apiv1.ResultsList](),
		handle: s.listResults,
	}, {
		method: http.MethodGet, path: "/results/summary", id: "summarizeResults", tag: "Results",
		summary: "Summarize results in groups",
		description: "Published targets that match all filters, in groups with sums and medians. Needs after, a window of at most 366 days, and at most 10,000 targets in it. " +
			"Removed targets are left out. Weekdays and hours are those of the time zone of the workspace.",
		scopes: readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed}, params: resultsSummaryParams(),
		status: http.StatusOK, response: reflect.TypeFor[apiv1.ResultsSummary](),
		handle: s.summarizeResults,
	}, {
		method: http.MethodGet, path: "/analytics/post/{id}", id: "getPostAnalytics", tag: "Results",
		summary:     "Get the results of a post with totals that are never null",
		description: "The numbers of getPostResults without the readings, for clients that expect a number in every total. known says how many targets tell each.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.AnalyticsPost](),
		handle: reads(s, (*usecase.Service).AnalyticsPost),
	}, {
		method: http.MethodGet, path: "/analytics/workspace", id: "getWorkspaceAnalytics", tag: "Results",
		summary:     "List published targets with their results",
		description: "The published targets of the workspace, and what they gained lately; a key limited to accounts sees that of the latest 2,000. The difference of two readings is spread evenly over the time between them.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		params: []*huma.Param{
			queryParam("limit", "how many targets", &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(maxLimit)), Default: defaultLimit}),
			queryParam("offset", "how many targets to leave out before", &huma.Schema{Type: huma.TypeInteger, Minimum: new(0.0), Maximum: new(float64(maxOffset)), Default: 0}),
		},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.AnalyticsWorkspace](),
		handle: s.getWorkspaceAnalytics,
	}}
}

// resultsWriteRoutes are the routes that ask networks for results, and report them.
func (s *Server) resultsWriteRoutes() []route {
	return []route{{
		method: http.MethodPost, path: "/posts/{id}/results/refresh", id: "refreshResults", tag: "Results", people: true,
		summary: "Read the results of a post now",
		description: "Reads published targets as soon as their accounts have nothing else to do, usually within a minute. At most once a minute for an account. " +
			"A removed target that its network has again is no longer removed.",
		scopes: writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed, schedctl.ResultsUnavailable},
		request: reflect.TypeFor[apiv1.RefreshResults](), optionalBody: true, status: http.StatusAccepted, response: reflect.TypeFor[apiv1.ResultsRefresh](),
		handle: withOptionalBody(func(d *decoder) []string { return read[apiv1.RefreshResults](d).TargetIDs },
			operation(s, func(c *usecase.Request, tx storage.Tx, ids []string) (apiv1.ResultsRefresh, error) {
				return s.cases.RefreshResults(c, tx, ids)
			}, wires[apiv1.ResultsRefresh](http.StatusAccepted))),
	}, {
		method: http.MethodPut, path: "/posts/{id}/results", id: "reportResults", tag: "Results", people: true,
		summary:     "Report numbers of a post",
		description: "Stores numbers of a link shortener or a bridge. They are kept apart as reported, and count where the network gives none.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed, schedctl.ResultsUnavailable},
		request: reflect.TypeFor[apiv1.ReportResults](), status: http.StatusOK, response: reflect.TypeFor[apiv1.PostResults](),
		handle: withBody(readReport, operation(s, func(c *usecase.Request, tx storage.Tx, report usecase.ResultsReport) (apiv1.PostResults, error) {
			return s.cases.ReportResults(c, tx, report)
		}, wires[apiv1.PostResults](http.StatusOK))),
	}}
}

// readReport reads the body of PUT /posts/{id}/results.
func readReport(d *decoder) usecase.ResultsReport {
	body := read[apiv1.ReportResults](d)
	n := body.Metrics
	return usecase.ResultsReport{TargetID: body.TargetID, At: timeOf(body.At), Metrics: schedctl.Metrics{
		Views: n.Views, Reach: n.Reach, Reactions: n.Reactions, Reposts: n.Reposts, Quotes: n.Quotes, Replies: n.Replies, Clicks: n.Clicks, Saves: n.Saves,
	}}
}

// wires returns responses with a value of the API.
func wires[T any](status int) func(storage.Reader, *request, T) (response, error) {
	return func(_ storage.Reader, _ *request, wire T) (response, error) { return newResponse(status, wire) }
}

// reads returns a handler that responds with what a use case reads.
func reads[T any](s *Server, read func(*usecase.Service, storage.Reader, *usecase.Request) (T, error)) handler {
	return func(ctx context.Context, c *request) (response, error) {
		found, err := storage.Read(ctx, s.view, func(r storage.Reader) (T, error) { return read(s.cases, r, &c.Request) })
		if err != nil {
			return response{}, err
		}
		return newResponse(http.StatusOK, found)
	}
}

// getWorkspaceAnalytics handles GET /analytics/workspace.
func (s *Server) getWorkspaceAnalytics(ctx context.Context, c *request) (response, error) {
	q := parseQuery(c.query, []string{"limit", "offset"}, nil)
	page := usecase.Page{Limit: q.number("limit", 1, maxLimit, defaultLimit), Offset: q.number("offset", 0, maxOffset, 0)}
	if q.err != nil {
		return response{}, q.err
	}
	found, err := storage.Read(ctx, s.scanner(c), func(r storage.Reader) (apiv1.AnalyticsWorkspace, error) {
		return s.cases.AnalyticsWorkspace(ctx, r, &c.Request, page)
	})
	if err != nil {
		return response{}, storeError(err, "the request ended before all targets were read")
	}
	return newResponse(http.StatusOK, found)
}
