package usecase

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// uncheckedText is what a target publishes, with all that its check needs.
type uncheckedText struct {
	decision  *Decision // has read the files of the post
	post      *schedctl.Post
	target    *schedctl.Target
	account   *schedctl.Account
	overrides []schedctl.Override // of the post
}

// checkText checks whether the network of an account accepts what a target still has to
// publish, and whether the files exist. It reads nothing from the database.
func (f *forecast) checkText(ctx context.Context, u *uncheckedText) error {
	d, p, t, a := u.decision, u.post, u.target, u.account
	var reasons []schedctl.FieldError
	prefix := faultPrefix(a)
	for _, part := range contentsFor(a, p, u.overrides) {
		if part.part.Index < len(t.Done) {
			continue
		}
		_, faults, err := d.measure(ctx, part)
		if err != nil {
			return err
		}
		for _, fault := range faults {
			fault.Message = strings.TrimPrefix(fault.Message, prefix)
			reasons = append(reasons, fault)
		}
		for _, m := range part.part.Media {
			a := d.asset(m.AssetID)
			reason := fileProblem(a, m.AssetID)
			if reason == "" && f.isLost(ctx, a) {
				reason = fmt.Sprintf("the daemon has lost the bytes of the file %s; give the post another one", cmp.Or(a.FileName, a.ID))
			}
			if reason != "" {
				reasons = append(reasons, schedctl.FieldError{Message: reason})
			}
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	cause := reasons[0].Message
	if reasons[0].Code == schedctl.ContentTooLong {
		cause = fmt.Sprintf("%d %s", reasons[0].Limit, reasons[0].Unit) // stays the same while a person shortens the text
	}
	f.add(causeKey{apiv1.ForecastRefused, p.ID, cause}, p.PublishAt, a.ID, p.ID, func(e *finding) (string, string) {
		message := fmt.Sprintf("%s would not accept it: %s", f.names(e), Clip(reasons[0].Message, maxMessage))
		if n := len(reasons) - 1; n > 0 {
			message += fmt.Sprintf("; and %d more", n)
		}
		if reasons[0].Code == "" || strings.Contains(reasons[0].Field, "media") {
			return message, "schedctl post edit " + p.ID + " --media FILE"
		}
		return message, "schedctl post edit " + p.ID + " --editor"
	})
	return nil
}

// fileProblem says why a file cannot be published. It is empty if it can. a is nil if the
// file is unknown.
func fileProblem(a *schedctl.MediaAsset, id string) string {
	if a != nil && a.FileName != "" {
		id = a.FileName
	}
	switch {
	case a == nil || a.Status == schedctl.MediaDeleted:
		return fmt.Sprintf("the file %s was deleted; give the post another one", id)
	case a.Status == schedctl.MediaFailed:
		return fmt.Sprintf("the upload of %s failed; upload the file again", id)
	case a.Status != schedctl.MediaReady:
		return fmt.Sprintf("the upload of %s is not confirmed; upload the file", id)
	}
	return ""
}

// checkApproval checks whether a post that waits has the approval that it needs.
func (f *forecast) checkApproval(p *schedctl.Post) {
	if p.Approved() {
		return
	}
	for i := range p.Targets {
		a := f.accounts[p.Targets[i].AccountID]
		if a == nil || !p.NeedsApproval(a) {
			continue
		}
		command := "schedctl post unschedule " + p.ID + " && schedctl post submit " + p.ID
		if p.Status() != schedctl.Scheduled {
			command = "schedctl post show " + p.ID
		}
		f.add(causeKey{apiv1.ForecastApprovalMissing, p.ID, ""}, p.PublishAt, "", p.ID, func(*finding) (string, string) {
			return "it needs an approval and has none, so it is not published", command
		})
		return
	}
}

// checkProposed checks the drafts that propose a time and wait for an approval.
func (f *forecast) checkProposed(ctx context.Context) error {
	page, err := f.r.Posts(f.request.proposalsIn(f.request.Now, f.until))
	if err != nil {
		return err
	}
	if page.Next != nil {
		f.cut = true
	}
	for i := range page.Posts {
		p := &page.Posts[i]
		if !f.request.MaySee(p) {
			continue
		}
		who := ""
		if by := p.Approval.RequestedBy.Name; by != "" {
			who = fmt.Sprintf(" of %q", by)
		}
		f.add(causeKey{apiv1.ForecastApprovalMissing, p.ID, ""}, p.Proposed.At, "", p.ID, func(*finding) (string, string) {
			return fmt.Sprintf("the draft%s proposes this time and waits for the approval of another key; without it, it is not published", who), "schedctl post approve " + p.ID
		})
	}
	return ctx.Err()
}

// checkKey checks whether the API key that made a post is revoked, and no other key has
// changed the post.
func (f *forecast) checkKey(p *schedctl.Post) error {
	id := p.Author()
	if id == "" || p.UpdatedBy != "" && p.UpdatedBy != id {
		return nil
	}
	k, known := f.keys[id]
	if !known {
		found, err := f.r.Key(f.request.Key.WorkspaceID, id)
		switch {
		case err == nil:
			k = &found
		case schedctl.CodeOf(err) != schedctl.NotFound:
			return err
		}
		f.keys[id] = k
	}
	if k == nil || k.RevokedAt.IsZero() {
		return nil
	}
	f.add(causeKey{apiv1.ForecastKeyRevoked, k.ID, ""}, p.PublishAt, "", p.ID, func(e *finding) (string, string) {
		command := "schedctl post list --status scheduled --created-by " + k.ID
		if e.count == 1 {
			command = "schedctl post show " + e.posts[0]
		}
		return fmt.Sprintf("the API key %q made this and is revoked since; it is published nevertheless: check that it is still wanted; a change with another key confirms it", strings.TrimSpace(k.Name)), command
	})
	return nil
}
