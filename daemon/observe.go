package daemon

import (
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/metrics"
	"github.com/schedctl/schedctl/daemon/webhook"
)

// attempted counts what the deliverer tells.
func (d *daemon) attempted(o deliver.Observation) {
	if !o.Attempt {
		d.metrics.Unattempted(o.Platform, o.Kind)
		return
	}
	d.metrics.Attempted(metrics.Attempt{Platform: o.Platform, Outcome: o.Outcome, Kind: o.Kind, Lateness: o.Lateness})
}

// told counts what the dispatcher tells.
func (d *daemon) told(a webhook.Attempt) {
	d.metrics.Delivered(metrics.Delivery{Outcome: a.Outcome, Took: a.Took})
}

// answered counts what the API tells.
func (d *daemon) answered(e api.Exchange) {
	d.metrics.Requested(metrics.Request{Pattern: e.Pattern, Method: e.Method, Status: e.Status, Took: e.Took})
}
