package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"golang.org/x/sys/unix"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// worstSize is the size of the bodies of TestWorstBodies, in bytes. In the full form it is
// the largest that is accepted. In the small form, a body that costs time or memory in
// proportion to the square of its size costs more than worstRatio, too.
var worstSize = testsize.Of(128<<10, maxBody)

const (
	maxBody = 1 << 20 // bytes of the largest body that is accepted

	// worstRatio is the maximum processor time of a request, relative to the time
	// that encoding/json needs for a plain body of the same size.
	worstRatio = 20

	worstRefusal = 64 << 10 // bytes of a response that refuses a request
	worstSuccess = 2 << 20  // bytes of a successful response, which can repeat the body
)

// TestWorstBodies guards that no body, header or path makes an operation with a
// body expensive. The operations and their fields come from the document.
func TestWorstBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("measures processor time, and says nothing about goroutines")
	}
	runtime.LockOSThread() // the processor time of the thread is measured
	defer runtime.UnlockOSThread()
	f := newFixture(t)
	plain := plainTime(t, worstSize)
	for id, op := range documentOperations(t) {
		if op.method == http.MethodGet {
			continue
		}
		w := newWorld(t, f.sibling(t))
		try := attempts[id](w)
		path := try.path
		for name, body := range worstBodies(w, op, try.body) {
			w.worst(t, plain, id+" "+name, op.method, path, body, nil)
		}
		for name, header := range worstHeaders() {
			w.worst(t, plain, id+" with a long "+name, op.method, path, []byte("{}"), http.Header{name: {header}})
		}
		if strings.Contains(op.path, "{") {
			long := strings.NewReplacer("{id}", filled("", "x", "", 30<<10), "{delivery_id}", filled("", "y", "", 30<<10)).Replace(op.path)
			w.worst(t, plain, id+" with long ids", op.method, strings.TrimPrefix(long, "/api/v1"), []byte("{}"), nil)
		}
	}
}

// TestWorstAccounts guards that measuring a post for 100 accounts takes bounded
// time, for any text.
func TestWorstAccounts(t *testing.T) {
	if testing.Short() {
		t.Skip("measures processor time, and says nothing about goroutines")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Publishers["mastodon"] = mastodon.New(http.DefaultClient, "test")
		c.Publishers["bluesky"] = bluesky.New(http.DefaultClient, nil, "test")
	})
	w := &world{fixture: f}
	plain := plainTime(t, maxBody)
	ids := f.manyAccounts()
	draft := f.create(body{"content": "x", "social_account_ids": ids})
	for _, unit := range []string{"a", "\u0301", "👨‍👩‍👧", "🇩", "क्ष", "http://a.bc ", "http://a.bc/(", "http://", "@a@b.c ", "@a-", "a.b.", "한국.", "#a", "("} {
		text := string([]rune(strings.Repeat(unit, schedctl.MaxContent))[:schedctl.MaxContent])
		own := strings.ToValidUTF8(text[:min(len(text), 9_500)], "")
		overrides := make([]body, len(ids))
		for i, id := range ids {
			overrides[i] = override(id, fmt.Sprintf("%02d%s", i, own), nil)
		}
		thread := make([]body, schedctl.MaxThread)
		for i := range thread {
			thread[i] = body{"content": fmt.Sprintf("%02d%s", i, own)}
		}
		options := make([]string, schedctl.MaxPollOptions)
		for i := range options {
			options[i] = fmt.Sprintf("%02d%s", i, own)
		}
		long := strings.Repeat(text, 200_000/len(text))
		for what, b := range map[string]body{
			"of one text":  {"content": text, "social_account_ids": ids, "publish_at": in(time.Hour)},
			"of 100 texts": {"content": text, "social_account_ids": ids, "publish_at": in(time.Hour), "target_overrides": overrides},
			"of a thread":  {"content": text, "thread": thread, "first_comment": thread[0], "social_account_ids": ids, "publish_at": in(time.Hour)},
			"of long extras": {
				"content": text, "thread": slices.Repeat([]body{{"content": "x"}}, schedctl.MaxThread), "social_account_ids": ids, "content_warning": long,
				"poll": body{"options": options, "expires_in_seconds": 3600}, "link_preview": body{"url": "https://example.com/", "title": long},
			},
			"of a long one": {"content": strings.Repeat(text, maxBody/len(text)-1), "social_account_ids": ids},
		} {
			raw, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			w.worst(t, plain, fmt.Sprintf("validate %s of %q", what, unit), "POST", "/posts/validate", raw, nil)
			w.worst(t, plain, fmt.Sprintf("create %s of %q", what, unit), "POST", "/posts", raw, nil)
			w.worst(t, plain, fmt.Sprintf("edit %s of %q", what, unit), "PATCH", "/posts/"+draft.ID, raw, nil)
		}
	}
}

// TestAnnouncedBodiesTakeNoMemory guards that a body that is announced but not sent
// occupies no memory.
func TestAnnouncedBodiesTakeNoMemory(t *testing.T) {
	f := newFixture(t)
	const requests = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range requests {
		f.do(func(r *http.Request) { r.ContentLength = maxBody }, "POST", "/posts", `{"content":`).refused(schedctl.InvalidJSON)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / requests; each > maxBody/2 {
		t.Errorf("a request of 11 bytes takes %d bytes of memory", each)
	}
}

// manyAccounts stores the maximum number of accounts of a post. No two share a
// check.
func (f *fixture) manyAccounts() (ids []string) {
	f.t.Helper()
	for i := range schedctl.MaxAccounts {
		a := schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, time.Now()), WorkspaceID: f.mine.workspace, Platform: "mastodon",
			Name: fmt.Sprint("account ", i), Status: schedctl.AccountConnected, Options: schedctl.Options{"spoiler_text": fmt.Sprint(i)},
			Limits: schedctl.Limits{MaxCharacters: 5000, Unit: "graphemes", URLCharacters: 1000},
		}
		if i%2 == 0 {
			a.Platform, a.Options = "bluesky", schedctl.Options{"langs": string([]byte{'a' + byte(i/26), 'a' + byte(i%26)})}
		}
		f.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
		ids = append(ids, a.ID)
	}
	return ids
}

// worst sends a request and checks its processor time and its response. A request that
// seems to take too long is measured again, because other processes can slow it down.
func (w *world) worst(t *testing.T, plain time.Duration, name, method, path string, body []byte, header http.Header) {
	t.Helper()
	if len(body) > maxBody {
		t.Fatalf("%s is no body that is read: it has %d bytes", name, len(body))
	}
	var rec *httptest.ResponseRecorder
	took := time.Duration(math.MaxInt64)
	for range 5 {
		r := httptest.NewRequest(method, "/api/v1"+path, bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+w.mine.key)
		r.Header.Set("Content-Type", "application/json")
		maps.Copy(r.Header, header)
		rec = httptest.NewRecorder()
		took = min(took, processorTime(t, func() { w.handler.ServeHTTP(rec, r) }))
		if took <= worstRatio*plain {
			break
		}
	}
	if took > worstRatio*plain {
		t.Errorf("%s takes %s of processor time, which is %.1f times what a plain body of its size takes", name, took, took.Seconds()/plain.Seconds())
	}
	most := worstSuccess
	if rec.Code >= 300 {
		most = worstRefusal
	}
	if n := rec.Body.Len(); n > most || rec.Code >= 500 {
		t.Errorf("%s gets %d with %d bytes: %s", name, rec.Code, n, rec.Body.Bytes()[:min(n, 300)])
	}
}

// processorTime returns the processor time that do uses on the caller's thread. The clock
// of the thread is exact; its resource usage is only counted at each tick of the kernel.
func processorTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	busy := func() time.Duration {
		var used unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
			t.Fatal(err)
		}
		return time.Duration(used.Nano())
	}
	before := busy()
	do()
	return busy() - before
}

// plainTime returns the processor time that encoding/json needs for a body of
// ordinary JSON of a size.
func plainTime(t *testing.T, size int) time.Duration {
	t.Helper()
	body := filled(`[{}`, `,{"content":"a text of some length","list":["one",2,null],"set":{"at":"2036-06-02T15:00:00Z"}}`, `]`, size)
	var times []time.Duration
	for range 5 {
		times = append(times, processorTime(t, func() {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Fatal(err)
			}
		}))
	}
	return slices.Min(times)
}

// filled returns a text of a size: start, as many units as fit, and end.
func filled(begin, unit, end string, size int) string {
	return begin + strings.Repeat(unit, (size-len(begin)-len(end))/len(unit)) + end
}

// numbered is filled with numbered units.
func numbered(begin, unit, end string, size int) string {
	var b strings.Builder
	b.WriteString(begin)
	for i := 0; b.Len() < size-len(end)-len(unit)-8; i++ {
		fmt.Fprintf(&b, unit, i)
	}
	b.WriteString(end)
	return b.String()
}

// bodiesOfAll returns bodies that are expensive to read for any operation.
var bodiesOfAll = sync.OnceValue(func() map[string][]byte {
	long := strings.Repeat("n", worstSize/4)
	return map[string][]byte{
		"nested too deeply":              []byte(filled("", `[`, "", worstSize)),
		"nested in unknown fields":       []byte(filled("", `{"a":`, "", worstSize)),
		"with many unknown fields":       []byte(numbered(`{"a":0`, `,"%06d":0`, `}`, worstSize)),
		"with long unknown fields":       []byte(numbered(`{"a":0`, `,"`+strings.Repeat("content_", 128)+`%06d":0`, `}`, worstSize)),
		"with an endless field":          []byte(filled(`{"`, `a`, `":0}`, worstSize)),
		"with many doubled fields":       []byte(filled(`{"a":0`, `,"a":0`, `}`, worstSize)),
		"with a late doubled field":      []byte(numbered(`{"a":0`, `,"%06d":0`, `,"a":0}`, worstSize)),
		"with many elements":             []byte(filled(`{"a":[0`, `,0`, `]}`, worstSize)),
		"with elements under long names": []byte(filled(`{"a":{"`+long+`":{"`+long+`":[0`, `,0`, `]}}}`, worstSize)),
		"with elements at a long path":   []byte(filled(`{"target_overrides":[{"options":{"`+long+`":{"`+long+`":[{}`, `,{"~":1e999}`, `]}}}]}`, worstSize)),
		"with lists of lists":            []byte(filled(`{"a":[[]`, `,[[],{}]`, `]}`, worstSize)),
		"with a huge number":             []byte(filled(`{"a":1`, `0`, `}`, worstSize)),
		"of escapes":                     []byte(filled(`{"\u0061`, `\u0061`, `":0}`, worstSize)),
		"of white space":                 []byte(filled(`{`, " \n\t", `}`, worstSize)),
		"that is a list":                 []byte(filled(`[{}`, `,{}`, `]`, worstSize)),
		"that ends early":                []byte(filled(`{"a":"`, `x`, ``, worstSize)),
		"that is not UTF-8":              []byte(filled(`{"a":"`, "x", "\xff\"}", worstSize)),
	}
})

// worstBodies yields bodies that are expensive to read for any operation, and bodies
// with expensive values in each field of the operation's schema, next to the fields of a
// valid body.
func worstBodies(w *world, op operation, good any) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, b := range bodiesOfAll() {
			if !yield(name, b) {
				return
			}
		}
		if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
			return
		}
		for name, field := range op.RequestBody.Value.Content["application/json"].Schema.Value.Properties {
			b := body{}
			if good != nil {
				maps.Copy(b, good.(body))
			}
			b[name] = "a worst value"
			raw, err := json.Marshal(b)
			if err != nil {
				panic(err) // bodies have texts, numbers, lists and objects only
			}
			for what, value := range worstValues(w, field.Value) {
				if !yield("with "+what+" as "+name, []byte(strings.Replace(string(raw), `"a worst value"`, value, 1))) {
					return
				}
			}
		}
	}
}

// valuesOfAll returns values that are expensive to read in any field.
var valuesOfAll = sync.OnceValue(func() map[string]string {
	size := worstSize - 500 // the rest of the body
	return map[string]string{
		"a long text":                 filled(`"`, `x`, `"`, size),
		"a text of escaped controls":  filled(`"`, `\u0001`, `"`, size),
		"a text of combining marks":   filled(`"e`, "\u0301", `"`, size),
		"a text of links":             filled(`"`, `http://a.bc/( `, `"`, size),
		"a number out of range":       filled(`1`, `0`, ``, size),
		"a list of many short texts":  filled(`["a"`, `,"a"`, `]`, size),
		"a list of ids of nothing":    numbered(`["a"`, `,"acct_01M81XMH8WE5Y479NB%06d"`, `]`, size),
		"a list of long texts":        filled(`["a"`, `,"`+strings.Repeat("post.published", 1000)+`"`, `]`, size),
		"a list of NUL characters":    filled(`["a"`, `,"\u0000"`, `]`, size),
		"a list of empty objects":     filled(`[{}`, `,{}`, `]`, size),
		"an object of many fields":    numbered(`{"a":0`, `,"%06d":0`, `}`, size),
		"an object of long fields":    numbered(`{"a":0`, `,"`+strings.Repeat("access_token", 100)+`%06d":"x"`, `}`, size),
		"an object with a long field": filled(`{"`, `a`, `":0}`, size),
		"an object of many elements":  filled(`{"langs":[0`, `,0`, `]}`, size),
		"a time with many digits":     filled(`"2036-06-02T15:00:00.`, `0`, `Z"`, size),
		"a URL of many parts":         filled(`"https://hooks.example/`, `%2e%2e/`, `"`, size),
	}
})

// worstValues yields values that are expensive to read, alone or where the schema
// allows them.
func worstValues(w *world, schema *openapi3.Schema) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for what, value := range valuesOfAll() {
			if !yield(what, value) {
				return
			}
		}
		if schema.Items == nil {
			return
		}
		for name, field := range schema.Items.Value.Properties {
			id := ""
			if name != "social_account_id" {
				id = `"social_account_id":"` + w.mine.account + `",`
			}
			for what, value := range worstValues(w, field.Value) {
				if !yield("a list of objects with "+what+" as "+name, `[{`+id+`"`+name+`":`+value+`}]`) {
					return
				}
			}
		}
	}
}

// worstHeaders returns headers of the maximum length that a server accepts.
func worstHeaders() map[string]string {
	const size = 60 << 10
	return map[string]string{
		"If-Match":        filled(`"1"`, `,"1"`, "", size),
		"Idempotency-Key": filled("", "k", "", size),
		"Authorization":   filled("Bearer sctl_", "a", "", size),
		"Accept":          filled("a/b", ",a/b;q=0", "", size),
		"Content-Type":    filled("application/json", ";a=b", "", size),
		"X-Request-Id":    filled("", "r", "", size),
		"X-Forwarded-For": filled("192.0.2.1", ",192.0.2.1", "", size),
	}
}
