package storagetest

import (
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var accountParts = []part{
	{"AccountKeepsEveryField", testAccountKeepsEveryField},
	{"AccountsAreInOrder", testAccountsAreInOrder},
	{"PoliciesAreKept", testPoliciesAreKept},
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
	want := newFilled[schedctl.Account](f)
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
	got := mustRead(f, accountByID(f, want.ID))
	wantSame(f, "account", want, got)
	spoil(&got)
	listed := mustRead(f, accountsOf(f.ws))
	wantSame(f, "listed accounts", []schedctl.Account{want}, listed)
	spoil(&listed[0])
	wantSame(f, "account after a change of what was listed", want, mustRead(f, accountByID(f, want.ID)))

	bare := schedctl.Account{ID: want.ID, WorkspaceID: f.ws, Status: schedctl.AccountError}
	f.putAccounts(bare)
	wantSame(f, "replaced account", bare, mustRead(f, accountByID(f, want.ID)))
}

func testAccountsAreInOrder(f *fixture) {
	first, second, third := f.newAccount("z", epoch), f.newAccount("y", epoch.Add(1e9)), f.newAccount("x", epoch.Add(2e9))
	second.Status = schedctl.AccountDisconnected
	f.putAccounts(third, first, second)
	wantSame(f, "accounts", []schedctl.Account{first, second, third}, mustRead(f, accountsOf(f.ws)))
	wantSame(f, "accounts of a missing workspace", []schedctl.Account(nil), mustRead(f, accountsOf(newID(schedctl.WorkspacePrefix, epoch))))
}

// testPoliciesAreKept changes the policies of accounts before a transaction, in it, and in one
// that fails. Each transaction also writes something else.
func testPoliciesAreKept(f *fixture) {
	byOption, bySetting := f.newAccount("option", epoch), f.newAccount("setting", epoch)
	f.putAccounts(byOption, bySetting)
	keep := func(what string, want error, change func(storage.Tx) error) {
		f.Helper()
		err := f.store.Update(f.Context(), func(tx storage.Tx) error {
			if err := change(tx); err != nil {
				return err
			}
			return storage.KeepPolicies(tx, []schedctl.Account{byOption, bySetting, f.newAccount("missing", epoch)})
		})
		if !errors.Is(err, want) {
			f.Errorf("%s: error %v, want %v", what, err, want)
		}
	}
	other := f.newAccount("other", epoch)
	none := func(tx storage.Tx) error { return tx.PutAccount(other) }
	for _, twice := range []string{"unchanged", "unchanged again"} {
		keep(twice, nil, none)
	}
	renamed := byOption
	renamed.DisplayName = "renamed"
	keep("another name", nil, func(tx storage.Tx) error { return tx.PutAccount(renamed) })
	asked, set := byOption, bySetting
	asked.Options = schedctl.Options{schedctl.OptionApproval: schedctl.ApprovalRequired}
	set.Approvals = schedctl.ApprovalsAgents
	keep("changed in the same transaction", storage.ErrPolicyChanged, func(tx storage.Tx) error { return tx.PutAccount(asked) })
	keep("after the transaction failed", nil, none)
	f.putAccounts(asked)
	keep("changed by the option", storage.ErrPolicyChanged, none)
	f.putAccounts(byOption, set)
	keep("changed by the setting", storage.ErrPolicyChanged, none)
	f.putAccounts(bySetting)
	keep("changed back", nil, none)
}

// checkNameAccepted checks that the account can be put, or that its name is refused.
func (f *fixture) checkNameAccepted(what string, a schedctl.Account, ok bool) {
	f.Helper()
	if ok {
		f.putAccounts(a)
		return
	}
	err := f.store.Update(f.Context(), func(tx storage.Tx) error { return tx.PutAccount(a) })
	var e *schedctl.Error
	if !asError(err, &e) || e.Code != schedctl.NameTaken || e.Field != "name" {
		f.Errorf("%s: error %v, want NAME_TAKEN on field name", what, err)
	}
	wantNotFound(f, what, accountByID(f, a.ID))
}

func testAccountNamesAreUnique(f *fixture) {
	a := f.newAccount("news", epoch)
	f.checkNameAccepted("a first name", a, true)
	a.DisplayName = "again"
	f.checkNameAccepted("the same account again", a, true)
	f.checkNameAccepted("the name of a second account", f.newAccount("news", epoch), false)
	feed := f.newAccount("news", epoch)
	feed.Platform = feedPlatform
	f.checkNameAccepted("the name of a second account, as a feed", feed, false)
	f.checkNameAccepted("another case", f.newAccount("News", epoch), true)
	elsewhere := f.newAccount("news", epoch)
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putAccounts(elsewhere)

	a.Name = "olds"
	f.checkNameAccepted("another name for the same account", a, true)
	f.checkNameAccepted("the name that it had", f.newAccount("news", epoch), true)
	f.checkNameAccepted("the name that it has", f.newAccount("olds", epoch), false)

	f.refuse(schedctl.NameTaken, func(tx storage.Tx) error {
		if err := tx.PutAccount(f.newAccount("twice", epoch)); err != nil {
			return err
		}
		return tx.PutAccount(f.newAccount("twice", epoch))
	})
}

func testFeedNamesAreUniqueEverywhere(f *fixture) {
	feed := f.newAccount("blog", epoch)
	feed.Platform = feedPlatform
	f.checkNameAccepted("a feed", feed, true)
	wantSame(f, "feed", feed, mustRead(f, feedNamed("blog")))
	elsewhere := f.newAccount("blog", epoch)
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putAccounts(elsewhere)
	wantSame(f, "feed next to an account with its name", feed, mustRead(f, feedNamed("blog")))
	second := elsewhere
	second.ID, second.Platform = newID(schedctl.AccountPrefix, epoch), feedPlatform
	second.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.checkNameAccepted("a feed of the second workspace", second, false)

	feed.Name = "journal"
	f.checkNameAccepted("another name for the feed", feed, true)
	wantNotFound(f, "the feed's old name", feedNamed("blog"))
	feed.Status = schedctl.AccountError
	f.checkNameAccepted("a feed in trouble", feed, true)
	wantSame(f, "feed in trouble", feed, mustRead(f, feedNamed("journal")))
	f.putAccounts(second)
	wantSame(f, "feed of the second workspace", second, mustRead(f, feedNamed("blog")))
	wantNotFound(f, "no feed", feedNamed("nowhere"))
	wantNotFound(f, "no feed", feedNamed(""))
}

func testDisconnectedAccountsFreeTheirNames(f *fixture) {
	feed := f.newAccount("blog", epoch)
	feed.Platform = feedPlatform
	f.checkNameAccepted("a feed", feed, true)
	feed.Status, feed.UpdatedAt = schedctl.AccountDisconnected, epoch.Add(time.Hour)
	f.checkNameAccepted("the feed disconnected", feed, true)
	wantNotFound(f, "a disconnected feed", feedNamed("blog"))
	wantSame(f, "the disconnected account", feed, mustRead(f, accountByID(f, feed.ID)))
	heir := f.newAccount("blog", epoch)
	heir.Platform = feedPlatform
	f.checkNameAccepted("the account that reuses its name", heir, true)
	wantSame(f, "feed", heir, mustRead(f, feedNamed("blog")))
	f.checkNameAccepted("the disconnected one again", feed, true)
	wantSame(f, "feed after a put of the disconnected one", heir, mustRead(f, feedNamed("blog")))
	feed.Status = schedctl.AccountConnected
	f.refuse(schedctl.NameTaken, func(tx storage.Tx) error { return tx.PutAccount(feed) })
}

func testMalformedAccountIDs(f *fixture) {
	a := f.newAccount("a", epoch)
	f.putAccounts(a)
	for _, id := range malformedIDs(schedctl.AccountPrefix) {
		wantNotFound(f, "account "+id, accountByID(f, id))
		bad := a
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutAccount(bad) })
	}
	for _, id := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "account in "+id, func(r storage.Reader) (schedctl.Account, error) { return r.Account(id, a.ID) })
		wantNotFound(f, "accounts of "+id, accountsOf(id))
	}
}
