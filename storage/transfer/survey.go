package transfer

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Tallies in addition to the kinds.
const (
	talliedAttempts = "attempts"
	talliedOrder    = "outbox order"
	talliedDue      = "due entries"
)

// survey counts the records of a database.
type survey struct {
	tallies map[string]*Tally
	outbox  *outboxOrder // receives events, unless it is nil
	walker  walker
}

// names returns the names of all tallies in report order.
func names() []string {
	var list []string
	for i := range kinds {
		list = append(list, kinds[i].name)
		switch kinds[i].name {
		case kindPosts:
			list = append(list, talliedAttempts, talliedDue)
		case kindEvents:
			list = append(list, talliedOrder)
		}
	}
	return list
}

func newSurvey(w walker) *survey {
	s := &survey{tallies: make(map[string]*Tally), walker: w}
	for _, name := range names() {
		s.tallies[name] = &Tally{Kind: name}
	}
	return s
}

// list returns the tallies in report order.
func (s *survey) list() []Tally {
	var list []Tally
	for _, name := range names() {
		list = append(list, *s.tallies[name])
	}
	return list
}

// countAll counts all records of a database. It calls counted for each page.
func (s *survey) countAll(ctx context.Context, store storage.Store, counted func(records int)) error {
	err := s.walker.all(ctx, store, copyPosition{}, func(k *kind, records []any, _ copyPosition) error {
		s.count(k, records)
		counted(len(records))
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return s.countDue(ctx, store)
}

// countDue counts the due index, from which a daemon learns what to publish.
func (s *survey) countDue(ctx context.Context, store storage.Store) error {
	err := view(ctx, store, func(r storage.Exporter) error {
		return r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			s.tallies[talliedDue].add(d)
			return ctx.Err() == nil
		})
	})
	if err != nil {
		return err
	}
	return ctx.Err()
}

// positioned is an id with its position.
type positioned struct {
	Place int
	ID    string
}

func (s *survey) count(k *kind, records []any) {
	t := s.tallies[k.name]
	for _, record := range records {
		switch v := record.(type) {
		case post:
			t.add(v.Post)
			for _, a := range v.Attempts {
				s.tallies[talliedAttempts].add(a)
			}
			continue
		case schedctl.Event:
			order := s.tallies[talliedOrder]
			order.add(positioned{order.Count, v.ID})
			if s.outbox != nil {
				s.outbox.addEvent(v.ID)
			}
		}
		t.add(record)
	}
}

// expectWebhooks counts webhooks as they must be in the copy.
func (s *survey) expectWebhooks(ctx context.Context, from storage.Store, sorted bool) error {
	*s.tallies[kindWebhooks] = Tally{Kind: kindWebhooks}
	for i := range kinds {
		if kinds[i].name != kindWebhooks {
			continue
		}
		return s.walker.kind(ctx, from, &kinds[i], copyPosition{}, func(k *kind, records []any, _ copyPosition) error {
			s.count(k, s.outbox.translated(records, sorted))
			return nil
		})
	}
	return nil
}

// translated returns webhooks as they must be in the copy.
func (o *outboxOrder) translated(records []any, sorted bool) []any {
	list := make([]any, len(records))
	for i := range records {
		hook := records[i].(schedctl.Webhook)
		hook.Cursor = o.translate(hook.Cursor, sorted)
		list[i] = hook
	}
	return list
}

// records returns the number of records to copy.
func (s *survey) records() (n int) {
	for i := range kinds {
		n += s.tallies[kinds[i].name].Count
	}
	return n
}

// Difference is a tally that differs between source and copy.
type Difference struct{ Source, Copy Tally }

// differences compares the copy with the expected tallies.
func (s *survey) differences(found *survey, sorted bool) (list []Difference) {
	for _, name := range names() {
		want, got := *s.tallies[name], *found.tallies[name]
		if name == talliedOrder && sorted {
			continue
		}
		if want != got {
			list = append(list, Difference{want, got})
		}
	}
	return list
}
