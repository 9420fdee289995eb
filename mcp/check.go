package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// checkView is whether a post would be accepted.
type checkView struct {
	Allowed  bool          `json:"allowed"`
	Local    string        `json:"local,omitempty"`
	Problems []string      `json:"problems,omitempty"`
	Refusals []string      `json:"refusals,omitempty"` // because of the key, not of the post
	Warnings []string      `json:"warnings,omitempty"`
	Accounts []accountFits `json:"accounts,omitempty"`
}

// accountFits is what one account says about a post.
type accountFits struct {
	Account  string   `json:"account"`
	Allowed  bool     `json:"allowed"`
	Length   string   `json:"length"` // such as "120 of 500 characters"
	Problems []string `json:"problems,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func checkPost(ctx context.Context, c *call) (outcome, error) {
	in, err := as[apiv1.ValidatePost](merged(c.values, "content", "social_account_ids", "media", "publish_at", "post_id"))
	if err != nil {
		return outcome{}, err
	}
	checked, err := c.validate(ctx, in)
	if err != nil {
		return outcome{}, err
	}
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	if !c.allows(writesPosts) { // the key cannot give a post a time, and the check is about one
		checked.Refusals = slices.DeleteFunc(checked.Refusals, func(p apiv1.Problem) bool { return p.Code == string(schedctl.InsufficientScope) })
	}
	v := checkView{Allowed: checked.Allowed, Problems: d.messages(checked.Problems), Refusals: d.messages(checked.Refusals), Warnings: d.clipped(checked.Warnings)}
	if in.PublishAt != nil && !in.PublishAt.Now && !in.PublishAt.NextSlot {
		v.Local = d.both(in.PublishAt.Time)
	}
	for i := range checked.Accounts {
		v.Accounts = append(v.Accounts, d.fits(&checked.Accounts[i]))
	}
	return outcome{v.text(), v}, nil
}

// validate checks a post.
func (c *call) validate(ctx context.Context, in apiv1.ValidatePost) (apiv1.Validation, error) {
	if in.PostID != "" {
		return c.Client.ValidateChange(ctx, in.PostID, in.CreatePost)
	}
	return c.Client.ValidatePost(ctx, in.CreatePost)
}

func (d *directory) fits(a *apiv1.AccountValidation) accountFits {
	out := accountFits{Account: d.name(a.SocialAccountID), Allowed: a.Allowed, Length: fmt.Sprintf("%d %s", a.Length, a.Unit), Problems: d.messages(a.Problems), Warnings: d.clipped(a.Warnings)}
	if a.Limit != nil {
		out.Length = fmt.Sprintf("%d of %d %s", a.Length, *a.Limit, a.Unit)
	}
	for i := range a.Parts {
		part := &a.Parts[i]
		for _, p := range part.Problems {
			out.Problems = append(out.Problems, fmt.Sprintf("part %d: %s", part.Index+1, d.said(p.Message)))
		}
		for _, m := range part.Media {
			for _, p := range m.Problems {
				out.Problems = append(out.Problems, m.ID+": "+d.said(p.Message))
			}
			for _, w := range m.Warnings {
				out.Warnings = append(out.Warnings, m.ID+": "+d.said(w))
			}
		}
	}
	return out
}

func (v *checkView) text() string {
	var out strings.Builder
	out.WriteString(map[bool]string{true: "The post would be accepted.", false: "The post would be refused."}[v.Allowed])
	for _, list := range [][]string{v.Problems, v.Refusals, v.Warnings} {
		for _, message := range list {
			out.WriteString("\n" + quote(message, maxSaid))
		}
	}
	for _, a := range v.Accounts {
		fmt.Fprintf(&out, "\n%s: %s", quote(a.Account, 40), a.Length)
		for _, message := range append(a.Problems, a.Warnings...) {
			out.WriteString("; " + quote(message, maxSaid))
		}
	}
	return out.String()
}

// messages returns the messages of problems.
func (d *directory) messages(list []apiv1.Problem) []string {
	var out []string
	for _, p := range list {
		out = append(out, d.said(p.Message))
	}
	return out
}

func (d *directory) clipped(list []string) []string {
	var out []string
	for _, text := range list {
		out = append(out, d.said(text))
	}
	return out
}
