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
