package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// A pause of several labels makes all of its holds or none: after a refusal, the holds that
// were made are removed.
func TestPauseOfSeveralLabelsIsWhole(t *testing.T) {
	t.Parallel()
	var deleted []string
	m := newMachine(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch path := strings.TrimPrefix(r.URL.Path, "/api/v1"); {
		case r.Method == http.MethodDelete:
			deleted = append(deleted, path)
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodPost:
			var b apiv1.CreateBlackout
			if err := json.NewDecoder(r.Body).Decode(&b); err != nil || b.Label == nil {
				t.Errorf("the request has the label %v, error %v", b.Label, err)
				return
			}
			if *b.Label == "third" {
				w.WriteHeader(http.StatusUnprocessableEntity)
				w.Write([]byte(`{"error":{"code":"VALIDATION_FAILED","message":"too many blackouts"}}`))
				return
			}
			json.NewEncoder(w).Encode(apiv1.BlackoutEnvelope{Blackout: apiv1.Blackout{ID: "blk_" + *b.Label, Label: b.Label}})
		case path == "/posts":
			json.NewEncoder(w).Encode(apiv1.PostList{Results: []apiv1.Post{}})
		default:
			w.Write([]byte(`{"results":[]}`))
		}
	}))
	status := m.run(t, "pause", "--label", "third", "--label", "first", "--label", "second", "--yes")
	if status != cli.ExitInvalid || !strings.Contains(m.err.String(), "too many blackouts") {
		t.Errorf("exit status %d, standard error %q", status, m.err.String())
	}
	slices.Sort(deleted)
	if diff := cmp.Diff([]string{"/blackouts/blk_first", "/blackouts/blk_second"}, deleted); diff != "" {
		t.Errorf("the holds that were removed, -want +got:\n%s", diff)
	}
}

// A resume of several labels ends every hold that it can, reports the others, and can be
// repeated for them.
func TestResumeOfSeveralLabelsCanBeRepeated(t *testing.T) {
	t.Parallel()
	holds := []apiv1.Blackout{labelHold("first"), labelHold("second"), labelHold("third")}
	refuses := "blk_second"
	m := newMachine(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch path := strings.TrimPrefix(r.URL.Path, "/api/v1"); {
		case r.Method == http.MethodDelete && strings.HasSuffix(path, refuses):
			w.WriteHeader(http.StatusConflict)
			w.Write([]byte(`{"error":{"code":"VERSION_CONFLICT","message":"the hold changed"}}`))
		case r.Method == http.MethodDelete:
			holds = slices.DeleteFunc(holds, func(b apiv1.Blackout) bool { return strings.HasSuffix(path, b.ID) })
			w.WriteHeader(http.StatusNoContent)
		case path == "/blackouts":
			json.NewEncoder(w).Encode(apiv1.BlackoutList{Results: holds, Count: len(holds)})
		case path == "/posts":
			json.NewEncoder(w).Encode(apiv1.PostList{Results: []apiv1.Post{}})
		default:
			w.Write([]byte(`{"results":[]}`))
		}
	}))
	command := []string{"resume", "--label", "first", "--label", "second", "--label", "third", "--yes"}
	status := m.run(t, command...)
	if said := m.err.String(); status == 0 || len(holds) != 1 || holds[0].ID != refuses || !strings.Contains(said, "1 of 3 holds did not end") || !strings.Contains(said, "the hold changed") {
		t.Fatalf("exit status %d, left %+v, standard error %q", status, holds, said)
	}
	if out := m.out.String(); !strings.Contains(out, "blk_first") || !strings.Contains(out, "blk_third") || strings.Contains(out, refuses) {
		t.Errorf("the holds that ended: %q", out)
	}
	refuses = "none"
	if status := m.run(t, command...); status != 0 || len(holds) != 0 {
		t.Errorf("again: exit status %d, left %+v, standard error %q", status, holds, m.err.String())
	}
}

// labelHold returns an open hold of a label, which has begun a day ago.
func labelHold(label string) apiv1.Blackout {
	return apiv1.Blackout{
		ID: "blk_" + label, Label: &label, Mode: schedctl.BlackoutHold, From: "2026-11-20T12:00", Timezone: "UTC", StartsAt: *at(-24 * time.Hour), CreatedAt: at(-24 * time.Hour),
	}
}

// TestShiftMissedSaysWhatClocksDo moves missed posts to a day on which the clocks skip their
// time of day: the list says so, and where they move.
func TestShiftMissedSaysWhatClocksDo(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 27, 0, 0, 0, 0, time.UTC)
	now := day.Add(42 * time.Hour) // two days after the 27th, the clocks of Berlin skip 2:00–3:00
	hold := labelHold("launch")
	hold.StartsAt = *apiv1.NewTime(day.Add(15 * time.Minute))
	post := apiv1.Post{
		ID: "post_1", Status: schedctl.Scheduled, Content: "Hello", Labels: []string{"launch"}, PublishAt: apiv1.NewTime(day.Add(90 * time.Minute)), Version: 1, // 2:30 in Berlin
	}
	m := newMachine(t, routes{
		"GET /blackouts":               apiv1.BlackoutList{Results: []apiv1.Blackout{hold}, Count: 1},
		"GET /posts":                   apiv1.PostList{Results: []apiv1.Post{post}},
		"GET /social-accounts":         apiv1.AccountList{Results: []apiv1.Account{blog}},
		"PATCH /posts/post_1":          apiv1.PostEnvelope{Post: post},
		"DELETE /blackouts/" + hold.ID: nil,
	})
	m.Now = func() time.Time { return now }
	status := m.run(t, "resume", "--label", "launch", "--shift-missed", "--tz", "Europe/Berlin", "--yes")
	if said := m.err.String(); status != 0 || !strings.Contains(said, "Hello: moves to 2026-03-29T01:00:00Z (clocks in Europe/Berlin skip 02:30 on that day") {
		t.Errorf("exit status %d, standard error %q", status, said)
	}
}
