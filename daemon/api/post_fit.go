package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// accountContent is one part of what a post sends to one account, with the options.
type accountContent struct {
	account schedctl.Account
	part    schedctl.TargetPart
	extras  publish.Extras

	// The override of the account, or an empty one, and its path in the request.
	override *schedctl.Override
	path     string
}

// contentsFor returns the parts that an account gets of a post with these overrides.
func contentsFor(a schedctl.Account, p *schedctl.Post, overrides []schedctl.Override) []accountContent {
	override, path := &schedctl.Override{}, ""
	if i := slices.IndexFunc(overrides, func(o schedctl.Override) bool { return o.AccountID == a.ID }); i >= 0 {
		override, path = &overrides[i], overridePath(i)
	}
	t := override.Target()
	contents := make([]accountContent, p.PartCount(&t))
	for i := range contents {
		c := accountContent{account: a, part: p.PartFor(&t, i), override: override, path: path}
		c.extras.Presentation = p.PresentationFor(&t)
		if i == 0 {
			c.extras.Poll, c.extras.Preview = p.PollFor(&t), p.LinkPreview
		}
		contents[i] = c
	}
	return contents
}

// extrasKey returns the extras as JSON, the empty string for none.
func (c *accountContent) extrasKey() (string, error) {
	if c.extras == (publish.Extras{}) {
		return "", nil
	}
	text, err := json.Marshal(c.extras)
	return string(text), err
}

func overridePath(i int) string { return "target_overrides[" + strconv.Itoa(i) + "]" }

// checkContent returns an error that names every account whose network would not
// accept the post. After maxFaults it names only the first fault of each account, and
// counts the others. A draft may be too long for a network. It is rejected only for
// invalid options in its overrides. accounts are those of the post's targets.
// overrides are those of the request: errors name them by their index. checkContent
// contacts no network.
func (s *Server) checkContent(ctx context.Context, known *contentChecks, p *schedctl.Post, accounts []schedctl.Account, overrides []schedctl.Override) error {
	unknown := s.unknownOptions(accounts, overrides)
	if err := unknown.err(); err != nil {
		return err
	}
	var found fieldErrors
	draft := p.Status() == schedctl.Draft
	for i := range accounts {
		contents := contentsFor(accounts[i], p, overrides)
		if draft {
			contents = contents[:1] // only options matter, and they apply to all parts
		}
		if draft && len(contents[0].override.Options) == 0 {
			continue
		}
		problems, err := known.checkParts(ctx, contents)
		if err != nil {
			return err
		}
		named := false
		for _, f := range problems {
			if draft && !contents[0].sets(f.Field) || named && !found.count() {
				continue
			}
			found.add(f)
			named = true
		}
	}
	return found.err()
}

// tooLong is the problem code of a publisher for a text that is too long.
const tooLong = "too_long"

// faults converts the problems of a check to faults of a request.
func (c *accountContent) faults(check publish.Check) []schedctl.FieldError {
	list := make([]schedctl.FieldError, len(check.Problems))
	for i, problem := range check.Problems {
		list[i] = c.fault(check, problem)
	}
	return list
}

func (c *accountContent) fault(check publish.Check, problem *publish.Error) schedctl.FieldError {
	f := schedctl.FieldError{
		Field: c.field(problem.Code), Code: schedctl.ValidationFailed, AccountID: c.account.ID,
		Message: fmt.Sprintf("%s account %q: %s", c.account.Platform, c.account.Name, clip(problem.Message, maxMessage)),
	}
	if problem.Code == tooLong {
		f.Code, f.Length, f.Limit, f.Unit = schedctl.ContentTooLong, check.Length, check.Limit, check.Unit
	}
	return f
}

// field returns the request path of a publisher's problem: an option of the
// override or of the account, else the text.
func (c *accountContent) field(code string) string {
	switch {
	case isMedia(code):
		return c.partField(code)
	case c.isExtra(code):
		return c.extraField(code)
	case has(c.override.Options, code):
		return c.option(code)
	case has(c.account.Options, code):
		return "social_account_ids"
	}
	return c.partField("content")
}

// partField returns the request path of the text or of the media of the part.
func (c *accountContent) partField(name string) string {
	own, inPart := c.override.Text != "", name
	switch {
	case c.part.Kind == schedctl.PartReply:
		own, inPart = c.override.Thread != nil, fmt.Sprintf("thread[%d].%s", c.part.Index-1, name)
	case c.part.Kind == schedctl.PartComment:
		own, inPart = false, join("first_comment", name)
	case name != "content":
		own = c.override.Media != nil
	}
	return c.owned(own, inPart)
}

// owned returns the path of a field in the override, or in the post.
func (c *accountContent) owned(own bool, name string) string {
	if own {
		return join(c.path, name)
	}
	return name
}

// isExtra reports whether the code of a publisher's problem is a field of the post
// besides text, media and options. A visibility or a language may also be an option.
func (c *accountContent) isExtra(code string) bool {
	switch code {
	case "thread", "first_comment", "poll", "link_preview", "content_warning":
		return true
	case "visibility":
		return c.extras.Visibility != ""
	case "language":
		return c.extras.Language != ""
	}
	return false
}

func (c *accountContent) extraField(code string) string {
	o := c.override
	own := map[string]bool{
		"thread": o.Thread != nil, "poll": o.Poll != nil, "content_warning": o.ContentWarning != "",
		"visibility": o.Visibility != "", "language": o.Language != "",
	}
	return c.owned(own[code], code)
}

// isMedia reports whether the code of a publisher's problem is about media: "media", or
// "media[2]" for the third file.
func isMedia(code string) bool { return code == "media" || strings.HasPrefix(code, "media[") }

func (c *accountContent) option(name string) string { return join(join(c.path, "options"), name) }

// sets reports whether the override sets this option.
func (c *accountContent) sets(field string) bool {
	for name := range c.override.Options {
		if field == c.option(name) {
			return true
		}
	}
	return false
}

func has(o schedctl.Options, name string) bool {
	_, there := o[name]
	return there
}

// unknownOptions returns a fault for every option of an override that the account's
// platform does not allow for a single post. Package schedctl checks overrides of
// unknown accounts.
func (s *Server) unknownOptions(accounts []schedctl.Account, overrides []schedctl.Override) (found fieldErrors) {
	for i, o := range overrides {
		if len(o.Options) == 0 {
			continue
		}
		at := slices.IndexFunc(accounts, func(a schedctl.Account) bool { return a.ID == o.AccountID })
		if at < 0 {
			continue
		}
		platform := accounts[at].Platform
		known := s.postOptions(platform)
		for _, name := range slices.Sorted(maps.Keys(o.Options)) {
			isKnown := slices.Contains(known, name)
			if isKnown && o.Options[name] != nil || !found.count() {
				continue
			}
			shown := clip(name, maxName)
			field := join(overridePath(i), join("options", shown))
			if isKnown {
				found.add(invalid(field, "%s is null; leave it out for that of the account", shown))
			} else {
				found.add(invalid(field, "%s has no option %q for a single post; %s", platform, shown, suggestedName{shown, known}))
			}
		}
	}
	return found
}

// postOptions returns the names of the options that a post may override.
func (s *Server) postOptions(platform string) (names []string) {
	if p, ok := s.publishers[platform]; ok {
		for _, f := range p.Fields() {
			if f.Option && f.Post {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// changeOptions are the parts of a request that affect how a change is checked.
type changeOptions struct {
	by             schedctl.Actor
	now            time.Time
	overrides      *[]schedctl.Override // nil when they do not change
	allowDuplicate bool
}

// checkChanged returns an error when a changed post must not be stored: it is started
// without the approval that it needs, a network would not accept it, or it is a duplicate.
func (s *Server) checkChanged(ctx context.Context, r storage.Reader, p *schedctl.Post, t changeOptions, known *contentChecks) error {
	accounts := make([]schedctl.Account, len(p.Targets))
	for i := range p.Targets {
		var err error
		if accounts[i], err = r.Account(p.WorkspaceID, p.Targets[i].AccountID); err != nil {
			return err
		}
	}
	if p.Status() != schedctl.Draft {
		if err := p.StartedBy(t.by, accounts, t.now); err != nil {
			return err
		}
	}
	settle := settleMedia
	if p.Approval != nil && p.Approval.State == schedctl.ApprovalPending {
		settle = settleAll
	}
	if err := settle(r, p); err != nil {
		return err
	}
	if err := known.readAssets(r, p); err != nil {
		return err
	}
	overrides := p.Overrides()
	if t.overrides != nil {
		overrides = *t.overrides
	}
	if err := s.checkContent(ctx, known, p, accounts, overrides); err != nil || t.allowDuplicate {
		return err
	}
	return duplicate.Refuse(r, p, accounts)
}
