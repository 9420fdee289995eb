package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Forecast returns what will make posts of the next days fail or be late, if no one acts.
// With 0 days, the daemon uses its default of 21.
func (c *Client) Forecast(ctx context.Context, days int) (apiv1.ForecastList, error) {
	v := url.Values{}
	if days != 0 {
		v.Set("days", strconv.Itoa(days))
	}
	return get[apiv1.ForecastList](ctx, c, "/forecast", v)
}
