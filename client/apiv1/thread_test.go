package apiv1_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// previews are link previews by their wire form.
var previews = map[string]apiv1.LinkPreview{
	`"auto"`: {Mode: apiv1.PreviewAuto},
	`"none"`: {Mode: apiv1.PreviewNone},
	`{"url":"https://example.org/?a=1\u0026b=2","title":"Title","description":"","image":null}`: {
		Card: &apiv1.LinkCard{URL: "https://example.org/?a=1&b=2", Title: "Title"},
	},
	`{"url":"https://example.org/","title":"","description":"\"é\"","image":"med_1"}`: {
		Card: &apiv1.LinkCard{URL: "https://example.org/", Description: `"é"`, Image: new("med_1")},
	},
}

// checkBody guards the wire form of a body, and that it is read as the same body.
func checkBody[T any](t *testing.T, body T, want string) {
	t.Helper()
	got, err := json.Marshal(body)
	if err != nil || string(got) != want {
		t.Errorf("%T is sent as %s, %v; want %s", body, got, err, want)
	}
	var back T
	if err := json.Unmarshal(got, &back); err != nil {
		t.Errorf("%s: %v", got, err)
	}
	if diff := cmp.Diff(body, back); diff != "" {
		t.Errorf("%s is read as something else:\n%s", got, diff)
	}
}

func TestLinkPreviewsInBodies(t *testing.T) {
	t.Parallel()
	for wire, preview := range previews {
		want := `{"link_preview":` + wire + `}`
		checkBody(t, apiv1.CreatePost{NewExtras: apiv1.NewExtras{LinkPreview: &preview}}, want)
		checkBody(t, apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{LinkPreview: &preview}}, want)
	}
	checkBody(t, apiv1.CreatePost{}, `{}`)
	checkBody(t, apiv1.EditPost{}, `{}`)
	unset, err := json.Marshal(apiv1.CreatePost{NewExtras: apiv1.NewExtras{LinkPreview: &apiv1.LinkPreview{}}})
	if err != nil || string(unset) != `{"link_preview":"auto"}` {
		t.Errorf("the zero value is sent as %s, %v", unset, err)
	}
}

func TestLinkPreviewsReplaceOlderOnes(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]apiv1.LinkPreview{
		` { "url": "https://b.example/" } `: {Card: &apiv1.LinkCard{URL: "https://b.example/"}},
		`null`:                              {},
		`"none"`:                            {Mode: apiv1.PreviewNone},
	} {
		got := apiv1.LinkPreview{Mode: "old", Card: &apiv1.LinkCard{URL: "https://a.example/", Title: "old"}}
		if err := json.Unmarshal([]byte(wire), &got); err != nil {
			t.Errorf("%s: %v", wire, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", wire, diff)
		}
	}
	for _, wire := range []string{`7`, `["none"]`, `{"url":7}`, `true`} {
		var got apiv1.LinkPreview
		if err := json.Unmarshal([]byte(wire), &got); err == nil {
			t.Errorf("%s is read as %+v", wire, got)
		}
	}
}

func TestThreadsInBodies(t *testing.T) {
	t.Parallel()
	poll := &apiv1.Poll{Options: []string{"yes", "no"}, ExpiresInSeconds: 3600, HideTotals: true}
	const wirePoll = `"poll":{"options":["yes","no"],"expires_in_seconds":3600,"multiple":false,"hide_totals":true}`
	parts := []apiv1.Part{{Content: "two"}, {Media: []apiv1.PostMedia{}}}
	const wireParts = `"thread":[{"content":"two","media":null},{"content":"","media":[]}]`
	comment := &apiv1.Part{Content: "comment"}
	const wireComment = `"first_comment":{"content":"comment","media":null}`
	checkBody(t, apiv1.CreatePost{NewExtras: apiv1.NewExtras{Thread: parts, FirstComment: comment, Poll: poll}}, `{`+wireParts+`,`+wireComment+`,`+wirePoll+`}`)
	checkBody(t, apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{Thread: &parts, FirstComment: comment, Poll: poll}}, `{`+wireParts+`,`+wireComment+`,`+wirePoll+`}`)
	checkBody(t, apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{Thread: &[]apiv1.Part{}}}, `{"thread":[]}`)
}

// TestPartsInEvents guards that events about a thread name the parts that the network
// has, and that a failed first comment has an event of its own.
func TestPartsInEvents(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), Platform: "fake", Status: schedctl.AccountConnected}
	p, _, err := schedctl.Create(schedctl.NewPost{
		WorkspaceID: "ws_1", Content: schedctl.Content{Text: "one", Thread: []schedctl.Part{{Content: "two"}}, FirstComment: &schedctl.Part{Content: "comment"}}, Accounts: []schedctl.Account{account}, Now: true,
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, result := range []schedctl.Result{
		{Receipt: &schedctl.Receipt{ID: "1"}}, {Receipt: &schedctl.Receipt{ID: "2"}},
		{Error: &schedctl.TargetError{Kind: schedctl.KindContent, Message: "no", Outcome: schedctl.OutcomeNotPublished}},
	} {
		id := p.Targets[0].ID
		if _, err := p.Begin(schedctl.Claim{TargetID: id, Owner: "test", Lease: time.Minute, Key: id}, now); err != nil {
			t.Fatal(err)
		}
		events, err := p.Finish(id, result, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			text := string(e.Type)
			for _, part := range apiv1.NewEvent(e).Data.Parts {
				text += fmt.Sprintf(" %d:%s", part.Index, part.PlatformPostID)
			}
			got = append(got, text)
		}
	}
	if want := "post.published 0:1 1:2, post.comment_failed 0:1 1:2, post.completed"; strings.Join(got, ", ") != want {
		t.Errorf("got %s; want %s", strings.Join(got, ", "), want)
	}
}
