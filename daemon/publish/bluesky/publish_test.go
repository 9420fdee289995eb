package bluesky_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

func request(n *network, content string) publish.Request {
	return publish.Request{
		TargetID: "pt_1", Key: key, Attempt: 1, Content: content, Credentials: credentials(n, 1),
		Account: schedctl.Account{Username: "alice.example.com"},
	}
}

func TestTheRecord(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := request(n, "Hi @Bob.example.com & <@nobody.example.com> @nobody.example.com: https://example.com/ü #größe")
	r.Account.Options = schedctl.Options{"langs": []any{"en", "de"}}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	const want = `{"$type":"app.bsky.feed.post",` +
		`"text":"Hi @Bob.example.com \u0026 \u003c@nobody.example.com\u003e @nobody.example.com: https://example.com/ü #größe",` +
		`"createdAt":"2026-06-02T06:33:22.569Z","langs":["en","de"],"facets":[` +
		`{"index":{"byteStart":3,"byteEnd":19},"features":[{"$type":"app.bsky.richtext.facet#mention","did":"did:plc:bob"}]},` +
		`{"index":{"byteStart":65,"byteEnd":87},"features":[{"$type":"app.bsky.richtext.facet#link","uri":"https://example.com/ü"}]},` +
		`{"index":{"byteStart":88,"byteEnd":96},"features":[{"$type":"app.bsky.richtext.facet#tag","tag":"größe"}]}]}`
	if diff := cmp.Diff(want, string(n.records[key])); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if got := n.take(); !slices.Equal(got, []string{resolveHandle, resolveHandle, putRecord}) {
		t.Errorf("calls %v", got)
	}
}

// TestNoLanguageIsMadeUp: a post without the option langs must not be marked as
// English.
func TestNoLanguageIsMadeUp(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	if _, err := p.Publish(t.Context(), request(n, "مرحبا بالعالم")); err != nil {
		t.Fatal(err)
	}
	const want = `{"$type":"app.bsky.feed.post","text":"مرحبا بالعالم","createdAt":"2026-06-02T06:33:22.569Z"}`
	if diff := cmp.Diff(want, string(n.records[key])); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestEachHandleIsResolvedOnce(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	if _, err := p.Publish(t.Context(), request(n, "@bob.example.com @BOB.example.com @x.example.com @x.example.com")); err != nil {
		t.Fatal(err)
	}
	if got := n.take(); !slices.Equal(got, []string{resolveHandle, resolveHandle, putRecord}) {
		t.Errorf("calls %v", got)
	}
}

// A record without the mention would differ from the record of a later retry under
// the same key.
func TestAHandleThatCannotBeLookedUpHoldsThePost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kind schedctl.ErrorKind
		h    http.HandlerFunc
	}{
		{"limited", schedctl.KindRateLimited, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }},
		{"fault", schedctl.KindPlatform, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }},
		{"no DID", schedctl.KindPlatform, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"did":""}`) }},
		{"redirect", schedctl.KindPlatform, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) }},
		{"cut", schedctl.KindNetwork, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		n, p := start(t)
		n.on(resolveHandle, tt.h)
		_, err := p.Publish(t.Context(), request(n, "hi @bob.example.com"))
		if e := publish.AsError(err); e.Kind != tt.kind || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", tt.name, e)
		}
		if got := n.take(); slices.Contains(got, putRecord) {
			t.Errorf("%s: calls %v", tt.name, got)
		}
	}
}

func TestASessionIsNeeded(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	for name, c := range map[string]publish.Credentials{"none": connection(n.URL).Credentials, "no account": credentials(n, 1), "no token": credentials(n, 1)} {
		switch name {
		case "no account":
			delete(c, "did")
		case "no token":
			delete(c, "access_jwt")
		}
		r := request(n, "hello")
		r.Credentials = c
		_, err := p.Publish(t.Context(), r)
		wantExpired(t, name, err)
	}
	if got := n.take(); len(got) > 0 {
		t.Errorf("calls %v", got)
	}
	for _, name := range []string{"ExpiredToken", "InvalidToken", "AuthMissing"} {
		n.refuse(putRecord, 400, name)
		_, err := p.Publish(t.Context(), request(n, "hello"))
		wantExpired(t, name, err)
	}
}

func wantExpired(t *testing.T, name string, err error) {
	t.Helper()
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != publish.CodeSessionExpired || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("%s: got %+v", name, e)
	}
}

func TestOnlyItsOwnKeysAreTaken(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := request(n, "hello")
	r.Key = "pt_01JX0000000000000000000001"
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeNotPublished || e.Code != "key" {
		t.Errorf("got %+v", e)
	}
	if got := n.take(); len(got) > 0 {
		t.Errorf("calls %v", got)
	}
}

// A response that names another post may come from a proxy.
func TestTheAnswerNamesThePost(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	n.on(putRecord, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"uri":"at://%s/app.bsky.feed.post/another"}`, did)
	})
	_, err := p.Publish(t.Context(), request(n, "hello"))
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown || e.Kind != schedctl.KindPlatform {
		t.Errorf("got %+v", e)
	}
}

func TestReceiptOfAnAccountWithoutAHandle(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := request(n, "hello")
	r.Account.Username = did
	receipt, err := p.Publish(t.Context(), r)
	if want := "https://bsky.app/profile/" + did + "/post/" + key; err != nil || receipt.URL != want {
		t.Errorf("got %+v, %v; want %s", receipt, err, want)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	const family = "👨‍👩‍👧‍👦" // 25 bytes
	for _, tt := range []struct {
		name, content string
		options       schedctl.Options
		length        int
		codes         []string
	}{
		{"short", "hello", nil, 5, nil},
		{"300", strings.Repeat("x", 300), nil, 300, nil},
		{"300 beyond ASCII", strings.Repeat("é", 300), nil, 300, nil},
		{"301", strings.Repeat("x", 301), nil, 301, []string{"too_long"}},
		{"120 of 25 bytes", strings.Repeat(family, 120), nil, 120, nil},
		{"121 of 25 bytes", strings.Repeat(family, 121), nil, 121, []string{"too_long"}},
		{"301 of 25 bytes", strings.Repeat(family, 301), nil, 301, []string{"too_long"}},
		{"nothing", "", nil, 0, []string{"empty"}},
		{"white space", " \n\t", nil, 3, []string{"empty"}},
		{"languages", "hello", schedctl.Options{"langs": "en,de"}, 5, nil},
		{"bad languages", "hello", schedctl.Options{"langs": 7.0}, 5, []string{"langs"}},
		{"all of it", strings.Repeat("x", 301), schedctl.Options{"langs": "?"}, 301, []string{"too_long", "langs"}},
	} {
		check := p.Check(schedctl.Account{Options: tt.options}, publish.Text(tt.content))
		var codes []string
		for _, problem := range check.Problems {
			codes = append(codes, problem.Code)
		}
		if check.Length != tt.length || check.Limit != 300 || check.Unit != "graphemes" || !slices.Equal(codes, tt.codes) {
			t.Errorf("%s: got %+v", tt.name, check)
		}
		r := request(n, tt.content)
		r.Account.Options = tt.options
		if _, err := p.Publish(t.Context(), r); (err == nil) != (tt.codes == nil) {
			t.Errorf("%s: publish: %v", tt.name, err)
		}
	}
	if !p.Idempotent(schedctl.Account{}) {
		t.Error("Idempotent returned false")
	}
}
