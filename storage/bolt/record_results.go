package bolt

import (
	"fmt"
	"maps"
	"slices"

	"github.com/schedctl/schedctl"
)

// resultsMark is in the place in which a delivery without an event type has its status, so that
// the record cannot be read as a delivery.
const resultsMark = 0xee

// results has no target and no workspace: they are in the key.
func (c *coder) results(r *schedctl.Results) {
	c.optionalID(schedctl.PostPrefix, &r.PostID)
	if mark := c.byte(resultsMark); mark != resultsMark {
		c.fail(fmt.Errorf("%d is not the mark of results", mark))
	}
	c.optionalID(schedctl.AccountPrefix, &r.AccountID)
	c.time(&r.PublishedAt)
	c.metrics(&r.Latest)
	c.time(&r.ReadAt)
	list(c, &r.Points, func(c *coder, p *schedctl.ResultPoint) {
		c.time(&p.At)
		c.metrics(&p.Metrics)
	})
	c.time(&r.NextAt)
	text(c, &r.Reason)
	c.time(&r.MissedAt)
	c.time(&r.RemovedAt)
	c.metrics(&r.Reported)
	c.time(&r.ReportedAt)
	list(c, &r.Parts, func(c *coder, p *schedctl.PartResults) {
		c.int(&p.Index)
		text(c, &p.ID)
		c.metrics(&p.Metrics)
	})
	c.bool(&r.Estimated)
}

// accountResultsMark is the first byte of the record, so that no other record can be read as it.
const accountResultsMark = 0xed

// accountResults has no account and no workspace: they are in the key.
func (c *coder) accountResults(a *schedctl.AccountResults) {
	if mark := c.byte(accountResultsMark); mark != accountResultsMark {
		c.fail(fmt.Errorf("%d is not the mark of results of an account", mark))
	}
	c.time(&a.ReadAt)
	list(c, &a.Requests, func(c *coder, h *schedctl.HourRequests) {
		c.time(&h.Hour)
		c.int(&h.N)
	})
	c.time(&a.Month)
	c.int64(&a.Spent)
	text(c, &a.Reason)
	list(c, &a.Lacks, text[string])
	list(c, &a.Dropped, func(c *coder, d *schedctl.DroppedMetric) {
		text(c, &d.Name)
		c.time(&d.At)
	})
	c.bytes(&a.Gains)
}

func (c *coder) metrics(m *schedctl.Metrics) {
	for _, n := range m.Named() {
		if optional(c, n.Value) {
			c.int64(*n.Value)
		}
	}
	names := slices.Sorted(maps.Keys(m.Other))
	if n := c.length(len(names)); c.reading && n > 0 {
		m.Other, names = make(map[string]int64, n), make([]string, n)
	}
	for _, name := range names {
		value := m.Other[name]
		text(c, &name)
		if c.int64(&value); c.reading {
			m.Other[name] = value
		}
	}
}
