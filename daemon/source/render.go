package source

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/source/template"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// Text is the text of a post for an account.
type Text struct {
	Account schedctl.Account
	template.Result
	Err error // why the text is missing; fit for users
}

// texts renders an item for each account of a source.
func (r *Runner) texts(s *schedctl.Source, accounts []schedctl.Account, c content) []Text {
	out := make([]Text, len(accounts))
	for i := range accounts {
		out[i].Account = accounts[i]
		out[i].Result, out[i].Err = r.text(s, &accounts[i], c)
	}
	return out
}

func (r *Runner) text(s *schedctl.Source, a *schedctl.Account, c content) (template.Result, error) {
	text := s.Template
	if k := slices.IndexFunc(s.Overrides, func(o schedctl.SourceOverride) bool { return o.AccountID == a.ID }); k >= 0 {
		text = s.Overrides[k].Template
	}
	t, err := template.Parse(text)
	if err != nil {
		return template.Result{}, err
	}
	d := template.FromItem(c.Item, s.Name, a.Platform)
	if d.Link, err = (template.LinkOptions{Strip: s.Link.Strip, Params: s.Link.Params}).Link(d); err != nil {
		return template.Result{}, err
	}
	publisher := r.cfg.Cases.Publishers[a.Platform]
	return t.Render(d, func(text string) template.Length {
		if publisher == nil {
			return template.Length{}
		}
		check := publisher.Check(*a, publish.Content{Text: text})
		return template.Length{Count: check.Length, Limit: check.Limit, Unit: check.Unit}
	})
}

// newPost returns the post of an item. Accounts whose text differs from that of the first one
// get an override.
func (j *job) newPost(ctx context.Context, item *schedctl.SourceItem, c content, mode schedctl.SourceMode) (usecase.NewPost, error) {
	s := &j.source
	accounts, err := j.accounts(ctx, s)
	if err != nil {
		return usecase.NewPost{}, err
	}
	n := usecase.NewPost{AccountIDs: s.AccountIDs}
	for i, t := range j.texts(s, accounts, c) {
		switch {
		case t.Err != nil:
			return n, schedctl.Errorf(schedctl.ValidationFailed, "", "%s: %v", t.Account.Name, t.Err)
		case i == 0:
			n.Text = t.Text
		case t.Text != n.Text:
			n.Overrides = append(n.Overrides, schedctl.Override{AccountID: t.Account.ID, Partial: schedctl.Partial{Text: t.Text}})
		}
	}
	n.Presentation.Language = s.Language
	id := schedctl.SourceExternalID(s.ID, item.Keys[0][1:], item.Round+1)
	n.ExternalID, n.Labels = &id, &s.Labels
	switch mode {
	case schedctl.SourceSubmit:
		n.Submit = new("")
	case schedctl.SourceNextSlot:
		n.SlotChoice = usecase.SlotChoice{NextSlot: true, QueueID: s.QueueID}
	case schedctl.SourceNow:
		n.Now = true
	}
	return n, nil
}

// accounts reads the accounts of a source.
func (r *Runner) accounts(ctx context.Context, s *schedctl.Source) (accounts []schedctl.Account, err error) {
	err = r.cfg.Store.View(ctx, func(reader storage.Reader) error {
		accounts = nil
		for _, id := range s.AccountIDs {
			a, err := reader.Account(s.WorkspaceID, id)
			if schedctl.CodeOf(err) == schedctl.NotFound {
				return schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids", "the account %s of the source is gone; change the source", id)
			}
			if err != nil {
				return err
			}
			accounts = append(accounts, a)
		}
		return nil
	})
	return accounts, err
}
