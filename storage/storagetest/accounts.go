package storagetest

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var accountParts = []part{
	{"AccountKeepsEveryField", testAccountKeepsEveryField},
	{"AccountsAreInOrder", testAccountsAreInOrder},
	{"AccountNamesAreUnique", testAccountNamesAreUnique},
	{"FeedNamesAreUniqueEverywhere", testFeedNamesAreUniqueEverywhere},
	{"DisconnectedAccountsFreeTheirNames", testDisconnectedAccountsFreeTheirNames},
	{"MalformedAccountIDs", testMalformedAccountIDs},
}

func accountsOf(ws string) func(storage.Reader) ([]schedctl.Account, error) {
	return func(r storage.Reader) ([]schedctl.Account, error) { return r.Accounts(ws) }
}

func feedNamed(name string) func(storage.Reader) (schedctl.Account, error) {
	return func(r storage.Reader) (schedctl.Account, error) { return r.Feed(name) }
}

func testAccountKeepsEveryField(f *fixture) {
	want := filled[schedctl.Account](f)
	want.WorkspaceID, want.Status = f.ws, schedctl.AccountConnected
	given := cloneAccount(want)
	spoil := func(a *schedctl.Account) {
		a.Credentials[0]++
		a.Error.Message = "spoiled"
		a.Options["text"] = "spoiled"
		a.Options["list"].([]any)[0] = "spoiled"
	}
	f.putAccounts(given)
	spoil(&given)
	got := read(f, accountByID(f, want.ID))
	same(f, "account", want, got)
	spoil(&got)
	listed := read(f, accountsOf(f.ws))
	same(f, "listed accounts", []schedctl.Account{want}, listed)
	spoil(&listed[0])
	same(f, "account after a change of what was listed", want, read(f, accountByID(f, want.ID)))

	bare := schedctl.Account{ID: want.ID, WorkspaceID: f.ws, Status: schedctl.AccountError}
	f.putAccounts(bare)
	same(f, "replaced account", bare, read(f, accountByID(f, want.ID)))
}

func testAccountsAreInOrder(f *fixture) {
	first, second, third := f.newAccount("z", epoch), f.newAccount("y", epoch.Add(1e9)), f.newAccount("x", epoch.Add(2e9))
	second.Status = schedctl.AccountDisconnected
	f.putAccounts(third, first, second)
	same(f, "accounts", []schedctl.Account{first, second, third}, read(f, accountsOf(f.ws)))
	same(f, "accounts of nobody", []schedctl.Account(nil), read(f, accountsOf(newID(schedctl.WorkspacePrefix, epoch))))
}

// takes checks that the account can be put, or that its name is refused.
func (f *fixture) takes(what string, a schedctl.Account, ok bool) {
	f.Helper()
	if ok {
		f.putAccounts(a)
		return
	}
	err := f.store.Update(f.Context(), func(tx storage.Tx) error { return tx.PutAccount(a) })
	var e *schedctl.Error
	if !asError(err, &e) || e.Code != schedctl.ValidationFailed || e.Field != "name" {
		f.Errorf("%s: error %v, want VALIDATION_FAILED on field name", what, err)
	}
	missing(f, what, accountByID(f, a.ID))
}

func testAccountNamesAreUnique(f *fixture) {
	a := f.newAccount("news", epoch)
	f.takes("a first name", a, true)
	a.DisplayName = "again"
	f.takes("the same account again", a, true)
	f.takes("the name of another", f.newAccount("news", epoch), false)
	feed := f.newAccount("news", epoch)
	feed.Platform = feedPlatform
	f.takes("the name of another, as a feed", feed, false)
	f.takes("another case", f.newAccount("News", epoch), true)
	elsewhere := f.newAccount("news", epoch)
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putAccounts(elsewhere)

	a.Name = "olds"
	f.takes("another name for the same account", a, true)
	f.takes("the name that it had", f.newAccount("news", epoch), true)
	f.takes("the name that it has", f.newAccount("olds", epoch), false)

	f.refuse(schedctl.ValidationFailed, func(tx storage.Tx) error {
		if err := tx.PutAccount(f.newAccount("twice", epoch)); err != nil {
			return err
		}
		return tx.PutAccount(f.newAccount("twice", epoch))
	})
}

func testFeedNamesAreUniqueEverywhere(f *fixture) {
	feed := f.newAccount("blog", epoch)
	feed.Platform = feedPlatform
	f.takes("a feed", feed, true)
	same(f, "feed", feed, read(f, feedNamed("blog")))
	elsewhere := f.newAccount("blog", epoch)
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putAccounts(elsewhere)
	same(f, "feed beside an account of its name", feed, read(f, feedNamed("blog")))
	second := elsewhere
	second.ID, second.Platform = newID(schedctl.AccountPrefix, epoch), feedPlatform
	second.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.takes("a feed of another workspace", second, false)

	feed.Name = "journal"
	f.takes("another name for the feed", feed, true)
	missing(f, "the feed's old name", feedNamed("blog"))
	feed.Status = schedctl.AccountError
	f.takes("a feed in trouble", feed, true)
	same(f, "feed in trouble", feed, read(f, feedNamed("journal")))
	f.putAccounts(second)
	same(f, "feed of another workspace", second, read(f, feedNamed("blog")))
	missing(f, "no feed", feedNamed("nowhere"))
	missing(f, "no feed", feedNamed(""))
}

func testDisconnectedAccountsFreeTheirNames(f *fixture) {
	feed := f.newAccount("blog", epoch)
	feed.Platform = feedPlatform
	f.takes("a feed", feed, true)
	feed.Status, feed.UpdatedAt = schedctl.AccountDisconnected, epoch.Add(time.Hour)
	f.takes("the feed disconnected", feed, true)
	missing(f, "a disconnected feed", feedNamed("blog"))
	same(f, "the disconnected account", feed, read(f, accountByID(f, feed.ID)))
	heir := f.newAccount("blog", epoch)
	heir.Platform = feedPlatform
	f.takes("the heir of its name", heir, true)
	same(f, "feed", heir, read(f, feedNamed("blog")))
	f.takes("the disconnected one again", feed, true)
	same(f, "feed after a put of the disconnected one", heir, read(f, feedNamed("blog")))
	feed.Status = schedctl.AccountConnected
	f.refuse(schedctl.ValidationFailed, func(tx storage.Tx) error { return tx.PutAccount(feed) })
}

func testMalformedAccountIDs(f *fixture) {
	a := f.newAccount("a", epoch)
	f.putAccounts(a)
	for _, id := range malformed(schedctl.AccountPrefix) {
		missing(f, "account "+id, accountByID(f, id))
		bad := a
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutAccount(bad) })
	}
	for _, id := range malformed(schedctl.WorkspacePrefix) {
		missing(f, "account in "+id, func(r storage.Reader) (schedctl.Account, error) { return r.Account(id, a.ID) })
		missing(f, "accounts of "+id, accountsOf(id))
	}
}
