package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// forecastRoutes are the routes of the forecast.
func (s *Server) forecastRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/forecast", id: "getForecast", tag: "Posts",
		summary: "Get what will make posts fail or be late",
		description: "What is wrong with the posts that are planned in the next days, and would make them fail or be late if no one acts: accounts and their credentials, approvals, texts and files, blackouts and pauses, limits of networks, repeated texts, clock changes. " +
			"Contacts no network. Reads a limited number of posts, see truncated. A key that is limited to accounts gets what concerns the posts that it sees.",
		scopes: readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		params: []*huma.Param{queryParam("days", "how many days ahead to look", &huma.Schema{
			Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(usecase.MaxForecastDays)), Default: usecase.DefaultForecastDays,
		})},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.ForecastList](),
		handle: s.getForecast,
	}}
}

// getForecast handles GET /forecast. It checks texts for many accounts, so the forecasts of a
// key are limited like scans.
func (s *Server) getForecast(ctx context.Context, c *request) (response, error) {
	q := parseQuery(c.query, []string{"days"}, nil)
	days := q.number("days", 1, usecase.MaxForecastDays, usecase.DefaultForecastDays)
	if q.err != nil {
		return response{}, q.err
	}
	until := schedctl.Millis(c.Now.Add(time.Duration(days) * 24 * time.Hour))
	var found usecase.Forecast
	err := s.asScan(ctx, c, func() (err error) {
		found, err = s.cases.Forecast(ctx, s.view, &c.Request, until)
		return err
	})
	if err != nil {
		return response{}, storeError(err, "the request ended before all posts were checked")
	}
	list := apiv1.ForecastList{Count: len(found.Entries), Until: apiv1.NewTime(found.Until), Truncated: found.Truncated}
	list.Results = convert(found.Entries, func(e usecase.ForecastEntry) apiv1.ForecastEntry { return e.ForecastEntry })
	return newResponse(http.StatusOK, list)
}
