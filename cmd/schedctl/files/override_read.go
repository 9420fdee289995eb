package files

import (
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// readOverride reads what an account gets instead of what the post says.
func (r *fileReader) readOverride(f *postfile.File, o postfile.Override, w *wantedPost) {
	ids, err := account.PickIDs(r.App, r.accounts, []string{o.Account.Text})
	if err == nil && (o.Text.Text != "" || o.Options == nil && !o.HasMore()) {
		err = cli.CheckText(o.Text.Text, "the text for "+o.Account.Text)
	}
	if err != nil {
		r.problemf(f, o.Account.Line, "%v", err)
	}
	state := r.overrideState(f, o)
	for _, id := range ids {
		switch {
		case !slices.Contains(w.Accounts, id):
			r.problemf(f, o.Account.Line, "the post does not go to %s; add it to \"to\"", o.Account.Text)
		case slices.ContainsFunc(w.Overrides, func(o overrideState) bool { return o.Account == id }):
			r.problemf(f, o.Account.Line, "%s names an account a second time; name each account in one way", o.Account.Text)
		}
		state.Account = id
		w.Overrides = append(w.Overrides, state)
	}
}

// overrideState returns an override without its account.
func (r *fileReader) overrideState(f *postfile.File, o postfile.Override) overrideState {
	state := overrideState{
		Content: o.Text.Text, Options: o.Options,
		ContentWarning: o.ContentWarning.Text, Visibility: o.Visibility.Text, Language: o.Language.Text,
	}
	if o.Media != nil {
		state.Media = new(r.readMedia(f, *o.Media))
	}
	if o.Thread != nil {
		parts := []partState{}
		for i, part := range *o.Thread {
			parts = append(parts, r.readPart(f, part, fmt.Sprintf("part %d for %s", i+2, o.Account.Text)))
		}
		if n := len(parts); n > schedctl.MaxThread {
			r.problemf(f, (*o.Thread)[schedctl.MaxThread].Content.Line, "the thread for %s has %d parts; the limit is %d", o.Account.Text, n+1, schedctl.MaxThread+1)
		}
		state.Thread = &parts
	}
	as := forAccount(f, o)
	if o.Poll != nil {
		if state.Poll = (&pollState{Options: []string{}}); len(o.Poll.Options) > 0 {
			state.Poll = r.readPoll(as)
		}
	}
	for _, check := range []schedctl.Presentation{{ContentWarning: state.ContentWarning}, {Visibility: state.Visibility}, {Language: state.Language}} {
		r.checkRule(as, schedctl.CheckPresentation(check))
	}
	return state
}

// forAccount returns a file as one account gets it, for the lines of problems.
func forAccount(f *postfile.File, o postfile.Override) *postfile.File {
	as := *f
	as.Content.Line = o.Account.Line
	if o.Media != nil {
		as.Media = *o.Media
	}
	if o.Thread != nil {
		as.Thread = *o.Thread
	}
	if o.Poll != nil {
		as.Poll = o.Poll
	}
	for _, field := range []struct {
		own postfile.Value
		to  *postfile.Value
	}{{o.ContentWarning, &as.ContentWarning}, {o.Visibility, &as.Visibility}, {o.Language, &as.Language}} {
		if field.own.Text != "" {
			*field.to = field.own
		}
	}
	return &as
}
