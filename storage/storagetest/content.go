package storagetest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var contentParts = []part{
	{"content/of an account", testSameContent},
	{"content/by outcome", testSameContentByOutcome},
	{"content/of overrides", testSameContentOfOverrides},
	{"content/bounds", testSameContentBounds},
	{"content/published as", testPublishedAs},
	{"content/published as long ids", testPublishedAsLongIDs},
	{"content/published as, once", testPlatformPostHasOneOwner},
	{"content/accounts of an identity", testAccountsOf},
}

// postsWithContent queries the posts that bring an account a content within an hour.
func postsWithContent(account, content string, limit int) func(storage.Reader) ([]string, error) {
	return func(r storage.Reader) ([]string, error) {
		return r.SameContent(storage.ContentQuery{
			AccountID: account, Fingerprint: schedctl.FingerprintOf(content),
			From: epoch, Until: epoch.Add(time.Hour), Limit: limit,
		})
	}
}

// newPostWithContent returns a scheduled post with a content.
func (f *fixture) newPostWithContent(content string, after time.Duration, accounts ...string) schedctl.Post {
	p := f.newPost(epoch, epoch.Add(after), schedctl.Scheduled, accounts...)
	p.Text = content
	return p
}

func testSameContent(f *fixture) {
	ids := newAccountIDs(2)
	late, early := f.newPostWithContent("x", 30*time.Minute, ids...), f.newPostWithContent("x", time.Minute, ids[0])
	f.putPosts(late, early, f.newPostWithContent("y", time.Minute, ids...), f.newPostWithContent("X", time.Minute, ids...))
	wantSame(f, "all", []string{early.ID, late.ID}, mustRead(f, postsWithContent(ids[0], "x", 9)))
	wantSame(f, "the first", []string{early.ID}, mustRead(f, postsWithContent(ids[0], "x", 1)))
	wantSame(f, "of the other account", []string{late.ID}, mustRead(f, postsWithContent(ids[1], "x", 9)))
	wantSame(f, "of no post", []string(nil), mustRead(f, postsWithContent(ids[1], "z", 9)))
	wantSame(f, "of an account that has none", []string(nil), mustRead(f, postsWithContent(newID(schedctl.AccountPrefix, epoch), "x", 9)))

	late.Text = "y"
	f.putPosts(late)
	wantSame(f, "after an edit", []string{early.ID}, mustRead(f, postsWithContent(ids[0], "x", 9)))
	early.PublishAt = epoch.Add(2 * time.Hour)
	f.putPosts(early)
	wantSame(f, "after it was moved", []string(nil), mustRead(f, postsWithContent(ids[0], "x", 9)))
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, late.ID) })
	if got := mustRead(f, postsWithContent(ids[0], "y", 9)); slices.Contains(got, late.ID) {
		f.Errorf("after it was deleted: %v", got)
	}
	f.update(func(tx storage.Tx) error {
		p := f.newPostWithContent("new", time.Minute, ids[0])
		if err := tx.PutPost(p); err != nil {
			return err
		}
		got, err := postsWithContent(ids[0], "new", 9)(tx)
		wantSame(f, "of the transaction", []string{p.ID}, got)
		return err
	})
	for _, id := range malformedIDs(schedctl.AccountPrefix) {
		wantNotFound(f, "a malformed account", postsWithContent(id, "x", 1))
	}
}

func testSameContentByOutcome(f *fixture) {
	account := newAccountIDs(1)[0]
	for status, counts := range map[schedctl.Status]bool{
		schedctl.Draft: false, schedctl.Scheduled: true, schedctl.Publishing: true, schedctl.Published: true,
		schedctl.Failed: false, schedctl.Canceled: false,
	} {
		p := f.newPost(epoch, epoch.Add(time.Minute), status, account)
		p.Text = "post " + string(status)
		f.putPosts(p)
		if got := mustRead(f, postsWithContent(account, p.Text, 9)); (len(got) == 1) != counts {
			f.Errorf("a %s post: found %v", status, got)
		}
		p.Targets[0].Error = &schedctl.TargetError{Kind: schedctl.KindUnknown, Message: "?", Outcome: schedctl.OutcomeUnknown}
		f.putPosts(p)
		wantSame(f, "a "+string(status)+" unconfirmed post", []string{p.ID}, mustRead(f, postsWithContent(account, p.Text, 9)))
	}
}

func testSameContentOfOverrides(f *fixture) {
	ids := newAccountIDs(2)
	p := f.newPostWithContent("x", time.Minute, ids...)
	p.Targets[1].Text = "own"
	f.putPosts(p)
	wantSame(f, "the post's", []string{p.ID}, mustRead(f, postsWithContent(ids[0], "x", 9)))
	wantSame(f, "the post's, where it is overridden", []string(nil), mustRead(f, postsWithContent(ids[1], "x", 9)))
	wantSame(f, "its own", []string{p.ID}, mustRead(f, postsWithContent(ids[1], "own", 9)))
	wantSame(f, "that of another", []string(nil), mustRead(f, postsWithContent(ids[0], "own", 9)))
	p.Targets[1].Text = ""
	f.putPosts(p)
	wantSame(f, "without the override", []string{p.ID}, mustRead(f, postsWithContent(ids[1], "x", 9)))
}

func testSameContentBounds(f *fixture) {
	account := newAccountIDs(1)[0]
	first, last := f.newPostWithContent("x", 0, account), f.newPostWithContent("x", time.Hour-time.Millisecond, account)
	f.putPosts(first, last, f.newPostWithContent("x", -time.Millisecond, account), f.newPostWithContent("x", time.Hour, account))
	wantSame(f, "bounds", []string{first.ID, last.ID}, mustRead(f, postsWithContent(account, "x", 9)))
	all := storage.ContentQuery{AccountID: account, Fingerprint: schedctl.FingerprintOf("x"), Until: epoch.Add(time.Hour), Limit: 9}
	if got := mustRead(f, func(r storage.Reader) ([]string, error) { return r.SameContent(all) }); len(got) != 3 {
		f.Errorf("from the start of time: %v", got)
	}
	twins := []schedctl.Post{f.newPostWithContent("t", time.Minute, account), f.newPostWithContent("t", time.Minute, account)}
	f.putPosts(twins...)
	want := []string{twins[0].ID, twins[1].ID}
	slices.Sort(want)
	wantSame(f, "at one time", want, mustRead(f, postsWithContent(account, "t", 9)))
}

// publishedAs queries the targets that are published as posts of an identity.
func publishedAs(of schedctl.Account, ids ...string) func(storage.Reader) ([][]string, error) {
	return func(r storage.Reader) ([][]string, error) {
		var posts []storage.PlatformPost
		for _, id := range ids {
			posts = append(posts, storage.PlatformPost{Owner: of.Identity(), ID: id})
		}
		return r.PublishedAs(posts)
	}
}

// newPublishedPost returns a published post with the network's id.
func (f *fixture) newPublishedPost(id string, accounts ...string) schedctl.Post {
	p := f.newPost(epoch, epoch, schedctl.Published, accounts...)
	for i := range p.Targets {
		p.Targets[i].PlatformPostID, p.Targets[i].PublishedAt = id, epoch
	}
	return p
}

// newAccountWithProfile returns an account with a login identity.
func (f *fixture) newAccountWithProfile(name, page string) schedctl.Account {
	a := f.newAccount(name, epoch)
	a.Username, a.ProfileURL = name, page
	return a
}

func testPublishedAs(f *fixture) {
	ann, again, bob, nobody := f.newAccountWithProfile("ann", "https://a/@ann"), f.newAccountWithProfile("again", "https://a/@ann"), f.newAccountWithProfile("bob", ""), f.newAccountWithProfile("", "")
	nobody.Name = "nobody"
	again.WorkspaceID, again.Status = newID(schedctl.WorkspacePrefix, epoch), schedctl.AccountDisconnected
	f.putAccounts(ann, again, bob, nobody)
	one, two := f.newPublishedPost("1", ann.ID, bob.ID), f.newPublishedPost("1", again.ID)
	longer, none, unnamed := f.newPublishedPost("12", ann.ID), f.newPublishedPost("", ann.ID), f.newPublishedPost("1", nobody.ID)
	f.putPosts(one, two, longer, none, unnamed)
	both := []string{one.Targets[0].ID, two.Targets[0].ID}
	slices.Sort(both)
	wantSame(f, "of two accounts, and others", [][]string{both, {longer.Targets[0].ID}, nil, nil}, mustRead(f, publishedAs(ann, "1", "12", "3", "")))
	wantSame(f, "of another identity", [][]string{{one.Targets[1].ID}}, mustRead(f, publishedAs(bob, "1")))
	wantSame(f, "of no identity", [][]string{nil}, mustRead(f, publishedAs(nobody, "1")))
	wantSame(f, "of nothing", [][]string{}, mustRead(f, publishedAs(ann)))

	failed := f.newPublishedPost("9", ann.ID)
	failed.Targets[0].Status = schedctl.Failed
	f.putPosts(failed)
	wantSame(f, "of a target that failed", [][]string{nil}, mustRead(f, publishedAs(ann, "9")))
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, longer.ID) })
	wantSame(f, "of a deleted post", [][]string{nil}, mustRead(f, publishedAs(ann, "12")))
	again.ProfileURL = "https://b/@ann"
	f.putAccounts(again)
	wantSame(f, "after one has moved", [][]string{{one.Targets[0].ID}}, mustRead(f, publishedAs(ann, "1")))
	f.update(func(tx storage.Tx) error {
		p := f.newPublishedPost("new", ann.ID)
		if err := tx.PutPost(p); err != nil {
			return err
		}
		got, err := publishedAs(ann, "new")(tx)
		wantSame(f, "of the transaction", [][]string{{p.Targets[0].ID}}, got)
		return err
	})
}

// testPublishedAsLongIDs guards that ids with equal prefixes or suffixes are
// distinguished, however long they are.
func testPublishedAsLongIDs(f *fixture) {
	ann := f.newAccountWithProfile("ann", "https://a/@ann")
	f.putAccounts(ann)
	long := strings.Repeat("at://did:plc:a/", 20)
	of := map[string]schedctl.Post{}
	for _, id := range []string{strings.Repeat("7", 23), strings.Repeat("7", 24), strings.Repeat("7", 25), long + "1", long + "2", "ä" + long} {
		of[id] = f.newPublishedPost(id, ann.ID)
		f.putPosts(of[id])
	}
	for id, p := range of {
		wantSame(f, id, [][]string{{p.Targets[0].ID}}, mustRead(f, publishedAs(ann, id)))
	}
}

// testPlatformPostHasOneOwner guards that only one of several transactions that check
// whether a network post is assigned, and assign it, finds it unassigned.
func testPlatformPostHasOneOwner(f *fixture) {
	const rivals = 8
	accounts := make([]schedctl.Account, rivals)
	for i := range accounts {
		accounts[i] = f.newAccountWithProfile("ann"+string(rune('a'+i)), "https://a/@ann")
	}
	f.putAccounts(accounts...)
	var wg sync.WaitGroup
	var won atomic.Int64
	for _, a := range accounts {
		wg.Go(func() {
			mine := false
			err := f.store.Update(context.Background(), func(tx storage.Tx) error {
				taken, err := publishedAs(a, "1")(tx)
				mine = err == nil && len(taken[0]) == 0
				if !mine {
					return err
				}
				return tx.PutPost(f.newPublishedPost("1", a.ID))
			})
			if err != nil {
				f.Errorf("Update: %v", err)
			}
			if mine {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		f.Errorf("%d transactions found the post unassigned, want 1", won.Load())
	}
}

func testAccountsOf(f *fixture) {
	accountsOf := func(of ...schedctl.Identity) func(storage.Reader) ([]schedctl.Account, error) {
		return func(r storage.Reader) ([]schedctl.Account, error) { return r.AccountsOf(of) }
	}
	a, b, c := f.newAccount("a", epoch), f.newAccount("b", epoch), f.newAccount("c", epoch)
	a.ProfileURL, a.Username = "https://example.org/@ann", "ann"
	b.WorkspaceID, b.ProfileURL, b.Username = newID(schedctl.WorkspacePrefix, epoch), a.ProfileURL, "ann@example.org"
	c.ProfileURL, c.Username = "", "ann"
	f.putAccounts(a, b, c)
	byID := func(list ...schedctl.Account) []schedctl.Account {
		slices.SortFunc(list, func(a, b schedctl.Account) int { return strings.Compare(a.ID, b.ID) })
		return list
	}
	wantSame(f, "of a page", byID(a, b), mustRead(f, accountsOf(a.Identity())))
	wantSame(f, "of a name", byID(c), mustRead(f, accountsOf(c.Identity())))
	wantSame(f, "of both", byID(a, b, c), mustRead(f, accountsOf(a.Identity(), c.Identity(), b.Identity())))
	wantSame(f, "of none", []schedctl.Account(nil), mustRead(f, accountsOf()))
	wantSame(f, "of another platform", []schedctl.Account(nil), mustRead(f, accountsOf(schedctl.Identity{Platform: "other", Login: a.ProfileURL})))

	a.ProfileURL = "https://example.org/@bob"
	b.Status = schedctl.AccountDisconnected
	f.putAccounts(a, b)
	wantSame(f, "after one has moved and one was disconnected", byID(b), mustRead(f, accountsOf(b.Identity())))
	f.update(func(tx storage.Tx) error {
		a.ProfileURL = b.ProfileURL
		if err := tx.PutAccount(a); err != nil {
			return err
		}
		got, err := tx.AccountsOf([]schedctl.Identity{b.Identity()})
		wantSame(f, "of the transaction", byID(a, b), got)
		return err
	})
}
