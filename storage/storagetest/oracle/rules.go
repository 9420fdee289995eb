package oracle

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The error codes of the rules.
const (
	insufficientScope = "INSUFFICIENT_SCOPE"
	accountNotAllowed = "ACCOUNT_NOT_ALLOWED"
	notYourDraft      = "NOT_YOUR_DRAFT"
	notFound          = "NOT_FOUND"
	invalid           = "VALIDATION_FAILED"
	tooLong           = "CONTENT_TOO_LONG"
	badTime           = "INVALID_PUBLISH_AT"
	badAccounts       = "INVALID_SOCIAL_ACCOUNTS"
	badCursor         = "INVALID_CURSOR"
	moved             = "VERSION_MISMATCH"
	isCanceled        = "POST_CANCELED"
	notRetryable      = "POST_NOT_RETRYABLE"
	reused            = "IDEMPOTENCY_KEY_REUSED"
	slotTaken         = "SLOT_TAKEN"
)

// httpStatus is the HTTP status of each error code.
var httpStatus = map[string]int{
	invalid: 400, tooLong: 400, badTime: 400, badAccounts: 400, badCursor: 400,
	insufficientScope: 403, accountNotAllowed: 403, notYourDraft: 403, notFound: 404, moved: 412,
	isCanceled: 409, notRetryable: 409, reused: 409, slotTaken: 409,
	"POST_NOT_EDITABLE": 409, "POST_NOT_DRAFT": 409, "POST_NOT_CANCELABLE": 409, "POST_NOT_DELETABLE": 409,
	"POST_NOT_SCHEDULED": 409,
}

// success is the HTTP status of each successful operation.
var success = map[Op]int{
	Create: 201, Edit: 200, Schedule: 200, Publish: 202, Cancel: 200, Unschedule: 200, Retry: 202,
	Delete: 204, Get: 200, Timeline: 200, List: 200, Validate: 200,
}

// scopes lists the scopes of each operation; a key needs one of them.
var scopes = map[Op][]string{
	Create: {"posts:write", "posts:draft"}, Edit: {"posts:write", "posts:draft"}, Delete: {"posts:write", "posts:draft"},
	Schedule: {"posts:write"}, Publish: {"posts:write"}, Cancel: {"posts:write"}, Retry: {"posts:write"},
	Unschedule: {"posts:write"},
	Get:        {"posts:read"}, Timeline: {"posts:read"}, List: {"posts:read"}, Validate: {"posts:read"},
}

// states are the post statuses in which an operation is allowed, and the error code in
// other ones.
var states = map[Op]struct {
	allowed []string
	refusal string
	final   string // error code for a canceled post
}{
	Edit:       {[]string{"draft", "scheduled"}, "POST_NOT_EDITABLE", isCanceled},
	Schedule:   {[]string{"draft"}, "POST_NOT_DRAFT", isCanceled},
	Publish:    {[]string{"draft", "scheduled"}, "POST_NOT_DRAFT", isCanceled},
	Cancel:     {[]string{"scheduled", "publishing"}, "POST_NOT_CANCELABLE", "POST_NOT_CANCELABLE"},
	Retry:      {[]string{"publishing", "failed"}, notRetryable, isCanceled},
	Unschedule: {[]string{"draft", "scheduled"}, "POST_NOT_SCHEDULED", isCanceled},
	Delete:     {[]string{"draft"}, "POST_NOT_DELETABLE", "POST_NOT_DELETABLE"},
}

// refusals returns all error codes with which a request may be refused: the response
// must have one of them. Their precedence is undefined, except that requests for a
// missing post return nothing else.
func (m *model) refusals(r Request, now time.Time) []string {
	k := m.world.Keys[r.Key]
	if !slices.ContainsFunc(scopes[r.Op], k.holds) {
		return []string{insufficientScope}
	}
	codes := malformed(r)
	if r.schedulesPost() && r.Op != Validate && !k.holds("posts:write") {
		codes = append(codes, insufficientScope)
	}
	switch r.Op {
	case List, Validate:
		return codes
	case Create:
		return append(codes, m.refuseNew(k, r, now)...)
	}
	p := m.visibleTo(k, r.Post)
	if p == nil {
		return append(codes, notFound)
	}
	if r.Op == Get || r.Op == Timeline {
		return codes
	}
	return append(codes, m.refuseChange(k, p, r, now)...)
}

// refuseNew returns what is wrong with a new post.
func (m *model) refuseNew(k Key, r Request, now time.Time) (codes []string) {
	codes = append(codes, m.refuseParts(k, *r.Content, r.media())...)
	codes = append(codes, m.refuseAccounts(k, r.accounts())...)
	codes = append(codes, m.refuseChanges(k, r.Changes, r.accounts(), *r.Content, r.media())...)
	if r.schedulesPost() && len(r.accounts()) == 0 {
		codes = append(codes, badAccounts)
	}
	if !r.At.IsZero() && !r.At.After(now) {
		codes = append(codes, badTime)
	}
	return codes
}

// malformed returns what is wrong with a request regardless of its post.
func malformed(r Request) (codes []string) {
	if r.Now && r.Op != Create && r.Op != Validate {
		codes = append(codes, badTime)
	}
	if r.Changes.TooManyParts() {
		codes = append(codes, invalid)
	}
	switch r.Op {
	case Edit:
		if r.Content == nil && r.Media == nil && r.Changes.none() && r.Accounts == nil && r.At.IsZero() && !r.Now && !r.Null {
			codes = append(codes, invalid)
		}
	case Schedule:
		if r.At.IsZero() {
			codes = append(codes, invalid, badTime)
		}
	}
	return codes
}

// refuseChange returns what is wrong with a change to a post.
func (m *model) refuseChange(k Key, p *post, r Request, now time.Time) (codes []string) {
	status := p.status()
	if r.Match != "" && r.Match != "*" && r.Match != p.tag() {
		codes = append(codes, moved)
	}
	if status != "draft" && !k.holds("posts:write") {
		codes = append(codes, insufficientScope)
	}
	if draftsOnly := !k.holds("posts:write"); p.author != k.Name && (draftsOnly || len(k.Accounts) > 0 && len(p.targets) == 0) {
		codes = append(codes, notYourDraft)
	}
	switch s := states[r.Op]; {
	case p.allows(r.Op):
	case status == "canceled":
		return append(codes, s.final)
	default:
		return append(codes, s.refusal)
	}
	switch r.Op {
	case Edit, Schedule, Publish:
		return append(codes, m.refuseEdit(k, p, r, now)...)
	case Retry:
		return append(codes, p.refuseRetry(r)...)
	}
	return codes
}

// refuseEdit returns what is wrong with the edited post.
func (m *model) refuseEdit(k Key, p *post, r Request, now time.Time) (codes []string) {
	draft := p.status() == "draft"
	if r.Op == Edit && r.Null && !draft {
		codes = append(codes, badTime)
	}
	text, media := p.Content, p.Media
	if r.Content != nil {
		text = *r.Content
	}
	if r.Media != nil {
		media = *r.Media
	}
	if r.Content != nil || r.Media != nil {
		codes = append(codes, m.refuseParts(k, text, media)...)
	}
	launch := r.Op != Edit || !r.At.IsZero()
	wanted := p.accountIDs()
	if r.Accounts != nil {
		wanted = *r.Accounts
	}
	if r.Op == Edit {
		codes = append(codes, m.refuseChanges(k, r.Changes, wanted, text, media)...)
		codes = append(codes, p.refuseKept(r, wanted, text, media)...)
	}
	if r.Accounts != nil || (launch && draft) {
		codes = append(codes, m.refuseAccounts(k, wanted)...)
	}
	if len(wanted) == 0 && (launch || !draft) {
		codes = append(codes, badAccounts)
	}
	if r.Op == Edit && r.At.IsZero() && m.slotIsTaken(p, wanted) {
		codes = append(codes, slotTaken)
	}
	if !r.At.IsZero() && !r.At.After(now) && !(r.Op == Edit && r.At.Equal(p.PublishAt)) {
		codes = append(codes, badTime)
	}
	return codes
}

// refuseRetry returns what is wrong with a retry of a failed post.
func (p *post) refuseRetry(r Request) (codes []string) {
	queued := 0
	for _, t := range p.targets {
		if t.isRetried(r) || (t.waitsForNetwork() && t.isNamed(r)) {
			queued++
		}
	}
	for _, id := range r.Targets {
		i := slices.IndexFunc(p.targets, func(t *target) bool { return t.ID == id })
		switch {
		case i < 0:
			codes = append(codes, invalid)
		case !p.targets[i].isRetried(r) && !p.targets[i].waitsForNetwork():
			codes = append(codes, notRetryable)
		}
	}
	if queued == 0 {
		codes = append(codes, notRetryable)
	}
	return codes
}

// isNamed reports whether a retry names this target, or no target.
func (t *target) isNamed(r Request) bool {
	return len(r.Targets) == 0 || slices.Contains(r.Targets, t.ID)
}

// isRetried reports whether a retry applies to this target.
func (t *target) isRetried(r Request) bool {
	return t.isNamed(r) && *t.progress() == "failed" && (r.Force || t.Error.Outcome != "unknown" && t.Error != degraded)
}

// refuseParts returns what is wrong with a text and its media.
func (m *model) refuseParts(k Key, text string, media []string) (codes []string) {
	codes = m.refuseMedia(k, media)
	if text == "" && len(media) > 0 {
		return codes
	}
	return append(codes, refuseContent(text)...)
}

func (m *model) refuseMedia(k Key, media []string) (codes []string) {
	for i, id := range media {
		if !m.hasAsset(k, id) || slices.Contains(media[:i], id) {
			codes = append(codes, invalid)
		}
	}
	return codes
}

func (m *model) hasAsset(k Key, id string) bool {
	return slices.Contains(m.world.Assets, Asset{ID: id, Workspace: k.Workspace})
}

func refuseContent(text string) []string {
	switch {
	case utf8.RuneCountInString(text) > 5000:
		return []string{tooLong}
	case strings.Trim(text, " \t\r\n\u00a0\u200b\u2060\ufeff") == "":
		return []string{invalid}
	}
	return nil
}

// refuseAccounts returns what is wrong with the accounts of a post.
func (m *model) refuseAccounts(k Key, ids []string) (codes []string) {
	for i, id := range ids {
		a := m.accounts[id]
		if !k.mayUse(id) {
			codes = append(codes, accountNotAllowed)
		}
		if a == nil || a.Workspace != k.Workspace || a.Status != "connected" || slices.Contains(ids[:i], id) {
			codes = append(codes, badAccounts)
		}
	}
	return codes
}

// schedulesPost reports whether a request creates more than a draft.
func (r Request) schedulesPost() bool { return r.Now || !r.At.IsZero() }

func (r Request) accounts() []string {
	if r.Accounts == nil {
		return nil
	}
	return *r.Accounts
}

func (r Request) media() []string {
	if r.Media == nil {
		return nil
	}
	return *r.Media
}

func (p *post) accountIDs() []string {
	var ids []string
	for _, t := range p.targets {
		ids = append(ids, t.Account)
	}
	return ids
}
