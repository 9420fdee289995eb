package tui_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// plan is the queues, blackouts and series of a fake.
type plan struct {
	queues    []schedctl.Queue
	blackouts []apiv1.Blackout
	forecast  []apiv1.ForecastEntry
	checked   *apiv1.Time // until when, if the forecast is cut
	series    []apiv1.Series
	made      apiv1.CreateSeries // the last new one
	removed   []apiv1.Post       // occurrences that were skipped
	orders    [][]string
	skipped   []string
	queries   []screen.SlotQuery
}

// slotsOf returns the slots of a queue for an account, empty for all of the queue.
func (f *fake) slotsOf(q schedctl.Queue, account string, from, until time.Time) (list []apiv1.QueueSlot) {
	loc, err := time.LoadLocation(q.Timezone)
	if err != nil {
		panic(err)
	}
	for s := range q.Slots(from, until, loc) {
		slot := apiv1.QueueSlot{At: apiv1.Time{Time: s.At}, Local: string(s.Local), State: apiv1.SlotFree, Note: s.Note}
		for _, b := range f.plan.blackouts {
			if !s.At.Before(b.StartsAt.Time) && b.EndsAt != nil && s.At.Before(b.EndsAt.Time) {
				slot.State = apiv1.SlotBlocked
			}
		}
		for _, p := range f.posts {
			live := p.Status == schedctl.Scheduled || p.Status == schedctl.Publishing || p.Status == schedctl.Published
			if live && p.PublishAt != nil && p.PublishAt.Equal(s.At) && (account == "" || slices.Contains(p.SocialAccountIDs, account)) {
				slot.State, slot.PostID = apiv1.SlotIsTaken, ptr(p.ID)
			}
		}
		list = append(list, slot)
	}
	return list
}

// book gives a post a time or the next free slot. The fake must be locked.
func (f *fake) book(p *apiv1.Post, at apiv1.PublishTime, queueID *string, notBefore *apiv1.Time) {
	p.Status = schedctl.Scheduled
	if !at.NextSlot {
		p.PublishAt, p.Slot, p.QueueID, p.NotBefore = apiv1.NewTime(at.Time), nil, nil, nil
		return
	}
	q := f.plan.queues[0]
	if queueID != nil {
		q = f.plan.queues[slices.IndexFunc(f.plan.queues, func(q schedctl.Queue) bool { return q.ID == *queueID })]
	}
	from := now
	if notBefore != nil {
		from = notBefore.Time
	}
	for _, s := range f.slotsOf(q, "", from, from.Add(schedctl.QueueHorizon)) {
		if s.State == apiv1.SlotFree || s.PostID != nil && *s.PostID == p.ID {
			p.PublishAt, p.Slot, p.QueueID, p.NotBefore = &s.At, &apiv1.Slot{Local: s.Local, Timezone: q.Timezone}, &q.ID, notBefore
			return
		}
	}
	panic("the queue is full")
}

func (f *fake) queueNamed(id string) (schedctl.Queue, error) {
	i := slices.IndexFunc(f.plan.queues, func(q schedctl.Queue) bool { return q.ID == id })
	if i < 0 {
		return schedctl.Queue{}, gone()
	}
	return f.plan.queues[i], nil
}

func (f *fake) Queues(context.Context) (list []apiv1.Queue, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.plan.queues {
		list = append(list, apiv1.NewQueue(q))
	}
	return list, f.enter("Queues")
}

// displaced returns the scheduled posts whose slots a queue does not have.
func (f *fake) displaced(q schedctl.Queue) (ids []string) {
	for _, p := range f.posts {
		if p.QueueID != nil && *p.QueueID == q.ID && p.Status == schedctl.Scheduled && p.Slot != nil &&
			!q.HasSlot(schedctl.Slot{Local: schedctl.LocalTime(p.Slot.Local), Timezone: p.Slot.Timezone}) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func (f *fake) Queue(_ context.Context, id string) (apiv1.QueueEnvelope, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("Queue"); err != nil {
		return apiv1.QueueEnvelope{}, err
	}
	q, err := f.queueNamed(id)
	return apiv1.QueueEnvelope{Queue: apiv1.NewQueue(q), Displaced: f.displaced(q)}, err
}

func (f *fake) QueueSlots(_ context.Context, id string, q screen.SlotQuery) ([]apiv1.QueueSlot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan.queries = append(f.plan.queries, q)
	if err := f.enter("QueueSlots"); err != nil {
		return nil, err
	}
	queue, err := f.queueNamed(id)
	if err != nil {
		return nil, err
	}
	after, before := q.After, q.Before
	if after.IsZero() {
		after = now
	}
	if before.IsZero() {
		before = after.Add(schedctl.QueueHorizon)
	}
	list := f.slotsOf(queue, q.AccountID, after, before)
	return list[:min(len(list), q.Limit)], nil
}

func (f *fake) OrderQueue(_ context.Context, _ string, ids []string) (apiv1.QueueMoves, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("OrderQueue"); err != nil {
		return apiv1.QueueMoves{}, err
	}
	f.plan.orders = append(f.plan.orders, ids)
	type place struct {
		at   *apiv1.Time
		slot *apiv1.Slot
	}
	var places []place
	for _, id := range ids {
		p := f.posts[f.index(id)]
		places = append(places, place{p.PublishAt, p.Slot})
	}
	slices.SortFunc(places, func(a, b place) int { return a.at.Compare(b.at.Time) })
	for i, id := range ids {
		p := &f.posts[f.index(id)]
		p.PublishAt, p.Slot = places[i].at, places[i].slot
		p.Version++
	}
	return apiv1.QueueMoves{}, nil
}

// moves returns the moves of a reflow. The fake must be locked.
func (f *fake) moves(q schedctl.Queue) apiv1.QueueMoves {
	out := apiv1.QueueMoves{Digest: fmt.Sprint(len(f.displaced(q)), q.Version)}
	for _, s := range f.slotsOf(q, "", now, now.Add(schedctl.QueueHorizon)) {
		ids := f.displaced(q)
		if len(out.Moves) == len(ids) {
			break
		}
		if s.State == apiv1.SlotFree {
			p := f.posts[f.index(ids[len(out.Moves)])]
			out.Moves = append(out.Moves, apiv1.QueueMove{PostID: p.ID, From: *p.PublishAt, To: s.At})
		}
	}
	return out
}

func (f *fake) PreviewReflow(_ context.Context, id string) (apiv1.QueueMoves, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q, err := f.queueNamed(id)
	if err != nil {
		return apiv1.QueueMoves{}, err
	}
	return f.moves(q), f.enter("PreviewReflow")
}

func (f *fake) ReflowQueue(_ context.Context, id, digest string) (apiv1.QueueMoves, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("ReflowQueue"); err != nil {
		return apiv1.QueueMoves{}, err
	}
	q, err := f.queueNamed(id)
	if err != nil {
		return apiv1.QueueMoves{}, err
	}
	moves := f.moves(q)
	if moves.Digest != digest {
		return apiv1.QueueMoves{}, schedctl.Errorf(schedctl.VersionMismatch, "digest", "the queue was changed")
	}
	for _, m := range moves.Moves {
		f.book(&f.posts[f.index(m.PostID)], *apiv1.NextSlot(), &q.ID, &m.To)
	}
	return moves, nil
}

func (f *fake) Blackouts(context.Context) ([]apiv1.Blackout, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.plan.blackouts), f.enter("Blackouts")
}

func (f *fake) Forecast(context.Context) (apiv1.ForecastList, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return apiv1.ForecastList{Results: slices.Clone(f.plan.forecast), Until: f.plan.checked, Truncated: f.plan.checked != nil}, f.enter("Forecast")
}

func (f *fake) CreateSeries(_ context.Context, s apiv1.CreateSeries, _ string) (apiv1.Series, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan.made = s
	return apiv1.Series{ID: "ser_new", Name: s.Name}, f.enter("CreateSeries")
}

func (f *fake) Series(_ context.Context, id string) (apiv1.Series, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("Series"); err != nil {
		return apiv1.Series{}, err
	}
	for _, s := range f.plan.series {
		if s.ID == id {
			return s, nil
		}
	}
	return apiv1.Series{}, gone()
}

func (f *fake) Occurrences(_ context.Context, id string, after time.Time, limit int) (list []apiv1.Occurrence, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.plan.series {
		if s.ID != id {
			continue
		}
		for week := range limit {
			at := s.NextAt.Add(time.Duration(week) * 7 * 24 * time.Hour)
			o := apiv1.Occurrence{Occurrence: at.In(zone).Format("2006-01-02T15:04"), At: apiv1.Time{Time: at}, State: apiv1.OccurrencePlanned}
			if slices.Contains(s.Exdates, o.Occurrence) {
				o.State = apiv1.OccurrenceSkipped
			}
			if at.After(after) {
				list = append(list, o)
			}
		}
	}
	return list, f.enter("Occurrences")
}

func (f *fake) SkipOccurrence(_ context.Context, id, occurrence string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("SkipOccurrence"); err != nil {
		return err
	}
	f.plan.skipped = append(f.plan.skipped, id+" "+occurrence)
	for i := range f.plan.series {
		if f.plan.series[i].ID == id {
			f.plan.series[i].Exdates = append(f.plan.series[i].Exdates, occurrence)
			f.plan.series[i].Version++
		}
	}
	f.posts = slices.DeleteFunc(f.posts, func(p apiv1.Post) bool {
		is := p.SeriesID != nil && *p.SeriesID == id && *p.Occurrence == occurrence
		if is {
			f.plan.removed = append(f.plan.removed, p)
		}
		return is
	})
	return nil
}

func (f *fake) EditSeries(_ context.Context, at screen.Version, e apiv1.EditSeries) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enter("EditSeries"); err != nil {
		return err
	}
	for i := range f.plan.series {
		s := &f.plan.series[i]
		switch {
		case s.ID != at.ID:
		case s.Version != at.Number:
			return schedctl.Errorf(schedctl.VersionMismatch, "", "the series was changed")
		default:
			s.Exdates = *e.Exdates
			s.Version++
			for _, p := range f.plan.removed {
				if !slices.Contains(s.Exdates, *p.Occurrence) {
					p.Version = 1
					f.posts = append(f.posts, p)
				}
			}
			return nil
		}
	}
	return gone()
}

// queued returns a scheduled post with a slot of a queue.
func queued(id, content, queue string, t time.Time, accounts ...string) apiv1.Post {
	p := scheduled(id, content, t.Sub(now))
	p.QueueID, p.Slot = &queue, &apiv1.Slot{Local: t.In(zone).Format("2006-01-02T15:04"), Timezone: "Europe/Berlin"}
	if len(accounts) > 0 {
		p.SocialAccountIDs = accounts
		p.Targets = p.Targets[:len(accounts)]
	}
	return p
}

// occurrence returns a scheduled post of a series.
func occurrence(id, content, series string, t time.Time) apiv1.Post {
	p := scheduled(id, content, t.Sub(now))
	p.SeriesID, p.Occurrence = &series, ptr(t.In(zone).Format("2006-01-02T15:04"))
	return p
}

// day returns a time of day on a day of November 2026.
func day(d int, clock string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", fmt.Sprintf("2026-11-%02d %s", d, clock), zone)
	if err != nil {
		panic(err)
	}
	return t
}

func blackout(id, reason string, mode schedctl.BlackoutMode, from, to time.Time, accounts ...string) apiv1.Blackout {
	b := apiv1.Blackout{ID: id, From: from.Format("2006-01-02T15:04"), Timezone: "Europe/Berlin", Mode: mode, SocialAccountIDs: accounts, StartsAt: apiv1.Time{Time: from}, EndsAt: apiv1.NewTime(to)}
	if !to.IsZero() {
		b.To = ptr(to.Format("2006-01-02T15:04"))
	}
	if reason != "" {
		b.Reason = &reason
	}
	return b
}

// planned is a daemon with queues, blackouts and a series. The time is a Saturday.
func planned() *fake {
	f := newFake()
	f.calm = true
	weekdays := schedctl.WeekdaysOf(time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday)
	f.plan.queues = []schedctl.Queue{
		{ID: "que_1", Name: "morning", Timezone: "Europe/Berlin", Version: 1, Default: true, Gap: 30 * time.Minute, Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 9 * 60}, {Days: weekdays, Minute: 17 * 60}}},
		{ID: "que_2", Name: "news", Timezone: "Europe/Berlin", Version: 2, AccountIDs: []string{"acct_2"}, Times: []schedctl.QueueTime{{Days: schedctl.WeekdaysOf(time.Tuesday, time.Thursday), Minute: 12*60 + 30}}},
	}
	f.plan.blackouts = []apiv1.Blackout{
		blackout("blk_1", "Offsite", schedctl.BlackoutAvoid, day(26, "00:00"), day(28, "00:00")),
		blackout("blk_2", "", schedctl.BlackoutAvoid, day(25, "14:00"), day(25, "18:30")),
		blackout("blk_3", "server move", schedctl.BlackoutHold, day(21, "08:00"), time.Time{}, "acct_3"),
	}
	f.plan.series = []apiv1.Series{{ID: "ser_1", Name: "Office hours", Content: "Office hours", Timezone: "Europe/Berlin", Start: "2026-11-10T16:00", Rule: "FREQ=WEEKLY;BYDAY=TU", State: schedctl.SeriesActive, NextAt: apiv1.NewTime(day(24, "16:00")), Version: 4}}
	f.posts = []apiv1.Post{
		queued("post_q1", "The first in the queue", "que_1", day(22, "09:00")),
		queued("post_q2", "The second in the queue", "que_1", day(23, "09:00")),
		queued("post_q3", "Displaced by new times", "que_1", day(23, "11:00")),
		queued("post_q4", "The last in the queue", "que_1", day(24, "17:00")),
		occurrence("post_s1", "Office hours today at four", "ser_1", day(24, "16:00")),
		scheduled("post_x1", "At a fixed time", day(25, "17:00").Sub(now)),
		published("post_p1", "Published already", 4*time.Hour),
	}
	return f
}

// columns joins the fields of a screen, for texts that are wrapped.
func columns(screen string) string { return strings.Join(strings.Fields(screen), " ") }
