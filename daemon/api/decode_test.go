package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

func TestBodiesThatAreNotStrictJSON(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, tt := range map[string]struct{ body, says string }{
		"empty":                      {"", "empty"},
		"white space":                {" \n", "is incomplete"},
		"byte order mark":            {"\xef\xbb\xbf" + `{"content":"x"}`, "byte order mark"},
		"invalid UTF-8":              {"{\"content\":\"\xff\"}", "invalid UTF-8"},
		"surrogate as UTF-8":         {"{\"content\":\"\xed\xa0\x80\"}", "invalid UTF-8"},
		"doubled name":               {`{"content":"x","content":"y"}`, `the name "content" appears twice`},
		"doubled name with escapes":  {`{"content":"x","conten\u0074":"y"}`, "twice"},
		"doubled unknown name":       {`{"content":"x","a":1,"a":2}`, "twice"},
		"doubled name inside":        {`{"content":"x","a":{"b":1,"b":2}}`, "twice"},
		"something after":            {`{"content":"x"} {}`, "unexpected data"},
		"a closing brace after":      {`{"content":"x"}}`, "unexpected data"},
		"lone high surrogate":        {`{"content":"\ud83d"}`, "surrogate"},
		"lone low surrogate":         {`{"content":"\ude00"}`, "surrogate"},
		"high surrogate and a word":  {`{"content":"\ud83dabcdef"}`, "surrogate"},
		"two high surrogates":        {`{"content":"\ud83d\ud83d"}`, "surrogate"},
		"a comma at the end":         {`{"content":"x",}`, "invalid character ','"},
		"a comma at the end of list": {`{"social_account_ids":["a",]}`, "invalid character ','"},
		"no comma":                   {`{"content":"x" "publish_at":null}`, "expecting ',' or '}'"},
		"no colon":                   {`{"content" "x"}`, "expecting ':'"},
		"single quotes":              {`{'content':'x'}`, `invalid character '\''`},
		"no quotes":                  {`{content:"x"}`, "invalid character 'c'"},
		"comment":                    {`{"content":"x" /* why */}`, "invalid character '/'"},
		"control character":          {"{\"content\":\"a\nb\"}", "control character"},
		"control character later":    {"{\"content\":\"\\ta\nb\"}", "control character"},
		"unknown escape":             {`{"content":"\x41"}`, "escape"},
		"short escape":               {`{"content":"\u12"}`, "escape"},
		"open string":                {`{"content":"x`, "is incomplete"},
		"open escape":                {`{"content":"x\`, "is incomplete"},
		"open object":                {`{"content":"x"`, "is incomplete"},
		"open list":                  {`{"social_account_ids":["a"`, "is incomplete"},
		"bad word":                   {`{"content":nul}`, "literal null"},
		"NaN":                        {`{"a":NaN}`, "invalid character 'N'"},
		"leading zero":               {`{"a":012}`, "expecting ',' or '}'"},
		"leading plus":               {`{"a":+1}`, "invalid character '+'"},
		"bare minus":                 {`{"a":-}`, "digit"},
		"bare point":                 {`{"a":1.}`, "digit"},
		"bare exponent":              {`{"a":1e}`, "digit"},
		"nested too deeply":          {`{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, "nested"},
		"nested beyond all bounds":   {strings.Repeat(`{"a":`, 100_000), "nested"},
		"no object but a broken one": {`["a"`, "is incomplete"},
	} {
		e := f.do(nil, "POST", "/posts", tt.body).refused(schedctl.InvalidJSON)
		if !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: %q does not say %q", name, e.Message, tt.says)
		}
	}
}

func TestBodiesOfTheWrongShape(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, tt := range []struct{ body, field, says string }{
		{`[]`, "", "the body must be an object, not a list"},
		{`null`, "", "the body must be an object, not null"},
		{`"content"`, "", "the body must be an object, not a string"},
		{`5`, "", "the body must be an object, not a number"},
		{`true`, "", "the body must be an object, not a boolean"},
		{`{"content":null}`, "content", "content must be a string, not null"},
		{`{"content":{}}`, "content", "content must be a string, not an object"},
		{`{"content":-1.5e+3}`, "content", "content must be a string, not a number"},
		{`{"content":"x","social_account_ids":null}`, "social_account_ids", "must be a list of strings, not null"},
		{`{"content":"x","social_account_ids":"acct_1"}`, "social_account_ids", "must be a list of strings, not a string"},
		{`{"content":"x","social_account_ids":["a",7]}`, "social_account_ids[1]", "must be a string, not a number"},
		{`{"content":"x","publish_at":false}`, "publish_at", "must be a string with a time, not a boolean"},
		{`{"content":"x","allow_duplicate":"yes"}`, "allow_duplicate", "must be true or false, not a string"},
		{`{"content":"a\u0000b"}`, "content", "NUL"},
		{`{"Content":"x"}`, "Content", `did you mean "content"?`},
		{`{"content":"x","publish_ta":null}`, "publish_ta", `did you mean "publish_at"?`},
		{`{"content":"x","when":null}`, "when", "known here: content, media, media_asset_ids, thread, first_comment, poll"},
		{`{"content":"x","":1}`, "", "unknown field"},
		{`{"content":"x","` + strings.Repeat("é", 100) + `":1}`, strings.Repeat("é", 32) + "…", "unknown field"},
	} {
		e := f.do(nil, "POST", "/posts", tt.body).refused(schedctl.ValidationFailed)
		if e.Details[0].Field != tt.field || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: field %q, message %q; want %q saying %q", tt.body, e.Details[0].Field, e.Message, tt.field, tt.says)
		}
	}
}

// TestManyFaultsAreBounded guards that a response names 20 faults and counts the
// others.
func TestManyFaultsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var b strings.Builder
	b.WriteString(`{"content":"x"`)
	for i := range 20_000 {
		fmt.Fprintf(&b, `,"field%d":1`, i)
	}
	b.WriteString("}")
	r := f.do(nil, "POST", "/posts", b.String())
	if e := r.refused(schedctl.ValidationFailed); len(e.Details) != 21 || e.Details[20].Message != "and at least 1000 more" || len(r.body) > 10_000 {
		t.Errorf("%d faults in %d bytes: %v", len(e.Details), len(r.body), e.Details)
	}
}

// TestPathsOfFaults guards that a fault anywhere in a body has the path of its
// value, in which long names are clipped.
func TestPathsOfFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	long := strings.Repeat("n", 20_000)
	for body, want := range map[string]string{
		`{"content":"x","target_overrides":[{"social_account_id":"a"},{"social_account_id":7}]}`:                             "target_overrides[1].social_account_id",
		`{"content":"x","target_overrides":[{"social_account_id":"a","options":{"b":{"c":[0,{"d~/":"\u0000"}]}}}]}`:          "target_overrides[0].options.b.c[1].d~/",
		`{"content":"x","target_overrides":[{"content":"y"}]}`:                                                               "target_overrides[0].social_account_id",
		`{"content":"x","target_overrides":[{"social_account_id":"a","options":{"` + long + `":1e999}}]}`:                    "target_overrides[0].options." + long[:64] + "…",
		`{"content":"x","target_overrides":[{"social_account_id":"a","options":{"` + long + `":{"` + long + `":[1e999]}}}]}`: "target_overrides[0].options." + long[:64] + "…." + long[:128-len("target_overrides[0].options.")-64-len("….")] + "…",
		`{"content":"x","target_overrides":["` + long + `"]}`:                                                                "target_overrides[0]",
	} {
		e := f.do(nil, "POST", "/posts", body).refused(schedctl.ValidationFailed)
		if e.Details[0].Field != want {
			t.Errorf("%s: the fault is at %q, not %q", body[:min(len(body), 200)], e.Details[0].Field, want)
		}
	}
}

func TestStringsAreUnescaped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for text, want := range map[string]string{
		`"\"\\\/\b\f\n\r\t."`:         "\"\\/\b\f\n\r\t.",
		`"\u0041\u00e9\u2603"`:        "Aé☃",
		`"\ud83d\ude00 \uD83D\uDE00"`: "😀 😀",
		`"😀 e\u0301"`:                 "😀 e\u0301",
		`"\uFFFD\uFFFF"`:              "\ufffd\uffff",
		"\"x\u2028 \x7f\"":            "x\u2028 \x7f",
		`"&<>\u003c"`:                 "&<><",
	} {
		if got := f.do(nil, "POST", "/posts", `{"content":`+text+`}`).want(201).post(); got.Content != want {
			t.Errorf("%s reads as %q, want %q", text, got.Content, want)
		}
	}
}

func TestPublishAt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for text, want := range map[string]string{
		"2036-06-02T15:00:00Z":             "2036-06-02T15:00:00Z",
		"2036-06-02T15:00:00+00:00":        "2036-06-02T15:00:00Z",
		"2036-06-02T15:00:00.25Z":          "2036-06-02T15:00:00.250Z",
		"2036-06-02T15:00:00.000000Z":      "2036-06-02T15:00:00Z",
		"2036-06-02T15:00:00.0001Z":        "2036-06-02T15:00:00.001Z",
		"2036-06-02T15:00:00.9999Z":        "2036-06-02T15:00:01Z",
		"2036-06-02T15:00:00.000000000Z":   "2036-06-02T15:00:00Z",
		"2036-06-02T15:00:00.00000000001Z": "2036-06-02T15:00:00.001Z",
		"2036-06-02T15:00:00.12300000000Z": "2036-06-02T15:00:00.123Z",
		"2036-02-29T23:59:59Z":             "2036-02-29T23:59:59Z",
		"9999-12-31T23:59:59.999Z":         "9999-12-31T23:59:59.999Z",
	} {
		p := f.create(body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": text})
		if got := p.PublishAt.String(); got != want {
			t.Errorf("%s is understood as %s, want %s", text, got, want)
		}
	}
}

func TestPublishAtRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for text, says := range map[string]string{
		"2036-06-02T17:00:00+02:00":           "write the same instant as 2036-06-02T15:00:00Z",
		"2036-06-02T00:30:00.5-05:30":         "write the same instant as 2036-06-02T06:00:00.500Z",
		"2036-06-02T15:00:00-00:00":           "write the same instant as 2036-06-02T15:00:00Z",
		"2036-06-02T15:00:00":                 "local time",
		"2036-06-02T15:00":                    "local time",
		"2036-06-02 15:00:00":                 "local time",
		"2036-06-02 15:00":                    "local time",
		"2036-06-02T15:00:00.5":               "local time",
		"2036-06-02":                          "date without a time",
		"2036-06-02T15:00Z":                   "not an RFC 3339 time",
		"2036-06-02t15:00:00z":                "not an RFC 3339 time",
		"2036-06-02T15:00:00,5Z":              "not an RFC 3339 time",
		"2036-06-02T5:00:00Z":                 "not an RFC 3339 time",
		"2036-02-30T15:00:00Z":                "not an RFC 3339 time",
		"2036-06-02T24:00:00Z":                "not an RFC 3339 time",
		"2036-06-02T15:00:60Z":                "not an RFC 3339 time",
		"2036-06-02T15:00:00+99:00":           "not an RFC 3339 time",
		" 2036-06-02T15:00:00Z":               "not an RFC 3339 time",
		"2036-06-02T15:00:00Z ":               "not an RFC 3339 time",
		"tomorrow":                            "such as 2026-06-02T15:00:00Z",
		"NOW":                                 "not an RFC 3339 time",
		"":                                    "not an RFC 3339 time",
		"1780412400":                          "not an RFC 3339 time",
		"12036-06-02T15:00:00Z":               "not an RFC 3339 time",
		"9999-12-31T23:59:59.9999Z":           "outside the years",
		"9999-12-31T23:59:59-01:00":           "outside the years",
		"0000-01-01T00:00:00Z":                "outside the years",
		"0000-12-31T23:59:59.9999Z":           "outside the years",
		"0001-01-01T00:00:00Z":                "outside the years", // the zero time, which an earlier version read as a draft
		"1969-12-31T23:59:59Z":                "not in the future",
		time.Now().UTC().Format(time.RFC3339): "not in the future",
	} {
		e := f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": text}).refused(schedctl.InvalidPublishAt)
		if !strings.Contains(e.Message, says) {
			t.Errorf("%q: %q does not say %q", text, e.Message, says)
		}
	}
}
