package mcp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

var update = flag.Bool("update", false, "write docs/agents-jobs.md")

// session is what an agent does for one job: its calls, and what it read and wrote.
type session struct {
	f     *fixture
	key   string
	calls int
	bytes int             // of the arguments and results
	names map[string]int  // how many ids of a kind have a name
	pairs []string        // ids and their names
	lines strings.Builder // the calls, with short names for ids
	texts []string        // what the model read and wrote
}

// handled is a transport to a daemon in this process.
type handled struct{ http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// direct returns a client of the daemon, without a network.
func (f *fixture) direct(secret string) *client.Client {
	f.t.Helper()
	c, err := client.New(client.Config{URL: "http://localhost", Key: secret, Transport: handled{f.daemon}})
	f.ok(err)
	f.t.Cleanup(c.Close)
	return c
}

// message sends a message to /mcp, without a network.
func (f *fixture) message(secret, method string, params any) (a answer) {
	f.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	f.ok(err)
	r := httptest.NewRequestWithContext(f.t.Context(), http.MethodPost, "http://localhost/mcp", bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	f.daemon.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
		f.t.Fatalf("%s: status %d: %s", body, w.Code, w.Body)
	}
	return a
}

// maxLine is how many characters of a line the page about the jobs has.
const maxLine = 200

// call calls a tool, and returns the structured content of its result.
func (s *session) call(name string, arguments map[string]any) map[string]any {
	s.f.t.Helper()
	sent, err := json.Marshal(arguments)
	s.f.ok(err)
	if arguments == nil {
		sent = []byte("{}")
	}
	a := s.f.message(s.key, "tools/call", map[string]any{"name": name, "arguments": json.RawMessage(sent)})
	read := a.larger(s.f.t)
	s.calls++
	s.bytes += len(sent) + len(read)
	s.texts = append(s.texts, string(sent), read)
	time.Sleep(time.Second)
	for line := range strings.Lines(fmt.Sprintf("> %s %s\n%s\n", name, s.short(string(sent)), s.short(a.Result.Content[0].Text))) {
		if text := []rune(line); len(text) > maxLine {
			line = string(text[:maxLine]) + "…\n"
		}
		s.lines.WriteString(line)
	}
	return a.object(s.f.t)
}

var (
	idPattern   = regexp.MustCompile(`\b([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}\b`)
	dataPattern = regexp.MustCompile(`"data":"[^"]{60,}"`)
)

// short returns a text with names for its ids, which differ in each run, and without bytes
// of files.
func (s *session) short(text string) string {
	text = idPattern.ReplaceAllStringFunc(text, func(id string) string {
		for i := 0; i < len(s.pairs); i += 2 {
			if s.pairs[i] == id {
				return s.pairs[i+1]
			}
		}
		kind, _, _ := strings.Cut(id, "_")
		s.names[kind]++
		name := kind + "_" + strconv.Itoa(s.names[kind])
		s.pairs = append(s.pairs, id, name)
		return name
	})
	return dataPattern.ReplaceAllString(text, `"data":"…"`)
}

// first returns the first of the posts in a result.
func first(out map[string]any, name string) map[string]any {
	list, _ := out[name].([]any)
	if len(list) == 0 {
		return nil
	}
	return list[0].(map[string]any)
}

// job is what a person asks an agent for.
type job struct {
	asked   string
	publish bool // needs posts:write
	prepare func(s *session, c *client.Client)
	run     func(s *session)
	done    func(s *session, c *client.Client) bool
}

const (
	dot       = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	changelog = "Version 4.2 is out. Queues now keep their slots when you pause them, so that nothing is lost over a holiday. " +
		"The calendar shows proposals of agents next to what is planned. "
)

// facts are what the posts of a week are about.
var facts = []string{
	"Our new office opens on Monday, with room for forty people.", "The beta has 2,000 users, twice as many as in October.",
	"We hire two engineers for the storage team.", "The talk about queues is online, with slides and captions.", "Support is available at weekends from now on.",
}

// measured is what the ten jobs took, each and in their order.
type measured struct {
	Commit               string // of the program that was measured
	Calls, Bytes, Tokens []int
}

func (m measured) sum() (calls, bytes, tokens int) {
	for i := range m.Calls {
		calls, bytes, tokens = calls+m.Calls[i], bytes+m.Bytes[i], tokens+m.Tokens[i]
	}
	return calls, bytes, tokens
}

// readMeasured returns what the jobs took before the tools were made small.
func readMeasured(t *testing.T, jobs int) (m measured) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "jobs-before.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil || len(m.Calls) != jobs || len(m.Bytes) != jobs || len(m.Tokens) != jobs {
		t.Fatalf("%v: %+v", err, m)
	}
	return m
}

const jobsPage = `# Ten jobs of an agent

What an agent with the [MCP server](agents.md) calls for ten jobs of a day, in a workspace in Rome with three accounts, on
Monday, 30 November 2026. A line with > is a call with its arguments, and below it is the text of the result; long lines are
cut. Ids are shortened. The data of results, which has the same in fields, is left out.

A test does these jobs, and wrote this page. It counts the arguments, and of each result the larger of text and data. Before
are the tools of commit %s, which returned whole objects and had no tools for several drafts, series and what needs
action; the reminder took four drafts there.

| job | calls | before | bytes | before |
|---|---|---|---|---|
%s| together | %d | %d | %d | %d |
%s`

// TestJobsOfADay does ten jobs with the tools. Together they take at most half of the calls
// and a fifth of the bytes that they took before the tools were made small, and the page
// about them shows them as they are.
func TestJobsOfADay(t *testing.T) {
	t.Parallel()
	jobs := tenJobs()
	before := readMeasured(t, len(jobs))
	var page, table strings.Builder
	var calls, size int
	for i, j := range jobs {
		s := doJob(t, j)
		name := strings.TrimSuffix(j.asked, ".")
		calls, size = calls+s.calls, size+s.bytes
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", name, s.calls, before.Calls[i], s.bytes, before.Bytes[i])
		fmt.Fprintf(&page, "\n## %s\n\n```text\n%s```\n", name, s.lines.String())
	}
	oldCalls, oldSize, _ := before.sum()
	t.Logf("%d calls and %d bytes, of %d and %d", calls, size, oldCalls, oldSize)
	if 2*calls > oldCalls || 5*size > oldSize {
		t.Errorf("%d calls and %d bytes, of %d and %d", calls, size, oldCalls, oldSize)
	}
	path, want := filepath.Join("..", "docs", "agents-jobs.md"), fmt.Sprintf(jobsPage, before.Commit, table.String(), calls, oldCalls, size, oldSize, page.String())
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("docs/agents-jobs.md is not what the tools do: run go test ./mcp -run TestJobsOfADay -update (%v)", err)
	}
}

// TestTokensOfJobs: the jobs take at most a fifth of the tokens that they took before.
func TestTokensOfJobs(t *testing.T) {
	t.Parallel()
	dir, jobs := packages(t), tenJobs()
	var texts []string
	for _, j := range jobs {
		texts = append(texts, strings.Join(doJob(t, j).texts, " "))
	}
	total := 0
	for i, n := range countTokens(t, dir, texts) {
		t.Logf("%s: %d tokens", jobs[i].asked, n)
		total += n
	}
	if _, _, before := readMeasured(t, len(jobs)).sum(); 5*total > before {
		t.Errorf("%d tokens, of %d", total, before)
	}
}

// doJob does a job, in a workspace of its own, on Monday, 30 November 2026, at 8:00 in Rome.
func doJob(t *testing.T, j job) *session {
	s := &session{names: map[string]int{}}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, time.November, 30, 7, 0, 0, 0, time.UTC)))
		s.f = newQuietFixture(t)
		s.f.inZone("Europe/Rome")
		time.Sleep(time.Second) // so that the order of ids is that of the objects
		s.f.limit(s.f.connect("mastodon", schedctl.AccountConnected), 500)
		time.Sleep(time.Second)
		s.f.connect("company news", schedctl.AccountConnected)
		s.f.queue("daily")
		c := s.f.direct(s.f.publisher())
		if s.key = s.f.agent(); j.publish {
			s.key = s.f.publisher()
		}
		if j.prepare != nil {
			j.prepare(s, c)
		}
		j.run(s)
		if !j.done(s, c) {
			t.Errorf("%s: not done:\n%s", j.asked, s.lines.String())
		}
	})
	return s
}

// limit gives an account the longest text that its network takes.
func (f *fixture) limit(id string, characters int) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		a, err := tx.Account(f.workspace, id)
		if err != nil {
			return err
		}
		a.Limits.MaxCharacters, a.Limits.Unit = characters, "characters"
		return tx.PutAccount(a)
	})
}

// posts returns the posts of the workspace.
func (s *session) posts(c *client.Client, q client.PostQuery) []apiv1.Post {
	s.f.t.Helper()
	page, err := c.Posts(s.f.t.Context(), q)
	s.f.ok(err)
	return page.Results
}
