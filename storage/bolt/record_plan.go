package bolt

import (
	"time"

	"github.com/schedctl/schedctl"
)

// The fields of layout 9: slots and occurrences of posts, blackouts of accounts, and
// series of events. Only records with one of them have the layout. Queues, blackouts,
// series and calendar feeds always have it.

// hasPlan reports whether a post has a slot or is an occurrence.
func hasPlan(p *schedctl.Post) bool {
	return p.Booking != (schedctl.Booking{}) || p.SeriesID != "" || p.Occurrence != "" || p.Detached
}

// postPlan has the fields of layout 9 of a post.
func (c *coder) postPlan(p *schedctl.Post) {
	c.optionalID(schedctl.QueuePrefix, &p.QueueID)
	text(c, &p.Slot.Local)
	text(c, &p.Slot.Timezone)
	c.time(&p.NotBefore)
	c.optionalID(schedctl.SeriesPrefix, &p.SeriesID)
	text(c, &p.Occurrence)
	c.bool(&p.Detached)
}

func (c *coder) accountBlackout(b *schedctl.AccountBlackout) {
	c.id(schedctl.BlackoutPrefix, &b.ID)
	text(c, &b.Mode)
	c.time(&b.From)
	c.time(&b.To)
	if c.layout >= 12 {
		text(c, &b.Label)
	}
}

func (c *coder) skipped(s **schedctl.SkippedOccurrences) {
	if !optional(c, s) {
		return
	}
	text(c, &(*s).Reason)
	c.int(&(*s).Count)
	text(c, &(*s).First)
	text(c, &(*s).Last)
}

func (c *coder) accountIDs(ids *[]string) {
	list(c, ids, func(c *coder, id *string) { c.id(schedctl.AccountPrefix, id) })
}

func (c *coder) duration(d *time.Duration) { c.int64((*int64)(d)) }

// queueRecord has no id and no workspace: they are in the key.
func (c *coder) queueRecord(q *schedctl.Queue) {
	text(c, &q.Name)
	text(c, &q.Timezone)
	list(c, &q.Times, (*coder).queueTime)
	c.accountIDs(&q.AccountIDs)
	c.duration(&q.Gap)
	c.bool(&q.Default)
	c.time(&q.CreatedAt)
	c.time(&q.UpdatedAt)
	c.int64(&q.Version)
	if c.layout >= 12 {
		c.managed(&q.Managed)
	}
}

func (c *coder) queueTime(t *schedctl.QueueTime) {
	t.Days = schedctl.Weekdays(c.byte(byte(t.Days)))
	c.int(&t.Minute)
}

// blackout has no id and no workspace: they are in the key.
func (c *coder) blackout(b *schedctl.Blackout) {
	text(c, &b.From)
	text(c, &b.To)
	text(c, &b.Timezone)
	c.accountIDs(&b.AccountIDs)
	text(c, &b.Reason)
	text(c, &b.Mode)
	c.time(&b.StartsAt)
	c.time(&b.EndsAt)
	c.time(&b.SettledAt)
	c.time(&b.CreatedAt)
	c.time(&b.UpdatedAt)
	c.int64(&b.Version)
	if c.layout >= 12 {
		c.managed(&b.Managed)
		text(c, &b.Label)
	}
}

// series has no id and no workspace: they are in the key. The template has the workspace
// of the series.
func (c *coder) series(s *schedctl.Series) {
	text(c, &s.Name)
	c.postFields(&s.Template)
	list(c, &s.Template.Targets, (*coder).target)
	list(c, &s.Variants, text)
	text(c, &s.Timezone)
	text(c, &s.Start)
	text(c, &s.Rule)
	list(c, &s.Exdates, text)
	c.int(&s.AheadDays)
	c.optionalID(schedctl.QueuePrefix, &s.QueueID)
	text(c, &s.State)
	text(c, &s.ExternalID)
	c.managed(&s.Managed)
	text(c, &s.Cursor)
	c.time(&s.SweepAt)
	c.time(&s.NextAt)
	c.optionalID(schedctl.SeriesPrefix, &s.PreviousID)
	c.time(&s.CreatedAt)
	c.time(&s.UpdatedAt)
	c.int64(&s.Version)
}

// calendarFeed has no id and no workspace: they are in the key.
func (c *coder) calendarFeed(f *schedctl.CalendarFeed) {
	text(c, &f.Name)
	c.accountIDs(&f.AccountIDs)
	c.bool(&f.TitlesOnly)
	c.fixed(f.Hash[:])
	c.optionalID(schedctl.KeyPrefix, &f.KeyID)
	c.time(&f.ExpiresAt)
	c.time(&f.CreatedAt)
}
