package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// TestFakesTakeThreads guards that the fakes accept what the publishers send, show it as
// it was sent, and let each part be found where the network can be asked.
func TestFakesTakeThreads(t *testing.T) {
	t.Parallel()
	h := testHarness(t)
	for _, server := range h.fakeThreadServers() {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			server.at = func(networkPoint, string) {}
			if err := server.serve(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.stop)
			if server.whole {
				testWholeThread(t, server)
			} else {
				testFakeThread(t, server)
			}
		})
	}
}

func testFakeThread(t *testing.T, server *threadServer) {
	r, p := connectFake(t, server)
	began := time.Now()
	var receipts []schedctl.Receipt
	for i := range 3 {
		r.Part, r.Content, r.Key, r.Kind = i, fmt.Sprintf("Part %d", i), fmt.Sprintf("pt_1-%d", i), schedctl.PartPost
		if i > 0 {
			r.Kind, r.Root, r.Parent = schedctl.PartReply, &receipts[0], &receipts[i-1]
		}
		receipt, err := p.Publish(t.Context(), r)
		if err != nil || receipt.Degraded != (schedctl.Degradation{}) {
			t.Fatalf("part %d: %+v, %v", i, receipt, err)
		}
		receipts = append(receipts, receipt)
		finder, ok := p.(publish.Finder)
		if ok == server.cannotAsk {
			t.Errorf("the publisher finds posts: %v", ok)
		}
		if !ok {
			continue
		}
		if found, ok, err := finder.Find(t.Context(), r, began); !ok || err != nil || found.ID != receipt.ID {
			t.Errorf("find part %d: %+v, %v, %v", i, found, ok, err)
		}
	}
	shown, err := server.showAll(t.Context())
	if err != nil || len(shown) != 3 {
		t.Fatalf("shown %+v, %v", shown, err)
	}
	for i, post := range shown {
		if post.id != receipts[i].ID || post.text != fmt.Sprintf("Part %d", i) {
			t.Errorf("part %d: %+v", i, post)
		}
		if server.showsReply && i > 0 && post.parent != receipts[i-1].ID || server.showsRoot && i > 0 && post.root != receipts[0].ID {
			t.Errorf("part %d replies to %q in the thread %q", i, post.parent, post.root)
		}
	}
	missing := schedctl.Receipt{ID: missingID[server.name]}
	r.Parent, r.Content, r.Key = &missing, "No parent", "pt_1-9"
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeParentMissing && server.name != "discord" {
		t.Errorf("without a parent: %v", err)
	}
}

// testWholeThread publishes a thread with one request, and repeats the request.
func testWholeThread(t *testing.T, server *threadServer) {
	r, p := connectFake(t, server)
	r.Content, r.Key = "Part 0", "pt_1"
	r.Rest = []publish.RequestPart{{Kind: schedctl.PartReply, Content: "Part 1"}, {Kind: schedctl.PartComment, Content: "Part 2"}}
	for range 2 {
		receipt, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := server.showAll(t.Context())
		if err != nil || len(shown) != 3 || len(receipt.Rest) != 2 {
			t.Fatalf("shown %+v, %v; receipt %+v", shown, err, receipt)
		}
		for i, got := range append([]schedctl.Receipt{receipt}, receipt.Rest...) {
			if shown[i].text != fmt.Sprintf("Part %d", i) || shown[i].id != got.ID {
				t.Errorf("part %d: %+v, receipt %+v", i, shown[i], got)
			}
		}
	}
}

// missingID is the id of a post that does not exist.
var missingID = map[string]string{"mastodon": "999", "slack": "1.000999", "matrix": "$999", "telegram": "999", "discord": "999"}

// connectFake connects an account, and returns a request for it.
func connectFake(t *testing.T, server *threadServer) (publish.Request, publish.Publisher) {
	t.Helper()
	account := server.account(server.url, 1)
	registry := all.Publishers(all.Config{Client: outbound.Client(outbound.AllowPrivate), Outbound: outbound.AllowPrivate, Version: "test"})
	p := registry[account.Platform]
	credentials := publish.Credentials(account.Credentials)
	profile, err := p.Connect(context.Background(), publish.Connection{Credentials: credentials})
	if err != nil {
		t.Fatal(err)
	}
	return publish.Request{
		TargetID: "pt_1", Attempt: 1, Credentials: credentials,
		Account: schedctl.Account{Platform: account.Platform, Username: profile.Username, ProfileURL: profile.URL, Limits: profile.Limits},
	}, p
}

// TestFaultsAndLossesAreRare guards that a story has at most one fault and one loss. More
// would delay it beyond the limit of the scenario.
func TestFaultsAndLossesAreRare(t *testing.T) {
	t.Parallel()
	h := testHarness(t)
	choose, mayLose := oneFault(h, "test"), oneLoss(h.random("thread/loss/test"), storyOfAlt)
	var faults []gateFault
	losses := 0
	for range 1000 {
		if f := choose(publishStep, "test-story-1"); f != noFault {
			faults = append(faults, f)
		}
		if mayLose("test-story-1 picture 0 of part 2") {
			losses++
		}
	}
	if len(faults) != 1 || losses != 1 {
		t.Errorf("faults %v, %d losses", faults, losses)
	}
	if f := choose(uploadStep, "test-story-2"); f != noFault {
		t.Errorf("an upload has the fault %v", f)
	}
	if story := storyIn([]byte(`{"status":"snac-story-12 part 3 x"}`)); story != "snac-story-12" || storyIn([]byte("pt_1")) != "" {
		t.Errorf("story %q", story)
	}
}
