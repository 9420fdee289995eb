package client

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/scripts/cost"
)

// parsed returns the messages of a stream as "id|name|data", a message without
// data as "id|name|-".
func parsed(r io.Reader) (messages []string, p *eventParser, err error) {
	p = newEventParser(r)
	for {
		m, err := p.next()
		if err != nil {
			return messages, p, err
		}
		data := "-"
		if m.data != nil {
			data = string(m.data)
		}
		messages = append(messages, m.id+"|"+m.name+"|"+data)
	}
}

func TestParseEvents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                           nil,
		"data: x\n\n":                {"||x"},
		"data:x\ndata: y\ndata:\n\n": {"||x\ny\n"},
		"id: 1\nevent: e\ndata: x\n\ndata: y\n\n": {"1|e|x", "1||y"},
		"id: 1\n\n":                             {"1||-"},
		": comment\n\n":                         {"||-"},
		"data\n\n":                              {"||"},
		"data:  x:y\n\n":                        {"|| x:y"},
		"\ufeffdata: x\n\n":                     {"||x"},
		"data: x\r\n\r\ndata: y\r\rdata: z\n\r": {"||x", "||y", "||z"},
		"unknown: x\nDATA: y\ndata: z\n\n":      {"||z"},
		"id: 1\n\nid: 2\x003\ndata: x\n\n":      {"1||-", "1||x"},
		"data: x\n\ndata: cut off\n":            {"||x"},
	} {
		for way, r := range map[string]io.Reader{"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
			got, _, err := parsed(r)
			if diff := cmp.Diff(want, got); diff != "" || err != io.EOF {
				t.Errorf("%q %s: %v, -want +got:\n%s", text, way, err, diff)
			}
		}
	}
}

func TestParseBrokenStream(t *testing.T) {
	t.Parallel()
	if got, _, err := parsed(strings.NewReader("data: x\n\ndata: y")); !errors.Is(err, errCutOff) || len(got) != 1 {
		t.Errorf("a line that is cut off: %v, %v", got, err)
	}
	broken := errors.New("reset")
	if got, _, err := parsed(io.MultiReader(strings.NewReader("data: x\n\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("a broken connection: %v, %v", got, err)
	}
	if _, _, err := parsed(strings.NewReader("data: " + strings.Repeat("x", maxEventLine) + "\n\n")); err == io.EOF {
		t.Error("a line without end is read")
	}
}

func TestParseRetry(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"2000": 2 * time.Second, "0": 0, "": 0, "-1": 0, "+5": 0, "1.5": 0, "2s": 0, "99999999999999999999": 0, "9000000000000000": 1 << 30 * time.Millisecond,
	} {
		if _, p, _ := parsed(strings.NewReader("retry: " + value + "\n\n")); p.retry != want {
			t.Errorf("retry: %s is %s, want %s", value, p.retry, want)
		}
	}
}

// checkParseEvents reads whatever a server may send, in pieces of any size: it
// must end, and the pieces must not matter.
func checkParseEvents(t *testing.T, text string) {
	whole, p, err := parsed(strings.NewReader(text))
	pieces, q, err2 := parsed(iotest.OneByteReader(strings.NewReader(text)))
	if diff := cmp.Diff(whole, pieces); diff != "" || (err == io.EOF) != (err2 == io.EOF) || p.retry != q.retry {
		t.Fatalf("%q reads differently in pieces (%v, %v): %s", text, err, err2, diff)
	}
	if strings.ContainsRune(p.id, '\n') || p.retry < 0 {
		t.Fatalf("%q: id %q, retry %s", text, p.id, p.retry)
	}
}

// checkTime wants a time that is read to mean the same when it is written.
func checkTime(t *testing.T, s string) {
	in, err := json.Marshal(s)
	if err != nil {
		return
	}
	var first, second apiv1.Time
	if json.Unmarshal(in, &first) != nil {
		return
	}
	first.Time = first.Truncate(time.Millisecond)
	out, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &second); err == nil && !second.Equal(first.Time) {
		t.Errorf("%s came back as %s", first, second)
	}
}

// checkParseID wants an id that is read to be written as it was.
func checkParseID(t *testing.T, id string) {
	if u, ok := schedctl.ParseID(schedctl.PostPrefix, id); ok && u.ID(schedctl.PostPrefix) != id {
		t.Errorf("%q came back as %q", id, u.ID(schedctl.PostPrefix))
	}
}

// FuzzTexts reads what a daemon sends: the first number chooses what.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{
		"retry: 2000\nid: evt_1\n\nid: evt_2\nevent: post.created\ndata: {}\n\n", "data: x\r\n\r\n", "data: x\r\rdata", ":\n\n\n", "\ufeff\ufeffdata:x\n\n", "id:\x00\n\n", "data\ndata\n\n\r",
	} {
		f.Add(byte(0), seed)
	}
	f.Add(byte(1), "2026-06-02T15:00:00.25Z")
	f.Add(byte(2), "post_01ARZ3NDEKTSV4RRFFQ69G5FAV")
	f.Add(byte(2), "post_7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	f.Fuzz(func(t *testing.T, of byte, text string) {
		defer cost.Check(t, len(text))()
		switch of % 3 {
		case 0:
			checkParseEvents(t, text)
		case 1:
			checkTime(t, text)
		case 2:
			checkParseID(t, text)
		}
	})
}
