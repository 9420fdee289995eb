package deliver_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/planner"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

// TestRestoredSeriesSkipWhatPassed guards that a restored database makes no occurrence
// that the original may have published: neither one that it did not have yet, nor one
// that was deleted since the backup.
func TestRestoredSeriesSkipWhatPassed(t *testing.T) {
	for name, restore := range map[string]func(context.Context, storage.Store, time.Time) (int, error){
		"restored": deliver.Withhold, "salvaged": deliver.WithholdSalvaged,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me", nil)
				template, err := schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: a.WorkspaceID, Content: schedctl.Content{Text: "text"}, Accounts: []schedctl.Account{a}}, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				cursors := map[string]schedctl.LocalTime{"2000-01-05T09:00": "2000-01-11T12:00", "2000-01-20T09:00": "2000-01-20T09:00"}
				ids := map[string]string{}
				for before := range cursors {
					s := schedctl.Series{
						ID: schedctl.NewID(schedctl.SeriesPrefix, time.Now()), WorkspaceID: a.WorkspaceID, Name: before, Template: template, Timezone: "Pacific/Auckland",
						Start: "2000-01-01T09:00", Rule: "FREQ=DAILY", AheadDays: 14, State: schedctl.SeriesActive, Cursor: schedctl.LocalTime(before), SweepAt: time.Now(), Version: 1,
					}
					ids[before] = s.ID
					if err := r.store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutSeries(s) }); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := restore(t.Context(), r.store, time.Date(2000, 1, 10, 23, 0, 0, 0, time.UTC)); err != nil {
					t.Fatal(err)
				}
				for before, want := range cursors {
					s, err := storage.Read(t.Context(), r.store.View, func(reader storage.Reader) (schedctl.Series, error) { return reader.Series(a.WorkspaceID, ids[before]) })
					if err != nil || s.Cursor != want || s.Version != 1 {
						t.Errorf("cursor %s became %s, want %s; %v", before, s.Cursor, want, err)
					}
				}
			})
		})
	}
}

// TestCopyOfABackupPublishesNothingTwice backs up the database of a daemon that publishes
// series, lets it publish for two more days, and then restores the backup. Together, the
// original and the copy publish each occurrence once.
func TestCopyOfABackupPublishesNothingTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, openBolt(t, filepath.Join(dir, "original.db")))
		defer r.store.Close()
		a := r.account("me", nil)
		series := []schedctl.Series{r.series(a, "daily", "FREQ=DAILY"), r.series(a, "often", "FREQ=DAILY;BYHOUR=3,9,15,21")}
		began := time.Now()
		r.start()
		stop := r.plan()
		r.after(3*24*time.Hour + 10*time.Minute)
		backup, err := os.Create(filepath.Join(dir, "backup.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.store.(storage.Copier).Copy(t.Context(), backup)
		if err := errors.Join(err, backup.Close()); err != nil {
			t.Fatal(err)
		}
		r.after(2 * 24 * time.Hour)
		stop()
		r.kill()
		r.after(7 * time.Hour) // nothing runs: of the occurrences that pass, none is made
		restored := time.Now()

		c := &rig{TB: t, store: openBolt(t, backup.Name()), fake: r.fake, registry: r.registry, sealer: r.sealer, workspace: r.workspace}
		defer c.store.Close()
		if _, err := deliver.Withhold(t.Context(), c.store, restored); err != nil {
			t.Fatal(err)
		}
		c.store.Notify(c.committed)
		for range 2 { // the second start sweeps again
			c.start()
			stop = c.plan()
			c.after(2 * 24 * time.Hour)
			stop()
			c.kill()
		}
		want := map[string]int{}
		for i := range series {
			rule, _, err := recurrence.Parse(series[i].Rule, series[i].Start, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			for _, local := range rule.All(schedctl.LocalTimeOf(began), schedctl.LocalTimeOf(time.Now())) {
				if at := local.Civil(); at.Before(restored.Add(-7*time.Hour)) || at.After(restored) {
					want[schedctl.OccurrenceTargetID(series[i].ID, local, a.ID)] = 1
				}
			}
		}
		if got := r.fake.Posts(); !maps.Equal(got, want) || len(want) < 40 {
			t.Errorf("the network has %d posts %v\nwant %d", len(got), got, len(want))
		}
		r.wantCalls(len(want))
	})
}

// series stores a series that starts now and is due for a sweep.
func (r *rig) series(a schedctl.Account, name, rule string) schedctl.Series {
	r.Helper()
	now := time.Now().UTC()
	template, err := schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: a.WorkspaceID, Content: schedctl.Content{Text: "text " + name}, Accounts: []schedctl.Account{a}}, now)
	if err != nil {
		r.Fatal(err)
	}
	s := schedctl.Series{
		ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: a.WorkspaceID, Name: name, Template: template, Timezone: "UTC", Start: "2000-01-01T09:00",
		Rule: rule, AheadDays: 2, State: schedctl.SeriesActive, Cursor: schedctl.LocalTimeOf(now), SweepAt: now, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	r.update(func(tx storage.Tx) error { return tx.PutSeries(s) })
	return s
}

// plan runs a planner until stop is called.
func (r *rig) plan() (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	p := planner.New(planner.Config{Store: r.store, MaxLateness: 24 * time.Hour, Logger: r.logger()})
	go func() { done <- p.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			r.Error(err)
		}
	}
}
