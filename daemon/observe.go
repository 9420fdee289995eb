package daemon

import (
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/metrics"
	"github.com/schedctl/schedctl/daemon/planner"
	"github.com/schedctl/schedctl/daemon/results"
	"github.com/schedctl/schedctl/daemon/webhook"
)

// countPublishAttempt passes an observation of the deliverer to the metrics.
func (d *daemon) countPublishAttempt(o deliver.Observation) {
	if !o.Attempt {
		d.metrics.Unattempted(o.Platform, o.Kind)
		return
	}
	d.metrics.Attempted(metrics.Attempt{Platform: o.Platform, Outcome: o.Outcome, Kind: o.Kind, Lateness: o.Lateness})
}

// countWebhookAttempt passes an attempt of the webhook dispatcher to the metrics.
func (d *daemon) countWebhookAttempt(a webhook.Attempt) {
	d.metrics.Delivered(metrics.Delivery{Outcome: a.Outcome, Took: a.Took})
}

// countSweep passes a sweep of the planner to the metrics.
func (d *daemon) countSweep(o planner.Observation) {
	d.metrics.Swept(metrics.Sweep{Took: o.Took, Failed: o.Failed})
}

// countReading passes a reading of results to the metrics.
func (d *daemon) countReading(o results.Observation) {
	d.metrics.Read(metrics.Reading{Platform: o.Platform, Outcome: o.Outcome, Cost: float64(o.Cost) / 1e6, Removed: o.Removed})
}

// countRequest passes an HTTP request to the metrics.
func (d *daemon) countRequest(e api.Exchange) {
	d.metrics.Requested(metrics.Request{Pattern: e.Pattern, Method: e.Method, Status: e.Status, Took: e.Took})
}
