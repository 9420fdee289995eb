package client

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
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

// FuzzParseEvents reads whatever a server may send, in pieces of any size: it
// must end, and the pieces must not matter.
func FuzzParseEvents(f *testing.F) {
	for _, seed := range []string{
		"retry: 2000\nid: evt_1\n\nid: evt_2\nevent: post.created\ndata: {}\n\n", "data: x\r\n\r\n", "data: x\r\rdata", ":\n\n\n", "\ufeff\ufeffdata:x\n\n", "id:\x00\n\n", "data\ndata\n\n\r",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, p, err := parsed(strings.NewReader(text))
		pieces, q, err2 := parsed(iotest.OneByteReader(strings.NewReader(text)))
		if diff := cmp.Diff(whole, pieces); diff != "" || (err == io.EOF) != (err2 == io.EOF) || p.retry != q.retry {
			t.Fatalf("%q reads differently in pieces (%v, %v): %s", text, err, err2, diff)
		}
		if strings.ContainsRune(p.id, '\n') || p.retry < 0 {
			t.Fatalf("%q: id %q, retry %s", text, p.id, p.retry)
		}
	})
}
