package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// blackout creates a blackout with my key.
func (f *fixture) blackout(b body) apiv1.Blackout {
	f.t.Helper()
	return f.do(nil, "POST", "/blackouts", b).want(http.StatusCreated).blackout().Blackout
}

func (r *response) blackout() apiv1.BlackoutEnvelope {
	r.t.Helper()
	return decodeAs[apiv1.BlackoutEnvelope](r.t, r)
}

// copies returns the ids of the blackouts that an account has copies of.
func (f *fixture) copies(account string) (ids []string) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) error {
		a, err := r.Account(f.mine.workspace, account)
		ids = nil
		for _, b := range a.Blackouts {
			ids = append(ids, b.ID)
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return ids
}

func local(t time.Time) string { return string(schedctl.LocalTimeOf(t.UTC())) }

// christmas is a blackout of all accounts.
func christmas() body {
	return body{"from": "2036-12-24T00:00", "to": "2036-12-27T00:00", "timezone": "Europe/Rome", "mode": "avoid", "reason": "Christmas"}
}

// pause is a hold of all accounts that has started and has no end.
func pause() body {
	return body{"from": local(time.Now().Add(-time.Minute)), "timezone": "UTC", "mode": "hold"}
}

// TestBlackoutCopies follows the copies of a blackout in its accounts while its list of
// accounts changes, and while accounts come and go.
func TestBlackoutCopies(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		first, second := f.mine.account, f.newAccount(f.mine, "second")
		check := func(what string, want ...[]string) {
			t.Helper()
			if got := [][]string{f.copies(first), f.copies(second)}; !cmp.Equal(got, want) {
				t.Errorf("%s, the accounts have the copies %v, want %v", what, got, want)
			}
		}
		b := f.blackout(christmas())
		check("after a blackout of all accounts", []string{b.ID}, []string{b.ID})
		if late := f.newAccount(f.mine, "late"); !slices.Equal(f.copies(late), []string{b.ID}) {
			t.Error("an account that was connected later has no copy")
		}
		path := "/blackouts/" + b.ID
		f.do(nil, "PATCH", path, body{"social_account_ids": []string{second}}).want(200)
		check("after the first account left", nil, []string{b.ID})
		f.do(nil, "PATCH", path, body{"social_account_ids": []string{first}}).want(200)
		check("after the accounts changed places", []string{b.ID}, nil)
		f.do(nil, "DELETE", "/social-accounts/"+first, nil).want(204)
		f.do(nil, "PATCH", path, body{"to": "2036-12-29T00:00"}).want(200)
		f.do(nil, "PATCH", "/social-accounts/"+first, body{"credentials": map[string]string{"token": accountToken}}).want(200)
		check("after the account was disconnected and connected again", []string{b.ID}, nil)
		f.do(nil, "DELETE", path, nil).want(204)
		check("after the blackout was deleted", nil, nil)
		f.do(nil, "GET", path, nil).refused(schedctl.NotFound)
	})
}

func TestBlackoutFields(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.blackout(christmas())
	if b.StartsAt.String() != "2036-12-23T23:00:00Z" || b.EndsAt.String() != "2036-12-26T23:00:00Z" || *b.To != "2036-12-27T00:00" || b.Version != 1 {
		t.Errorf("created: %+v", b)
	}
	path := "/blackouts/" + b.ID
	if same := f.do(nil, "PATCH", path, body{"reason": "Christmas"}).want(200).blackout().Blackout; !cmp.Equal(same, b) {
		t.Errorf("a change of nothing changed something: %s", cmp.Diff(b, same))
	}
	moved := f.do(nil, "PATCH", path, body{"timezone": "UTC", "reason": nil}).want(200).blackout().Blackout
	if moved.StartsAt.String() != "2036-12-24T00:00:00Z" || moved.Reason != nil || moved.Version != 2 {
		t.Errorf("moved: %+v", moved)
	}
	f.do(header("If-Match", `"1"`), "PATCH", path, body{"reason": "New Year"}).refused(schedctl.VersionMismatch)
	f.do(header("If-Match", `"1"`), "DELETE", path, nil).refused(schedctl.VersionMismatch)
	read := f.do(nil, "GET", path, nil).want(200)
	tag := read.header.Get("ETag")
	if tag != `"2"` || !cmp.Equal(read.blackout().Blackout, moved) {
		t.Errorf("ETag %s of %+v", tag, read.blackout())
	}
	f.do(header("If-None-Match", tag), "GET", path, nil).want(200) // the version does not cover scheduled
	open := f.do(header("If-Match", tag), "PATCH", path, body{"to": nil, "mode": "hold"}).want(200).blackout().Blackout
	if open.To != nil || open.EndsAt != nil || open.Mode != schedctl.BlackoutHold {
		t.Errorf("opened: %+v", open)
	}
	for name, bad := range map[string]body{
		"no mode":          {"from": "2036-12-24T00:00", "timezone": "UTC"},
		"another mode":     {"from": "2036-12-24T00:00", "timezone": "UTC", "mode": "pause"},
		"no end":           {"from": "2036-12-24T00:00", "timezone": "UTC", "mode": "avoid"},
		"before its start": {"from": "2036-12-24T00:00", "to": "2036-12-24T00:00", "timezone": "UTC", "mode": "hold"},
		"over":             {"from": "2020-12-24T00:00", "to": "2020-12-27T00:00", "timezone": "UTC", "mode": "avoid"},
		"a zone offset":    {"from": "2036-12-24T00:00", "to": "2036-12-27T00:00", "timezone": "+02:00", "mode": "avoid"},
		"an instant":       {"from": "2036-12-24T00:00:00Z", "to": "2036-12-27T00:00", "timezone": "UTC", "mode": "avoid"},
		"a long reason":    {"from": "2036-12-24T00:00", "to": "2036-12-27T00:00", "timezone": "UTC", "mode": "avoid", "reason": strings.Repeat("x", 201)},
	} {
		t.Run(name, func(t *testing.T) { f.do(nil, "POST", "/blackouts", bad).refused(schedctl.ValidationFailed) })
	}
	for name, ids := range map[string][]string{"unknown": {"acct_0"}, "twice": {f.mine.account, f.mine.account}, "theirs": {f.other.account}} {
		b := christmas()
		b["social_account_ids"] = ids
		if e := f.do(nil, "POST", "/blackouts", b).refused(schedctl.InvalidSocialAccounts); e.Message == "" {
			t.Errorf("%s: no message", name)
		}
	}
	if list := decodeAs[apiv1.BlackoutList](t, f.do(nil, "GET", "/blackouts", nil).want(200)); list.Count != 1 || !cmp.Equal(list.Results[0], open) {
		t.Errorf("listed: %+v", list)
	}
}

func TestBlackoutsHaveALimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for n := range schedctl.MaxBlackouts {
		f.update(func(tx storage.Tx) error {
			now := time.Now()
			b := schedctl.Blackout{ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: f.mine.workspace, Mode: schedctl.BlackoutHold, From: "2036-12-24T00:00", Timezone: "UTC", Version: 1}
			if n == 0 {
				b.SettledAt = schedctl.Millis(now) // over, and not counted
			}
			return tx.PutBlackout(b)
		})
	}
	b := f.blackout(christmas())
	f.do(nil, "POST", "/blackouts", christmas()).refused(schedctl.ValidationFailed)
	f.do(nil, "DELETE", "/blackouts/"+b.ID, nil).want(204)
	f.blackout(christmas())
}

// TestScheduledInBlackout guards that a blackout names the posts in its period.
func TestScheduledInBlackout(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		other := f.newAccount(f.mine, "second")
		post := func(at string, accounts ...string) string {
			return f.create(body{"content": "x " + at, "social_account_ids": accounts, "publish_at": at}).ID
		}
		post("2036-12-23T22:59:59Z", f.mine.account)
		late := post("2036-12-26T22:59:00Z", f.mine.account, other)
		first := post("2036-12-23T23:00:00Z", f.mine.account)
		post("2036-12-26T23:00:00Z", f.mine.account)
		elsewhere := post("2036-12-25T12:00:00Z", other)
		canceled := post("2036-12-25T13:00:00Z", f.mine.account)
		f.do(nil, "POST", "/posts/"+canceled+"/cancel", nil).want(200)

		b := christmas()
		b["social_account_ids"] = []string{f.mine.account}
		made := f.do(nil, "POST", "/blackouts", b).want(201).blackout()
		if want := []string{first, late}; !slices.Equal(made.Scheduled, want) {
			t.Errorf("scheduled %v, want %v", made.Scheduled, want)
		}
		path := "/blackouts/" + made.Blackout.ID
		edited := f.do(nil, "PATCH", path, body{"social_account_ids": nil}).want(200).blackout()
		if want := []string{first, elsewhere, late}; !slices.Equal(edited.Scheduled, want) {
			t.Errorf("after the edit: scheduled %v, want %v", edited.Scheduled, want)
		}
		limited := as(f.limitedKey(f.mine.account))
		if seen := f.do(limited, "GET", path, nil).want(200).blackout(); !slices.Equal(seen.Scheduled, []string{first}) {
			t.Errorf("a limited key sees %v, want %v", seen.Scheduled, first)
		}
	})
}

// TestBlackoutsOfLimitedKeys guards what a key that is limited to accounts can see and
// write.
func TestBlackoutsOfLimitedKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.newAccount(f.mine, "second")
	about := func(ids ...string) body {
		b := christmas()
		b["social_account_ids"] = ids
		return b
	}
	all, mine, both := f.blackout(about()), f.blackout(about(f.mine.account)), f.blackout(about(f.mine.account, other))
	limited := as(f.limitedKey(f.mine.account))
	list := decodeAs[apiv1.BlackoutList](t, f.do(limited, "GET", "/blackouts", nil).want(200))
	if list.Count != 2 || list.Results[0].ID != all.ID || list.Results[1].ID != mine.ID {
		t.Errorf("a limited key sees %+v", list.Results)
	}
	f.do(limited, "GET", "/blackouts/"+all.ID, nil).want(200)
	for _, method := range []string{"GET", "DELETE"} {
		f.do(limited, method, "/blackouts/"+both.ID, nil).refused(schedctl.NotFound)
	}
	f.do(limited, "DELETE", "/blackouts/"+all.ID, nil).refused(schedctl.AccountNotAllowed)
	f.do(limited, "PATCH", "/blackouts/"+all.ID, body{"social_account_ids": []string{f.mine.account}}).refused(schedctl.AccountNotAllowed)
	f.do(limited, "PATCH", "/blackouts/"+mine.ID, body{"social_account_ids": nil}).refused(schedctl.AccountNotAllowed)
	f.do(limited, "PATCH", "/blackouts/"+mine.ID, body{"social_account_ids": []string{other}}).refused(schedctl.AccountNotAllowed)
	f.do(limited, "POST", "/blackouts", about()).refused(schedctl.AccountNotAllowed)
	f.do(limited, "POST", "/blackouts", about(other)).refused(schedctl.AccountNotAllowed)
	f.do(limited, "POST", "/blackouts", about(f.mine.account)).want(201)
	f.do(limited, "PATCH", "/blackouts/"+mine.ID, body{"reason": "mine"}).want(200)
	f.do(limited, "DELETE", "/blackouts/"+mine.ID, nil).want(204)
}

// TestFixedTimesInBlackout guards that a fixed time in a blackout is refused wherever a
// request can set it.
func TestFixedTimesInBlackout(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		other := f.newAccount(f.mine, "second")
		b := christmas()
		b["social_account_ids"] = []string{f.mine.account}
		f.blackout(b)
		const inside, outside = "2036-12-25T12:00:00Z", "2036-12-28T12:00:00Z"
		post := func(at string, ids ...string) body {
			return body{"content": "x", "social_account_ids": ids, "publish_at": at}
		}
		with := func(b body) body {
			b["allow_blackout"] = true
			return b
		}
		e := f.do(nil, "POST", "/posts", post(inside, f.mine.account)).refused(schedctl.InBlackout)
		for _, want := range []string{`the blackout "Christmas"`, "2036-12-24T00:00 to 2036-12-27T00:00 Europe/Rome", "next-slot", "allow_blackout", "fake:account of mine"} {
			if !strings.Contains(e.Message, want) {
				t.Errorf("%q does not name %q", e.Message, want)
			}
		}
		f.do(nil, "POST", "/posts", with(post(inside, f.mine.account))).want(201)
		f.create(post(inside, other))
		f.create(post("2036-12-23T22:59:59Z", f.mine.account))
		f.create(post("2036-12-26T23:00:00Z", f.mine.account))
		f.create(post("now", f.mine.account))

		draft := "/posts/" + f.draft().ID
		f.do(nil, "POST", draft+"/schedule", body{"publish_at": inside}).refused(schedctl.InBlackout)
		f.do(nil, "PATCH", draft, body{"publish_at": inside}).refused(schedctl.InBlackout)
		f.do(nil, "POST", draft+"/schedule", with(body{"publish_at": inside})).want(200)

		plan := "/posts/" + f.create(post(outside, f.mine.account)).ID
		f.do(nil, "PATCH", plan, body{"publish_at": inside}).refused(schedctl.InBlackout)
		f.do(nil, "PATCH", plan, with(body{"publish_at": inside})).want(200)
		f.do(nil, "PATCH", plan, body{"content": "another text", "publish_at": inside}).want(200)

		theirs := "/posts/" + f.create(post(inside, other)).ID
		f.do(nil, "PATCH", theirs, body{"social_account_ids": []string{other, f.mine.account}}).refused(schedctl.InBlackout)
		f.do(nil, "PATCH", theirs, with(body{"social_account_ids": []string{other, f.mine.account}})).want(200)

		hold := pause()
		hold["social_account_ids"] = []string{other}
		f.blackout(hold)
		f.create(post("2036-01-25T12:00:00Z", other))
	})
}

// TestBlackoutOfHiddenAccounts guards that a refusal does not name a blackout that the key
// cannot see.
func TestBlackoutOfHiddenAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := christmas()
	b["social_account_ids"] = []string{f.mine.account, f.newAccount(f.mine, "second")}
	made := f.blackout(b)
	limited := as(f.limitedKey(f.mine.account))
	e := f.do(limited, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "2036-12-25T12:00:00Z"}).refused(schedctl.InBlackout)
	if strings.Contains(e.Message, made.ID) || strings.Contains(e.Message, "Christmas") || !strings.Contains(e.Message, "2036-12-23T23:00:00Z to 2036-12-26T23:00:00Z") {
		t.Error(e.Message)
	}
}

func TestValidateReportsBlackouts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.blackout(christmas())
	hold := pause()
	f.blackout(hold)
	const inside = "2036-12-25T12:00:00Z"
	b := body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": inside}
	v := decodeAs[apiv1.Validation](t, f.do(nil, "POST", "/posts/validate", b).want(200))
	if v.Allowed || len(v.Accounts[0].Problems) != 1 || v.Accounts[0].Problems[0].Code != string(schedctl.InBlackout) {
		t.Errorf("%+v", v)
	}
	if warnings := v.Accounts[0].Warnings; len(warnings) != 1 || !strings.HasPrefix(warnings[0], "paused") {
		t.Errorf("the warnings are %q", warnings)
	}
	b["allow_blackout"] = true
	if v := decodeAs[apiv1.Validation](t, f.do(nil, "POST", "/posts/validate", b).want(200)); !v.Allowed {
		t.Errorf("with allow_blackout: %+v", v)
	}
	p := f.create(b)
	delete(b, "allow_blackout")
	b["post_id"] = p.ID
	if v := decodeAs[apiv1.Validation](t, f.do(nil, "POST", "/posts/validate", b).want(200)); !v.Allowed {
		t.Errorf("a post that keeps its time: %+v", v)
	}
}

// TestReleaseByRequest guards that posts whose slots passed during a hold get new ones
// when a request ends it.
func TestReleaseByRequest(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*fixture, string){
		"delete": func(f *fixture, path string) { f.do(nil, "DELETE", path, nil).want(204) },
		"avoid": func(f *fixture, path string) {
			f.do(nil, "PATCH", path, body{"mode": "avoid", "to": "2036-01-01T00:00"}).want(200)
		},
		"end": func(f *fixture, path string) {
			b := f.do(nil, "PATCH", path, body{"to": local(time.Now())}).want(200).blackout().Blackout
			if b.SettledAt == nil {
				f.t.Errorf("not settled: %+v", b)
			}
		},
		"leave": func(f *fixture, path string) {
			f.do(nil, "PATCH", path, body{"social_account_ids": []string{f.newAccount(f.mine, "second")}}).want(200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEveryEngine(t, func(t *testing.T, f *fixture) {
				hold := pause()
				hold["from"] = local(time.Now().Add(-3 * time.Hour))
				b := f.blackout(hold)
				var held []string
				for n := range 250 {
					p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)})
					f.changeStored(p.ID, func(p *schedctl.Post) {
						p.PublishAt = schedctl.Millis(time.Now()).Add(time.Duration(n-300) * time.Second)
						p.Slot = schedctl.Slot{Local: schedctl.LocalTimeOf(p.PublishAt), Timezone: "UTC"}
						p.Targets[0].PublishAt = p.PublishAt
					})
					held = append(held, p.ID)
				}
				end(f, "/blackouts/"+b.ID)
				if name != "avoid" && len(f.copies(f.mine.account)) > 0 {
					t.Error("the account still has a copy of the hold")
				}
				last := time.Now()
				for _, id := range held {
					p := f.do(nil, "GET", "/posts/"+id, nil).want(200).post()
					if p.PublishAt.Sub(last) < time.Second && id != held[0] || p.Slot != nil || p.Status != schedctl.Scheduled {
						if name == "avoid" && p.PublishAt.Year() == 2036 {
							last = p.PublishAt.Time
							continue
						}
						t.Fatalf("post %s is %s at %s, after %s, with slot %v", id, p.Status, p.PublishAt, last, p.Slot)
					}
					last = p.PublishAt.Time
				}
			})
		})
	}
}

// TestHeldPostsSayWhyTheyWait guards that a post of a held account names the hold, also to
// a client that has this version of the post.
func TestHeldPostsSayWhyTheyWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.scheduled()
	tag := header("If-None-Match", f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).header.Get("ETag"))
	f.do(tag, "GET", "/posts/"+p.ID, nil).want(304)
	b := f.blackout(pause())
	waits := func(until *apiv1.Time) {
		t.Helper()
		line := decodeAs[apiv1.Timeline](t, f.do(nil, "GET", "/posts/"+p.ID+"/timeline", nil).want(200))
		for what, got := range map[string]*apiv1.Waits{
			"post": f.do(tag, "GET", "/posts/"+p.ID, nil).want(200).post().Targets[0].Waits, "timeline": line.Targets[0].Waits,
			"list": f.list("").Results[0].Targets[0].Waits,
		} {
			if got == nil || got.Reason != apiv1.WaitsBlackout || !strings.HasPrefix(got.Message, "paused") || cmp.Diff(until, got.Until) != "" {
				t.Errorf("the %s does not say why it waits: %+v", what, got)
			}
		}
	}
	waits(nil)
	f.do(nil, "PATCH", "/blackouts/"+b.ID, body{"to": "2036-12-24T00:00"}).want(200)
	waits(apiv1.NewTime(time.Date(2036, 12, 24, 0, 0, 0, 0, time.UTC)))
	f.do(nil, "DELETE", "/blackouts/"+b.ID, nil).want(204)
	f.do(tag, "GET", "/posts/"+p.ID, nil).want(304)
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = schedctl.AccountError })
	if w := f.do(tag, "GET", "/posts/"+p.ID, nil).want(200).post().Targets[0].Waits; w == nil || w.Reason != apiv1.WaitsHold || w.Until != nil || !strings.Contains(w.Message, "reconnected") {
		t.Errorf("the post of a refused account waits: %+v", w)
	}
}
