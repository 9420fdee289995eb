package nostr

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/coder/websocket"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// The kinds of events about a note (NIP-09, NIP-18, NIP-25).
const (
	kindDelete        = 5
	kindRepost        = 6
	kindReaction      = 7
	kindGenericRepost = 16
)

const (
	maxResults   = 10  // notes of one reading
	eventsOfPage = 500 // that a relay is asked for at once
	eventPages   = 4
)

// ResultsRules returns the rules for readings. Every relay of the account is asked, each with
// one connection for several notes.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Metrics: []string{"reactions", "reposts", "quotes", "replies"}, Batch: maxResults}
}

// Results counts what the relays of the account have about notes. The same event on several
// relays counts once. A note is gone if its author deleted it, or if every relay says that it
// does not have it.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	s, err := parseSecret(r.Credentials[fieldSecret])
	if err != nil {
		return reading, notPublished(err)
	}
	addresses, err := p.parseRelays(r.Credentials[fieldRelays])
	if err != nil {
		return reading, notPublished(err)
	}
	ids := slices.DeleteFunc(slices.Clone(r.IDs), func(id string) bool { return !eventID().MatchString(id) })
	if len(ids) == 0 {
		return reading, nil
	}
	reading.Requests = len(addresses)
	found := p.askAll(ctx, addresses, s, ids, r.Credentials[fieldSecret])
	all := newTally(ids, s.public)
	var failure *publish.Error
	more := false
	for _, f := range found {
		all.add(f.events)
		more = more || f.more
		if f.err != nil && (failure == nil || hope(f.err) > hope(failure)) {
			failure = f.err
		}
	}
	if !slices.ContainsFunc(found, func(f relayEvents) bool { return f.err == nil }) {
		return reading, notPublished(failure)
	}
	for _, id := range ids {
		switch {
		case all.deleted[id], !all.has[id] && failure == nil:
			reading.Results[id] = publish.Result{Gone: true}
		case all.has[id]:
			reading.Results[id] = publish.Result{Metrics: all.metrics(id), Estimated: more}
		}
	}
	return reading, nil
}

// relayEvents are the events of one relay.
type relayEvents struct {
	events []event
	more   bool           // it has more events than it was asked for
	err    *publish.Error // the relay did not list all of them
}

// askAll asks all relays at the same time.
func (p *Publisher) askAll(ctx context.Context, relays []*url.URL, s signer, ids []string, secret string) []relayEvents {
	ctx, cancel := context.WithTimeout(ctx, relayTime)
	defer cancel()
	found := make([]relayEvents, len(relays))
	done := make(chan struct{}, len(relays))
	for i, u := range relays {
		go func() {
			found[i] = p.ask(ctx, u, s, ids, secret)
			done <- struct{}{}
		}()
	}
	for range relays {
		<-done
	}
	return found
}

// ask returns the notes that a relay has, their deletions, and the events about them.
func (p *Publisher) ask(ctx context.Context, u *url.URL, s signer, ids []string, secret string) (f relayEvents) {
	c, err := p.dial(ctx, publish.PurposeResults, u, s, secret)
	if err != nil {
		return relayEvents{err: publish.AsError(err)}
	}
	defer c.close()
	f.events, f.err = c.collect(ctx, map[string]any{"ids": ids}, map[string]any{"kinds": []int{kindDelete}, "authors": []string{s.public}, "#e": ids})
	for _, filter := range []map[string]any{
		{"kinds": []int{kindReaction, kindRepost, kindGenericRepost, kindNote}, "#e": ids},
		{"kinds": []int{kindNote}, "#q": ids},
	} {
		if f.err != nil {
			break
		}
		var list []event
		var more bool
		list, more, f.err = c.pages(ctx, filter)
		f.events, f.more = append(f.events, list...), f.more || more
	}
	if f.err != nil {
		return relayEvents{err: f.err}
	}
	return f
}

// pages returns the newest events that match a filter. Relays return fewer of them at once
// than they are asked for, so it asks for older ones until there are no new ones. more reports
// that it ended before.
func (r *relay) pages(ctx context.Context, filter map[string]any) (list []event, more bool, failure *publish.Error) {
	filter["limit"] = eventsOfPage
	seen := map[string]bool{}
	for range eventPages {
		page, failure := r.collect(ctx, filter)
		if failure != nil {
			return nil, false, failure
		}
		known := len(seen)
		for _, e := range page {
			if !seen[e.ID] {
				seen[e.ID], list = true, append(list, e)
			}
		}
		if len(seen) == known {
			return list, false, nil
		}
		filter["until"] = slices.MinFunc(page, func(a, b event) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) }).CreatedAt
	}
	return list, true, nil
}

// collect returns the events that match any of some filters. It logs in if the relay demands
// it. The outcome of errors is not_published.
func (r *relay) collect(ctx context.Context, filters ...map[string]any) ([]event, *publish.Error) {
	const subscription = "schedctl-results"
	request := []any{subscription}
	for _, f := range filters {
		request = append(request, f)
	}
	for {
		list, closed, err := r.subscribe(ctx, subscription, message("REQ", request...))
		switch {
		case err != nil || closed == nil:
			return list, err
		case prefix(*closed) != prefixAuth || r.loggedIn || r.challenge == "":
			return nil, refusalOf(r.url.Hostname(), *closed, r.hidden...)
		}
		if err := r.logIn(ctx); err != nil {
			return nil, err
		}
	}
}

// subscribe sends a request and returns the stored events, or the text with which the relay
// closed the subscription.
func (r *relay) subscribe(ctx context.Context, subscription string, request []byte) (list []event, closed *string, err *publish.Error) {
	if err := r.conn.Write(ctx, websocket.MessageText, request); err != nil {
		return nil, nil, r.lost(err)
	}
	for {
		m, err := r.read(ctx)
		switch {
		case err != nil:
			return nil, nil, err
		case m.malformed || m.id != subscription:
		case m.label == "EVENT" && len(list) < eventsOfPage:
			list = append(list, m.event)
		case m.label == "EVENT":
			return nil, nil, refusalOf(r.url.Hostname(), "error: more events than the limit")
		case m.label == "EOSE":
			_ = r.conn.Write(ctx, websocket.MessageText, message("CLOSE", subscription))
			return list, nil, nil
		case m.label == "CLOSED":
			return nil, &m.text, nil
		}
	}
}

// tally counts events, each one once.
type tally struct {
	author       string
	has, deleted map[string]bool
	seen         map[string]bool
	counts       map[string]*schedctl.Metrics
}

func newTally(ids []string, author string) tally {
	t := tally{author: author, has: map[string]bool{}, deleted: map[string]bool{}, seen: map[string]bool{}, counts: map[string]*schedctl.Metrics{}}
	for _, id := range ids {
		t.counts[id] = &schedctl.Metrics{Reactions: new(int64(0)), Reposts: new(int64(0)), Quotes: new(int64(0)), Replies: new(int64(0))}
	}
	return t
}

func (t tally) metrics(id string) schedctl.Metrics { return t.counts[id].Clone() }

// add adds the events of a relay.
func (t tally) add(list []event) {
	for _, e := range list {
		if !eventID().MatchString(e.ID) || t.seen[e.ID] {
			continue
		}
		t.seen[e.ID] = true
		if _, own := t.counts[e.ID]; own && e.PubKey == t.author {
			t.has[e.ID] = true
			continue
		}
		t.count(e)
	}
}

// count adds an event about a note.
func (t tally) count(e event) {
	last := e.lastTag("e")
	switch e.Kind {
	case kindDelete:
		for _, tag := range e.Tags {
			if len(tag) > 1 && tag[0] == "e" && t.counts[tag[1]] != nil && e.PubKey == t.author {
				t.deleted[tag[1]] = true
			}
		}
	case kindReaction:
		if m := t.counts[last]; m != nil && e.Content != "-" {
			*m.Reactions++
		}
	case kindRepost, kindGenericRepost:
		if m := t.counts[last]; m != nil {
			*m.Reposts++
		}
	case kindNote:
		if m := t.counts[e.lastTag("q")]; m != nil {
			*m.Quotes++
		}
		if m := t.counts[e.parent()]; m != nil {
			*m.Replies++
		}
	}
}

// lastTag returns the value of the last tag with a name.
func (e event) lastTag(name string) (value string) {
	for _, tag := range e.Tags {
		if len(tag) > 1 && tag[0] == name {
			value = tag[1]
		}
	}
	return value
}

// parent returns the note to which a note replies (NIP-10): that with the marker reply, or else
// root. In the older form without markers, it is the last one.
func (e event) parent() string {
	var root, last string
	marked := false
	for _, tag := range e.Tags {
		if len(tag) < 2 || tag[0] != "e" {
			continue
		}
		marker := ""
		if len(tag) > 3 {
			marker = tag[3]
		}
		switch marker {
		case "reply":
			return tag[1]
		case "root":
			root, marked = tag[1], true
		case "mention":
			marked = true
		default:
			last = tag[1]
		}
	}
	if marked {
		return root
	}
	return last
}
