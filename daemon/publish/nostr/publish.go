package nostr

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// graceTime is how long the other relays may take after enough have accepted an event.
const graceTime = 5 * time.Second

// Check counts Unicode code points, as relays do that have a limit.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	var problem *publish.Error
	if _, given := a.Options[optionRequired]; given {
		_, problem = parseRequired(a.Options, maxRelays)
	}
	if _, err := p.mediaServer(a.Options); err != nil && problem == nil {
		problem = err
	}
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(content.Text), 0, "characters", problem)
	c.RefuseVisibility(content, "Nostr")
	c.WarnPreview(content, "Nostr")
	return c
}

// Publish sends the event of the request to all relays of the account.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	if refused := p.MediaRules(r.Account).Refused; refused != "" && len(r.Files) > 0 {
		return schedctl.Receipt{}, publish.Contentf("media", "%s", refused)
	}
	if err := checkParents(r); err != nil {
		return schedctl.Receipt{}, err
	}
	s, err := parseSecret(r.Credentials[fieldSecret])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	addresses, err := p.parseRelays(r.Credentials[fieldRelays])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	required, problem := parseRequired(r.Account.Options, len(addresses))
	if problem != nil {
		return schedctl.Receipt{}, problem
	}
	note, err := noteOf(s, r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	results := p.sendAll(ctx, addresses, s, r, note, required)
	accepted := slices.DeleteFunc(slices.Clone(results), func(t result) bool { return t.err != nil })
	if len(accepted) < required {
		return schedctl.Receipt{}, failure(results, len(accepted), required)
	}
	ref := shared(accepted[0].relay)
	return schedctl.Receipt{ID: note.ID, URL: "nostr:" + nevent(note.ID, s.public, ref, kindNote), Ref: ref}, nil
}

// shared returns the address of a relay for people. Relays on the local network, which
// have no TLS, and addresses with a query are not shared.
func shared(u *url.URL) string {
	if u.Scheme != "wss" || u.RawQuery != "" || len(u.String()) > 200 {
		return ""
	}
	return u.String()
}

// checkParents returns an error for a reply whose parents have no usable ids.
func checkParents(r publish.Request) error {
	if err := publish.CheckReplyIDs(&r); err != nil {
		return err
	}
	if r.Part > 0 && !(eventID().MatchString(r.Root.ID) && eventID().MatchString(r.Parent.ID)) {
		return publish.ParentMissing(0)
	}
	return nil
}

// result is what one relay did with an event.
type result struct {
	relay *url.URL
	err   *publish.Error // nil if it has the event
}

// sendAll sends an event to all relays at the same time. The results have the order of
// the relays. Relays that take longer than the others have an error.
func (p *Publisher) sendAll(ctx context.Context, relays []*url.URL, s signer, r publish.Request, note event, required int) []result {
	ctx, cancel := context.WithTimeout(ctx, relayTime)
	defer cancel()
	results := make([]result, len(relays))
	done := make(chan int, len(relays))
	for i, u := range relays {
		go func() {
			results[i] = result{u, p.sendOne(ctx, u, s, r, note)}
			done <- i
		}()
	}
	accepted := 0
	for range relays {
		if results[<-done].err != nil {
			continue
		}
		if accepted++; accepted == required {
			defer time.AfterFunc(graceTime, cancel).Stop()
		}
	}
	return results
}

// sendOne sends an event to one relay. A reply is not sent to a relay that says that it
// does not have the parent, because the parent was deleted there, or never arrived.
func (p *Publisher) sendOne(ctx context.Context, u *url.URL, s signer, r publish.Request, note event) *publish.Error {
	c, err := p.dial(ctx, r.Purpose(), u, s, r.Content, r.Credentials[fieldSecret])
	if err != nil {
		return publish.AsError(err)
	}
	defer c.close()
	if r.Part > 0 && c.lacks(ctx, r.Parent.ID) {
		return publish.ParentMissing(0)
	}
	return c.send(ctx, note)
}

// failure returns the error of an event that too few relays accepted. If one relay has
// it, or may have it, the outcome is unknown: the same event is sent again.
func failure(results []result, accepted, required int) *publish.Error {
	var worst *publish.Error
	unknown := accepted > 0
	for _, t := range results {
		if t.err == nil {
			continue
		}
		unknown = unknown || t.err.Outcome != schedctl.OutcomeNotPublished
		if worst == nil || hope(t.err) > hope(worst) {
			worst = t.err
		}
	}
	e := *worst
	if unknown {
		e.Outcome = schedctl.OutcomeUnknown
	}
	if required > 1 || accepted > 0 {
		e.Message = fmt.Sprintf("%d of %d relays that must accept the post have it; %s", accepted, required, e.Message)
		e.Message = strings.ToValidUTF8(publish.Clip(e.Message, 500), "")
	}
	return &e
}

// hope ranks errors: the greater, the more likely another attempt succeeds. An unknown
// outcome counts most.
func hope(e *publish.Error) int {
	kinds := []schedctl.ErrorKind{schedctl.KindContent, schedctl.KindAuth, schedctl.KindPlatform, schedctl.KindRateLimited, schedctl.KindNetwork}
	rank := slices.Index(kinds, e.Kind)
	if e.Outcome != schedctl.OutcomeNotPublished {
		rank += len(kinds)
	}
	return rank
}
