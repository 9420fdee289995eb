package postfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/postfile"
)

func TestLock(t *testing.T) {
	t.Parallel()
	l, err := postfile.ParseLock(nil)
	if err != nil || l.Knows("ws_1") || l.IDs("ws_1") != nil {
		t.Fatalf("an empty lock knows something: %v", err)
	}
	launch := postfile.Entry{Post: "post_1", At: "2027-01-01T09:00:00Z", Applied: "x"}
	l.Put("ws_1", "launch", launch)
	l.Put("ws_1", "draft", postfile.Entry{Post: "post_2", Applied: "y"})
	l.Put("ws_2", "launch", postfile.Entry{Post: "post_3", At: "2028-01-01T09:00:00Z", Applied: "z", Gone: true})
	data, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "version": 1,
  "about": "Which post each file is. Written by schedctl apply; keep it with the files.",
  "workspaces": {
    "ws_1": {
      "posts": {
        "draft": {
          "post": "post_2",
          "applied": "y"
        },
        "launch": {
          "post": "post_1",
          "at": "2027-01-01T09:00:00Z",
          "applied": "x"
        }
      }
    },
    "ws_2": {
      "posts": {
        "launch": {
          "post": "post_3",
          "at": "2028-01-01T09:00:00Z",
          "applied": "z",
          "gone": true
        }
      }
    }
  }
}
`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again, err := postfile.ParseLock(data)
	if err != nil {
		t.Fatal(err)
	}
	if e, found := again.Entry("ws_1", "launch"); !found || e != launch {
		t.Errorf("got %+v, %v", e, found)
	}
	if diff := cmp.Diff([]string{"draft", "launch"}, again.IDs("ws_1")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for at, want := range map[string]bool{launch.At: true, "2028-01-01T09:00:00Z": false, "": false} {
		if again.Applied("launch", at) != want {
			t.Errorf("applied with the time %q: %v", at, !want)
		}
	}
	again.Remove("ws_1", "launch")
	again.Remove("ws_3", "launch")
	if _, found := again.Entry("ws_1", "launch"); found {
		t.Error("it is still there")
	}
	if _, found := again.Entry("ws_3", "launch"); found || again.Knows("ws_3") {
		t.Error("an unknown workspace has entries")
	}
}

func TestLocksThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<<<<<<< HEAD\n{}":         "keep the entries of both",
		`{"version":2}`:            "it is of version 2, and this program knows version 1",
		`{"version":1,"workspaces`: "unexpected EOF",
	} {
		if _, err := postfile.ParseLock([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// checkLock feeds locks of any content: what can be read is written so that it
// reads the same.
func checkLock(t *testing.T, data []byte) {
	l, err := postfile.ParseLock(data)
	if err != nil {
		return
	}
	first, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := postfile.ParseLock(first)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := again.Encode(); err != nil || string(first) != string(second) {
		t.Fatalf("%v: %s then %s", err, first, second)
	}
}
