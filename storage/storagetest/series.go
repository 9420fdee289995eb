package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var seriesParts = []part{
	{"series/keeps every field", testSeriesKeepsEveryField},
	{"series/is listed", testSeriesIsListed},
	{"series/malformed ids", testMalformedSeriesIDs},
	{"series/external ids", testSeriesExternalIDs},
	{"series/due", testSeriesDue},
	{"series/uses media", testSeriesUsesMedia},
	{"series/lists its posts", testSeriesListsItsPosts},
}

func seriesByID(ws, id string) func(storage.Reader) (schedctl.Series, error) {
	return func(r storage.Reader) (schedctl.Series, error) { return r.Series(ws, id) }
}

func seriesAfter(ws, after string, limit int) func(storage.Reader) ([]schedctl.Series, error) {
	return func(r storage.Reader) ([]schedctl.Series, error) { return r.SeriesList(ws, after, limit) }
}

func (f *fixture) putSeries(list ...schedctl.Series) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, s := range list {
			if err := tx.PutSeries(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// newSeries returns a series without zero fields. Of its template, only the fields that
// engines keep are set.
func (f *fixture) newSeries(at time.Time) schedctl.Series {
	f.Helper()
	s := newFilled[schedctl.Series](f)
	s.ID, s.WorkspaceID = newID(schedctl.SeriesPrefix, at), f.ws
	s.ExternalID = "site/" + s.ID
	filled := s.Template
	s.Template = schedctl.Post{
		WorkspaceID: f.ws, Content: filled.Content, Labels: filled.Labels, Trail: schedctl.Trail{CreatedBy: filled.CreatedBy, UpdatedBy: filled.UpdatedBy},
	}
	for _, t := range filled.Targets {
		s.Template.Targets = append(s.Template.Targets, schedctl.Target{
			ID: t.ID, AccountID: t.AccountID, Platform: t.Platform, Status: schedctl.Draft, Partial: t.Partial,
		})
	}
	return s
}

// moveSeries gives a series and its template another workspace.
func moveSeries(s *schedctl.Series, ws string) { s.WorkspaceID, s.Template.WorkspaceID = ws, ws }

func testSeriesKeepsEveryField(f *fixture) {
	want := f.newSeries(epoch)
	wantNotFound(f, "missing series", seriesByID(f.ws, want.ID))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteSeries(f.ws, want.ID) })
	for _, state := range append(schedctl.SeriesStates(), want.State) {
		want.State = state
		f.putSeries(want)
		wantSame(f, "series", want, mustRead(f, seriesByID(f.ws, want.ID)))
	}
	bare := schedctl.Series{ID: want.ID, WorkspaceID: f.ws, Template: schedctl.Post{WorkspaceID: f.ws}}
	f.putSeries(bare)
	wantSame(f, "bare series", bare, mustRead(f, seriesByID(f.ws, bare.ID)))
	foreign := want
	foreign.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutSeries(foreign) })
	wantNotFound(f, "series of a different workspace", seriesByID(foreign.WorkspaceID, want.ID))
	f.update(func(tx storage.Tx) error { return tx.DeleteSeries(f.ws, want.ID) })
	wantNotFound(f, "deleted series", seriesByID(f.ws, want.ID))
}

func testSeriesIsListed(f *fixture) {
	var all []schedctl.Series
	for i := range 8 {
		all = append(all, f.newSeries(epoch.Add(time.Duration(i)*time.Second)))
	}
	other := f.newSeries(epoch)
	moveSeries(&other, newID(schedctl.WorkspacePrefix, epoch))
	f.putSeries(append(slices.Clone(all[4:]), other)...)
	f.putSeries(all[:4]...)
	slices.Reverse(all)
	wantSame(f, "all", all, mustRead(f, seriesAfter(f.ws, "", manyRecords)))
	wantSame(f, "the newest", all[:3], mustRead(f, seriesAfter(f.ws, "", 3)))
	for i := range all {
		wantSame(f, "after one", all[i+1:min(i+4, len(all))], mustRead(f, seriesAfter(f.ws, all[i].ID, 3)))
	}
}

func testMalformedSeriesIDs(f *fixture) {
	s := f.newSeries(epoch)
	for _, bad := range malformedIDs(schedctl.SeriesPrefix) {
		wantNotFound(f, "series "+bad, seriesByID(f.ws, bad))
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteSeries(f.ws, bad) })
		wrong := s
		wrong.ID = bad
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutSeries(wrong) })
		if bad != "" {
			wantNotFound(f, "series after "+bad, seriesAfter(f.ws, bad, 1))
			p := f.newPost(epoch, time.Time{}, schedctl.Draft)
			p.SeriesID = bad
			f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutPost(p) })
		}
	}
	for _, bad := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "series of "+bad, seriesByID(bad, s.ID))
		wantNotFound(f, "list of "+bad, seriesAfter(bad, "", 1))
	}
}

func testSeriesExternalIDs(f *fixture) {
	byExternalID := func(ws, id string) func(storage.Reader) (schedctl.Series, error) {
		return func(r storage.Reader) (schedctl.Series, error) { return r.SeriesByExternalID(ws, id) }
	}
	first, second, elsewhere, unnamed := f.newSeries(epoch), f.newSeries(epoch), f.newSeries(epoch), f.newSeries(epoch)
	first.ExternalID, second.ExternalID, elsewhere.ExternalID, unnamed.ExternalID = "site/a", "site/a", "site/a", ""
	moveSeries(&elsewhere, newID(schedctl.WorkspacePrefix, epoch))
	f.putPosts(f.newPostWithExternalID("site/a")) // ids of posts are separate
	f.putSeries(first, elsewhere, unnamed)
	f.putSeries(first)
	var refusal *schedctl.Error
	err := f.store.Update(context.Background(), func(tx storage.Tx) error { return tx.PutSeries(second) })
	if !errors.As(err, &refusal) || refusal.Code != schedctl.ExternalIDExists || len(refusal.Details) != 1 || refusal.Details[0].Message != first.ID {
		f.Errorf("a second series with the external id: %v, want EXTERNAL_ID_EXISTS that names %s", err, first.ID)
	}
	wantSame(f, "series here", first, mustRead(f, byExternalID(f.ws, "site/a")))
	wantSame(f, "series elsewhere", elsewhere, mustRead(f, byExternalID(elsewhere.WorkspaceID, "site/a")))
	wantNotFound(f, "no external id", byExternalID(f.ws, ""))
	f.update(func(tx storage.Tx) error { return tx.DeleteSeries(f.ws, first.ID) })
	wantNotFound(f, "external id of a deleted series", byExternalID(f.ws, "site/a"))
	f.putSeries(second)
	wantSame(f, "series that took it over", second, mustRead(f, byExternalID(f.ws, "site/a")))
}

func testSeriesDue(f *fixture) {
	var all []schedctl.Series
	for i := range 6 {
		s := f.newSeries(epoch)
		s.SweepAt = epoch.Add(time.Duration(i) * time.Hour)
		all = append(all, s)
	}
	moveSeries(&all[2], newID(schedctl.WorkspacePrefix, epoch))
	idle := f.newSeries(epoch)
	idle.SweepAt = time.Time{}
	f.putSeries(all[4], all[0], all[5], all[2], all[1], all[3], idle)
	due := func(before time.Time, limit int) []schedctl.Series {
		return mustRead(f, func(r storage.Reader) ([]schedctl.Series, error) { return r.SeriesDue(before, limit) })
	}
	never := epoch.Add(1000 * time.Hour)
	wantSame(f, "all", all, due(never, manyRecords))
	wantSame(f, "the first", all[:2], due(never, 2))
	wantSame(f, "before a time", all[:3], due(all[3].SweepAt, manyRecords))
	wantSame(f, "after a time", all[:4], due(all[3].SweepAt.Add(time.Millisecond), manyRecords))
	all[0].SweepAt = epoch.Add(90 * time.Minute)
	all[3].SweepAt = time.Time{}
	f.putSeries(all[0], all[3])
	f.update(func(tx storage.Tx) error { return tx.DeleteSeries(f.ws, all[4].ID) })
	wantSame(f, "after changes", []schedctl.Series{all[1], all[0], all[2], all[5]}, due(never, manyRecords))
}

func testSeriesUsesMedia(f *fixture) {
	asset := f.newMedia(1)[0]
	f.putMedia(asset)
	s := f.newSeries(epoch)
	s.State = schedctl.SeriesActive
	s.Template.Targets[0].Media = mediaList(asset.ID)
	published := f.newPost(epoch, epoch, schedctl.Published, newAccountIDs(1)...)
	waiting := f.newPost(epoch, epoch, schedctl.Scheduled, newAccountIDs(1)...)
	published.Media, waiting.Media = mediaList(asset.ID), mediaList(asset.ID)
	f.putPosts(published, waiting)
	f.putSeries(s)
	wantSame(f, "users", []string{s.ID, waiting.ID, published.ID}, mustRead(f, mediaUsers(asset.ID, manyRecords)))
	s.State = schedctl.SeriesEnded
	f.putSeries(s)
	wantSame(f, "users after the end", []string{waiting.ID, published.ID}, mustRead(f, mediaUsers(asset.ID, manyRecords)))
	s.State = schedctl.SeriesPaused
	f.putSeries(s)
	wantSame(f, "users of a paused series", []string{s.ID}, mustRead(f, mediaUsers(asset.ID, 1)))
	f.update(func(tx storage.Tx) error { return tx.DeleteSeries(f.ws, s.ID) })
	wantSame(f, "users after it was deleted", []string{waiting.ID, published.ID}, mustRead(f, mediaUsers(asset.ID, manyRecords)))
}

func testSeriesListsItsPosts(f *fixture) {
	seriesID, queueID, account := newID(schedctl.SeriesPrefix, epoch), newID(schedctl.QueuePrefix, epoch), newAccountIDs(1)[0]
	var of, both []schedctl.Post
	for i := range 6 {
		p := f.newPost(epoch.Add(time.Duration(i)*time.Second), epoch.Add(time.Duration(i)*time.Hour), schedctl.Scheduled, account)
		p.SeriesID, p.Occurrence, p.Detached = seriesID, schedctl.LocalTime(fmt.Sprintf("2026-01-02T%02d:00", i)), i == 3
		if i%2 == 0 {
			p.QueueID = queueID
			both = append(both, p)
		}
		of = append(of, p)
	}
	other := f.newPost(epoch, epoch, schedctl.Scheduled, account)
	f.putPosts(append(slices.Clone(of), other)...)
	query := storage.PostQuery{WorkspaceID: f.ws, SeriesID: seriesID, Sort: storage.PublishAscending, Limit: manyRecords}
	posts := func(q storage.PostQuery) []schedctl.Post {
		return mustRead(f, func(r storage.Reader) ([]schedctl.Post, error) {
			page, err := r.Posts(q)
			return page.Posts, err
		})
	}
	wantSame(f, "by series", of, posts(query))
	wantSame(f, "by series and time", of[2:4], posts(storage.PostQuery{
		WorkspaceID: f.ws, SeriesID: seriesID, Sort: storage.PublishAscending, Limit: manyRecords, PublishAfter: of[2].PublishAt, PublishBefore: of[4].PublishAt,
	}))
	query.QueueID = queueID
	wantSame(f, "by series and queue", both, posts(query))
	query.SeriesID = ""
	wantSame(f, "by queue", both, posts(query))
	query.AccountID = account
	wantSame(f, "by queue and account", both, posts(query))
	gone := of[0]
	gone.QueueID = ""
	f.putPosts(gone)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, of[2].ID) })
	query.AccountID = ""
	wantSame(f, "by queue, after changes", both[2:], posts(query))
}
