package feed_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, want string }{
		{"plain & simple, 1 < 2", "plain & simple, 1 < 2"},
		{"<p>One &amp; two</p>\n\n<p>Three<br>four</p>", "One & two\nThree\nfour"},
		{"<h2>Head</h2><ul><li>one</li><li><p>two</p></li><li></li></ul>end", "Head\n- one\n- two\nend"},
		{"<p>a\n   long\tline</p>", "a long line"},
		{"<p>See <a href='https://a.example'>this page</a>.</p>", "See this page."},
		{"a<b>b</b>c<i> d</i>", "abc d"},
		{"<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1 2\n3"},
		{"&amp;lt;b&amp;gt; &amp;amp;", "&lt;b&gt; &amp;"},
		{"<code>&lt;b&gt;</code>", "<b>"},
		{"x<script>alert('<p>')</script><style>p{}</style><nav><p>Home</p></nav><footer>(c)</footer>y", "x y"},
		{"x<div hidden>1<div>2</div>3</div><p style='color: red; DISPLAY : none'>4</p><span aria-hidden=true>5</span>y", "x y"},
		{"x<div hidden>never closed", "x"},
		{"x<img hidden src=a>y<input hidden>z", "xyz"},
		{"<svg><title>t</title><path/></svg>x<iframe src=a>old</iframe><form>Your address <button>Send</button></form>y", "x y"},
		{"<title>Head</title>body", "body"},
		{"\u202Egnp.exe\u202C\u2066\u200F\u200B\uFEFF\u00ADa\x00\x1B[31m\u0085b", "gnp.exea[31m\nb"},
		{"👩\u200d👩\u200d👧 क्\u200dष", "👩\u200d👩\u200d👧 क्\u200dष"},
		{"cafe\u0301", "café"},
		{"<p>Text.</p><p>The post <a>A: b &#038; c</a> appeared first on <a>Blog</a>.</p>", "Text."},
		{"<p>The post office is closed.</p><p>It appeared first on Monday.</p>", "The post office is closed.\nIt appeared first on Monday."},
		{"<p>Der Text.</p><p>Der Beitrag A erschien zuerst auf B.</p>", "Der Text."},
		{"<!-- no --><![CDATA[x]]>y", "y"},
		{"", ""},
	} {
		if got := feed.Text(c.source); got != c.want {
			t.Errorf("%q: got %q, want %q", c.source, got, c.want)
		}
	}
	long := feed.Text("<p>" + strings.Repeat("word ", 5000))
	if utf8.RuneCountInString(long) > feed.MaxText || !strings.HasSuffix(long, "…") {
		t.Errorf("a long text has %d characters", utf8.RuneCountInString(long))
	}
}

// TestTitle guards that titles are what people wrote, whichever layers of HTML a feed adds
// (blueskyfeedbot #113).
func TestTitle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, want string }{
		{"A & B", "A & B"},
		{"A &amp; B", "A & B"},
		{"A &#038; B &ndash; C&#8217;s", "A & B – C’s"},
		{"A &amp;amp; B", "A &amp; B"},
		{"<b>Bold</b> and <em class='x'>new</em>", "Bold and new"},
		{"One<br>two<br/>three", "One two three"},
		{"The <script> element", "The <script> element"},
		{"Use <b> or <strong>", "Use <b> or <strong>"},
		{"1 < 2 > 0", "1 < 2 > 0"},
		{"Vec<String> and List<T>", "Vec<String> and List<T>"},
		{"?a=1&copy=2&amp=3", "?a=1&copy=2&amp=3"},
		{"two\nlines\t here ", "two lines here"},
		{"&nothing; &; &#xFFFFFF;", "&nothing; &;"},
		{"\u202Eevil", "evil"},
	} {
		if got := feed.Title(c.source); got != c.want {
			t.Errorf("%q: got %q, want %q", c.source, got, c.want)
		}
	}
}
