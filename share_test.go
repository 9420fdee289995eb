package schedctl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestNewShare(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	key := schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now)}
	share, token, err := schedctl.NewShare{Kind: schedctl.ShareReview, Name: "Dana", PostIDs: []string{"b", "a", "b"}}.Make(&key, now)
	if err != nil {
		t.Fatal(err)
	}
	if hash, ok := schedctl.HashShareToken(token); !ok || hash != share.Hash {
		t.Errorf("the token %q does not have the hash of the share", token)
	}
	want := schedctl.Share{
		ID: share.ID, WorkspaceID: key.WorkspaceID, Kind: schedctl.ShareReview, Name: "Dana", Can: schedctl.ShareView, Hash: share.Hash,
		PostIDs: []string{"a", "b"}, KeyID: key.ID, ExpiresAt: now.AddDate(0, 0, 7), CreatedAt: now,
	}
	if diff := cmp.Diff(want, share); diff != "" {
		t.Errorf("share (-want +got):\n%s", diff)
	}
	key.ExpiresAt = now.Add(time.Hour)
	if share, _, err = (schedctl.NewShare{Kind: schedctl.ShareReview, Name: "Dana"}).Make(&key, now); err != nil || !share.ExpiresAt.Equal(key.ExpiresAt) {
		t.Errorf("the share ends at %v, and its key at %v; %v", share.ExpiresAt, key.ExpiresAt, err)
	}
}

func TestWrongShares(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for field, change := range map[string]func(*schedctl.NewShare){
		"name":            func(n *schedctl.NewShare) { n.Name = strings.Repeat("x", 81) },
		"kind":            func(n *schedctl.NewShare) { n.Kind = "page" },
		"can":             func(n *schedctl.NewShare) { n.Can = "publish" },
		"post_ids":        func(n *schedctl.NewShare) { n.PostIDs = make([]string, schedctl.MaxSharePosts+1) },
		"filter":          func(n *schedctl.NewShare) { n.PostIDs, n.Filter.Labels = []string{"a"}, []string{"b"} },
		"filter.approval": func(n *schedctl.NewShare) { n.Filter.Approval = "maybe" },
		"expires_at":      func(n *schedctl.NewShare) { n.ExpiresAt = now.Add(91 * 24 * time.Hour) },
		"labels[0]":       func(n *schedctl.NewShare) { n.Filter.Labels = []string{"a,b"} },
	} {
		n := schedctl.NewShare{Kind: schedctl.ShareReview, Name: "Dana"}
		change(&n)
		_, _, err := n.Make(&schedctl.APIKey{}, now)
		if e, ok := err.(*schedctl.Error); !ok || e.Code != schedctl.ValidationFailed || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, n := range []schedctl.NewShare{
		{Kind: schedctl.ShareCalendar, Name: "Client", Can: schedctl.ShareDecide},
		{Kind: schedctl.ShareCalendar, Name: "Client", PostIDs: []string{"a"}},
		{Kind: schedctl.ShareReview, Name: "Dana", ExpiresAt: now.Add(-time.Second)},
	} {
		if _, _, err := n.Make(&schedctl.APIKey{}, now); schedctl.CodeOf(err) != schedctl.ValidationFailed {
			t.Errorf("%+v: %v", n, err)
		}
	}
}

func TestShareCovers(t *testing.T) {
	t.Parallel()
	p := schedctl.Post{ID: "p", WorkspaceID: "w", Targets: []schedctl.Target{{AccountID: "a"}}}
	p.Labels, p.Approval = []string{"launch"}, &schedctl.Approval{State: schedctl.ApprovalPending}
	for name, test := range map[string]struct {
		share schedctl.Share
		want  bool
	}{
		"waiting":           {schedctl.Share{Kind: schedctl.ShareReview}, true},
		"other workspace":   {schedctl.Share{Kind: schedctl.ShareReview, WorkspaceID: "other"}, false},
		"named":             {schedctl.Share{Kind: schedctl.ShareReview, PostIDs: []string{"p"}}, true},
		"another one named": {schedctl.Share{Kind: schedctl.ShareReview, PostIDs: []string{"q"}}, false},
		"account":           {schedctl.Share{Kind: schedctl.ShareCalendar, Filter: schedctl.ShareFilter{AccountIDs: []string{"a"}}}, true},
		"other account":     {schedctl.Share{Kind: schedctl.ShareCalendar, Filter: schedctl.ShareFilter{AccountIDs: []string{"b"}}}, false},
		"label":             {schedctl.Share{Kind: schedctl.ShareCalendar, Filter: schedctl.ShareFilter{Labels: []string{"launch", "b"}}}, true},
		"other label":       {schedctl.Share{Kind: schedctl.ShareCalendar, Filter: schedctl.ShareFilter{Labels: []string{"b"}}}, false},
		"approved":          {schedctl.Share{Kind: schedctl.ShareReview, Filter: schedctl.ShareFilter{Approval: schedctl.ApprovalApproved}}, false},
	} {
		if test.share.WorkspaceID == "" {
			test.share.WorkspaceID = "w"
		}
		if got := test.share.Covers(&p); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	p.Approval = nil
	if s := (schedctl.Share{Kind: schedctl.ShareReview, WorkspaceID: "w"}); s.Covers(&p) {
		t.Error("a review covers a post that does not wait")
	}
}

// FuzzHashShareToken guards that only texts of the form of tokens have a hash.
func FuzzHashShareToken(f *testing.F) {
	token, _ := schedctl.ShareToken([32]byte{1})
	f.Add(token)
	f.Add("")
	f.Add(strings.Repeat("é", 22)[:43])
	f.Fuzz(func(t *testing.T, token string) {
		defer cost.Check(t, len(token))()
		if _, ok := schedctl.HashShareToken(token); ok && (len(token) != 43 || strings.ContainsFunc(token, func(c rune) bool {
			return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
		})) {
			t.Errorf("%q has a hash", token)
		}
	})
}
