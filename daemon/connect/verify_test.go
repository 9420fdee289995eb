package connect_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestVerifyRefreshesWhatIsKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.account("me")
	a.Username, a.DisplayName, a.ProfileURL, a.Limits = "old", "Old", "https://old.example", schedctl.Limits{}
	a.UpdatedAt = a.UpdatedAt.Add(-time.Hour)
	r.put(a, r.held(a.ID))
	got, err := r.Verify(t.Context(), r.workspace, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Username != "someone" || got.DisplayName != "Some One" || got.ProfileURL == a.ProfileURL || got.Limits.MaxCharacters != 300 || !got.UpdatedAt.After(a.UpdatedAt) {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(got, r.read(a.ID)); diff != "" {
		t.Errorf("stored (-returned +stored):\n%s", diff)
	}
	got.UpdatedAt = got.UpdatedAt.Add(-time.Hour)
	r.put(got, r.held(a.ID))
	got.Credentials = r.read(a.ID).Credentials
	again, err := r.Verify(t.Context(), r.workspace, a.ID)
	if diff := cmp.Diff(got, again); diff != "" || err != nil {
		t.Errorf("verified again without news: %v\n%s", err, diff)
	}
}

func TestVerifyRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.account("me")
	r.network.refuse = revoked()
	for range 2 {
		got, err := r.Verify(t.Context(), r.workspace, a.ID)
		if err != nil || got.Status != schedctl.AccountError || got.Error == nil || got.Error.Code != "revoked" || got.Error.Kind != schedctl.KindAuth || got.Error.HTTPStatus != 401 {
			t.Errorf("%s, %+v, %v", got.Status, got.Error, err)
		}
	}
	if e := r.events(); len(e) != 1 || e[0].Type != schedctl.EventAccountError || e[0].AccountID != a.ID {
		t.Errorf("events %+v, want one", e)
	}
	if diff := cmp.Diff(r.held(a.ID)["password"], password); diff != "" {
		t.Error("the credentials are gone")
	}
	r.network.refuse = nil
	if got, err := r.Verify(t.Context(), r.workspace, a.ID); err != nil || got.Status != schedctl.AccountConnected || got.Error != nil {
		t.Errorf("taken again: %s, %+v, %v", got.Status, got.Error, err)
	}
}

func TestVerifyOutOfReachChangesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code schedctl.Code
	}{
		{down(), schedctl.Unavailable},
		{&publish.Error{Kind: schedctl.KindRateLimited, Message: "slow down"}, schedctl.Unavailable},
		{&publish.Error{Kind: schedctl.KindPlatform, Message: "on fire"}, schedctl.Unavailable},
		{storagetest.ErrInjected, schedctl.Unavailable},
		{publish.Contentf("host", "has moved"), schedctl.ValidationFailed},
	} {
		r := newRig(t)
		a := r.account("me")
		r.network.refuse = tt.err
		if _, err := r.Verify(t.Context(), r.workspace, a.ID); schedctl.CodeOf(err) != tt.code {
			t.Errorf("%v: got %v, want %s", tt.err, err, tt.code)
		}
		if diff := cmp.Diff(a, r.read(a.ID)); diff != "" {
			t.Errorf("%v: account changed:\n%s", tt.err, diff)
		}
	}
}

func TestVerifyWithoutAnAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if _, err := r.Verify(t.Context(), r.workspace, schedctl.NewID(schedctl.AccountPrefix, time.Now())); schedctl.CodeOf(err) != schedctl.NotFound {
		t.Errorf("unknown: %v", err)
	}
	a := r.account("me")
	a.Status = schedctl.AccountDisconnected
	r.put(a, nil)
	if _, err := r.Verify(t.Context(), r.workspace, a.ID); schedctl.CodeOf(err) != schedctl.ValidationFailed {
		t.Errorf("disconnected: %v", err)
	}
	if n, _ := r.network.counts(); n != 0 {
		t.Errorf("the network was asked %d times", n)
	}
}

func TestVerifyWithCredentialsThatDoNotOpen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, other := r.account("me"), r.account("other")
	a.Credentials = other.Credentials
	if _, failure := r.Check(t.Context(), a); failure == nil || failure.Code != "credentials_unreadable" {
		t.Errorf("got %+v", failure)
	}
}

func TestVerifyStoresASession(t *testing.T) {
	t.Parallel()
	for name, storeFails := range map[string]bool{"stored": false, "stored at the second attempt": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a := r.account("me")
			r.put(a, publish.Credentials{"password": password})
			if storeFails {
				r.faulty.FailUpdates(1, storagetest.BeforeDisk)
				if _, err := r.Verify(t.Context(), r.workspace, a.ID); err == nil {
					t.Error("verified although the store has failed")
				}
			}
			if _, err := r.Verify(t.Context(), r.workspace, a.ID); err != nil {
				t.Fatal(err)
			}
			want := publish.Credentials{"password": password, "session": "1", "renewal": "renewal-1"}
			if diff := cmp.Diff(want, r.held(a.ID)); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVerifyRefreshesAnExpiredSession(t *testing.T) {
	t.Parallel()
	for name, storeFails := range map[string]bool{"stored": false, "kept in memory first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a := r.account("me")
			r.network.expire()
			if storeFails {
				r.faulty.FailUpdates(1, storagetest.BeforeFn)
			}
			got, err := r.Verify(t.Context(), r.workspace, a.ID)
			if err != nil || got.Status != schedctl.AccountConnected {
				t.Fatalf("%s, %v", got.Status, err)
			}
			want := publish.Credentials{"password": password, "session": "2", "renewal": "renewal-2"}
			if diff := cmp.Diff(want, r.held(a.ID)); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
			if connects, refreshes := r.network.counts(); connects != 2 || refreshes != 1 {
				t.Errorf("%d connects, %d refreshes", connects, refreshes)
			}
		})
	}
}

func TestVerifyWhenARefreshIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.account("me")
	r.network.expire()
	r.network.answer = func(publish.Credentials) (publish.Credentials, error) { return nil, revoked() }
	got, err := r.Verify(t.Context(), r.workspace, a.ID)
	if err != nil || got.Status != schedctl.AccountError || got.Error.Code != "revoked" || len(r.events()) != 1 {
		t.Errorf("%s, %+v, %v, %d events", got.Status, got.Error, err, len(r.events()))
	}
}

// A result applies only to the credentials that were checked.
func TestVerdictOnOtherCredentials(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{"accepted": nil, "refused": revoked()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a := r.account("me")
			r.network.refuse = refusal
			verdict, failure := r.Check(t.Context(), a)
			if failure != nil {
				t.Fatal(failure)
			}
			if verdict.Refused() != (refusal != nil) {
				t.Errorf("refused: %v", verdict.Refused())
			}
			r.put(a, publish.Credentials{"password": "another password"})
			changed := r.read(a.ID)
			changed.Status = schedctl.AccountError
			disconnected := a
			disconnected.Status, disconnected.Credentials = schedctl.AccountDisconnected, nil
			for _, now := range []schedctl.Account{changed, disconnected} {
				after := now
				if events := verdict.Apply(&after, time.Now()); len(events) != 0 || !cmp.Equal(now, after) {
					t.Errorf("%s: %d events and\n%s", now.Status, len(events), cmp.Diff(now, after))
				}
			}
		})
	}
}

// An account without credentials looks the same when it is disconnected.
func TestVerdictOnAnAccountWithoutCredentials(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.account("me")
	a.Platform, a.Credentials, a.Status = "plain", nil, schedctl.AccountError
	verdict, failure := r.Check(t.Context(), a)
	if failure != nil {
		t.Fatal(failure)
	}
	gone := a
	gone.Status = schedctl.AccountDisconnected
	verdict.Apply(&a, time.Now())
	verdict.Apply(&gone, time.Now())
	if a.Status != schedctl.AccountConnected || gone.Status != schedctl.AccountDisconnected {
		t.Errorf("the account is %s, disconnected %s", a.Status, gone.Status)
	}
	if len(a.Credentials) != 0 {
		t.Error("the account has credentials now")
	}
}

// Secrets are compared after decryption, so sealing them again has no effect.
func TestVerdictOnCredentialsSealedAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.account("me")
	r.network.refuse = revoked()
	verdict, failure := r.Check(t.Context(), a)
	if failure != nil {
		t.Fatal(failure)
	}
	r.put(a, r.held(a.ID))
	now := r.read(a.ID)
	if verdict.Apply(&now, time.Now()); now.Status != schedctl.AccountError {
		t.Errorf("account is %s", now.Status)
	}
}

// Changed options are checked before they are stored.
func TestCheckOfAnAccountAsItWillBe(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.account("me")
	a.Name, a.Options = "new", schedctl.Options{"mood": "bad", "pacing": "2s"}
	if _, failure := r.Check(t.Context(), a); failure != nil {
		t.Fatal(failure)
	}
	want := publish.Connection{Name: "new", Credentials: r.held(a.ID), Options: schedctl.Options{"mood": "bad"}}
	if diff := cmp.Diff(want, r.network.connects[0]); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
