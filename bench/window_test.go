package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSidesTakeTurns(t *testing.T) {
	t.Parallel()
	w := window{order: inTurns(4), posts: 5}
	order := ""
	for _, side := range w.order {
		order += string("CS"[side])
	}
	if want := "CSC" + "SCC" + "CCS" + "CSC"; order != want {
		t.Errorf("order %s, want %s", order, want)
	}
	if s, c, all := w.share(subject), w.share(control), w.total(); s != 20 || c != 40 || all != 60 {
		t.Errorf("%d posts of the subject and %d of the control, %d in all", s, c, all)
	}
}

func TestPlanSpreadsPostsOverTheirSlice(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	p := &windowPlan{window{order: inTurns(1), posts: 2, length: 100 * time.Millisecond, gap: 50 * time.Millisecond}, first, 10}
	after := func(ms int) time.Time { return first.Add(time.Duration(ms) * time.Millisecond) }
	if diff := cmp.Diff([]numberedPost{{12, after(150)}, {13, after(200)}}, p.of(subject)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]numberedPost{{10, after(0)}, {11, after(50)}, {14, after(300)}, {15, after(350)}}, p.of(control)); diff != "" {
		t.Error(diff)
	}
	if want := after(450); !p.end().Equal(want) {
		t.Errorf("ends %s, want %s", p.end(), want)
	}
}

func TestPlanSortsWhatArrived(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	p := &windowPlan{window{order: inTurns(1), posts: 2}, first, 10}
	after := func(ms int) time.Time { return first.Add(time.Duration(ms) * time.Millisecond) }
	var n counts
	late := p.sort(deliveryOutcome{arrived: []arrival{
		{Key: "post 10", At: after(5)},
		{Key: "post 12", At: after(7)},
		{Key: "post 12", At: after(8)},  // again
		{Key: "post 13", At: after(-1)}, // early
		{Key: "post 14", At: after(9)},
		{Key: "post 15", At: after(10)},
		{Key: "post 99", At: after(1)}, // of a different plan
		{Key: "waits", At: after(1)},
	}}, &n)
	if want := (counts{Checked: 6, Twice: 1, Early: 1, Control: 1}); n != want { // 11 is what the control lost
		t.Errorf("%s, want %s", n, want)
	}
	const ms = time.Millisecond
	if diff := cmp.Diff([][]time.Duration{{5 * ms}, {7 * ms, -ms}, {9 * ms, 10 * ms}}, late); diff != "" {
		t.Error(diff)
	}
	out := lateness{window: p.window, late: late}
	if diff := cmp.Diff(comparison{{sample{7000}, [2]sample{{5000}, {10000}}}}, out.compare(1), cmp.AllowUnexported(round{})); diff != "" {
		t.Error(diff)
	}
}

func TestPlanCountsWhatIsMissing(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return first.Add(time.Duration(second) * time.Second) }
	o := deliveryOutcome{
		arrived: []arrival{{Key: "post 0", At: at(2)}, {Key: "post 5", At: at(2)}, {Key: "post 5", At: at(2)}},
		failed:  map[string]bool{"post 2": true, "post 7": true},
	}
	for _, tt := range []struct {
		name string
		peer bool
		want counts
	}{
		{"with a timer", false, counts{Checked: 6, Lost: 1, Failed: 1, Control: 3}}, // 1 and 4 are missing and 5 is repeated
		{"with a daemon", true, counts{Checked: 6, Lost: 3, Failed: 1, Twice: 1}},
	} {
		p := &windowPlan{window{order: inTurns(1), posts: 2, peer: tt.peer}, first, 0}
		var n counts
		p.sort(o, &n)
		if n != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, n, tt.want)
		}
	}
}
