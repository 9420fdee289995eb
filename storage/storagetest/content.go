package storagetest

import (
	"slices"
	"strings"
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

// publishedAs asks which targets are published under an id.
func publishedAs(id string, accounts ...string) func(storage.Reader) ([]string, error) {
	return func(r storage.Reader) ([]string, error) { return r.PublishedAs(id, accounts) }
}

// out returns a published post with the network's id.
func (f *fixture) out(id string, accounts ...string) schedctl.Post {
	p := f.newPost(epoch, epoch, schedctl.Published, accounts...)
	for i := range p.Targets {
		p.Targets[i].PlatformPostID, p.Targets[i].PublishedAt = id, epoch
	}
	return p
}

func testPublishedAs(f *fixture) {
	ids := newAccountIDs(3)
	one, two := f.out("1", ids[0], ids[1]), f.out("1", ids[2])
	longer, none := f.out("12", ids[0]), f.out("", ids[0])
	f.putPosts(one, two, longer, none)
	same(f, "of one account", []string{one.Targets[0].ID}, read(f, publishedAs("1", ids[0])))
	want := []string{one.Targets[1].ID, two.Targets[0].ID}
	slices.Sort(want)
	same(f, "of two", want, read(f, publishedAs("1", ids[1:]...)))
	same(f, "of none", []string(nil), read(f, publishedAs("1")))
	same(f, "a longer id", []string{longer.Targets[0].ID}, read(f, publishedAs("12", ids...)))
	same(f, "no id", []string(nil), read(f, publishedAs("", ids...)))
	same(f, "an id that nobody has", []string(nil), read(f, publishedAs("3", ids...)))

	failed := f.out("9", ids[0])
	failed.Targets[0].Status = schedctl.Failed
	f.putPosts(failed)
	same(f, "of a target that failed", []string(nil), read(f, publishedAs("9", ids...)))
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, longer.ID) })
	same(f, "of a post that is gone", []string(nil), read(f, publishedAs("12", ids...)))
	f.update(func(tx storage.Tx) error {
		p := f.out("new", ids[0])
		if err := tx.PutPost(p); err != nil {
			return err
		}
		got, err := tx.PublishedAs("new", ids)
		same(f, "of the transaction", []string{p.Targets[0].ID}, got)
		return err
	})
	for _, id := range malformed(schedctl.AccountPrefix) {
		missing(f, "an account that cannot be", publishedAs("1", id))
	}
}

// testPublishedAsLongIDs guards that ids are told apart that begin or end alike,
// however long they are.
func testPublishedAsLongIDs(f *fixture) {
	account := newAccountIDs(1)[0]
	long := strings.Repeat("at://did:plc:a/", 20)
	of := map[string]schedctl.Post{}
	for _, id := range []string{strings.Repeat("7", 23), strings.Repeat("7", 24), strings.Repeat("7", 25), long + "1", long + "2", "ä" + long} {
		of[id] = f.out(id, account)
		f.putPosts(of[id])
	}
	for id, p := range of {
		same(f, id, []string{p.Targets[0].ID}, read(f, publishedAs(id, account)))
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
