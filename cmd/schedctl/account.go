package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

func newAccount(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "account",
		Short: "Connect and manage social accounts",
		Long: `Connect and manage the social accounts that posts go to.

An account is named by its id, by its name, or by platform:name.`,
		Example: `  schedctl account add feed --name demo
  schedctl account list`,
	})
	cmd.AddCommand(newAccountAdd(a), newAccountList(a), newAccountShow(a), newAccountVerify(a),
		newAccountEdit(a), newAccountReconnect(a), newAccountRemove(a))
	return cmd
}

// printAccounts prints accounts as a list.
func (a *app) printAccounts(accounts []apiv1.Account) error {
	switch {
	case a.json.set:
		return a.printJSON(append([]apiv1.Account{}, accounts...))
	case a.quiet:
		ids := make([]string, len(accounts))
		for i := range accounts {
			ids[i] = accounts[i].ID
		}
		return a.printIDs(ids...)
	}
	t := table{header: []string{"ID", "PLATFORM", "NAME", "STATUS", "PROFILE"}, status: 3, excerpt: true}
	for _, acct := range accounts {
		t.rows = append(t.rows, []string{acct.ID, acct.Platform, acct.Name, string(acct.Status), deref(acct.ProfileURL)})
	}
	if err := a.writeList(a.render(t)); err != nil || !a.errTerminal {
		return err
	}
	for _, acct := range accounts {
		if acct.Status == schedctl.AccountError && acct.Error != nil {
			a.tell("%s: %s; see: schedctl account show %s", oneLine(acct.Name), oneLine(errorText(acct.Error)), acct.ID)
		}
	}
	return nil
}

// printAccount prints one account: as the list does, or on a terminal with a
// sentence that says what was done.
func (a *app) printAccount(acct apiv1.Account, done string) error {
	for _, w := range acct.Warnings {
		a.tell("warning: %s: %s", oneLine(acct.Name), oneLine(w))
	}
	switch {
	case a.json.set:
		return a.printJSON(acct)
	case a.quiet || !a.outTerminal:
		return a.printAccounts([]apiv1.Account{acct})
	}
	sentence := fmt.Sprintf("%s %s (%s), %s", done, a.bold(oneLine(acct.Name)), acct.Platform, acct.ID)
	if acct.ProfileURL != nil {
		sentence += ": " + oneLine(*acct.ProfileURL)
	}
	return a.write([]byte(sentence + "\n"))
}

// accountByName returns the account that an argument names, a disconnected one
// too.
func (a *app) accountByName(ctx context.Context, c *client.Client, ref string) (apiv1.Account, error) {
	ref, err := a.accountRef(ref)
	if err != nil {
		return apiv1.Account{}, err
	}
	if isAccountID(ref) {
		acct, err := c.Account(ctx, ref)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			err = reworded(err, fmt.Sprintf("there is no account %q; see: schedctl account list --all", ref))
		}
		return acct, err
	}
	all, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil {
		return apiv1.Account{}, err
	}
	return pickAccount(all, ref, exitNotFound)
}

// accountRef returns what names an account, with the id for lastRef.
func (a *app) accountRef(ref string) (string, error) {
	if ref == lastRef {
		return a.last(accountNoun)
	}
	return ref, nil
}

func isAccountID(ref string) bool {
	_, ok := schedctl.ParseID(schedctl.AccountPrefix, ref)
	return ok
}

// everyAccount stands for all connected accounts in --to.
const everyAccount = "all"

// recipients returns the ids of the accounts that --to names, each once and in
// the order given.
func (a *app) recipients(ctx context.Context, c *client.Client, refs []string) ([]string, error) {
	var connected []apiv1.Account
	for _, ref := range refs {
		if isAccountID(ref) || ref == lastRef {
			continue
		}
		list, err := c.Accounts(ctx, client.AccountQuery{})
		if err != nil {
			return nil, err
		}
		connected = list
		break
	}
	return a.pick(connected, refs)
}

// pick is recipients for accounts that are known already.
func (a *app) pick(connected []apiv1.Account, refs []string) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	for _, ref := range refs {
		found, err := a.named(connected, ref)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

// named returns the ids that one --to stands for.
func (a *app) named(connected []apiv1.Account, ref string) (ids []string, err error) {
	if ref, err = a.accountRef(ref); err != nil {
		return nil, err
	}
	if isAccountID(ref) {
		return []string{ref}, nil
	}
	if ref != everyAccount {
		acct, err := pickAccount(connected, ref, exitInvalid)
		return []string{acct.ID}, err
	}
	for _, acct := range connected {
		if acct.Status == schedctl.AccountConnected {
			ids = append(ids, acct.ID)
			continue
		}
		a.tell("left out: %s (%s) is in status %s; see: schedctl account show %s", oneLine(acct.Name), acct.Platform, acct.Status, acct.ID)
	}
	if len(ids) == 0 {
		f := invalid(schedctl.InvalidSocialAccounts, "no account is connected")
		f.hint = addAdvice
		return nil, f
	}
	return ids, nil
}

const addAdvice = "add one, for example with: schedctl account add feed --name demo"

// pickAccount returns the one account that ref names: exactly, else without
// regard to case, else by an abbreviated id. Connected accounts go before
// disconnected ones.
func pickAccount(accounts []apiv1.Account, ref string, missing int) (apiv1.Account, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found, gone []apiv1.Account
		for _, acct := range accounts {
			if !same(acct.Name, ref) && !same(acct.Platform+":"+acct.Name, ref) && !same("@"+acct.Name, ref) {
				continue
			}
			if acct.Status == schedctl.AccountDisconnected {
				gone = append(gone, acct)
			} else {
				found = append(found, acct)
			}
		}
		if len(found) == 0 {
			found = gone
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			f := invalid(schedctl.InvalidSocialAccounts, "%q could be several accounts", ref)
			f.hint = "use one of " + candidates(found)
			return apiv1.Account{}, f
		}
	}
	found := abbreviated(accounts, schedctl.AccountPrefix, ref, func(acct apiv1.Account) string { return acct.ID })
	switch len(found) {
	case 0:
	case 1:
		return found[0], nil
	default:
		return apiv1.Account{}, ambiguous(ref, "accounts", []string{candidates(found)})
	}
	f := &failure{status: missing, code: schedctl.InvalidSocialAccounts, message: fmt.Sprintf("there is no account %q", ref), hint: addAdvice}
	if missing == exitNotFound {
		f.code = schedctl.NotFound
	}
	if len(accounts) > 0 {
		f.hint = "the accounts are " + candidates(accounts)
	}
	return apiv1.Account{}, f
}

// candidates lists accounts so that any of the words can be used.
func candidates(accounts []apiv1.Account) string {
	var names []string
	for i, acct := range accounts {
		if i == maxCandidates {
			names = append(names, fmt.Sprintf("%d more", len(accounts)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s:%s (%s)", acct.Platform, acct.Name, acct.ID))
	}
	return strings.Join(names, ", ")
}
