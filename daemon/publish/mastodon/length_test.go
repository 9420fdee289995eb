package mastodon

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/schedctl/schedctl"
)

const urlLength = 23

func TestLength(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello", 5},
		{"héllo", 5},
		{"he\u0301llo", 5},
		{"👩‍👩‍👧‍👦🇩🇪👍🏽", 3},
		{"👩🏽‍💻 works", 7},
		{"한국어 각", 5},
		{"นี้", 1},
		{strings.Repeat("あ", 500), 500},
		{"क्ष", 2}, // as in Ruby before 4.0; 1 by newer rules
		{"a\r\nb", 3},

		{"@alice", 6},
		{"@alice@social.example", len("@alice")},
		{"hi @alice@social.example, @bob@other.example!", len("hi @alice, @bob!")},
		{"(@alice.b-c@social.example:8080)", len("(@alice.b-c:8080)")},
		{"你好@alice@social.example", 2 + len("@alice@social.example")},
		{"，@alice@social.example", 1 + len("@alice")},
		{"@alice@ドメイン.例え", len("@alice")},
		{"@a@b.example@c.example", len("@a@b.example@c.example")},
		{"@alice@social.example://x", len("@alice@social.example://x")},
		{"mail alice@social.example", len("mail alice@social.example")},
		{"u=@alice@social.example", len("u=@alice@social.example")},
		{"/@alice@social.example", len("/@alice@social.example")},
		{"@@alice@social.example", len("@@alice")},
		{"@élise@social.example", 6 + len("@social.example") - 1 + 1},
		{"https://mastodon.social/@alice@other.example", urlLength},
	} {
		if got := statusLength(tt.text, "", schedctl.Limits{URLCharacters: urlLength}); got != tt.want {
			t.Errorf("%q: got %d, want %d", tt.text, got, tt.want)
		}
	}
	if got := statusLength("https://mastodon.social", "careful", schedctl.Limits{}); got != 23+7 {
		t.Errorf("without a length for links: got %d, want 30", got)
	}
	if got := statusLength("\u0301accent", "e", schedctl.Limits{}); got != 7 {
		t.Errorf("an accent that joins the warning: got %d, want 7", got)
	}
}

// A link that is not found here is counted at its full length by Mastodon.
func TestLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"https://mastodon.social":         {"https://mastodon.social"},
		"HTTPS://MASTODON.SOCIAL/About":   {"HTTPS://MASTODON.SOCIAL/About"},
		"see http://a.com.":               {"http://a.com"},
		"see http://a.com/x.":             {"http://a.com/x"},
		"(http://a.com)":                  {"http://a.com"},
		"(http://a.com/b_(c))":            {"http://a.com/b_(c)"},
		"http://a.com/b_(c_(d))!":         {"http://a.com/b_(c_(d))"},
		"http://a.com/b_(c(d)(e))":        {"http://a.com/b_"},
		"http://a.com/b()":                {"http://a.com/b"},
		"http://a.com/b_(c":               {"http://a.com/b_"},
		"http://a.com/東京_(駅)":             {"http://a.com/東京_"},
		"http://a.com/東京_(駅)_口":           {"http://a.com/東京_(駅)_口"},
		"'http://a.com/x/'!?":             {"http://a.com/x/"},
		"http://a.com/x,y;z:":             {"http://a.com/x,y;z"},
		"http://a.com/\"x\"":              {"http://a.com/\"x"},
		"<http://a.com/x>":                {"http://a.com/x"},
		"http://a.com:8080/x":             {"http://a.com:8080/x"},
		"http://a.com:8080":               {"http://a.com:8080"},
		"http://a.com: yes":               {"http://a.com"},
		"http://a.com?b=c&d=(e)":          {"http://a.com?b=c&d=(e"},
		"http://a.com/?b=c&d=e.":          {"http://a.com/?b=c&d=e"},
		"http://a.com/?q=日本　x y":          {"http://a.com/?q=日本　x"},
		"http://a.com#b":                  {"http://a.com"},
		"http://a.com/#b":                 {"http://a.com/#b"},
		"http://a.com/x\nhttp://b.com/y":  {"http://a.com/x", "http://b.com/y"},
		"http://a.com,http://b.com":       {"http://a.com", "http://b.com"},
		"http://a.com/x,http://b.com":     {"http://a.com/x,http://b.com"},
		"見てhttps://a.com/xね":              {"https://a.com/xね"},
		"見てhttps://a.com。":                {"https://a.com"},
		"https://a.com/x。":                {"https://a.com/x。"},
		"https://a.com「x」":                {"https://a.com"},
		"https://a.comです":                 {"https://a.com"},
		"https://bücher.de/über":          {"https://bücher.de/über"},
		"https://xn--bcher-kva.xn--p1ai/": {"https://xn--bcher-kva.xn--p1ai/"},
		"https://пример.рф/путь":          {"https://пример.рф/путь"},
		"https://例え.みんなで":                 {"https://例え.みんな"},
		"https://sub_domain.a-b.co.uk/":   {"https://sub_domain.a-b.co.uk/"},
		"https://a.b_c.com":               nil, // the last part before .com has an underscore
		"https://-a.com":                  nil,
		"https://a..com":                  nil,
		"https://localhost/x":             nil,
		"https://server.local/x":          nil,
		"https://127.0.0.1/x":             nil,
		"https://[::1]/x":                 nil,
		"https://a.c":                     nil,
		"https://user@a.com":              nil,
		"https://user.name@a.com":         nil,
		"https://":                        nil,
		"a.com/x":                         nil,
		"www.a.com":                       nil,
		"a.com/?u=https://b.com/x":        nil,
		"ftp://a.com":                     nil,
		"gemini://a.com/x":                {"gemini://a.com/x"},
		"xhttps://a.com":                  nil,
		"1https://a.com":                  nil,
		"@https://a.com":                  nil,
		"#https://a.com":                  nil,
		"$https://a.com":                  nil,
		"_https://a.com":                  {"https://a.com"},
		"éhttps://a.com":                  {"https://a.com"},
		"end.https://a.com":               {"https://a.com"},
		"[x](https://a.com/y)":            {"https://a.com/y"},

		"https://a.com/" + strings.Repeat("x", 4082): {"https://a.com/" + strings.Repeat("x", 4082)},
		"https://a.com/" + strings.Repeat("x", 4083): nil,
	} {
		var got []string
		for _, e := range links(text) {
			got = append(got, text[e.start:e.end])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.100q: got %.100q, want %.100q", text, got, want)
		}
	}
}

func checkLength(t *testing.T, text, spoiler string) {
	whole := utf8.RuneCountInString(text) + utf8.RuneCountInString(spoiler)
	if got := statusLength(text, spoiler, schedctl.Limits{}); got < 0 || got > whole {
		t.Errorf("%q: got %d of %d characters", text, got, whole)
	}
	if got := statusLength(text, "", schedctl.Limits{}); got != uniseg.GraphemeClusterCount(text) {
		t.Errorf("%q: got %d, want it in full", text, got)
	}
	if got := statusLength(text, spoiler, schedctl.Limits{Unit: "characters"}); got != whole {
		t.Errorf("%q: got %d of %d characters", text, got, whole)
	}
	// A link that counts as one character can only make a text shorter.
	if got := statusLength(text, "", schedctl.Limits{URLCharacters: 1}); got > utf8.RuneCountInString(text) {
		t.Errorf("%q: got %d with links of one character", text, got)
	}
	end := 0
	for _, e := range links(text) {
		if e.start < end || e.end <= e.start || e.end > len(text) || !strings.Contains(text[e.start:e.end], "://") {
			t.Fatalf("%q: link %+v after %d", text, e, end)
		}
		end = e.end
	}
}
