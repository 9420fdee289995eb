package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// hammerPosts is how many posts take slots at once.
const hammerPosts = 200

// TestSlotsAtOnce sends 200 requests for the next slot at once, each until it succeeds,
// while transactions fail before and after their commits, as when a daemon is killed.
func TestSlotsAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("bolt", func(t *testing.T) {
		t.Parallel()
		store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hammerSlots(t, []*fixture{newFixtureOn(t, store)})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		hammerSlots(t, newPeers(t, onPostgres(t, 1)))
	})
	t.Run("three daemons", func(t *testing.T) {
		t.Parallel()
		hammerSlots(t, newPeers(t, onPostgres(t, 3)))
	})
}

func hammerSlots(t *testing.T, peers []*fixture) {
	f := peers[0]
	accounts := []string{f.mine.account, f.newAccount(f.mine, "b"), f.newAccount(f.mine, "c")}
	q := f.newQueue(body{"times": []body{everyDay("09:00"), everyDay("09:20"), everyDay("18:00")}, "gap": "20m"})
	bodies := make([]body, hammerPosts)
	for n := range bodies {
		bodies[n] = f.inSlot(body{"content": fmt.Sprint("post ", n), "social_account_ids": slotAccounts(accounts, n)})
	}
	for _, p := range peers {
		p.store.FailUpdates(2, storagetest.BeforeFn)
		p.store.FailUpdates(3, storagetest.BeforeDisk)
		p.store.FailUpdates(10, storagetest.AfterCommit)
	}
	send := func(n, attempt int) *response {
		return peers[(n+attempt)%len(peers)].unchecked(fmt.Sprint("slot-", n), "/posts", bodies[n])
	}
	posts := make([]apiv1.Post, hammerPosts)
	errs := make([]string, hammerPosts)
	var wg sync.WaitGroup
	for n := range hammerPosts {
		wg.Go(func() {
			posts[n], errs[n] = sendUntilCreated(func(attempt int) *response { return send(n, attempt) })
		})
	}
	wg.Wait()
	for n, err := range errs {
		if err != "" {
			t.Fatalf("request %d: %s", n, err)
		}
	}
	for n := range hammerPosts { // each daemon returns the same slot again
		for attempt := range peers {
			r := send(n, attempt).want(http.StatusCreated)
			if p := r.post(); p.ID != posts[n].ID || *p.Slot != *posts[n].Slot {
				t.Fatalf("request %d gets post %s in slot %v, and then %s in %v", n, posts[n].ID, posts[n].Slot, p.ID, p.Slot)
			}
		}
	}
	f.wantSlotsOnce(q, posts)
}

// unchecked sends a POST with an Idempotency-Key, without comparing the exchange with the
// document, which takes longer than the request.
func (f *fixture) unchecked(idempotencyKey, path string, b body) *response {
	raw, err := json.Marshal(b)
	if err != nil {
		f.t.Error(err)
	}
	r := httptest.NewRequest("POST", "/api/v1"+path, bytes.NewReader(raw))
	all(as(f.mine.key), key(idempotencyKey), header("Content-Type", "application/json"))(r)
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return &response{t: f.t, method: "POST", path: path, status: w.Code, header: w.Header(), body: w.Body.Bytes()}
}

// slotAccounts returns the accounts of post n: one of them, or two.
func slotAccounts(accounts []string, n int) []string {
	first := accounts[n%len(accounts)]
	if n%4 == 0 {
		return []string{accounts[(n+1)%len(accounts)], first}
	}
	return []string{first}
}

// sendUntilCreated repeats a request as a client does whose daemon was killed. It returns
// the problem of the last response.
func sendUntilCreated(send func(attempt int) *response) (apiv1.Post, string) {
	for attempt := range 200 {
		r := send(attempt)
		switch r.status {
		case http.StatusCreated:
			return r.post(), ""
		case http.StatusServiceUnavailable, http.StatusConflict: // still running, or its outcome is unknown
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		default:
			return apiv1.Post{}, fmt.Sprintf("the status is %d: %s", r.status, r.body)
		}
	}
	return apiv1.Post{}, "it never succeeds"
}

// wantSlotsOnce fails the test unless exactly the given posts have slots of the queue, no
// account has two posts in a slot, and each slot before the slot of a post was taken by
// one of its accounts.
func (f *fixture) wantSlotsOnce(q apiv1.Queue, posts []apiv1.Post) {
	f.t.Helper()
	stored := map[string]schedctl.Post{}
	err := f.store.View(f.t.Context(), func(r storage.Reader) error {
		page, err := r.Posts(storage.PostQuery{WorkspaceID: f.mine.workspace, QueueID: q.ID, Limit: 10_000})
		for _, p := range page.Posts {
			stored[p.ID] = p
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	if len(stored) != len(posts) {
		f.t.Errorf("%d posts have slots, want %d", len(stored), len(posts))
	}
	type place struct {
		account string
		slot    schedctl.Slot
	}
	holder := map[place]string{}
	var taken []schedctl.LocalTime
	for _, p := range posts {
		s, found := stored[p.ID]
		if !found || p.Slot.Local != string(s.Slot.Local) {
			f.t.Fatalf("post %s has the slot %v in the response and %v in the store", p.ID, p.Slot, s.Slot)
		}
		taken = append(taken, s.Slot.Local)
		for _, a := range s.AccountIDs() {
			if other := holder[place{a, s.Slot}]; other != "" {
				f.t.Errorf("account %s has posts %s and %s in slot %v", a, other, p.ID, s.Slot)
			}
			holder[place{a, s.Slot}] = p.ID
		}
	}
	slices.Sort(taken)
	taken = slices.Compact(taken)
	for _, p := range stored {
		for _, local := range taken {
			free := !slices.ContainsFunc(p.AccountIDs(), func(a string) bool { return holder[place{a, schedctl.Slot{Local: local, Timezone: q.Timezone}}] != "" })
			if local < p.Slot.Local && free {
				f.t.Errorf("post %s has the slot %s, and %s is free for its accounts", p.ID, p.Slot.Local, local)
			}
		}
	}
	f.wantNoGap(q, taken)
}

// wantNoGap fails the test if the queue has a slot that is not among those that were
// taken, before the last one of them.
func (f *fixture) wantNoGap(q apiv1.Queue, taken []schedctl.LocalTime) {
	f.t.Helper()
	loc, err := time.LoadLocation(q.Timezone)
	if err != nil {
		f.t.Fatal(err)
	}
	domain := schedctl.Queue{Timezone: q.Timezone}
	for _, t := range q.Times {
		at, _ := t.Domain()
		domain.Times = append(domain.Times, at)
	}
	first, _ := schedctl.LocalTime(slotDay + "T02:00").In(loc)
	last, _ := taken[len(taken)-1].In(loc)
	n := 0
	for slot := range domain.Slots(first, last.Add(time.Minute), loc) {
		if n >= len(taken) || slot.Local != taken[n] {
			f.t.Fatalf("slot %s was skipped; taken are %v", slot.Local, taken)
		}
		n++
	}
}
