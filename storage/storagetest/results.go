package storagetest

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var resultsParts = []part{
	{"results/keep every field", testResultsKeepEveryField},
	{"results/are listed", testResultsAreListed},
	{"results/due", testResultsDue},
	{"results/go with their post", testResultsGoWithPost},
	{"results/malformed ids", testMalformedResults},
}

func (f *fixture) newResults(at time.Time) schedctl.Results {
	f.Helper()
	r := newFilled[schedctl.Results](f)
	r.WorkspaceID, r.TargetID = f.ws, newID(schedctl.TargetPrefix, at)
	return r
}

func (f *fixture) putResults(list ...schedctl.Results) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, r := range list {
			if err := tx.PutResults(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func resultsOf(ws string, targetIDs ...string) func(storage.Reader) ([]schedctl.Results, error) {
	return func(r storage.Reader) ([]schedctl.Results, error) { return r.Results(ws, targetIDs) }
}

func resultsAfter(ws, after string, limit int) func(storage.Reader) ([]schedctl.Results, error) {
	return func(r storage.Reader) ([]schedctl.Results, error) { return r.ResultsList(ws, after, limit) }
}

func testResultsKeepEveryField(f *fixture) {
	want := f.newResults(epoch)
	wantSame(f, "missing results", []schedctl.Results(nil), mustRead(f, resultsOf(f.ws, want.TargetID)))
	f.putResults(want)
	wantSame(f, "results", []schedctl.Results{want}, mustRead(f, resultsOf(f.ws, want.TargetID)))
	want.Latest = schedctl.Metrics{Reactions: new(int64(0)), Replies: new(int64(-1))} // none, and a fall
	want.Points = []schedctl.ResultPoint{{At: epoch, Metrics: want.Latest}, {At: epoch.Add(time.Second)}}
	f.putResults(want)
	wantSame(f, "numbers", []schedctl.Results{want}, mustRead(f, resultsOf(f.ws, want.TargetID)))
	bare := schedctl.Results{TargetID: want.TargetID, WorkspaceID: f.ws}
	f.putResults(bare)
	wantSame(f, "bare results", []schedctl.Results{bare}, mustRead(f, resultsOf(f.ws, bare.TargetID)))
	foreign := want
	foreign.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutResults(foreign) })
}

func testResultsAreListed(f *fixture) {
	var all []schedctl.Results
	for i := range 6 {
		all = append(all, f.newResults(epoch.Add(time.Duration(i)*time.Second)))
	}
	other := f.newResults(epoch)
	other.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putResults(append(slices.Clone(all[3:]), other)...)
	f.putResults(all[:3]...)
	missing := newID(schedctl.TargetPrefix, epoch)
	wantSame(f, "some", []schedctl.Results{all[1], all[4]}, mustRead(f, resultsOf(f.ws, all[4].TargetID, missing, all[1].TargetID, other.TargetID, all[4].TargetID)))
	slices.Reverse(all)
	wantSame(f, "all", all, mustRead(f, resultsAfter(f.ws, "", manyRecords)))
	for i := range all {
		wantSame(f, "after one", all[i+1:min(i+3, len(all))], mustRead(f, resultsAfter(f.ws, all[i].TargetID, 2)))
	}
}

func testResultsDue(f *fixture) {
	var all []schedctl.Results
	for i := range 6 {
		r := f.newResults(epoch)
		r.NextAt = epoch.Add(time.Duration(i) * time.Hour)
		all = append(all, r)
	}
	all[2].WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	done := f.newResults(epoch)
	done.NextAt = time.Time{}
	f.putResults(all[4], all[0], all[5], all[2], all[1], all[3], done)
	due := func(before time.Time, limit int) []schedctl.Results {
		return mustRead(f, func(r storage.Reader) ([]schedctl.Results, error) { return r.ResultsDue(before, limit) })
	}
	never := epoch.Add(1000 * time.Hour)
	wantSame(f, "all", all, due(never, manyRecords))
	wantSame(f, "the first", all[:2], due(never, 2))
	wantSame(f, "before a time", all[:3], due(all[3].NextAt, manyRecords))
	all[0].NextAt, all[3].NextAt = epoch.Add(90*time.Minute), time.Time{}
	f.putResults(all[0], all[3])
	wantSame(f, "after changes", []schedctl.Results{all[1], all[0], all[2], all[4], all[5]}, due(never, manyRecords))
}

func testResultsGoWithPost(f *fixture) {
	p, kept := f.newPost(epoch, epoch, schedctl.Published, newAccountIDs(2)...), f.newPost(epoch, epoch, schedctl.Published, newAccountIDs(1)...)
	f.putPosts(p, kept)
	of := func(p schedctl.Post, i int) schedctl.Results {
		r := f.newResults(epoch)
		r.TargetID = p.Targets[i].ID
		return r
	}
	first, second, other := of(p, 0), of(p, 1), of(kept, 0)
	f.putResults(first, second, other)
	all := []string{first.TargetID, second.TargetID, other.TargetID}
	f.putPosts(p)
	wantSame(f, "after a change of the post", 3, len(mustRead(f, resultsOf(f.ws, all...))))
	p.Targets = p.Targets[:1]
	f.putPosts(p)
	wantSame(f, "after the end of a target", 2, len(mustRead(f, resultsOf(f.ws, all...))))
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, p.ID) })
	wantSame(f, "after the end of the post", []schedctl.Results{other}, mustRead(f, resultsOf(f.ws, all...)))
	due := mustRead(f, func(r storage.Reader) ([]schedctl.Results, error) {
		return r.ResultsDue(epoch.Add(1000*time.Hour), manyRecords)
	})
	wantSame(f, "due after that", []schedctl.Results{other}, due)
}

func testMalformedResults(f *fixture) {
	r := f.newResults(epoch)
	for _, bad := range malformedIDs(schedctl.TargetPrefix) {
		wantNotFound(f, "results of "+bad, resultsOf(f.ws, bad))
		wrong := r
		wrong.TargetID = bad
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutResults(wrong) })
		if bad != "" {
			wantNotFound(f, "results after "+bad, resultsAfter(f.ws, bad, 1))
		}
	}
	for _, bad := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "results in "+bad, resultsOf(bad, r.TargetID))
		wantNotFound(f, "list of "+bad, resultsAfter(bad, "", 1))
	}
}

func (r memoryReader) Results(workspaceID string, targetIDs []string) (list []schedctl.Results, err error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	if err := checkIDs(schedctl.TargetPrefix, targetIDs...); err != nil {
		return nil, err
	}
	for _, v := range sorted(r.m.results) {
		if v.WorkspaceID == workspaceID && slices.Contains(targetIDs, v.TargetID) {
			list = append(list, v.Clone())
		}
	}
	return list, nil
}

func (r memoryReader) ResultsList(workspaceID, afterID string, limit int) (list []schedctl.Results, err error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	if afterID != "" {
		if err := checkIDs(schedctl.TargetPrefix, afterID); err != nil {
			return nil, err
		}
	}
	for _, v := range slices.Backward(sorted(r.m.results)) {
		if v.WorkspaceID == workspaceID && (afterID == "" || v.TargetID < afterID) && len(list) < limit {
			list = append(list, v.Clone())
		}
	}
	return list, nil
}

func (r memoryReader) ResultsDue(before time.Time, limit int) (list []schedctl.Results, err error) {
	for _, v := range sorted(r.m.results) {
		if !v.NextAt.IsZero() && v.NextAt.Before(before) {
			list = append(list, v.Clone())
		}
	}
	slices.SortStableFunc(list, func(a, b schedctl.Results) int { return a.NextAt.Compare(b.NextAt) })
	return list[:min(limit, len(list))], nil
}

func (tx *memoryTx) PutResults(r schedctl.Results) error {
	for _, id := range []struct {
		prefix   schedctl.Prefix
		id       string
		optional bool
	}{{schedctl.TargetPrefix, r.TargetID, false}, {schedctl.WorkspacePrefix, r.WorkspaceID, false}, {schedctl.PostPrefix, r.PostID, true}, {schedctl.AccountPrefix, r.AccountID, true}} {
		if err := checkIDs(id.prefix, id.id); err != nil && (id.id != "" || !id.optional) {
			return err
		}
	}
	owner := func(r *schedctl.Results) string { return r.WorkspaceID }
	if err := checkOwner(r.WorkspaceID, "target", r.TargetID, tx.m.results, owner); err != nil {
		return err
	}
	putKey(tx, tx.m.results, r.TargetID, r.Clone())
	return nil
}
