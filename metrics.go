package schedctl

import (
	"maps"
	"math"
)

// Limits of the numbers with names of a network.
const (
	MaxOtherMetrics    = 8
	MaxOtherMetricName = 40 // bytes
)

// Metrics are the numbers that a network reports about a published post: totals since the
// publication, which can fall. Nil means that the network gives no number, and 0
// that it says there is none.
type Metrics struct {
	Views     *int64 // how often it was shown
	Reach     *int64 // how many people it was shown to
	Reactions *int64 // of all kinds: likes, favorites, emoji
	Reposts   *int64 // without a text
	Quotes    *int64
	Replies   *int64
	Clicks    *int64
	Saves     *int64

	// Other are numbers of one network, by their name there.
	Other map[string]int64
}

// NamedMetric is one number of [Metrics] with the name that clients see.
type NamedMetric struct {
	Name  string
	Value **int64
}

// Named returns the numbers except Other, with pointers into m, always in the same order.
func (m *Metrics) Named() []NamedMetric {
	return []NamedMetric{
		{"views", &m.Views}, {"reach", &m.Reach}, {"reactions", &m.Reactions}, {"reposts", &m.Reposts},
		{"quotes", &m.Quotes}, {"replies", &m.Replies}, {"clicks", &m.Clicks}, {"saves", &m.Saves},
	}
}

// Set sets the number with a name, which is one of Other unless [Metrics.Named] has it.
func (m *Metrics) Set(name string, n int64) {
	for _, known := range m.Named() {
		if known.Name == name {
			*known.Value = &n
			return
		}
	}
	if m.Other == nil {
		m.Other = map[string]int64{}
	}
	m.Other[name] = n
}

// Given reports whether at least one number is given.
func (m Metrics) Given() bool {
	for _, n := range m.Named() {
		if *n.Value != nil {
			return true
		}
	}
	return len(m.Other) > 0
}

// Engagements returns the sum of reactions, reposts, quotes, replies and saves, of those
// that are given, or nil if none is. Clicks do not count.
func (m Metrics) Engagements() *int64 {
	var sum *int64
	for _, n := range []*int64{m.Reactions, m.Reposts, m.Quotes, m.Replies, m.Saves} {
		sum = AddGiven(sum, n)
	}
	return sum
}

// EngagementRate returns the engagements for each view, rounded to 4 places. It is nil if
// one of the two is not given, or if there are no views.
func (m Metrics) EngagementRate() *float64 { return Rate(m.Engagements(), m.Views) }

// Rate returns engagements divided by views, as [Metrics.EngagementRate] does.
func Rate(engagements, views *int64) *float64 {
	if engagements == nil || views == nil || *views <= 0 {
		return nil
	}
	return new(math.Round(float64(*engagements)/float64(*views)*1e4) / 1e4)
}

// AddGiven returns the sum of two numbers, of those that are given. It is nil if neither is.
func AddGiven(a, b *int64) *int64 {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return new(*b)
	case b == nil:
		return new(*a)
	}
	return new(*a + *b)
}

// Clone returns a copy that shares no memory with m.
func (m Metrics) Clone() Metrics {
	c := m
	for _, n := range c.Named() {
		if *n.Value != nil {
			*n.Value = new(**n.Value)
		}
	}
	c.Other = maps.Clone(m.Other)
	return c
}
