package oracle

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// idempotencyWindow is how long a stored response is replayed.
const idempotencyWindow = 24 * time.Hour

// judgeResponse returns what is wrong with a response, and applies the change of the
// request to the model.
func (m *model) judgeResponse(r Request, got Response, now time.Time) error {
	k := m.world.Keys[r.Key]
	key := idempotencyScope{k.Workspace, r.Op, r.Post, r.Once}
	if r.Op == Create {
		key.post = ""
	}
	past, known := m.idempotency[key]
	known = known && r.Once != "" && now.Before(past.at.Add(idempotencyWindow)) && slices.ContainsFunc(scopes[r.Op], k.holds)
	switch {
	case known && r.Key == past.request.Key && sameBody(r, past.request):
		return replayed(past.response, got)
	case known:
		return refused(append(malformed(r), reused), got)
	}
	resolved := r
	if r.NextSlot {
		resolved.At = m.nextSlot(r.accounts(), now)
	}
	if codes := m.refusals(resolved, now); len(codes) > 0 {
		return refused(codes, got)
	}
	if err := m.judgeSuccess(k, resolved, got, now); err != nil {
		return err
	}
	if r.Once != "" {
		m.idempotency[key] = idempotencyRecord{r, got, now}
	}
	return nil
}

// sameBody reports whether two requests with one key have the same body.
func sameBody(a, b Request) bool {
	a.Key, a.Match = b.Key, b.Match
	return reflect.DeepEqual(a, b)
}

func replayed(want, got Response) error {
	want.Replayed = true
	if got.Code != "" || !got.Replayed || got.Body != want.Body || got.ETag != want.ETag || got.Status != want.Status {
		return fmt.Errorf("response: %s\nthe first response was: %s", summarize(got), summarize(want))
	}
	return nil
}

func summarize(r Response) string {
	return fmt.Sprintf("status %d, code %q, replayed %v, ETag %s, body %s", r.Status, r.Code, r.Replayed, r.ETag, r.Body)
}

func refused(codes []string, got Response) error {
	if got.Code == "" {
		return fmt.Errorf("succeeded (%d), want a refusal: %v", got.Status, codes)
	}
	if !slices.Contains(codes, got.Code) {
		return fmt.Errorf("refused with %s, want one of %v", got.Code, codes)
	}
	if got.Status != 0 && got.Status != httpStatus[got.Code] {
		return fmt.Errorf("%s with status %d, want %d", got.Code, got.Status, httpStatus[got.Code])
	}
	return nil
}

// judgeSuccess applies a request that must have succeeded, and checks its response.
func (m *model) judgeSuccess(k Key, r Request, got Response, now time.Time) error {
	switch {
	case got.Code != "":
		return fmt.Errorf("refused with %s, but the request is valid", got.Code)
	case got.Status != 0 && got.Status != success[r.Op]:
		return fmt.Errorf("status %d, want %d", got.Status, success[r.Op])
	case got.Replayed:
		return fmt.Errorf("replayed, but it is the first request")
	}
	switch r.Op {
	case List:
		return nil // checked with its cursor
	case Validate:
		return m.judgeValidation(r, got, now)
	case Delete:
		p := m.find(r.Post)
		p.deleted = true
		return nil
	}
	p, err := m.change(k, r, got, now)
	if err != nil {
		return err
	}
	if r.Op == Timeline {
		return p.compareTimeline(k, got.Timeline)
	}
	if got.ETag != "" && got.ETag != p.tag() {
		return fmt.Errorf("ETag %s, want %s", got.ETag, p.tag())
	}
	return samePost(p.public(), *got.Post)
}

// tag returns the post's ETag.
func (p *post) tag() string { return strconv.Quote(strconv.FormatInt(p.Version, 10)) }

// judgeValidation compares a validation with the outcome of creating the post. Scopes
// of the key are ignored.
func (m *model) judgeValidation(r Request, got Response, now time.Time) error {
	codes := m.refuseNew(m.world.Keys[r.Key], r, now)
	if (len(codes) == 0) != got.Allowed {
		return fmt.Errorf("validation says allowed: %v; creating it would be refused with %v", got.Allowed, codes)
	}
	return nil
}

// compareTimeline checks a timeline. A key for some accounts does not see the events of
// targets that the post had on other accounts.
func (p *post) compareTimeline(k Key, got *PostTimeline) error {
	var want PostTimeline
	for _, e := range p.events {
		if e.Account == "" || k.mayUse(e.Account) {
			want.Events = append(want.Events, e.Type)
		}
	}
	have := PostTimeline{Events: slices.Clone(got.Events)}
	for _, list := range got.Attempts {
		have.Attempts = append(have.Attempts, latestAttempts(list))
	}
	if len(p.targets) > 1 { // the order of targets is undefined
		slices.Sort(want.Events)
		slices.Sort(have.Events)
	}
	for _, t := range p.targets {
		want.Attempts = append(want.Attempts, latestAttempts(t.attempts))
	}
	if w, h := fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", have); w != h {
		return fmt.Errorf("timeline is %s\nwant %s", h, w)
	}
	return nil
}

// latestAttempts returns the newest attempts of a target, as many as a timeline must
// show.
func latestAttempts(list []Attempt) []Attempt {
	const shown = 50
	return list[max(0, len(list)-shown):]
}
