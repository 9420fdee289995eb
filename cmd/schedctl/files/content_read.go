package files

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// checkContent adds the problems of the content of a document by the rules of posts,
// without its files.
func (r *fileReader) checkContent(d *postfile.Document) {
	p := d.Post
	if err := cli.CheckText(p.Content, "the text"); err != nil && (p.Content != "" || len(p.Media)+len(d.Variants) == 0) {
		r.problemf(d, d.First, "%v", err)
	}
	r.checkThread(d, "", p.Thread, "the thread")
	if p.FirstComment != nil {
		r.checkPart(d, "first_comment", *p.FirstComment, "the first comment")
	}
	r.checkRules(d, d.Line, p.Poll, fields.Presentation(&p))
	if card := cli.Deref(p.LinkPreview).Card; card != nil {
		r.checkRule(d, d.Line, schedctl.CheckLinkPreview(schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: card.URL, Title: card.Title, Description: card.Description}))
	}
	r.checkRule(d, d.Line, schedctl.CheckTitle(cli.Deref(p.Title)))
	if style := cli.Deref(p.PostStyle); style != "" && !slices.Contains(schedctl.PostStyles(), schedctl.PostStyle(style)) {
		r.problemf(d, d.Line("post_style"), "post_style must be one of %s", strings.Join(cli.Strings(schedctl.PostStyles()), ", "))
	}
	for i, label := range p.Labels {
		if err := schedctl.CheckLabel(fmt.Sprintf("the label %q", cli.Clip(label, 40)), label); err != nil {
			r.problemf(d, d.Line(fmt.Sprintf("labels[%d]", i)), "%s", post.RuleText(err))
		}
	}
	if n := len(p.Labels); n > schedctl.MaxLabels {
		r.problemf(d, d.Line("labels"), "the post has %d labels; the limit is %d", n, schedctl.MaxLabels)
	}
	for i, o := range p.TargetOverrides {
		r.checkOverride(d, i, o)
	}
}

// checkOverride adds the problems of what an account gets instead of what the post says.
func (r *fileReader) checkOverride(d *postfile.Document, i int, o apiv1.Override) {
	path := fmt.Sprintf("target_overrides[%d]", i)
	if o.Content != nil {
		if err := cli.CheckText(*o.Content, "the text for "+o.SocialAccountID); err != nil {
			r.problemf(d, d.Line(path), "%v", err)
		}
	}
	r.checkThread(d, path+".", cli.Deref(o.Thread), "the thread for "+o.SocialAccountID)
	poll := o.Poll
	if poll != nil && len(poll.Options) == 0 {
		poll = nil
	}
	r.checkRules(d, func(field string) int { return d.LineFor(i, field) }, poll, fields.Presentation(&o))
}

func (r *fileReader) checkRules(d *postfile.Document, line func(string) int, poll *apiv1.Poll, shown schedctl.Presentation) {
	if poll != nil {
		r.checkRule(d, line, schedctl.CheckPoll(schedctl.Poll{
			Options: poll.Options, ExpiresIn: time.Duration(poll.ExpiresInSeconds) * time.Second, Multiple: poll.Multiple, HideTotals: poll.HideTotals,
		}))
	}
	for i, f := range shown.Fields() {
		var alone schedctl.Presentation
		*alone.Fields()[i].Text = *f.Text
		r.checkRule(d, line, schedctl.CheckPresentation(alone))
	}
}

// checkRule adds the problem of a rule at the line of its field.
func (r *fileReader) checkRule(d *postfile.Document, line func(field string) int, err error) {
	if broken, ok := errors.AsType[*schedctl.Error](err); ok {
		r.problemf(d, line(broken.Field), "%s", broken.Message)
	}
}

func (r *fileReader) checkThread(d *postfile.Document, path string, thread []apiv1.Part, name string) {
	of := strings.TrimPrefix(name, "the thread")
	for i, part := range thread {
		r.checkPart(d, fmt.Sprintf("%sthread[%d]", path, i), part, fmt.Sprintf("part %d%s", i+2, of))
	}
	if n := len(thread); n > schedctl.MaxThread {
		r.problemf(d, d.Line(fmt.Sprintf("%sthread[%d]", path, schedctl.MaxThread)), "%s has %d parts; the limit is %d", name, n+1, schedctl.MaxThread+1)
	}
}

// checkPart adds the problems of a further part of a thread or the first comment. name is
// for messages.
func (r *fileReader) checkPart(d *postfile.Document, path string, part apiv1.Part, name string) {
	if part.Content == "" && len(part.Media) > 0 {
		return
	}
	err := cli.CheckText(part.Content, name)
	if rule := schedctl.CheckContent(part.Content); err == nil && rule != nil {
		err = fmt.Errorf("%s: %s", name, post.RuleText(rule))
	}
	if err != nil {
		r.problemf(d, d.Line(path), "%v", err)
	}
}

// known returns what names in files can mean.
func (r *fileReader) known() account.Known {
	return account.Known{Accounts: r.accounts, Groups: r.groups}
}

// readAccounts replaces the names of accounts by ids.
func (r *fileReader) readAccounts(d *postfile.Document, w *wantedPost) {
	for i, to := range d.To {
		ids, err := account.PickIDs(r.App, r.known(), []string{to})
		if err != nil && r.rows && strings.Contains(to, ",") {
			if ids, err = account.PickIDs(r.App, r.known(), splitNames(to)); err != nil {
				err = fmt.Errorf("%w; separate accounts with \";\"", err)
			}
		}
		if err != nil {
			r.problemf(d, d.Line(fmt.Sprintf("to[%d]", i)), "%v", err)
		}
		for _, id := range ids {
			if !slices.Contains(w.request.SocialAccountIDs, id) {
				w.request.SocialAccountIDs = append(w.request.SocialAccountIDs, id)
			}
		}
	}
	overrides := w.request.TargetOverrides
	w.request.TargetOverrides = nil
	for i, o := range overrides {
		name, line := o.SocialAccountID, d.Line(fmt.Sprintf("target_overrides[%d]", i))
		ids, err := account.PickIDs(r.App, r.known(), []string{name})
		if err != nil {
			r.problemf(d, line, "%v", err)
		}
		for _, id := range ids {
			switch {
			case !slices.Contains(w.request.SocialAccountIDs, id):
				r.problemf(d, line, "the post does not go to %s; add it to \"to\"", name)
			case slices.ContainsFunc(w.request.TargetOverrides, func(o apiv1.Override) bool { return o.SocialAccountID == id }):
				r.problemf(d, line, "%s names an account a second time; name each account in one way", name)
			}
			o.SocialAccountID = id
			w.request.TargetOverrides = append(w.request.TargetOverrides, o)
		}
	}
}

// splitNames returns the names in a list that is separated by commas.
func splitNames(text string) (list []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}
