package series_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
)

// detach changes the post of an occurrence alone.
func (f *fixture) detach(id string, local schedctl.LocalTime) {
	f.Helper()
	f.changePost(id, local, func(p *schedctl.Post) error {
		_, err := p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: new("mine")}}, f.now)
		return err
	})
}

func TestSkip(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=6", nil)
		f.detach(id, "2027-03-04T09:00")
		skip := func(local schedctl.LocalTime) {
			f.change(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Skip(tx, s, local, f.sweepAt()) })
		}
		skip("2027-03-03T09:00")
		skip("2027-03-04T09:00")
		skip("2027-03-03T09:00")
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-05T09:00", "2027-03-06T09:00")
		f.wantEvents("post.removed", "post.removed")
		if s := f.series(id); s.Version != 3 {
			f.Errorf("the version is %d, want 3: the third request changes nothing", s.Version)
		}
		f.publish(id, "2027-03-02T09:00")
		try := func(local schedctl.LocalTime, want schedctl.Code) {
			f.Helper()
			f.wantCode(f.try(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Skip(tx, s, local, f.sweepAt()) }), want)
		}
		try("2027-03-02T09:00", schedctl.PostNotCancelable)
		try("2027-03-02T10:00", schedctl.ValidationFailed)
		try("2027-03-07T09:00", schedctl.ValidationFailed)
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
			_, err := series.End(tx, s, f.now)
			return err
		})
		try("2027-03-05T09:00", schedctl.SeriesIsOver)
	})
}

// Skipping the only future post makes the next one.
func TestSkipMakesTheNext(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=YEARLY", nil)
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
			return series.Skip(tx, s, "2028-03-01T09:00", f.sweepAt())
		})
		f.wantPosts(id, "2029-03-01T09:00")
	})
}

// A removed exdate makes the occurrence again, with the same id.
func TestRemovedExdateIsMadeAgain(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=4", nil)
		before := f.post(id, "2027-03-03T09:00").Targets
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
			return series.Skip(tx, s, "2027-03-03T09:00", f.sweepAt())
		})
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-04T09:00")
		f.edit(id, func(s *schedctl.Series) { s.Exdates = nil })
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00", "2027-03-04T09:00")
		if diff := cmp.Diff(before, f.post(id, "2027-03-03T09:00").Targets); diff != "" {
			f.Errorf("targets (-before +after):\n%s", diff)
		}
	})
}

func TestLimitOfExdates(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) {
			day := s.Start.Civil().AddDate(1, 0, 0)
			for range schedctl.MaxExdates {
				s.AddExdate(schedctl.LocalTimeOf(day))
				day = day.AddDate(0, 0, 1)
			}
		})
		err := f.try(id, func(tx storage.Tx, s *schedctl.Series) error {
			return series.Skip(tx, s, "2027-03-03T09:00", f.sweepAt())
		})
		f.wantCode(err, schedctl.ValidationFailed)
		f.cancel(id, "2027-03-03T09:00")
		if !new(f.series(id)).HasExdate("2027-03-03T09:00") {
			f.Error("a canceled post is not among the exdates")
		}
	})
}

// A canceled or deleted occurrence is not made again, also if its post is gone.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=4", nil)
		f.cancel(id, "2027-03-03T09:00")
		f.update(func(tx storage.Tx) error {
			p, err := tx.Post(f.ws, schedctl.OccurrencePostID(id, "2027-03-04T09:00"))
			if err != nil {
				return err
			}
			if err := series.LeaveOut(tx, &p, f.now); err != nil {
				return err
			}
			return tx.DeletePost(f.ws, p.ID)
		})
		s := f.series(id)
		if !slices.Equal(s.Exdates, []schedctl.LocalTime{"2027-03-03T09:00", "2027-03-04T09:00"}) || s.Version != 1 || s.SweepAt.After(f.now) {
			f.Errorf("%+v", s)
		}
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
			s.Cursor = "2027-03-01T12:00"
			return series.Make(tx, s, f.sweepAt())
		})
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00 canceled")
		f.update(func(tx storage.Tx) error { return series.LeaveOut(tx, &schedctl.Post{WorkspaceID: f.ws}, f.now) })
		p := f.post(id, "2027-03-02T09:00")
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Delete(tx, s, f.now) })
		f.update(func(tx storage.Tx) error { return series.LeaveOut(tx, &p, f.now) })
	})
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 3 })
		f.publish(id, "2027-03-02T09:00")
		f.detach(id, "2027-03-03T09:00")
		var kept []string
		pause := func() {
			f.change(id, func(tx storage.Tx, s *schedctl.Series) (err error) {
				kept, err = series.Pause(tx, s, f.now)
				return err
			})
		}
		pause()
		f.wantPosts(id, "2027-03-02T09:00 published", "2027-03-03T09:00 mine detached")
		if !slices.Equal(kept, []string{f.post(id, "2027-03-03T09:00").ID}) {
			f.Errorf("kept %v", kept)
		}
		f.wantEvents("post.removed")
		pause()
		s := f.series(id)
		if s.State != schedctl.SeriesPaused || !s.SweepAt.IsZero() || !s.NextAt.IsZero() || s.Version != 2 {
			f.Errorf("%+v", s)
		}
		f.sweep(id, at(8, 12, 0))
		f.wantPosts(id, "2027-03-02T09:00 published", "2027-03-03T09:00 mine detached")
		resume := func() {
			f.change(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Resume(tx, s, f.sweepAt()) })
		}
		resume()
		resume()
		f.wantPosts(id, "2027-03-02T09:00 published", "2027-03-03T09:00 mine detached", "2027-03-09T09:00", "2027-03-10T09:00", "2027-03-11T09:00")
		f.wantEvents() // it catches nothing up
		if s := f.series(id); s.State != schedctl.SeriesActive || s.Version != 3 {
			f.Errorf("%+v", s)
		}
	})
}

// A series that is resumed in time makes the same posts again.
func TestResumeMakesTheSamePosts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 2 })
		ids := func() (list []string) {
			for _, p := range f.posts(id) {
				list = append(list, p.ID, p.Targets[0].ID)
			}
			return list
		}
		before := ids()
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
			_, err := series.Pause(tx, s, f.now)
			return err
		})
		f.wantPosts(id)
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Resume(tx, s, f.sweepAt()) })
		if diff := cmp.Diff(before, ids()); diff != "" {
			f.Errorf("ids (-before +after):\n%s", diff)
		}
	})
}

func TestEndAndDelete(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 4 })
		f.publish(id, "2027-03-02T09:00")
		f.detach(id, "2027-03-03T09:00")
		f.changePost(id, "2027-03-04T09:00", func(p *schedctl.Post) error {
			_, err := p.Unschedule(schedctl.Actor{}, f.now)
			return err
		})
		var kept []string
		for range 2 {
			f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
				list, err := series.End(tx, s, f.now)
				if list != nil {
					kept = list
				}
				return err
			})
		}
		f.wantPosts(id, "2027-03-02T09:00 published", "2027-03-04T09:00 draft detached")
		f.wantEvents("post.removed", "post.removed", "series.ended")
		if !slices.Equal(kept, []string{f.post(id, "2027-03-04T09:00").ID}) {
			f.Errorf("kept %v", kept)
		}
		for name, err := range map[string]error{
			"pause":  f.try(id, func(tx storage.Tx, s *schedctl.Series) error { _, err := series.Pause(tx, s, f.now); return err }),
			"resume": f.try(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Resume(tx, s, f.sweepAt()) }),
			"edit": f.try(id, func(tx storage.Tx, s *schedctl.Series) error {
				_, err := series.Edit(tx, s, new(s.Clone()), f.sweepAt())
				return err
			}),
		} {
			if schedctl.CodeOf(err) != schedctl.SeriesIsOver {
				f.Errorf("%s of an ended series: %v", name, err)
			}
		}

		other := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 2 })
		f.change(other, func(tx storage.Tx, s *schedctl.Series) error { return series.Delete(tx, s, f.now) })
		f.wantPosts(other)
		f.wantEvents("post.removed", "post.removed")
	})
}

// edit changes all occurrences of a series, and returns what stays, by occurrence.
func (f *fixture) edit(id string, change func(*schedctl.Series)) (kept []schedctl.LocalTime) {
	f.Helper()
	var ids []string
	f.change(id, func(tx storage.Tx, s *schedctl.Series) (err error) {
		next := s.Clone()
		change(&next)
		ids, err = series.Edit(tx, s, &next, f.sweepAt())
		return err
	})
	return f.occurrences(id, ids)
}

func (f *fixture) occurrences(id string, posts []string) (locals []schedctl.LocalTime) {
	for _, p := range f.posts(id) {
		if slices.Contains(posts, p.ID) {
			locals = append(locals, p.Occurrence)
		}
	}
	return locals
}

func TestEditContent(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 6 })
		f.publish(id, "2027-03-02T09:00")
		f.detach(id, "2027-03-03T09:00")
		f.cancel(id, "2027-03-04T09:00")
		before := f.post(id, "2027-03-05T09:00")
		kept := f.edit(id, func(s *schedctl.Series) {
			s.Template.Text = "new"
			s.Template.Labels = []string{"news"}
			s.Template.Targets[1].Text = "own"
		})
		if !slices.Equal(kept, []schedctl.LocalTime{"2027-03-03T09:00"}) {
			f.Errorf("kept %v", kept)
		}
		f.wantPosts(id, "2027-03-02T09:00 published", "2027-03-03T09:00 mine detached", "2027-03-04T09:00 canceled",
			"2027-03-05T09:00 new", "2027-03-06T09:00 new", "2027-03-07T09:00 new")
		f.wantEvents()
		p := f.post(id, "2027-03-05T09:00")
		if p.Targets[0].ID != before.Targets[0].ID || p.Targets[1].Text != "own" || !slices.Equal(p.Labels, []string{"news"}) || p.Version != 2 {
			f.Errorf("the post is now %+v", p)
		}
		if s := f.series(id); s.Version != 2 {
			f.Errorf("version %d", s.Version)
		}
		f.edit(id, func(s *schedctl.Series) { s.Variants = []string{"a", "b"} })
		f.wantPosts(id, "2027-03-02T09:00 published", "2027-03-03T09:00 mine detached", "2027-03-04T09:00 canceled",
			"2027-03-05T09:00 a", "2027-03-06T09:00 b", "2027-03-07T09:00 a")
	})
}

func TestEditAccounts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 2; s.Template.Targets = s.Template.Targets[:1] })
		target := f.post(id, "2027-03-02T09:00").Targets[0].ID
		f.edit(id, func(s *schedctl.Series) {
			next, err := schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: f.ws, Content: schedctl.Content{Text: "text"}, Accounts: f.accounts}, f.now)
			if err != nil {
				f.Fatal(err)
			}
			s.Template = next
		})
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00")
		p := f.post(id, "2027-03-02T09:00")
		if len(p.Targets) != 2 || p.Targets[0].ID != target || p.Targets[1].ID != schedctl.OccurrenceTargetID(id, "2027-03-02T09:00", f.accounts[1].ID) {
			f.Errorf("targets %+v", p.Targets)
		}
		f.wantEvents("post.removed", "post.removed")
	})
}

// Posts that are occurrences of the new rule, too, stay as they are.
func TestEditRule(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 6 })
		f.publish(id, "2027-03-02T09:00")
		f.detach(id, "2027-03-04T09:00")
		f.now = at(2, 10, 0)
		kept := f.edit(id, func(s *schedctl.Series) { s.Rule = "FREQ=WEEKLY;BYDAY=TU,WE,FR;BYHOUR=9,20" })
		if !slices.Equal(kept, []schedctl.LocalTime{"2027-03-04T09:00"}) {
			f.Errorf("kept %v", kept)
		}
		f.wantPosts(id, "2027-03-02T09:00 published", // and not again at 20:00 on the same day
			"2027-03-03T09:00", "2027-03-03T20:00", "2027-03-04T09:00 mine detached", "2027-03-05T09:00", "2027-03-05T20:00")
		f.wantEvents("post.removed", "post.removed") // of the 6th and 7th
		if p := f.post(id, "2027-03-03T09:00"); p.Version != 1 {
			f.Errorf("a post that stays has version %d", p.Version)
		}
	})
}

// The start is moved after the occurrence of the day was published, or may have been.
func TestEditMakesNoSecondOccurrenceOnADay(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(f *fixture, id string){
		"published": func(f *fixture, id string) { f.publish(id, "2027-03-02T09:00") },
		"unknown": func(f *fixture, id string) {
			f.changePost(id, "2027-03-02T09:00", func(p *schedctl.Post) error {
				for i := range p.Targets {
					if _, err := p.Begin(schedctl.Claim{TargetID: p.Targets[i].ID}, p.PublishAt); err != nil {
						return err
					}
					e := &schedctl.TargetError{Kind: schedctl.KindNetwork, Message: "lost", Outcome: schedctl.OutcomeUnknown}
					if _, err := p.Finish(p.Targets[i].ID, schedctl.Result{Error: e}, p.PublishAt); err != nil {
						return err
					}
				}
				return nil
			})
		},
		"publishing": func(f *fixture, id string) {
			f.changePost(id, "2027-03-02T09:00", func(p *schedctl.Post) error {
				_, err := p.Begin(schedctl.Claim{TargetID: p.Targets[0].ID}, p.PublishAt)
				return err
			})
		},
		"published early": func(f *fixture, id string) {
			f.now = at(1, 13, 0)
			f.changePost(id, "2027-03-02T09:00", func(p *schedctl.Post) error {
				_, err := p.PublishNow(nil, f.now)
				return err
			})
			f.publish(id, "2027-03-02T09:00")
			f.now = at(1, 14, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEveryEngine(t, func(f *fixture) {
				id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 2 })
				f.now = at(2, 9, 30)
				end(f, id)
				f.edit(id, func(s *schedctl.Series) { s.Start = "2027-03-01T18:00" })
				for _, p := range f.posts(id) {
					if p.Occurrence == "2027-03-02T18:00" {
						f.Errorf("a second occurrence on the 2nd")
					}
				}
				if p := f.post(id, "2027-03-03T18:00"); p.Status() != schedctl.Scheduled {
					f.Errorf("the next day has %s", p.Status())
				}
			})
		})
	}
}

// An edit that would repeat a text too soon removes the post.
func TestEditIntoADuplicate(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		f.account(0, func(a *schedctl.Account) { a.Options = schedctl.Options{"duplicate_guard": "40h"} })
		id := f.create("FREQ=DAILY;COUNT=4", func(s *schedctl.Series) { s.Variants = []string{"a", "b", "c", "d"} })
		f.edit(id, func(s *schedctl.Series) { s.Variants = []string{"x", "b", "b", "d"} })
		f.wantPosts(id, "2027-03-02T09:00 b", "2027-03-04T09:00 d")
		f.wantEvents("post.removed", "skipped 1 duplicate 2027-03-03T09:00 2027-03-03T09:00")
	})
}

// The posts of an account that was disconnected have fewer targets than the series.
func TestEditWithADisconnectedAccount(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		f.account(0, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
		id := f.create("FREQ=DAILY;COUNT=3", nil)
		f.edit(id, func(s *schedctl.Series) { s.Template.Text = "new"; s.Template.Targets[0].Text = "own" })
		f.wantPosts(id, "2027-03-02T09:00 new", "2027-03-03T09:00 new")
	})
}

// editFrom continues a series from an occurrence on, and returns the new one.
func (f *fixture) editFrom(id string, from schedctl.LocalTime, change func(*schedctl.Series)) (nextID string, kept []schedctl.LocalTime) {
	f.Helper()
	var ids []string
	f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
		next, err := series.Continue(s, from, f.now)
		if err != nil {
			return err
		}
		change(&next)
		nextID = next.ID
		ids, err = series.EditFrom(tx, s, &next, from, f.sweepAt())
		return err
	})
	return nextID, f.occurrences(id, ids)
}

func TestEditFrom(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=9", func(s *schedctl.Series) {
			s.Variants, s.ExternalID, s.Exdates = []string{"a", "b", "c"}, "site/news", []schedctl.LocalTime{"2027-03-03T09:00", "2027-03-09T09:00"}
		})
		f.detach(id, "2027-03-06T09:00")
		f.cancel(id, "2027-03-07T09:00")
		nextID, kept := f.editFrom(id, "2027-03-05T09:00", func(s *schedctl.Series) { s.Name = "later" })
		if !slices.Equal(kept, []schedctl.LocalTime{"2027-03-06T09:00"}) {
			f.Errorf("kept %v", kept)
		}
		f.wantPosts(id, "2027-03-02T09:00 b", "2027-03-04T09:00 a", "2027-03-06T09:00 mine detached", "2027-03-07T09:00 canceled a")
		f.wantPosts(nextID, "2027-03-05T09:00 b", "2027-03-08T09:00 b")
		old, next := f.series(id), f.series(nextID)
		if old.Rule != "FREQ=DAILY;UNTIL=20270304" || old.State != schedctl.SeriesActive || old.ExternalID != "" || !slices.Equal(old.Exdates, []schedctl.LocalTime{"2027-03-03T09:00"}) || old.Version != 2 {
			f.Errorf("the old series is %+v", old)
		}
		if next.Rule != "FREQ=DAILY;COUNT=5" || next.Start != "2027-03-05T09:00" || next.PreviousID != id || next.ExternalID != "site/news" || next.Name != "later" || next.Version != 1 {
			f.Errorf("the new series is %+v", next)
		}
		want := []schedctl.LocalTime{"2027-03-06T09:00", "2027-03-07T09:00", "2027-03-09T09:00"}
		if !slices.Equal(next.Exdates, want) {
			f.Errorf("the new exdates are %v, want %v", next.Exdates, want)
		}
		f.sweep(id, at(4, 9, 1))
		f.sweep(id, at(6, 9, 1)) // the detached post
		if s := f.series(id); s.State != schedctl.SeriesEnded {
			f.Errorf("the old series is %s after its last post", s.State)
		}
	})
}

// From its next occurrence on, nothing of the old series is left.
func TestEditFromTheNextOccurrence(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 3 })
		f.publish(id, "2027-03-02T09:00")
		f.now = at(2, 10, 0)
		nextID, _ := f.editFrom(id, "2027-03-03T09:00", func(s *schedctl.Series) { s.Start, s.Rule = "2027-03-02T20:00", "FREQ=DAILY" })
		f.wantPosts(id, "2027-03-02T09:00 published")
		f.wantPosts(nextID, "2027-03-03T20:00", "2027-03-04T20:00") // not on the 2nd
		if s := f.series(id); s.State != schedctl.SeriesEnded {
			f.Errorf("the old series is %s", s.State)
		}
		f.wantEvents("post.removed", "post.removed", "series.ended")
		first := f.create("FREQ=WEEKLY", nil)
		f.editFrom(first, "2027-03-08T09:00", func(*schedctl.Series) {})
		if s := f.series(first); s.State != schedctl.SeriesEnded || s.Rule != "FREQ=WEEKLY;UNTIL=20270307" {
			f.Errorf("the old series is %+v", s)
		}
	})
}

// An occurrence that was published before its time is not made again by the new series.
func TestEditFromAnEarlyPost(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=4", nil)
		f.changePost(id, "2027-03-03T09:00", func(p *schedctl.Post) error {
			_, err := p.PublishNow(nil, f.now)
			return err
		})
		f.publish(id, "2027-03-03T09:00")
		nextID, _ := f.editFrom(id, "2027-03-02T09:00", func(*schedctl.Series) {})
		f.wantPosts(nextID, "2027-03-02T09:00", "2027-03-04T09:00")
	})
}

func TestContinueRefuses(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", nil)
		s := f.series(id)
		for local, reason := range map[schedctl.LocalTime]string{"2027-03-01T09:00": "passed", "2027-03-02T10:00": "not an occurrence"} {
			_, err := series.Continue(&s, local, f.now)
			if schedctl.CodeOf(err) != schedctl.ValidationFailed || !strings.Contains(err.Error(), reason) {
				f.Errorf("from %s: %v", local, err)
			}
		}
		s.State = schedctl.SeriesEnded
		_, err := series.Continue(&s, "2027-03-02T09:00", f.now)
		f.wantCode(err, schedctl.SeriesIsOver)
	})
}

// Two nodes that sweep at the same time make each occurrence once.
func TestSweepsAtTheSameTime(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 1 })
		f.now = at(8, 8, 0)
		done := make(chan error)
		for range 4 {
			go func() {
				done <- f.try(id, func(tx storage.Tx, s *schedctl.Series) error { return series.Make(tx, s, f.sweepAt()) })
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				f.Error(err)
			}
		}
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-07T09:00", "2027-03-08T09:00")
		f.wantEvents("skipped 4 missed 2027-03-03T09:00 2027-03-06T09:00")
	})
}

// Both series would have posts in the same week.
func TestEditFromRefusesAnEarlierStart(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", nil)
		s := f.series(id)
		next, err := series.Continue(&s, "2027-03-05T09:00", f.now)
		if err != nil {
			f.Fatal(err)
		}
		next.Start = "2027-03-04T08:00"
		err = f.store.Update(f.Context(), func(tx storage.Tx) error {
			_, err := series.EditFrom(tx, &s, &next, "2027-03-05T09:00", f.sweepAt())
			return err
		})
		if schedctl.CodeOf(err) != schedctl.ValidationFailed {
			f.Errorf("got %v, want %s", err, schedctl.ValidationFailed)
		}
	})
}

// A post that is due and waits, because a blackout holds its account, is still published:
// a new rule makes no second one on its day.
func TestEditBesideAHeldPost(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 2 })
		f.now = at(2, 10, 0) // an hour after the occurrence of the 2nd, which is still scheduled
		f.edit(id, func(s *schedctl.Series) { s.Start = "2027-03-01T20:00" })
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T20:00")
	})
}
