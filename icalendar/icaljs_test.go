package icalendar_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/icalendar"
	"github.com/schedctl/schedctl/icalendar/icaltest"
)

// TestCalendarOpensInICalJS reads a calendar with a parser that calendar programs use.
func TestCalendarOpensInICalJS(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	c := icalendar.NewCalendar(&b, icalendar.Header{Product: "-//schedctl//EN", Name: "Posts", Refresh: 15 * time.Minute})
	at := time.Date(2027, 7, 1, 7, 0, 0, 0, time.UTC)
	text := "Zeile eins, mit Komma; und\nzwei \\ 😀 日本語日本語日本語日本語日本語日本語日本語日本語日本語"
	for i, status := range []string{"CONFIRMED", "CANCELLED"} {
		err := c.Add(icalendar.Event{
			UID: []string{"post_1", "post_2"}[i], At: at.AddDate(0, 6*i, 0), Created: at, Modified: at, Revision: 3,
			Summary: text, Description: text, Status: status,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	event := icaltest.Event{UID: "post_1", Summary: text, Description: text, Sequence: 3, Status: "CONFIRMED", At: at, Berlin: "2027-07-01 09:00", NewYork: "2027-07-01 03:00"}
	canceled := event
	canceled.UID, canceled.Status, canceled.At = "post_2", "CANCELLED", at.AddDate(0, 6, 0)
	canceled.Berlin, canceled.NewYork = "2028-01-01 08:00", "2028-01-01 02:00"
	want := icaltest.Calendar{Name: "Posts", RefreshSeconds: 900, TTL: "PT15M", Events: []icaltest.Event{event, canceled}}
	if diff := cmp.Diff(want, icaltest.Read(t, b.String())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
