package usecase

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// extrasKey returns the extras as JSON, the empty string for none.
func (c *accountContent) extrasKey() (string, error) {
	if c.extras == (publish.Extras{}) {
		return "", nil
	}
	text, err := json.Marshal(c.extras)
	return string(text), err
}

func overridePath(i int) string { return "target_overrides[" + strconv.Itoa(i) + "]" }

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

// faultPrefix returns what the message of a fault starts with: the account.
func faultPrefix(a *schedctl.Account) string {
	return fmt.Sprintf("%s account %q: ", a.Platform, a.Name)
}

func (c *accountContent) fault(check publish.Check, problem *publish.Error) schedctl.FieldError {
	f := schedctl.FieldError{
		Field: c.field(problem.Code), Code: schedctl.ValidationFailed, AccountID: c.account.ID,
		Message: faultPrefix(c.account) + Clip(problem.Message, maxMessage),
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
	case c.override.Options[code] != nil:
		return c.option(code)
	case c.account.Options[code] != nil:
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
		own, inPart = false, Join("first_comment", name)
	case name != "content":
		own = c.override.Media != nil
	}
	return c.owned(own, inPart)
}

// owned returns the path of a field in the override, or in the post.
func (c *accountContent) owned(own bool, name string) string {
	if own {
		return Join(c.path, name)
	}
	return name
}

// isExtra reports whether the code of a publisher's problem is a field of the post
// besides text, media and options. A visibility or a language that the post does not set may
// be an option.
func (c *accountContent) isExtra(code string) bool {
	switch code {
	case "thread", "first_comment", "poll", "link_preview":
		return true
	}
	return c.extras.Presentation.Text(code) != ""
}

func (c *accountContent) extraField(code string) string {
	o := c.override
	own := map[string]bool{"thread": o.Thread != nil, "poll": o.Poll != nil}
	return c.owned(own[code] || o.Presentation.Text(code) != "", code)
}

// isMedia reports whether the code of a publisher's problem is about media: "media", or
// "media[2]" for the third file.
func isMedia(code string) bool { return code == "media" || strings.HasPrefix(code, "media[") }

func (c *accountContent) option(name string) string { return Join(Join(c.path, "options"), name) }

// sets reports whether the override sets this option.
func (c *accountContent) sets(field string) bool {
	for name := range c.override.Options {
		if field == c.option(name) {
			return true
		}
	}
	return false
}
