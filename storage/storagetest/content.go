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
	{"content/published as, once", testPublishedAsOnce},
	{"content/accounts of an identity", testAccountsOf},
}

// withContent asks which posts bring an account a content within an hour.
func withContent(account, content string, limit int) func(storage.Reader) ([]string, error) {
	return func(r storage.Reader) ([]string, error) {
		return r.SameContent(storage.ContentQuery{
			AccountID: account, Fingerprint: schedctl.FingerprintOf(content),
			From: epoch, Until: epoch.Add(time.Hour), Limit: limit,
		})
	}
}

// saying returns a scheduled post with a content.
func (f *fixture) saying(content string, after time.Duration, accounts ...string) schedctl.Post {
	p := f.newPost(epoch, epoch.Add(after), schedctl.Scheduled, accounts...)
	p.Content = content
	return p
}

func testSameContent(f *fixture) {
	ids := newAccountIDs(2)
	late, early := f.saying("x", 30*time.Minute, ids...), f.saying("x", time.Minute, ids[0])
	f.putPosts(late, early, f.saying("y", time.Minute, ids...), f.saying("X", time.Minute, ids...))
	same(f, "all", []string{early.ID, late.ID}, read(f, withContent(ids[0], "x", 9)))
	same(f, "the first", []string{early.ID}, read(f, withContent(ids[0], "x", 1)))
	same(f, "of the other account", []string{late.ID}, read(f, withContent(ids[1], "x", 9)))
	same(f, "of no post", []string(nil), read(f, withContent(ids[1], "z", 9)))
	same(f, "of an account that has none", []string(nil), read(f, withContent(newID(schedctl.AccountPrefix, epoch), "x", 9)))

	late.Content = "y"
	f.putPosts(late)
	same(f, "after an edit", []string{early.ID}, read(f, withContent(ids[0], "x", 9)))
	early.PublishAt = epoch.Add(2 * time.Hour)
	f.putPosts(early)
	same(f, "after it was moved", []string(nil), read(f, withContent(ids[0], "x", 9)))
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, late.ID) })
	if got := read(f, withContent(ids[0], "y", 9)); slices.Contains(got, late.ID) {
		f.Errorf("after it was deleted: %v", got)
	}
	f.update(func(tx storage.Tx) error {
		p := f.saying("new", time.Minute, ids[0])
		if err := tx.PutPost(p); err != nil {
			return err
		}
		got, err := withContent(ids[0], "new", 9)(tx)
		same(f, "of the transaction", []string{p.ID}, got)
		return err
	})
	for _, id := range malformed(schedctl.AccountPrefix) {
		missing(f, "an account that cannot be", withContent(id, "x", 1))
	}
}

func testSameContentByOutcome(f *fixture) {
	account := newAccountIDs(1)[0]
	for status, counts := range map[schedctl.Status]bool{
		schedctl.Draft: false, schedctl.Scheduled: true, schedctl.Publishing: true, schedctl.Published: true,
		schedctl.Failed: false, schedctl.Canceled: false,
	} {
		p := f.newPost(epoch, epoch.Add(time.Minute), status, account)
		p.Content = "post " + string(status)
		f.putPosts(p)
		if got := read(f, withContent(account, p.Content, 9)); (len(got) == 1) != counts {
			f.Errorf("a %s post: found %v", status, got)
		}
		p.Targets[0].Error = &schedctl.TargetError{Kind: schedctl.KindUnknown, Message: "?", Outcome: schedctl.OutcomeUnknown}
		f.putPosts(p)
		same(f, "a "+string(status)+" post in doubt", []string{p.ID}, read(f, withContent(account, p.Content, 9)))
	}
}

func testSameContentOfOverrides(f *fixture) {
	ids := newAccountIDs(2)
	p := f.saying("x", time.Minute, ids...)
	p.Targets[1].Content = "own"
	f.putPosts(p)
	same(f, "the post's", []string{p.ID}, read(f, withContent(ids[0], "x", 9)))
	same(f, "the post's, where it is overridden", []string(nil), read(f, withContent(ids[1], "x", 9)))
	same(f, "its own", []string{p.ID}, read(f, withContent(ids[1], "own", 9)))
	same(f, "that of another", []string(nil), read(f, withContent(ids[0], "own", 9)))
	p.Targets[1].Content = ""
	f.putPosts(p)
	same(f, "without the override", []string{p.ID}, read(f, withContent(ids[1], "x", 9)))
}

func testSameContentBounds(f *fixture) {
	account := newAccountIDs(1)[0]
	first, last := f.saying("x", 0, account), f.saying("x", time.Hour-time.Millisecond, account)
	f.putPosts(first, last, f.saying("x", -time.Millisecond, account), f.saying("x", time.Hour, account))
	same(f, "bounds", []string{first.ID, last.ID}, read(f, withContent(account, "x", 9)))
	all := storage.ContentQuery{AccountID: account, Fingerprint: schedctl.FingerprintOf("x"), Until: epoch.Add(time.Hour), Limit: 9}
	if got := read(f, func(r storage.Reader) ([]string, error) { return r.SameContent(all) }); len(got) != 3 {
		f.Errorf("from the beginning of time: %v", got)
	}
	twins := []schedctl.Post{f.saying("t", time.Minute, account), f.saying("t", time.Minute, account)}
	f.putPosts(twins...)
	want := []string{twins[0].ID, twins[1].ID}
	slices.Sort(want)
	same(f, "at one time", want, read(f, withContent(account, "t", 9)))
}

// publishedAs asks which targets are published as posts of an identity.
func publishedAs(of schedctl.Account, ids ...string) func(storage.Reader) ([][]string, error) {
	return func(r storage.Reader) ([][]string, error) {
		var posts []storage.PlatformPost
		for _, id := range ids {
			posts = append(posts, storage.PlatformPost{Owner: of.Identity(), ID: id})
		}
		return r.PublishedAs(posts)
	}
}

// out returns a published post with the network's id.
func (f *fixture) out(id string, accounts ...string) schedctl.Post {
	p := f.newPost(epoch, epoch, schedctl.Published, accounts...)
	for i := range p.Targets {
		p.Targets[i].PlatformPostID, p.Targets[i].PublishedAt = id, epoch
	}
	return p
}

// person returns an account that logs in as somebody.
func (f *fixture) person(name, page string) schedctl.Account {
	a := f.newAccount(name, epoch)
	a.Username, a.ProfileURL = name, page
	return a
}

func testPublishedAs(f *fixture) {
	ann, again, bob, nobody := f.person("ann", "https://a/@ann"), f.person("again", "https://a/@ann"), f.person("bob", ""), f.person("", "")
	nobody.Name = "nobody"
	again.WorkspaceID, again.Status = newID(schedctl.WorkspacePrefix, epoch), schedctl.AccountDisconnected
	f.putAccounts(ann, again, bob, nobody)
	one, two := f.out("1", ann.ID, bob.ID), f.out("1", again.ID)
	longer, none, unnamed := f.out("12", ann.ID), f.out("", ann.ID), f.out("1", nobody.ID)
	f.putPosts(one, two, longer, none, unnamed)
	both := []string{one.Targets[0].ID, two.Targets[0].ID}
	slices.Sort(both)
	same(f, "of two accounts, and others", [][]string{both, {longer.Targets[0].ID}, nil, nil}, read(f, publishedAs(ann, "1", "12", "3", "")))
	same(f, "of another identity", [][]string{{one.Targets[1].ID}}, read(f, publishedAs(bob, "1")))
	same(f, "of no identity", [][]string{nil}, read(f, publishedAs(nobody, "1")))
	same(f, "of nothing", [][]string{}, read(f, publishedAs(ann)))

	failed := f.out("9", ann.ID)
	failed.Targets[0].Status = schedctl.Failed
	f.putPosts(failed)
	same(f, "of a target that failed", [][]string{nil}, read(f, publishedAs(ann, "9")))
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, longer.ID) })
	same(f, "of a post that is gone", [][]string{nil}, read(f, publishedAs(ann, "12")))
	again.ProfileURL = "https://b/@ann"
	f.putAccounts(again)
	same(f, "after one has moved", [][]string{{one.Targets[0].ID}}, read(f, publishedAs(ann, "1")))
	f.update(func(tx storage.Tx) error {
		p := f.out("new", ann.ID)
		if err := tx.PutPost(p); err != nil {
			return err
		}
		got, err := publishedAs(ann, "new")(tx)
		same(f, "of the transaction", [][]string{{p.Targets[0].ID}}, got)
		return err
	})
}

// testPublishedAsLongIDs guards that ids are told apart that begin or end alike,
// however long they are.
func testPublishedAsLongIDs(f *fixture) {
	ann := f.person("ann", "https://a/@ann")
	f.putAccounts(ann)
	long := strings.Repeat("at://did:plc:a/", 20)
	of := map[string]schedctl.Post{}
	for _, id := range []string{strings.Repeat("7", 23), strings.Repeat("7", 24), strings.Repeat("7", 25), long + "1", long + "2", "ä" + long} {
		of[id] = f.out(id, ann.ID)
		f.putPosts(of[id])
	}
	for id, p := range of {
		same(f, id, [][]string{{p.Targets[0].ID}}, read(f, publishedAs(ann, id)))
	}
}

// testPublishedAsOnce guards that of several transactions that look whether a post
// belongs to a target, and give it to one, only one finds it free.
func testPublishedAsOnce(f *fixture) {
	const rivals = 8
	accounts := make([]schedctl.Account, rivals)
	for i := range accounts {
		accounts[i] = f.person("ann"+string(rune('a'+i)), "https://a/@ann")
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
				return tx.PutPost(f.out("1", a.ID))
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
		f.Errorf("%d transactions found the post free, want 1", won.Load())
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
	same(f, "of a page", byID(a, b), read(f, accountsOf(a.Identity())))
	same(f, "of a name", byID(c), read(f, accountsOf(c.Identity())))
	same(f, "of both", byID(a, b, c), read(f, accountsOf(a.Identity(), c.Identity(), b.Identity())))
	same(f, "of none", []schedctl.Account(nil), read(f, accountsOf()))
	same(f, "of another platform", []schedctl.Account(nil), read(f, accountsOf(schedctl.Identity{Platform: "other", Login: a.ProfileURL})))

	a.ProfileURL = "https://example.org/@bob"
	b.Status = schedctl.AccountDisconnected
	f.putAccounts(a, b)
	same(f, "after one has moved and one was disconnected", byID(b), read(f, accountsOf(b.Identity())))
	f.update(func(tx storage.Tx) error {
		a.ProfileURL = b.ProfileURL
		if err := tx.PutAccount(a); err != nil {
			return err
		}
		got, err := tx.AccountsOf([]schedctl.Identity{b.Identity()})
		same(f, "of the transaction", byID(a, b), got)
		return err
	})
}
