package schedctl_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

var (
	lost      = schedctl.Degradation{Code: schedctl.DegradedReply, Message: "not a reply"}
	notPublic = schedctl.Degradation{Code: "visibility", Message: "not public"}
)

func thread(contents ...string) []schedctl.Part {
	parts := []schedctl.Part{}
	for _, c := range contents {
		parts = append(parts, schedctl.Part{Content: c})
	}
	return parts
}

// threadPost returns a post for a that is due, with parts 0 to 2 and a first comment.
func threadPost(t *testing.T) schedctl.Post {
	t.Helper()
	p, _ := create(t, schedctl.NewPost{
		Accounts: accounts("a"), Now: true, Content: schedctl.Content{Thread: thread("two", "three"), FirstComment: &schedctl.Part{Content: "comment"}},
	})
	return p
}

func at(seconds int) time.Time { return t0.Add(time.Duration(seconds) * time.Second) }

// publishPart starts and finishes an attempt that the network accepts.
func publishPart(t *testing.T, p *schedctl.Post, r schedctl.Receipt, now time.Time) string {
	t.Helper()
	mustBegin(t, p, p.Targets[0].ID, now)
	return types(mustFinish(t, p, p.Targets[0].ID, schedctl.Result{Receipt: &r}, now))
}

func failPart(t *testing.T, p *schedctl.Post, now time.Time) string {
	t.Helper()
	mustBegin(t, p, p.Targets[0].ID, now)
	e := &schedctl.TargetError{Kind: schedctl.KindContent, Outcome: schedctl.OutcomeNotPublished}
	return types(mustFinish(t, p, p.Targets[0].ID, schedctl.Result{Error: e}, now))
}

// progress renders the states of all parts as "status id attempts".
func progress(p schedctl.Post) string {
	var out []string
	for i, s := range p.PartStates(&p.Targets[0]) {
		if s.Index != i {
			out = append(out, "WRONG INDEX")
		}
		out = append(out, fmt.Sprintf("%s %s %d", s.Status, s.ID, s.Attempts))
	}
	return strings.Join(out, ", ")
}

func wantProgress(t *testing.T, p schedctl.Post, want string) {
	t.Helper()
	if got := progress(p); got != want {
		t.Errorf("parts: %s\nwant:  %s", got, want)
	}
}

func TestPartsOfATarget(t *testing.T) {
	t.Parallel()
	media := []schedctl.PostMedia{{AssetID: "med_1"}}
	p, _ := create(t, schedctl.NewPost{
		Accounts: accounts("a", "b", "c"), Content: schedctl.Content{Thread: []schedctl.Part{{Content: "two", Media: media}}, FirstComment: &schedctl.Part{Content: "comment"}},
		Overrides: []schedctl.Override{{AccountID: "acct_b", Partial: schedctl.Partial{Thread: []schedctl.Part{}}}, {AccountID: "acct_c", Partial: schedctl.Partial{Thread: thread("x", "y")}}},
	})
	render := func(parts []schedctl.TargetPart) (s string) {
		for _, part := range parts {
			s += fmt.Sprintf("%d %s %s %d;", part.Index, part.Kind, part.Content, len(part.Media))
		}
		return s
	}
	for i, want := range []string{
		"0 post hello 0;1 reply two 1;2 comment comment 0;",
		"0 post hello 0;1 comment comment 0;",
		"0 post hello 0;1 reply x 0;2 reply y 0;3 comment comment 0;",
	} {
		if got := render(p.PartsFor(&p.Targets[i])); got != want {
			t.Errorf("target %d: %s, want %s", i, got, want)
		}
	}
	single, _ := create(t, schedctl.NewPost{Accounts: accounts("a")})
	if got := render(single.PartsFor(&single.Targets[0])); got != "0 post hello 0;" {
		t.Errorf("a post without thread: %s", got)
	}
}

func TestThreadIsPublishedPartByPart(t *testing.T) {
	t.Parallel()
	p := threadPost(t)
	target := &p.Targets[0]
	wantProgress(t, p, "publishing  0, scheduled  0, scheduled  0, scheduled  0")
	if events := publishPart(t, &p, schedctl.Receipt{ID: "1", URL: "u1", Ref: "cid"}, at(1)); events != "" {
		t.Errorf("part 0 returned events %q", events)
	}
	wantProgress(t, p, "published 1 1, publishing  0, scheduled  0, scheduled  0")
	if due, waiting := target.Due(); !waiting || !due.Equal(t0) || !target.LateSince().Equal(at(1)) || target.PlatformPostID != "1" {
		t.Errorf("due %s %v, late since %s, target %+v", due, waiting, target.LateSince(), target)
	}
	mustBegin(t, &p, target.ID, at(2))
	failure := &schedctl.TargetError{Kind: schedctl.KindPlatform, Outcome: schedctl.OutcomeNotPublished}
	mustFinish(t, &p, target.ID, schedctl.Result{Error: failure, RetryAt: t0, AskAt: at(12), Unreached: true}, at(2))
	wantProgress(t, p, "published 1 1, publishing  1, scheduled  0, scheduled  0")
	if target.Error == nil || target.Tries() != 1 || target.Unreached != 1 {
		t.Errorf("target %+v", target)
	}
	publishPart(t, &p, schedctl.Receipt{ID: "2"}, at(12))
	if target.Error != nil || target.Tries() != 0 || target.Unreached != 0 || !target.AskAt.IsZero() {
		t.Errorf("the next part starts with %+v", target)
	}
	if events := publishPart(t, &p, schedctl.Receipt{ID: "3", Degraded: notPublic}, at(13)); events != "published" || p.Status() != schedctl.Published {
		t.Errorf("events %q, status %s", events, p.Status())
	}
	wantProgress(t, p, "published 1 1, published 2 2, published 3 1, publishing  0")
	if _, waiting := target.Due(); !waiting || !target.PublishedAt.Equal(at(13)) || target.PlatformPostURL != "u1" || target.Done[0].Ref != "cid" {
		t.Errorf("target %+v", target)
	}
	wantCode(t, schedctl.CheckOperation(schedctl.OpCancel, p.Status()), schedctl.PostNotCancelable)
	if events := publishPart(t, &p, schedctl.Receipt{ID: "4"}, at(14)); events != "completed" {
		t.Errorf("events %q", events)
	}
	wantProgress(t, p, "published 1 1, published 2 2, published 3 1, published 4 1")
	if _, waiting := target.Due(); waiting || target.Error == nil || target.Error.Code != "visibility" || target.Attempts != 5 {
		t.Errorf("target %+v", target)
	}
}

func TestAttemptsKnowTheirPart(t *testing.T) {
	t.Parallel()
	p := threadPost(t)
	for want := range 4 {
		a, err := p.Begin(schedctl.Claim{TargetID: p.Targets[0].ID, Lease: time.Minute}, at(1))
		if err != nil || a.Part != want || a.Number != want+1 {
			t.Fatalf("%v, attempt %+v", err, a)
		}
		if _, err := p.Begin(schedctl.Claim{TargetID: p.Targets[0].ID}, at(1)); err == nil {
			t.Fatalf("part %d was claimed twice", want)
		}
		mustFinish(t, &p, p.Targets[0].ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "x"}}, at(1))
	}
}

func TestEventsCarryThePublishedParts(t *testing.T) {
	t.Parallel()
	p := threadPost(t)
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	mustBegin(t, &p, p.Targets[0].ID, at(2))
	e := &schedctl.TargetError{Kind: schedctl.KindContent, Outcome: schedctl.OutcomeNotPublished}
	events := mustFinish(t, &p, p.Targets[0].ID, schedctl.Result{Error: e}, at(2))
	if types(events) != "failed completed" || len(events[0].Parts) != 1 || events[0].Parts[0].ID != "1" || events[0].PlatformPostID != "1" {
		t.Errorf("events %+v", events)
	}
}

func TestOneRequestPublishesSeveralParts(t *testing.T) {
	t.Parallel()
	rest := func(ids ...string) (list []schedctl.Receipt) {
		for _, id := range ids {
			list = append(list, schedctl.Receipt{ID: id})
		}
		return list
	}
	p := threadPost(t)
	if events := publishPart(t, &p, schedctl.Receipt{ID: "1", Rest: rest("2", "3", "4")}, at(1)); events != "published completed" {
		t.Errorf("events %q", events)
	}
	wantProgress(t, p, "published 1 1, published 2 1, published 3 1, published 4 1")
	p = threadPost(t)
	if events := publishPart(t, &p, schedctl.Receipt{ID: "1", Rest: rest("2", "3")}, at(1)); events != "published" {
		t.Errorf("events %q", events)
	}
	wantProgress(t, p, "published 1 1, published 2 1, published 3 1, publishing  0")
	p = threadPost(t)
	mustBegin(t, &p, p.Targets[0].ID, at(1))
	before := p.Clone()
	r := schedctl.Receipt{ID: "1", Rest: rest("2", "3", "4", "5")}
	if _, err := p.Finish(p.Targets[0].ID, schedctl.Result{Receipt: &r}, at(1)); err == nil || !cmp.Equal(before, p) {
		t.Errorf("more receipts than parts: %v", err)
	}
}

func TestRetryContinuesAThread(t *testing.T) {
	t.Parallel()
	p := threadPost(t)
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	if events := failPart(t, &p, at(2)); events != "failed completed" {
		t.Errorf("events %q", events)
	}
	wantProgress(t, p, "published 1 1, failed  1, scheduled  0, scheduled  0")
	if _, err := p.Retry(schedctl.Retry{}, at(100)); err != nil {
		t.Fatal(err)
	}
	target := &p.Targets[0]
	if target.Tries() != 0 || !target.QueuedAt().Equal(at(100)) || !target.LateSince().Equal(at(100)) {
		t.Errorf("target %+v", target)
	}
	publishPart(t, &p, schedctl.Receipt{ID: "2"}, at(101))
	wantProgress(t, p, "published 1 1, published 2 2, publishing  0, scheduled  0")
}

func TestFailedCommentLeavesThePostPublished(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), Now: true, Content: schedctl.Content{FirstComment: &schedctl.Part{Content: "comment"}}})
	if events := publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1)); events != "published" {
		t.Errorf("events %q", events)
	}
	_, err := p.Retry(schedctl.Retry{}, at(2))
	wantCode(t, err, schedctl.PostNotRetryable)
	if events := failPart(t, &p, at(2)); events != "comment_failed completed" || p.Status() != schedctl.Published || !p.NeedsMedia() {
		t.Errorf("events %q, status %s", events, p.Status())
	}
	wantProgress(t, p, "published 1 1, failed  1")
	if _, waiting := p.Targets[0].Due(); waiting || p.Targets[0].Error == nil {
		t.Errorf("target %+v", p.Targets[0])
	}
	events, err := p.Retry(schedctl.Retry{TargetIDs: []string{p.Targets[0].ID}}, at(3))
	if err != nil || types(events) != "queued" || p.Status() != schedctl.Published {
		t.Errorf("%v, events %q, status %s", err, types(events), p.Status())
	}
	if events := publishPart(t, &p, schedctl.Receipt{ID: "2"}, at(4)); events != "completed" || p.Targets[0].Error != nil || p.NeedsMedia() {
		t.Errorf("events %q, target %+v", events, p.Targets[0])
	}
	wantProgress(t, p, "published 1 1, published 2 2")
}

func TestUnknownOutcomeOfAComment(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), Now: true, Content: schedctl.Content{FirstComment: &schedctl.Part{Content: "comment"}}})
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	id := p.Targets[0].ID
	mustBegin(t, &p, id, at(2))
	unknown := &schedctl.TargetError{Kind: schedctl.KindNetwork, Outcome: schedctl.OutcomeUnknown}
	if events := p.Doubt(id, unknown, at(10), at(3)); types(events) != "unconfirmed" || !p.Targets[0].WaitsForNetwork() {
		t.Errorf("events %q, target %+v", types(events), p.Targets[0])
	}
	if _, err := p.Retry(schedctl.Retry{}, at(4)); err != nil || !p.Targets[0].AskAt.Equal(at(4)) || !p.Targets[0].NextAttemptAt.IsZero() {
		t.Errorf("%v, target %+v", err, p.Targets[0])
	}
	mustFinish(t, &p, id, schedctl.Result{Error: unknown}, at(5))
	_, err := p.Retry(schedctl.Retry{}, at(6))
	wantCode(t, err, schedctl.PostNotRetryable)
	if _, err := p.Retry(schedctl.Retry{Force: true}, at(6)); err != nil {
		t.Error(err)
	}
}

func TestCancelLeavesThePublishedParts(t *testing.T) {
	t.Parallel()
	p := threadPost(t)
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	mustBegin(t, &p, p.Targets[0].ID, at(2))
	if _, err := p.Cancel(at(3)); err != nil {
		t.Fatal(err)
	}
	wantProgress(t, p, "published 1 1, canceled  1, canceled  0, canceled  0")
	if events := mustFinish(t, &p, p.Targets[0].ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "2"}}, at(4)); types(events) != "" {
		t.Errorf("events %q", types(events))
	}
	wantProgress(t, p, "published 1 1, published 2 1, canceled  0, canceled  0")
	if _, waiting := p.Targets[0].Due(); waiting || p.Targets[0].Status != schedctl.Canceled || !p.Targets[0].Occupies() {
		t.Errorf("target %+v", p.Targets[0])
	}
}

func TestCancelDuringTheLastPart(t *testing.T) {
	t.Parallel()
	p := threadPost(t)
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	publishPart(t, &p, schedctl.Receipt{ID: "2"}, at(1))
	mustBegin(t, &p, p.Targets[0].ID, at(2))
	if _, err := p.Cancel(at(3)); err != nil {
		t.Fatal(err)
	}
	if events := mustFinish(t, &p, p.Targets[0].ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "3"}}, at(4)); types(events) != "published" {
		t.Errorf("events %q", types(events))
	}
	wantProgress(t, p, "published 1 1, published 2 1, published 3 1, canceled  0")
}

// TestCancelWithACommentThatWaits has a second account, so that the post can be canceled.
func TestCancelWithACommentThatWaits(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{false, true} {
		p, _ := create(t, schedctl.NewPost{Accounts: accounts("a", "b"), Now: true, Content: schedctl.Content{FirstComment: &schedctl.Part{Content: "comment"}}})
		publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
		if running {
			mustBegin(t, &p, p.Targets[0].ID, at(2))
		}
		if _, err := p.Cancel(at(3)); err != nil {
			t.Fatal(err)
		}
		want := "published 1 1, canceled  0"
		if running {
			mustFinish(t, &p, p.Targets[0].ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "2"}}, at(4))
			want = "published 1 1, published 2 1"
		}
		wantProgress(t, p, want)
		if _, waiting := p.Targets[0].Due(); waiting || p.Targets[0].Status != schedctl.Published {
			t.Errorf("target %+v", p.Targets[0])
		}
	}
}

func TestLostParentStopsTheThread(t *testing.T) {
	t.Parallel()
	p := threadPost(t)
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	if events := publishPart(t, &p, schedctl.Receipt{ID: "2", Degraded: lost}, at(2)); events != "failed completed" {
		t.Errorf("events %q", events)
	}
	wantProgress(t, p, "published 1 1, published 2 1, scheduled  0, scheduled  0")
	if e := p.Targets[0].Error; e == nil || e.Kind != schedctl.KindDegraded || e.Outcome != schedctl.OutcomePublished {
		t.Errorf("error %+v", e)
	}
	_, err := p.Retry(schedctl.Retry{}, at(3))
	wantCode(t, err, schedctl.PostNotRetryable)
	_, err = p.Retry(schedctl.Retry{TargetIDs: []string{p.Targets[0].ID}}, at(3))
	wantCode(t, err, schedctl.PostNotRetryable)
	if _, err := p.Retry(schedctl.Retry{Force: true}, at(3)); err != nil {
		t.Error(err)
	}
	if events := publishPart(t, &p, schedctl.Receipt{ID: "3"}, at(4)); events != "published" {
		t.Errorf("events %q", events)
	}
}

func TestLostParentOfTheLastPart(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), Now: true, Content: schedctl.Content{Thread: thread("two")}})
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	if events := publishPart(t, &p, schedctl.Receipt{ID: "2", Degraded: lost}, at(2)); events != "published completed" {
		t.Errorf("events %q", events)
	}
	if e := p.Targets[0].Error; e == nil || e.Code != schedctl.DegradedReply {
		t.Errorf("error %+v", e)
	}
	p, _ = create(t, schedctl.NewPost{Accounts: accounts("a"), Now: true, Content: schedctl.Content{Thread: thread("two"), FirstComment: &schedctl.Part{Content: "comment"}}})
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	if events := publishPart(t, &p, schedctl.Receipt{ID: "2", Degraded: lost}, at(2)); events != "published comment_failed completed" {
		t.Errorf("events %q", events)
	}
	wantProgress(t, p, "published 1 1, published 2 1, failed  0")
}

func TestSinglePostsHaveOnePartAndNoProgress(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), Now: true})
	if events := publishPart(t, &p, schedctl.Receipt{ID: "1", URL: "u", Degraded: notPublic}, at(1)); events != "published completed" {
		t.Errorf("events %q", events)
	}
	wantProgress(t, p, "published 1 1")
	target := p.Targets[0]
	if target.Done != nil || target.CommentStatus != "" {
		t.Errorf("target %+v", target)
	}
	if s := p.PartStates(&target)[0]; s.URL != "u" || s.Error == nil || !s.PublishedAt.Equal(at(1)) {
		t.Errorf("part %+v", s)
	}
}

func TestRebaseCommentsThatWait(t *testing.T) {
	t.Parallel()
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), Now: true, Content: schedctl.Content{FirstComment: &schedctl.Part{Content: "comment"}}})
	publishPart(t, &p, schedctl.Receipt{ID: "1"}, at(1))
	if !p.Rebase(t0.Add(-time.Hour)) {
		t.Error("not rebased")
	}
	if due, _ := p.Targets[0].Due(); !due.Equal(t0.Add(-time.Hour)) {
		t.Errorf("due %s", due)
	}
}

func TestEditThread(t *testing.T) {
	t.Parallel()
	comment := schedctl.Part{Content: "comment"}
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), PublishAt: at(60), Content: schedctl.Content{Thread: thread("two"), FirstComment: &comment}})
	same := []schedctl.Edit{{ContentChange: schedctl.ContentChange{Thread: ptr(thread("two"))}}, {ContentChange: schedctl.ContentChange{FirstComment: &comment}}, {ContentChange: schedctl.ContentChange{Thread: ptr(thread("two")), Poll: &schedctl.Poll{}, PresentationChange: schedctl.PresentationChange{Visibility: ptr("")}}}}
	for i, e := range same {
		if events, err := p.Edit(e, at(1)); err != nil || events != nil || p.Version != 1 || e.Operation() != schedctl.OpEdit {
			t.Errorf("%d: %v, events %q, version %d", i, err, types(events), p.Version)
		}
	}
	edits := []schedctl.Edit{
		{ContentChange: schedctl.ContentChange{Thread: ptr(thread("two", "three"))}}, {ContentChange: schedctl.ContentChange{Thread: ptr(thread())}}, {ContentChange: schedctl.ContentChange{FirstComment: &schedctl.Part{}}}, {ContentChange: schedctl.ContentChange{Poll: validPoll()}}, {ContentChange: schedctl.ContentChange{Poll: &schedctl.Poll{}}},
		{ContentChange: schedctl.ContentChange{LinkPreview: &schedctl.LinkPreview{Mode: schedctl.PreviewNone}}}, {ContentChange: schedctl.ContentChange{PresentationChange: schedctl.PresentationChange{ContentWarning: ptr("w")}}}, {ContentChange: schedctl.ContentChange{PresentationChange: schedctl.PresentationChange{Visibility: ptr("direct")}}}, {ContentChange: schedctl.ContentChange{PresentationChange: schedctl.PresentationChange{Language: ptr("de")}}},
		{Overrides: &[]schedctl.Override{{AccountID: "acct_a", Partial: schedctl.Partial{Thread: thread("x")}}}}, {Overrides: &[]schedctl.Override{{AccountID: "acct_a", Partial: schedctl.Partial{Thread: thread("x", "y")}}}},
		{Overrides: &[]schedctl.Override{{AccountID: "acct_a", Partial: schedctl.Partial{Poll: validPoll()}}}},
	}
	for i, e := range edits {
		if events, err := p.Edit(e, at(1)); err != nil || types(events) != "updated" || p.Version != int64(i+2) {
			t.Errorf("%d: %v, events %q, version %d", i, err, types(events), p.Version)
		}
	}
	if len(p.Thread) != 0 || p.FirstComment != nil || p.Poll != nil {
		t.Errorf("post %+v", p)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	build := func() schedctl.Post {
		media := func() []schedctl.PostMedia { return []schedctl.PostMedia{{AssetID: "med_1"}} }
		parts := func() []schedctl.Part { return []schedctl.Part{{Content: "two", Media: media()}} }
		return schedctl.Post{
			Content: schedctl.Content{Thread: parts(), FirstComment: &schedctl.Part{Media: media()}, Poll: validPoll()},
			Targets: []schedctl.Target{{Partial: schedctl.Partial{Thread: parts(), Poll: validPoll()}, Done: []schedctl.PublishedPart{{Error: &schedctl.TargetError{}}}}},
		}
	}
	p := build()
	c := p.Clone()
	if diff := cmp.Diff(p, c); diff != "" {
		t.Fatal(diff)
	}
	c.Thread[0].Media[0].AssetID, c.FirstComment.Media[0].AssetID, c.Poll.Options[0] = "x", "x", "x"
	c.Targets[0].Thread[0].Media[0].AssetID, c.Targets[0].Poll.Options[0], c.Targets[0].Done[0].Error.Code = "x", "x", "x"
	c.Thread[0].Content, c.Targets[0].Done[0].ID = "x", "x"
	if diff := cmp.Diff(build(), p); diff != "" {
		t.Error(diff)
	}
}

func TestAssetsOfAllParts(t *testing.T) {
	t.Parallel()
	media := func(id string) []schedctl.PostMedia { return []schedctl.PostMedia{{AssetID: id}} }
	p := schedctl.Post{
		Content: schedctl.Content{Media: media("1"), Thread: []schedctl.Part{{Media: media("2")}, {Media: media("1")}}, FirstComment: &schedctl.Part{Media: media("3")},
			LinkPreview: schedctl.LinkPreview{Mode: schedctl.PreviewCard, Image: schedctl.PostMedia{AssetID: "4"}}},
		Targets: []schedctl.Target{{Partial: schedctl.Partial{Media: media("5"), Thread: []schedctl.Part{{Media: media("6")}}}}},
	}
	if got := p.AssetIDs(); !slices.Equal(got, []string{"1", "2", "3", "4", "5", "6"}) {
		t.Error(got)
	}
	for range p.AllMedia() {
		break
	}
}

func TestFingerprintsOfThreadsAndPolls(t *testing.T) {
	t.Parallel()
	hello, _ := create(t, schedctl.NewPost{Accounts: accounts("a")})
	if hello.Fingerprint(&hello.Targets[0]) != schedctl.FingerprintOf("hello") {
		t.Error("a post with one part has another fingerprint than before")
	}
	comment := &schedctl.Part{Content: "two"}
	other := validPoll()
	other.Options[0] = "z"
	posts := map[string]schedctl.NewPost{
		"single": {}, "thread": {Content: schedctl.Content{Thread: thread("two")}}, "comment": {Content: schedctl.Content{FirstComment: comment}}, "three": {Content: schedctl.Content{Thread: thread("two", "three")}},
		"poll": {Content: schedctl.Content{Poll: validPoll()}}, "other poll": {Content: schedctl.Content{Poll: other}}, "thread with poll": {Content: schedctl.Content{Thread: thread("two"), Poll: validPoll()}},
		"media": {Content: schedctl.Content{Thread: []schedctl.Part{{Content: "two", Media: []schedctl.PostMedia{{AssetID: "1", SHA256: [32]byte{1}}}}}}},
	}
	seen := map[schedctl.Fingerprint]string{}
	for name, n := range posts {
		n.Accounts = accounts("a")
		p, _ := create(t, n)
		sum := p.Fingerprint(&p.Targets[0])
		if other, found := seen[sum]; found {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[sum] = name
	}
	p, _ := create(t, schedctl.NewPost{Accounts: accounts("a"), Content: schedctl.Content{Thread: thread("two"), Poll: validPoll()}})
	sum := p.Fingerprint(&p.Targets[0])
	if got := hex.EncodeToString(sum[:]); got != "9a543961f8550c723ecab7e9e31752a3" {
		t.Errorf("fingerprint %s; databases hold another one", got)
	}
}
