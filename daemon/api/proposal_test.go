package api_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestProposalsAreShownAtTheirTimes lists drafts that wait for an approval among posts, and
// in slots.
func TestProposalsAreShownAtTheirTimes(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		day := time.Now().UTC().AddDate(0, 0, 2).Truncate(24 * time.Hour)
		queue := decodeAs[apiv1.QueueEnvelope](t, w.do(nil, "POST", "/queues", body{
			"name": "q", "timezone": "UTC", "times": []body{{"days": []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, "at": "10:00"}},
		}).want(201)).Queue
		at := func(hour int) string { return day.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339) }
		create := func(o option, more body) string {
			b := body{"content": "text " + schedctl.NewULID(time.Now()).String(), "social_account_ids": []string{w.mine.account}}
			for k, v := range more {
				b[k] = v
			}
			return w.do(o, "POST", "/posts", b).want(201).post().ID
		}
		scheduled := create(w.author, body{"publish_at": at(9)})
		proposal := create(w.author, body{"publish_at": at(10), "submit": body{}})
		create(w.author, body{"proposed_at": at(10)})                       // is not submitted
		create(w.author, body{"publish_at": "next-slot", "submit": body{}}) // proposes no time
		later := create(w.author, body{"publish_at": at(12)})
		period := url.Values{"publish_after": {at(0)}, "publish_before": {at(23)}, "sort": {"publish_at"}}.Encode()
		if got, want := w.listed("?"+period+"&proposed=true"), []string{scheduled, proposal, later}; !slices.Equal(got, want) {
			t.Errorf("listed are %v, want %v", got, want)
		}
		if got, want := w.listed("?"+period+"&proposed=true&status=scheduled&limit=2"), []string{scheduled, proposal}; !slices.Equal(got, want) {
			t.Errorf("listed are %v, want %v", got, want)
		}
		if got, want := w.listed("?"+period), []string{scheduled, later}; !slices.Equal(got, want) {
			t.Errorf("without proposals, listed are %v, want %v", got, want)
		}
		if got := w.listed("?" + "approval=pending&" + period); !slices.Equal(got, []string{proposal}) {
			t.Errorf("by approval and time, listed are %v", got)
		}
		for _, wrong := range []string{"proposed=true", "proposed=yes&sort=publish_at", "proposed=true&sort=publish_at&q=x", "proposed=true&sort=publish_at&approval=pending"} {
			w.do(nil, "GET", "/posts?"+wrong, nil).refused(schedctl.ValidationFailed)
		}
		slot := func() apiv1.QueueSlot {
			query := url.Values{"after": {at(0)}, "before": {at(23)}}.Encode()
			return decodeAs[apiv1.QueueSlots](t, w.do(nil, "GET", "/queues/"+queue.ID+"/slots?"+query, nil).want(200)).Results[0]
		}
		if s := slot(); s.State != apiv1.SlotProposed || !slices.Equal(s.PostIDs, []string{proposal}) {
			t.Errorf("the slot is %+v", s)
		}
		w.do(w.author, "POST", "/posts/"+proposal+"/withdraw", nil).want(200)
		if s := slot(); s.State != apiv1.SlotFree {
			t.Errorf("after the withdrawal, the slot is %+v", s)
		}
	})
}

// TestOthersProposeTheSameTime submits several posts for one time.
func TestOthersProposeTheSameTime(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		at := in(time.Hour)
		submit := func(id string) apiv1.Post {
			return w.do(w.author, "POST", "/posts/"+id+"/submit", body{"proposed_at": at}).want(200).post()
		}
		first := submit(w.draftBy(w.author).ID)
		if first.ProposedAlso != nil {
			t.Errorf("the first one is not alone: %v", first.ProposedAlso)
		}
		second := submit(w.draftBy(w.author).ID)
		if !slices.Equal(second.ProposedAlso, []string{first.ID}) {
			t.Errorf("the second one says %v", second.ProposedAlso)
		}
		third := w.do(w.author, "POST", "/posts", body{"content": "third", "social_account_ids": []string{w.mine.account}, "publish_at": at, "submit": body{}}).want(201).post()
		both := []string{first.ID, second.ID}
		if slices.Sort(third.ProposedAlso); !slices.Equal(third.ProposedAlso, both) {
			t.Errorf("the third one says %v", third.ProposedAlso)
		}
		if got := w.do(nil, "GET", "/posts/"+third.ID, nil).want(200).post().ProposedAlso; len(got) != 2 {
			t.Errorf("a read says %v", got)
		}
		check := func(more body) apiv1.Validation {
			b := body{"content": "fourth", "social_account_ids": []string{w.mine.account}}
			for k, v := range more {
				b[k] = v
			}
			return decodeAs[apiv1.Validation](t, w.do(w.author, "POST", "/posts/validate", b).want(200))
		}
		for _, more := range []body{{"publish_at": at}, {"proposed_at": at}, {"publish_at": at, "submit": body{}}} {
			if v := check(more); len(v.ProposedAlso) != 3 || !strings.Contains(strings.Join(v.Warnings, "\n"), third.ID) {
				t.Errorf("%v: the check says %v, %q", more, v.ProposedAlso, v.Warnings)
			}
		}
		if v := check(body{"publish_at": in(2 * time.Hour)}); v.ProposedAlso != nil {
			t.Errorf("another time is proposed by %v", v.ProposedAlso)
		}
		if got := w.do(w.approver, "POST", "/posts/"+first.ID+"/approve", nil).want(200).post(); len(got.ProposedAlso) != 2 {
			t.Errorf("the approved one says %v", got.ProposedAlso)
		}
	})
}

// TestWarningsOfOpenPosts removes the account and the key of posts that are not over.
func TestWarningsOfOpenPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		id, leaver := w.leaver(func(*schedctl.APIKey) {})
		own := w.draftBy(leaver)
		other := w.do(nil, "POST", "/posts", body{"content": "scheduled", "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour)}).want(201).post()
		canceled := w.do(leaver, "POST", "/posts", body{"content": "canceled", "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour)}).want(201).post()
		w.do(nil, "POST", "/posts/"+canceled.ID+"/cancel", nil).want(200)
		warnings := func(id string) string {
			t.Helper()
			for _, p := range decodeAs[apiv1.PostList](t, w.do(nil, "GET", "/posts", nil).want(200)).Results {
				if p.ID == id {
					if one := w.do(nil, "GET", "/posts/"+id, nil).want(200).post(); !slices.Equal(one.Warnings, p.Warnings) {
						t.Errorf("the list warns %q, the post %q", p.Warnings, one.Warnings)
					}
					return strings.Join(p.Warnings, "\n")
				}
			}
			t.Fatalf("%s is not listed", id)
			return ""
		}
		if got := warnings(own.ID) + warnings(other.ID); got != "" {
			t.Errorf("there is nothing to warn about: %s", got)
		}
		w.do(nil, "DELETE", "/api-keys/"+id, nil).want(204)
		if got := warnings(own.ID); !strings.Contains(got, "is revoked") || strings.Contains(got, "disconnected") {
			t.Errorf("the warnings are %q", got)
		}
		w.do(nil, "DELETE", "/social-accounts/"+w.mine.account, nil).want(204)
		if got := warnings(own.ID); !strings.Contains(got, "is revoked") || !strings.Contains(got, "is disconnected") {
			t.Errorf("the warnings are %q", got)
		}
		if got := warnings(other.ID); strings.Contains(got, "revoked") || !strings.Contains(got, "the only account of this post") {
			t.Errorf("the warnings are %q", got)
		}
		if got := warnings(canceled.ID); got != "" {
			t.Errorf("a canceled post warns: %q", got)
		}
	})
}
