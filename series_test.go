package schedctl_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

func newSeries(t *testing.T) schedctl.Series {
	t.Helper()
	template, err := schedctl.NewTemplate(schedctl.NewPost{
		WorkspaceID: "ws_1", Content: schedctl.Content{Text: "Hello"}, Accounts: []schedctl.Account{{ID: "acct_1", Platform: "http"}, {ID: "acct_2", Platform: "http"}},
		Overrides: []schedctl.Override{{AccountID: "acct_2", Partial: schedctl.Partial{Text: "for them"}}},
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	return schedctl.Series{ID: "ser_01KQZW5W0000000000000000AB", WorkspaceID: "ws_1", Template: template, Variants: []string{"a", "b"}, Timezone: "Europe/Berlin"}
}

// TestOccurrenceIDs guards the ids of occurrences, which must never change: a restored
// copy would make the same posts under other ids.
func TestOccurrenceIDs(t *testing.T) {
	t.Parallel()
	const series = "ser_01KQZW5W0000000000000000AB"
	for got, want := range map[string]string{
		schedctl.OccurrencePostID(series, "2027-06-01T09:00"):             "post_01KQZW5W00E9Q6ETKPVDCZYS2A",
		schedctl.OccurrencePostID(series, "2027-06-02T09:00"):             "post_01KQZW5W00PA71R4PREK0BYRJV",
		schedctl.OccurrenceTargetID(series, "2027-06-01T09:00", "acct_1"): "pt_01KQZW5W00B9WB6G1ERCR8ZHFR",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNewOccurrence(t *testing.T) {
	t.Parallel()
	s := newSeries(t)
	at := t0.Add(-time.Hour) // it is late
	o := schedctl.Occurrence{Local: "2027-06-01T09:00", Index: 3, At: at}
	p, events, err := schedctl.NewOccurrence(&s, o, t0)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := schedctl.NewOccurrence(&s, o, t0)
	if diff := cmp.Diff(p, again); err != nil || diff != "" {
		t.Errorf("a second time: %v\n%s", err, diff)
	}
	if p.ID != schedctl.OccurrencePostID(s.ID, o.Local) || p.SeriesID != s.ID || p.Occurrence != o.Local || p.Text != "b" || !p.PublishAt.Equal(at) ||
		p.Status() != schedctl.Scheduled || p.ContentFor(&p.Targets[1]) != "for them" || p.Targets[1].ID != schedctl.OccurrenceTargetID(s.ID, o.Local, "acct_2") {
		t.Errorf("post %+v", p)
	}
	var types []schedctl.EventType
	for _, e := range events {
		types = append(types, e.Type)
	}
	if want := []schedctl.EventType{schedctl.EventPostCreated, schedctl.EventPostScheduled, schedctl.EventPostQueued, schedctl.EventPostQueued}; !slices.Equal(types, want) {
		t.Errorf("events %v", types)
	}
	if s.Template.Targets[0].Status != schedctl.Draft {
		t.Error("the template changed")
	}
	s.Variants = []string{""}
	if _, _, err := schedctl.NewOccurrence(&s, o, t0); schedctl.CodeOf(err) != schedctl.ValidationFailed {
		t.Errorf("an empty variant: %v", err)
	}
}

// TestDetachedOccurrences guards which changes detach an occurrence, and which release a
// slot.
func TestDetachedOccurrences(t *testing.T) {
	t.Parallel()
	s := newSeries(t)
	booking := schedctl.Booking{QueueID: "que_1", Slot: schedctl.Slot{Local: "2027-06-01T09:00", Timezone: "UTC"}}
	later, labels, text := t0.Add(2*time.Hour), []string{"x"}, "other"
	for name, tt := range map[string]struct {
		change          func(*schedctl.Post) error
		detached, keeps bool
	}{
		"label":       {edit(schedctl.Edit{Annotation: schedctl.Annotation{Labels: &labels}}), false, true},
		"text":        {edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &text}}), true, true},
		"series text": {edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &text}, BySeries: true}), false, true},
		"fixed time":  {edit(schedctl.Edit{PublishAt: later}), true, false},
		"next slot":   {edit(schedctl.Edit{PublishAt: later, Booking: booking}), true, true},
		"reflow":      {edit(schedctl.Edit{PublishAt: later, Booking: booking, BySeries: true}), false, true},
		"same time":   {func(p *schedctl.Post) error { return edit(schedctl.Edit{PublishAt: p.PublishAt})(p) }, true, false},
		"draft":       {func(p *schedctl.Post) error { _, err := p.Unschedule(schedctl.Actor{}, t0); return err }, true, false},
		"now":         {func(p *schedctl.Post) error { _, err := p.PublishNow(nil, t0); return err }, true, false},
		"cancel":      {func(p *schedctl.Post) error { _, err := p.Cancel(t0); return err }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, err := schedctl.NewOccurrence(&s, schedctl.Occurrence{Local: "2027-06-01T09:00", At: t0.Add(time.Hour), Booking: booking}, t0)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.change(&p); err != nil {
				t.Fatal(err)
			}
			if p.Detached != tt.detached || (p.Slot != schedctl.Slot{}) != tt.keeps || (p.QueueID != "") != tt.keeps {
				t.Errorf("detached %v, booking %v", p.Detached, p.Booking)
			}
			if holds := p.Targets[0].HoldsSlot(&p); holds != (tt.keeps && name != "cancel") {
				t.Errorf("holds its slot: %v", holds)
			}
		})
	}
}

func edit(e schedctl.Edit) func(*schedctl.Post) error {
	return func(p *schedctl.Post) error {
		_, err := p.Edit(e, t0)
		return err
	}
}

func TestExdates(t *testing.T) {
	t.Parallel()
	s := schedctl.Series{Exdates: []schedctl.LocalTime{"2027-06-02T09:00"}}
	c := s.Clone()
	if !c.AddExdate("2027-06-01T09:00") || c.AddExdate("2027-06-02T09:00") || !c.HasExdate("2027-06-01T09:00") || c.HasExdate("2027-06-03T09:00") {
		t.Errorf("exdates %v", c.Exdates)
	}
	if len(s.Exdates) != 1 || !slices.IsSorted(c.Exdates) {
		t.Errorf("exdates %v of %v", s.Exdates, c.Exdates)
	}
}

func TestFeedTokens(t *testing.T) {
	t.Parallel()
	token, hash := schedctl.NewFeedToken()
	if got, ok := schedctl.HashFeedToken(token); !ok || got != hash {
		t.Errorf("the token %s is not valid", token)
	}
	secret, _ := schedctl.NewKeySecret()
	for _, bad := range []string{"", token[1:], token + "x", secret, token[:len(token)-1] + "!"} {
		if _, ok := schedctl.HashFeedToken(bad); ok {
			t.Errorf("%q is a valid token", bad)
		}
	}
	if _, ok := schedctl.HashKeySecret(token); ok {
		t.Error("a feed token is a valid key")
	}
}
