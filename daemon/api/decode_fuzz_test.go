package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/scripts/cost"
)

// FuzzDecode compares the decoder with encoding/json and with the rules in
// strictJSON. Both must reject the same bodies and read the same values from all
// others.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"content":"x"}`, `{"content":"\ud83d\ude00","social_account_ids":["a","b"],"publish_at":"2036-06-02T15:00:00Z"}`,
		`{"content":"x","publish_at":null,"allow_duplicate":true}`, `{"content":"x","target_overrides":[{"social_account_id":"a","content":null,"options":{"b":[1]}},{}]}`, `{"content":"x","content":"y"}`, "{\"content\":\"\xff\"}",
		`{"a":{"b":[1,-2.5e3,null,false,"\u0000"]},"content":5}`, `{"content":"\ud800"}`, `[[[[`, `{"content":"x"} x`, ` {} `, `{"":0}`, `{"content":1e999}`,
		`{"a":{"b":1,"\u0062":2}}`, `["\ud83d\ud83d"]`, `["\ude00"]`, `["\\ud800"]`, "\xef\xbb\xbf{}", "{\"\xc0\x80\":1}", "", " ", `{"a":1}}`, `{'a':1}`, `[1,]`, `[01]`, `[+1]`, `[.5]`, `[1.]`, `[1e]`, `[nul]`, `["\x41"]`, "[\"\t\"]",
		strings.Repeat("[", 32) + strings.Repeat("]", 32), strings.Repeat("[", 33) + strings.Repeat("]", 33), strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		defer cost.Check(t, len(data))()
		got, err := decode(&schedctl.APIKey{}, data, readCreatePost)
		value, valueErr := decode(&schedctl.APIKey{}, data, func(d *decoder) any { return d.value() })
		strict := strictJSON(data)
		if refused := schedctl.CodeOf(err) == schedctl.InvalidJSON; refused == strict {
			t.Fatalf("%q is strict JSON: %t; decoding it returns %v", data, strict, err)
		}
		if refused := schedctl.CodeOf(valueErr) == schedctl.InvalidJSON; refused == strict {
			t.Fatalf("%q is strict JSON: %t; decoding it as a value returns %v", data, strict, valueErr)
		}
		if !strict {
			return
		}
		if valueErr == nil {
			var want any
			if err := json.Unmarshal(data, &want); err != nil || !reflect.DeepEqual(value, want) {
				t.Fatalf("%q reads as %#v, want %#v (%v)", data, value, want, err)
			}
		}
		if err != nil {
			return
		}
		var want apiv1.CreatePost
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q is accepted: %v", data, err)
		}
		content := got.Content
		if content.Text != want.Content || !slices.Equal(got.AccountIDs, want.SocialAccountIDs) {
			t.Fatalf("%q reads as %+v, want %+v", data, got, want)
		}
		if !utf8.ValidString(content.Text) || strings.Contains(content.Text, "\x00") {
			t.Fatalf("%q is accepted as content", content.Text)
		}
	})
}

// halfPair matches an unpaired escaped surrogate, after all other escapes that start
// with a backslash, and all pairs, are removed.
var (
	otherEscape = regexp.MustCompile(`\\[^u]`)
	wholePair   = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	halfPair    = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// strictJSON checks the rules for bodies independently of the decoder: one JSON
// text in UTF-8 with unique names, no lone surrogates and no more than maxDepth
// levels.
func strictJSON(data []byte) bool {
	if !utf8.Valid(data) || !json.Valid(data) {
		return false
	}
	escapes := wholePair.ReplaceAll(otherEscape.ReplaceAll(data, []byte(" ")), []byte(" "))
	return !halfPair.Match(escapes) && strictLevels(json.NewDecoder(bytes.NewReader(data)), maxDepth)
}

// strictLevels reads one value and reports whether its names are unique and its
// nesting is within the given number of levels.
func strictLevels(d *json.Decoder, levels int) bool {
	token, _ := d.Token()
	delim, ok := token.(json.Delim)
	if !ok {
		return true
	}
	seen := map[any]bool{}
	for d.More() {
		if delim == '{' {
			name, _ := d.Token()
			if seen[name] {
				return false
			}
			seen[name] = true
		}
		if !strictLevels(d, levels-1) {
			return false
		}
	}
	_, _ = d.Token()
	return levels > 0
}

func TestSuggestion(t *testing.T) {
	t.Parallel()
	known := []string{"content", "publish_at", "social_account_ids"}
	for name, want := range map[string]string{
		"publish_ta":         `did you mean "publish_at"?`,
		"contents":           `did you mean "content"?`,
		"socialAccountIds":   `did you mean "social_account_ids"?`,
		"c":                  "known here: content, publish_at, social_account_ids",
		"something_else_ids": "known here: content, publish_at, social_account_ids",
	} {
		if got := usecase.Suggestion(name, known); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
