package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReceiverNotesPostsAndEvents(t *testing.T) {
	t.Parallel()
	l := new(arrivalLog)
	srv := httptest.NewServer(http.HandlerFunc(l.record))
	defer srv.Close()
	for _, body := range []string{
		`{"id":"pt_1","content":"post 7","publish_at":"2026-06-02T15:00:00.250Z"}`,
		`{"id":"evt_1","type":"post.published","created_at":"2026-06-02T15:00:01Z"}`,
	} {
		resp, err := http.Post(srv.URL, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	all := l.since(0)
	if diff := cmp.Diff([]string{"post 7", "evt_1"}, slices.Collect(keys(all))); diff != "" {
		t.Fatal(diff)
	}
	if want := time.Date(2026, 6, 2, 15, 0, 0, 250e6, time.UTC); !all[0].Since.Equal(want) || all[0].late() != all[0].At.Sub(want) {
		t.Errorf("%+v", all[0])
	}
	if rest := l.since(1); len(rest) != 1 || rest[0].Key != "evt_1" {
		t.Errorf("after the first: %+v", rest)
	}
	if none := l.since(5); len(none) != 0 {
		t.Errorf("after more than all: %+v", none)
	}
}

func TestTimerPostsEachOnceAndNeverEarly(t *testing.T) {
	t.Parallel()
	l := new(arrivalLog)
	srv := httptest.NewServer(http.HandlerFunc(l.record))
	defer srv.Close()
	now := time.Now()
	o := timerOrder{URL: srv.URL, Accounts: 3}
	for i := range 10 {
		o.Posts = append(o.Posts, numberedPost{i, now.Add(time.Duration(10-i) * time.Millisecond)})
	}
	if err := o.run(t.Context(), srv.Client()); err != nil {
		t.Error(err)
	}
	var n counts
	n.countArrivals(10, keys(l.since(0)))
	if want := (counts{Checked: 10}); n != want {
		t.Errorf("%s, want %s", n, want)
	}
	for _, a := range l.since(0) {
		if a.late() < 0 {
			t.Errorf("%s arrived %s early", a.Key, -a.late())
		}
	}
}
