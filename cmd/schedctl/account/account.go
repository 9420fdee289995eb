package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "account",
		Short: "Connect and manage social accounts",
		Long: `Connect and manage the social accounts that posts go to.

An account is named by its id, by its name, or by platform:name.`,
		Example: `  schedctl account add feed --name demo
  schedctl account list`,
	})
	cmd.AddCommand(newAdd(a), newList(a), newShow(a), newVerify(a),
		newEdit(a), newReconnect(a), newRemove(a), newGroup(a))
	return cmd
}

// onAccount completes a command whose argument names one account.
func onAccount(a *cli.App, cmd *cobra.Command, run func(ctx context.Context, ref string) error) *cobra.Command {
	cmd.Args = cli.Args(1, 1, "an account: its id, its name or platform:name")
	cmd.ValidArgsFunction = Complete(a)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args[0]) }
	return cmd
}

// connect connects to the daemon and finds the account that an argument names.
func connect(ctx context.Context, a *cli.App, ref string) (c *client.Client, acct apiv1.Account, err error) {
	if c, err = a.Connect(); err == nil {
		acct, err = ByName(ctx, a, c, ref)
	}
	return c, acct, err
}

// printList prints accounts as a list.
func printList(a *cli.App, accounts ...apiv1.Account) error {
	id := func(acct apiv1.Account) string { return acct.ID }
	layout := cli.Table{Header: []string{"ID", "PLATFORM", "NAME", "STATUS", "PROFILE"}, Status: 3, Excerpt: true}
	ending := slices.ContainsFunc(accounts, func(acct apiv1.Account) bool { return acct.ExpiresAt != nil })
	if ending {
		layout.Header = append(layout.Header, "EXPIRES")
	}
	err := cli.PrintList(a, accounts, id, layout, func(acct apiv1.Account) []string {
		row := []string{acct.ID, acct.Platform, acct.Name, string(acct.Status), cli.Deref(acct.ProfileURL)}
		if ending {
			row = append(row, expiryText(a, acct))
		}
		return row
	})
	if err != nil || !a.ErrTerminal || a.JSON.Given || a.Quiet {
		return err
	}
	for _, acct := range accounts {
		if acct.Waits != nil {
			a.Messagef("%s waits until %s: %s", cli.OneLine(acct.Name), a.TimeText(acct.Waits.Until), cli.OneLine(acct.Waits.Message))
		}
		if acct.Status == schedctl.AccountError && acct.Error != nil {
			a.Messagef("%s: %s; see: schedctl account show %s", cli.OneLine(acct.Name), cli.OneLine(TargetErrorText(acct.Error)), acct.ID)
		}
	}
	return nil
}

// printOne prints one account and what was done with it.
func printOne(a *cli.App, acct apiv1.Account, done string) error {
	for _, w := range acct.Warnings {
		a.Messagef("warning: %s: %s", cli.OneLine(acct.Name), cli.OneLine(w))
	}
	sentence := fmt.Sprintf("%s %s (%s), %s", done, a.Bold(cli.OneLine(acct.Name)), acct.Platform, acct.ID)
	if acct.ProfileURL != nil {
		sentence += ": " + cli.OneLine(*acct.ProfileURL)
	}
	return cli.PrintOne(a, acct, sentence, printList)
}

// ByName returns the account that an argument names, a disconnected one
// too.
func ByName(ctx context.Context, a *cli.App, c *client.Client, ref string) (apiv1.Account, error) {
	ref, err := resolveLast(a, ref)
	if err != nil {
		return apiv1.Account{}, err
	}
	if IsID(ref) {
		acct, err := c.Account(ctx, ref)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			err = cli.WithMessage(err, fmt.Sprintf("there is no account %q; see: schedctl account list --all", ref))
		}
		return acct, err
	}
	all, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil {
		return apiv1.Account{}, err
	}
	return Pick(all, ref, cli.ExitNotFound)
}

// resolveLast returns ref, or the id of the last account if ref is [cli.LastRef].
func resolveLast(a *cli.App, ref string) (string, error) {
	if ref == cli.LastRef {
		return a.LastID(cli.AccountNoun)
	}
	return ref, nil
}

func IsID(ref string) bool {
	_, ok := schedctl.ParseID(schedctl.AccountPrefix, ref)
	return ok
}

// FilterID returns the id of the account by which a flag selects posts, empty for an
// empty ref. The account may be disconnected.
func FilterID(ctx context.Context, a *cli.App, c *client.Client, ref string) (string, error) {
	ref, err := resolveLast(a, ref)
	if err != nil || ref == "" || IsID(ref) {
		return ref, err
	}
	list, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil {
		return "", err
	}
	acct, err := Pick(list, ref, cli.ExitInvalid)
	return acct.ID, err
}

// AddFilter defines --account, by which a command selects posts; see [FilterIDs].
func AddFilter(a *cli.App, cmd *cobra.Command, refs *[]string) {
	AddSeveral(a, cmd, refs, "only posts to this `account`: an id, a name, platform:name or @group (repeatable: to any of them)")
}

// FilterIDs is [FilterID] for accounts and account groups.
func FilterIDs(ctx context.Context, a *cli.App, c *client.Client, refs []string) (ids []string, err error) {
	known := Known{Groups: GroupsOf(ctx, c)}
	for _, ref := range refs {
		if name, isName := strings.CutPrefix(ref, "@"); isName {
			group, err := known.group(name)
			if err != nil {
				return nil, err
			}
			if group != nil {
				ids = append(ids, group...)
				continue
			}
		}
		id, err := FilterID(ctx, a, c, ref)
		if err != nil {
			return nil, known.explain(ref, err)
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// everyAccount is the value of --to for all connected accounts.
const everyAccount = "all"

// Recipients returns the ids of the accounts that --to names, each once and in
// the order given.
func Recipients(ctx context.Context, a *cli.App, c *client.Client, refs []string) ([]string, error) {
	known := Known{Groups: GroupsOf(ctx, c)}
	for _, ref := range refs {
		if IsID(ref) || ref == cli.LastRef {
			continue
		}
		list, err := c.Accounts(ctx, client.AccountQuery{})
		if err != nil {
			return nil, err
		}
		known.Accounts = list
		break
	}
	return PickIDs(a, known, refs)
}

// Known are the accounts of a workspace that are not disconnected, and its account groups.
type Known struct {
	Accounts []apiv1.Account
	Groups   func() ([]apiv1.AccountGroup, error) // nil if they are not known; called only for a reference to one
}

// GroupsOf returns a function that reads the account groups once.
func GroupsOf(ctx context.Context, c *client.Client) func() ([]apiv1.AccountGroup, error) {
	return sync.OnceValues(func() ([]apiv1.AccountGroup, error) {
		list, err := c.AccountGroups(ctx)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil, nil // a daemon without account groups
		}
		return list, err
	})
}

// PickIDs is [Recipients] for accounts that were read before.
func PickIDs(a *cli.App, known Known, refs []string) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	for _, ref := range refs {
		found, err := matchAccounts(a, known, ref)
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

// matchAccounts returns the ids of the accounts that one value of --to names.
func matchAccounts(a *cli.App, known Known, ref string) (ids []string, err error) {
	if ref, err = resolveLast(a, ref); err != nil {
		return nil, err
	}
	if IsID(ref) {
		return []string{ref}, nil
	}
	if name, isName := strings.CutPrefix(ref, "@"); isName && known.Groups != nil {
		if ids, err := known.group(name); ids != nil || err != nil {
			return ids, err
		}
	}
	if ref != everyAccount {
		acct, err := Pick(known.Accounts, ref, cli.ExitInvalid)
		return []string{acct.ID}, known.explain(ref, err)
	}
	for _, acct := range known.Accounts {
		if acct.Status == schedctl.AccountConnected {
			ids = append(ids, acct.ID)
			continue
		}
		a.Messagef("left out: %s (%s) is in status %s; see: schedctl account show %s", cli.OneLine(acct.Name), acct.Platform, acct.Status, acct.ID)
	}
	if len(ids) == 0 {
		return nil, cli.InvalidError(schedctl.InvalidSocialAccounts, "no account is connected").WithHint(AddAdvice)
	}
	return ids, nil
}

// group returns the accounts of the group with a name, nil if there is none.
func (k Known) group(name string) ([]string, error) {
	groups, err := k.Groups()
	if err != nil {
		return nil, fmt.Errorf("read the account groups: %w", err)
	}
	i := slices.IndexFunc(groups, func(g apiv1.AccountGroup) bool { return g.Name == name })
	if i < 0 {
		return nil, nil
	}
	if n := groups[i].HiddenAccounts; n > 0 {
		return nil, cli.NewFailure(cli.ExitAuth, schedctl.AccountNotAllowed, "the account group %s has %s that the API key may not use", name, cli.Plural(n, "account")).
			WithHint("name the accounts instead, or use another key")
	}
	if same := slices.IndexFunc(k.Accounts, func(a apiv1.Account) bool { return a.Name == name }); same >= 0 {
		return nil, cli.InvalidError(schedctl.InvalidSocialAccounts, "@%s is an account group, and the name of an account", name).
			WithHint("for the account leave out the @; for the group, remove it and create it with another name")
	}
	if len(groups[i].SocialAccountIDs) == 0 {
		return nil, cli.InvalidError(schedctl.InvalidSocialAccounts, "all accounts of the group %s were removed", name).WithHint("add others with: schedctl account group edit " + name + " --account NAME")
	}
	return groups[i].SocialAccountIDs, nil
}

// explain returns the error about a name that no account has, with what groups there are.
func (k Known) explain(ref string, err error) error {
	f, is := errors.AsType[*cli.Failure](err)
	if !is || k.Groups == nil || strings.HasPrefix(f.Message, strconv.Quote(ref)) { // it matches several accounts
		return err
	}
	groups, unread := k.Groups()
	name, isGroup := strings.CutPrefix(ref, "@")
	switch same := slices.ContainsFunc(groups, func(g apiv1.AccountGroup) bool { return strings.EqualFold(g.Name, name) }); {
	case unread != nil:
		return err
	case same:
		return f.WithHint("for the account group write @" + strings.ToLower(name))
	case isGroup:
		f.Message = fmt.Sprintf("there is no account and no account group %q", ref)
		return f.WithHint("see: schedctl account group list")
	}
	return err
}

const AddAdvice = "add one, for example with: schedctl account add feed --name demo"

// Pick returns the account that ref names. It compares exactly, then without regard to
// case, then as an abbreviated id. Connected accounts are preferred over disconnected
// ones.
func Pick(accounts []apiv1.Account, ref string, missing int) (apiv1.Account, error) {
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
			return apiv1.Account{}, cli.InvalidError(schedctl.InvalidSocialAccounts, "%q matches several accounts", ref).WithHint("use one of " + candidateList(found))
		}
	}
	found := cli.MatchShortID(accounts, schedctl.AccountPrefix, ref, func(acct apiv1.Account) string { return acct.ID })
	switch len(found) {
	case 0:
	case 1:
		return found[0], nil
	default:
		return apiv1.Account{}, cli.AmbiguousIDError(ref, "accounts", []string{candidateList(found)})
	}
	f := cli.NewFailure(missing, schedctl.InvalidSocialAccounts, "there is no account %q", ref).WithHint(AddAdvice)
	if missing == cli.ExitNotFound {
		f.Code = schedctl.NotFound
	}
	if len(accounts) > 0 {
		f.Hint = "the accounts are " + candidateList(accounts)
	}
	return apiv1.Account{}, f
}

// candidateList lists accounts in the form in which an argument can name them. Only accounts
// whose names differ in case at most have their ids, too.
func candidateList(accounts []apiv1.Account) string {
	count := map[string]int{}
	name := func(acct apiv1.Account) string { return acct.Platform + ":" + acct.Name }
	for _, acct := range accounts {
		count[strings.ToLower(name(acct))]++
	}
	return strings.Join(cli.Candidates(cli.Map(accounts, func(acct apiv1.Account) string {
		if count[strings.ToLower(name(acct))] == 1 {
			return name(acct)
		}
		return fmt.Sprintf("%s (%s)", name(acct), acct.ID)
	})), ", ")
}
