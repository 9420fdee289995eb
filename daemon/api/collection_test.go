package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// applied announces that files of a source are applied to the collection website.
func (f *fixture) applied(source, commit string, at time.Time, more body) *response {
	f.t.Helper()
	b := body{"source": source}
	if commit != "" {
		b["revision"] = body{"commit": commit, "committed_at": at.UTC().Format(time.RFC3339)}
	}
	for name, v := range more {
		b[name] = v
	}
	return f.do(nil, "POST", "/collections/website/apply", b)
}

// TestCollectionHasOneSource guards that the first source owns a collection until it is
// adopted or deleted.
func TestCollectionHasOneSource(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		f.do(nil, "GET", "/collections/website", nil).refused(schedctl.NotFound)
		f.applied("example.org/a", "", time.Time{}, nil).want(200)
		r := f.applied("example.org/b", "", time.Time{}, nil).refused(schedctl.SourceMismatch)
		if !strings.Contains(r.Message, "example.org/a") || !strings.Contains(r.Message, "example.org/b") {
			t.Errorf("the message names not both: %s", r.Message)
		}
		f.do(nil, "PUT", "/collections/website", body{"source": "example.org/b"}).want(200)
		f.applied("example.org/a", "", time.Time{}, nil).refused(schedctl.SourceMismatch)
		f.applied("example.org/b", "", time.Time{}, nil).want(200)
		f.do(nil, "DELETE", "/collections/website", nil).want(204)
		f.do(nil, "DELETE", "/collections/website", nil).refused(schedctl.NotFound)
		f.applied("example.org/a", "", time.Time{}, nil).want(200)

		f.do(nil, "PUT", "/collections/import", body{"source": "example.org/a"}).refused(schedctl.ValidationFailed)
		f.do(nil, "PUT", "/collections/a%20b", body{"source": "example.org/a"}).refused(schedctl.ValidationFailed)
		for _, source := range []string{"", "a b", "\u00e9", strings.Repeat("a", schedctl.MaxSource+1)} {
			f.applied(source, "", time.Time{}, nil).refused(schedctl.ValidationFailed)
		}
		list := decodeAs[apiv1.CollectionList](t, f.do(nil, "GET", "/collections", nil).want(200))
		if list.Count != 1 || list.Results[0].Source != "example.org/a" || list.Results[0].AppliedBy == nil {
			t.Errorf("%+v", list)
		}
	})
}

// TestCollectionKeepsLatestRevision guards that an old commit is refused, and that a commit
// from the future keeps no later one out.
func TestCollectionKeepsLatestRevision(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		const old, recent, next = "0aaaaaaa", "1bbbbbbb", "2ccccccc"
		at := time.Now().Add(-time.Hour)
		f.applied("s", recent, at, nil).want(200)
		f.applied("s", recent, at.Add(-time.Hour), nil).want(200) // the same commit
		f.applied("s", recent, at, nil).want(200)
		f.applied("s", old, at.Add(-time.Minute), nil).refused(schedctl.OlderRevision)
		f.applied("s", "", time.Time{}, nil).want(200)
		f.applied("s", old, at.Add(-time.Minute), nil).refused(schedctl.OlderRevision)
		f.applied("s", old, at.Add(-time.Minute), body{"allow_older": true}).want(200)
		f.applied("s", next, at.AddDate(1, 0, 0), nil).want(200)
		got := decodeAs[apiv1.CollectionEnvelope](t, f.do(nil, "GET", "/collections/website", nil).want(200)).Collection
		if got.Revision == nil || got.Revision.Commit != next || got.Revision.CommittedAt.After(time.Now().Add(time.Hour)) {
			t.Errorf("%+v", got.Revision)
		}
		f.applied("s", recent, time.Now().Add(time.Minute), nil).want(200)
		for _, commit := range []string{"abc", "ABCDEF12", strings.Repeat("0", 65), "not hexa"} {
			f.applied("s", commit, at, nil).refused(schedctl.ValidationFailed)
		}
		f.do(nil, "PUT", "/collections/website", body{"source": "other"}).want(200)
		f.applied("other", old, at.Add(-time.Hour), nil).want(200)
	})
}

// TestTwoSourcesDoNotShareACollection guards that of several sources at once, one gets the
// collection.
func TestTwoSourcesDoNotShareACollection(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		sources := []string{"a", "b", "c", "d", "e", "f"}
		status := make([]int, len(sources))
		var wg sync.WaitGroup
		for i, source := range sources {
			wg.Go(func() { status[i] = f.applied(source, "", time.Time{}, nil).status })
		}
		wg.Wait()
		won := 0
		for _, s := range status {
			if s == http.StatusOK {
				won++
			} else if s != http.StatusConflict {
				t.Errorf("status %d", s)
			}
		}
		if won != 1 {
			t.Errorf("%d sources have the collection: %v", won, status)
		}
	})
}

// TestWhoChangesCollections guards which keys may announce an apply, and give a collection away.
func TestWhoChangesCollections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	drafts := as(f.scoped(schedctl.ScopePostsDraft))
	agent := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Agent = true }))
	limited := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{f.mine.account} }))
	b := body{"source": "example.org/a"}
	f.do(as(f.scoped(schedctl.ScopePostsRead)), "POST", "/collections/c/apply", b).refused(schedctl.InsufficientScope)
	for _, key := range []option{drafts, agent, limited} {
		f.do(key, "POST", "/collections/c/apply", b).want(200)
	}
	for key, code := range map[*option]schedctl.Code{&drafts: schedctl.InsufficientScope, &agent: schedctl.KeyNotAllowed, &limited: schedctl.AccountNotAllowed} {
		f.do(*key, "PUT", "/collections/c", b).refused(code)
		f.do(*key, "DELETE", "/collections/c", nil).refused(code)
	}
}

// TestCollectionsAreLimited guards the number of collections.
func TestCollectionsAreLimited(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	name := func(i int) string { return "/collections/c" + strings.Repeat("x", i/26) + string(rune('a'+i%26)) }
	for i := range schedctl.MaxCollections {
		f.do(nil, "PUT", name(i), body{"source": "s"}).want(200)
	}
	f.do(nil, "PUT", "/collections/one-more", body{"source": "s"}).refused(schedctl.ValidationFailed)
	f.do(nil, "PUT", name(0), body{"source": "t"}).want(200)
}
