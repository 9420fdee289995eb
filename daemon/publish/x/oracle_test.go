package x_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/x"
)

// generated texts consist of these pieces, in any order.
var pieces = []string{
	"a", "Zz", "word", "x1", " ", " ", "\n", "\t", "é", "é", "ß", "日本語", "カナ", "и", "Ж", "ſ", "K", "😀", "👨‍👩‍👧‍👦", "👍🏽", "❤️", "❤", "❤︎", "☝️", "☝︎", "☝🏽",
	"🇩🇪", "🇩", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "#️⃣", "©", "©️", "™", "🧑‍🚀", "🫠", "\u200d", "\ufe0f", "\ufe0e", "\u200b", "\u2028", "\u202a", "\u0301", "…", "–", "—", "’", "“", "€", "ツ",
	".", ".", ".", ":", "/", "/", "@", "#", "$", "-", "_", "?", "&", "=", "+", "!", ",", ";", "(", ")", "[", "]", "'", "\"", "*", "%", "|", "~", "<", ">", "\\",
	"http://", "https://", "HTTPS://", "http:/", "ftp://", "www.", "example.com", "Example.COM", "example.org", "t.co/", "https://t.co/abcdefghij", "t.co",
	"a.b.c.de", "foo.co.uk", "x.museum", "example.invalid", "example.рф", "пример.рф", "пример.РФ", "münchen.de", "日本語.jp", "例え.テスト", "example.みんな", "みんな.example.com",
	"xn--mnchen-3ya.de", "xn--p1ai", "a.xn--p1ai", "com", ".com", "com.", ".co", ".jp", ".みんな", ".网络", ".xn--abc", "中国", ".中国", "example.com:8080", ":80", ":80a",
	"/path", "/a(b)c", "/a(b(c)d)", "/(x", "/@user/", "/@user", "?q=1&r=2", "?q=.", "#frag", "/Ждать", "/é", "/日本", "user@example.com", "@user", "#tag", "$CASH", "1.5", "e.g.", "i.e.", "a.m",
	"_foo.example.com", "foo_bar.example.com", "foo-.com", "-foo.com", "foo..com", "127.0.0.1", "http://127.0.0.1/", "http://localhost/", "http://user:pass@example.com/",
	"longlabellonglabellonglabellonglabellonglabellonglabellonglabell.com", "\ufeff", "\uffff", "ͅ", "ι",
}

func generate(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(14) {
		if random.IntN(40) == 0 {
			if r := rune(random.IntN(0x20000)); r < 0xD800 || r > 0xDFFF {
				b.WriteRune(r)
			}
			continue
		}
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

// TestLengthAgreesWithTwitterText compares the length of 10,000 generated texts with X's
// own library.
func TestLengthAgreesWithTwitterText(t *testing.T) {
	t.Parallel()
	dir := publishtest.RequireModules(t, "twitter-text")
	random := rand.New(rand.NewPCG(1, 21))
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = generate(random)
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	program := `const text = require("twitter-text");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((t) => text.parseTweet(t).weightedLength)));`
	node := exec.CommandContext(t.Context(), "node", "-e", program)
	node.Stdin, node.Stderr = bytes.NewReader(input), os.Stderr
	node.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(dir, "node_modules"))
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	if err := json.Unmarshal(out, &want); err != nil || len(want) != len(texts) {
		t.Fatalf("%d lengths, %v", len(want), err)
	}
	faults := 0
	for i, text := range texts {
		if got, _ := x.Weighted(text); got != want[i] {
			if faults++; faults <= 20 {
				t.Errorf("%q: length %d, want %d", text, got, want[i])
			}
		}
	}
	if faults > 0 {
		t.Errorf("%d of %d lengths differ", faults, len(texts))
	}
}
