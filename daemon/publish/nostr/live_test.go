package nostr_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// TestRelay publishes to a real relay, which verifies ids and signatures.
func TestRelay(t *testing.T) {
	t.Parallel()
	for _, hostname := range []string{"", "127.0.0.1"} {
		t.Run("AUTH="+hostname, func(t *testing.T) {
			t.Parallel()
			testRelay(t, publishtest.StartRelay(t, hostname), hostname)
		})
	}
}

func testRelay(t *testing.T, relay publishtest.Relay, hostname string) {
	p, r := newPublisher(t), request(relay.URL)
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if err != nil || !strings.HasPrefix(profile.Username, "npub1") {
		t.Fatalf("connect: %+v, %v", profile, err)
	}
	texts := []string{content, "line\n\"q\" \\ \r\t\b\f <é> & #tag \u2028 \x01 \x7f 日本 👩‍👩‍👧", "the last part"}
	var published []schedctl.Receipt
	for i, text := range texts {
		part := r
		part.Content, part.Part, part.Key = text, i, publish.PartKey(p, key, i)
		if i > 0 {
			part.Kind, part.Root, part.Parent = schedctl.PartReply, &published[0], &published[i-1]
		}
		for attempt := range 2 { // the second is a repeat
			receipt, err := p.Publish(t.Context(), part)
			if err != nil {
				t.Fatalf("part %d, attempt %d: %v", i, attempt, err)
			}
			if attempt == 0 {
				published = append(published, receipt)
			} else if !receipt.Equal(published[i]) {
				t.Errorf("part %d: the repeat is %+v, want %+v", i, receipt, published[i])
			}
		}
	}
	events := relay.Events(t, public)
	if len(events) != len(texts) {
		t.Fatalf("%d events, want %d: %+v", len(events), len(texts), events)
	}
	for i, e := range events { // newest first
		part := len(texts) - 1 - i
		if e.Content != texts[part] || e.ID != published[part].ID {
			t.Errorf("part %d: %+v", part, e)
		}
	}
	gone := schedctl.Receipt{ID: strings.Repeat("0", 64)}
	r.Part, r.Kind, r.Root, r.Parent, r.Key = 1, schedctl.PartReply, &gone, &gone, key+"-7"
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeParentMissing {
		t.Errorf("a reply to a note that the relay does not have: %v", err)
	}
	if hostname == "" {
		testRelayResults(t, relay, p, r)
	}
}
