package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	xhtml "golang.org/x/net/html"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// pieces are what the texts of random posts consist of.
var pieces = []string{
	"word ", "Ärger ", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</div></textarea>", "&amp; &lt;", `"quoted" 'x'`, "{{.Token}}", "javascript:alert(1) ",
	"https://example.com/a?b=1&c=<d>. ", "http://example.com/\u200bx ", "\u202egnp.exe ", "\u200b", "\u00a0", "\u2066", "\ufeff", "👩\u200d👩\u200d👧 ", "❤\ufe0f ", "1\ufe0f\u20e3", "\n", "\n\n", "\t", "  ", "\u2028", "x\u200dy ", "שלום ",
}

func randomText(r *rand.Rand) string {
	text := "t"
	for range 1 + r.IntN(12) {
		text += pieces[r.IntN(len(pieces))]
	}
	return text
}

// readText returns the text of an element as its readers would copy it, with the characters
// that marks stand for.
func readText(n *xhtml.Node) string {
	if n.Type == xhtml.TextNode {
		return n.Data
	}
	var text strings.Builder
	for c := range n.ChildNodes() {
		text.WriteString(readText(c))
	}
	if n.Data != "mark" {
		return text.String()
	}
	code, err := strconv.ParseInt(strings.TrimPrefix(text.String(), "U+"), 16, 32)
	if err != nil {
		return text.String()
	}
	return string(rune(code))
}

// texts returns the texts of the elements below n that have a class among theirs.
func texts(n *xhtml.Node, name, class string) (list []string) {
	for c := range n.Descendants() {
		if c.Data == name && slices.Contains(strings.Fields(attribute(c, "class")), class) {
			list = append(list, readText(c))
		}
	}
	return list
}

// knownLinks finds the links that pieces contain.
var knownLinks = regexp.MustCompile(`https://example\.com/a\?b=1&c=|http://example\.com/`)

// linksIn returns the addresses of the links in the texts of parts below n that lead where
// they say.
func linksIn(n *xhtml.Node) (list []string) {
	for c := range n.Descendants() {
		if c.Data != "div" || attribute(c, "class") != "text" {
			continue
		}
		for a := range c.Descendants() {
			if a.Data == "a" && attribute(a, "href") == readText(a) {
				list = append(list, readText(a))
			}
		}
	}
	return list
}

// attributes returns the values of an attribute of the elements below n with a name.
func attributes(n *xhtml.Node, name, key string) (list []string) {
	for c := range n.Descendants() {
		if c.Data == name {
			list = append(list, attribute(c, key))
		}
	}
	return list
}

// shownFor returns the group of an account on the page of a post.
func (r *response) shownFor(account string) *xhtml.Node {
	r.t.Helper()
	for n := range r.document().Descendants() {
		if n.Data == "section" && attribute(n, "class") == "group" {
			for b := range n.Descendants() {
				if b.Data == "bdi" && readText(b) == account {
					return n
				}
			}
		}
	}
	r.t.Fatalf("%s does not show the account %s", r.path, account)
	return nil
}

// TestPageShowsWhatIsPublished guards that the page of a post has, for each account, exactly
// the texts, the links, the alt texts, the poll and the warning that the deliverer would
// publish, and that nothing of them becomes an element of the page.
func TestPageShowsWhatIsPublished(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	names := []string{"account of mine", "second <i>", "third"}
	accounts := []string{f.mine.account, f.newAccount(f.mine, names[1]), f.newAccount(f.mine, names[2])}
	path := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	random := rand.New(rand.NewPCG(3, 4))
	var files []string
	for i := range 4 {
		files = append(files, f.upload(mediatest.PNG(2+i, 2)).ID)
	}
	for range 300 {
		p := body{"content": randomText(random), "social_account_ids": accounts, "title": "a <b>title</b>"}
		if random.IntN(2) == 0 {
			p["thread"] = []body{{"content": randomText(random)}, {"content": randomText(random)}}
		}
		if random.IntN(3) == 0 {
			p["first_comment"] = body{"content": randomText(random)}
		}
		if random.IntN(3) == 0 {
			p["poll"] = body{"options": []string{"a" + randomText(random), "b" + randomText(random)}, "expires_in_seconds": 3600}
		}
		if random.IntN(3) == 0 {
			p["content_warning"] = randomText(random)
		}
		if random.IntN(2) == 0 {
			var media []body
			for _, id := range files[:1+random.IntN(len(files))] {
				media = append(media, body{"id": id, "alt_text": []string{"", randomText(random)}[random.IntN(2)]})
			}
			p["media"] = media
		}
		override := body{"social_account_id": accounts[1], "content": randomText(random)}
		if random.IntN(2) == 0 {
			override["thread"] = []body{{"content": randomText(random)}}
		}
		p["target_overrides"] = []body{override}
		made := f.create(p)
		f.do(nil, "POST", "/posts/"+made.ID+"/submit", body{"proposed_at": in(24 * time.Hour)}).want(http.StatusOK)
		var post schedctl.Post
		if err := f.store.View(t.Context(), func(r storage.Reader) (err error) { post, err = r.Post(f.mine.workspace, made.ID); return err }); err != nil {
			t.Fatal(err)
		}
		page := b.get(path + "/" + made.ID)
		for i := range post.Targets {
			shown := page.shownFor("fake " + names[i])
			var want, links, alts []string
			for _, part := range post.PartsFor(&post.Targets[i]) {
				want = append(want, part.Content)
				links = append(links, knownLinks.FindAllString(part.Content, -1)...)
				for _, m := range part.Media {
					alts = append(alts, m.AltText)
				}
			}
			if got := linksIn(shown); !slices.Equal(got, links) {
				t.Fatalf("%s links to %q, and publishes %q", names[i], got, links)
			}
			if got := attributes(shown, "img", "alt"); !slices.Equal(got, alts) {
				t.Fatalf("%s shows pictures with %q, and publishes %q", names[i], got, alts)
			}
			alts = slices.DeleteFunc(alts, func(alt string) bool { return alt == "" })
			if got := texts(shown, "span", "alt"); !slices.Equal(got, alts) {
				t.Fatalf("%s shows the alt texts %q, and publishes %q", names[i], got, alts)
			}
			if got := texts(shown, "div", "text"); !slices.Equal(got, want) {
				t.Fatalf("%s shows\n%q, and publishes\n%q", names[i], got, want)
			}
			want = nil
			if poll := post.PollFor(&post.Targets[i]); poll != nil {
				want = poll.Options
			}
			if got := texts(shown, "li", "text"); !slices.Equal(got, want) {
				t.Fatalf("%s shows the poll %q, and publishes %q", names[i], got, want)
			}
			warning := post.PresentationFor(&post.Targets[i]).ContentWarning
			if got := texts(shown, "dd", "text"); warning != "" && !slices.Contains(got, warning) {
				t.Fatalf("%s shows %q, and publishes the warning %q", names[i], got, warning)
			}
		}
		for n := range page.document().Descendants() {
			if n.Data == "script" || n.Data == "img" && attribute(n, "src") == "x" || n.Data == "i" || slices.ContainsFunc(n.Attr, func(a xhtml.Attribute) bool {
				return strings.HasPrefix(a.Key, "on") || a.Key == "href" && strings.HasPrefix(a.Val, "javascript")
			}) {
				t.Fatalf("the text has become %s %v", n.Data, n.Attr)
			}
		}
	}
}

// TestPagesStaySmall guards that the pages of lists have 60 KB at most, whatever they list.
func TestPagesStaySmall(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.Publishers = publish.NewRegistry(publishtest.NewUploadingFake("fake")) })
	at := time.Date(time.Now().Year()+1, 12, 1, 9, 0, 0, 0, time.UTC)
	name := strings.Repeat("&", 80)
	account, picture := f.newAccount(f.mine, name), f.upload(mediatest.PNG(2, 2)).ID
	for i := range 31 * 4 {
		f.create(body{"content": strings.Repeat(`"`, 200), "media_asset_ids": []string{picture}, "social_account_ids": []string{account}, "publish_at": at.AddDate(0, 0, i/4).Add(time.Duration(i) * time.Minute)})
	}
	for range 60 {
		f.proposed(body{"content": strings.Repeat(`"`, 200)})
	}
	b := &browser{f: f}
	calendar := pathOf(f.share(nil, body{"kind": "calendar", "name": "Client"}))
	pages := []string{f.reviewer(body{"can": "view"})}
	for _, view := range []string{"month", "week", "agenda"} {
		pages = append(pages, fmt.Sprintf("%s?view=%s&date=%s", calendar, view, at.Format("2006-01-02")))
	}
	for _, path := range pages {
		page := b.get(path)
		if n := len(page.body); n > 60<<10 {
			t.Errorf("%s has %d bytes", path[46:], n)
		}
		thumbnails := attributes(page.document(), "img", "src")
		if strings.Contains(path, "view=") != (len(thumbnails) >= 20) || slices.ContainsFunc(thumbnails, func(src string) bool { return !strings.HasPrefix(src, "../media/") }) {
			t.Errorf("%s has %d thumbnails: %.3q", path[46:], len(thumbnails), thumbnails)
		}
	}
	if n := len(b.get("/s/style.css").body); n > 12<<10 {
		t.Errorf("the style sheet has %d bytes", n)
	}
}

// TestPagesOfLongPostsStaySmall guards that the page of a post has 60 KB at most, whatever the
// post has; that it says so, and does not approve what it does not show; and that the whole
// page shows everything.
func TestPagesOfLongPostsStaySmall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	for name, sign := range map[string]string{"quotes": `"`, "pluses": "+", "emoji": "👩", "marks": "\u200b", "links": "http://a.b/\u00fc "} {
		text := "t" + strings.Repeat(sign, 4990/len([]rune(sign))) + "."
		thread := slices.Repeat([]body{{"content": text}}, 24)
		var accounts []string
		for i := range 40 {
			accounts = append(accounts, f.newAccount(f.mine, fmt.Sprintf("%s %d", name, i)))
		}
		p := f.proposed(body{"content": "before", "thread": thread})
		at := path + "/" + p.ID
		form := b.get(at).fields("changes")
		form.Set("text", text)
		b.send(sameOrigin, "POST", at, form).want(http.StatusSeeOther)
		override := body{"social_account_id": accounts[0], "content": "only here"}
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"content": text, "social_account_ids": accounts, "target_overrides": []body{override}}).want(http.StatusOK)
		f.do(nil, "POST", "/posts/"+p.ID+"/submit", body{"note": text}).want(http.StatusOK)
		for i := range 20 {
			f.do(nil, "POST", "/posts/"+p.ID+"/notes", body{"text": fmt.Sprint(text, i)}).want(http.StatusCreated)
		}
		page := b.get(at)
		form = page.fields("changes")
		form.Set("text", text)
		form.Del("form")
		for what, page := range map[string]*response{"the page": page, "the page of a refused form": b.send(sameOrigin, "POST", at, form)} {
			if n := len(page.body); n > 60<<10 {
				t.Errorf("%s: %s has %d bytes", name, what, n)
			}
			if strings.Contains(string(page.body), `value="approve"`) || !page.says("Show everything before you approve") || !page.says("more before these") || !page.says("more characters") {
				t.Errorf("%s: %s does not say that it is shortened", name, what)
			}
		}
		whole := b.get(at + "?all=1")
		if got := texts(whole.shownFor("fake "+name+" 39"), "div", "text"); len(got) != 25 || got[24] != text || whole.says("Show everything") || whole.fields("approve") == nil {
			t.Errorf("%s: the whole page is shortened", name)
		}
		if got := texts(whole.document(), "p", "text"); !slices.Contains(got, fmt.Sprint(text, 0)) {
			t.Errorf("%s: the whole page lacks the first comment", name)
		}
	}
}

// TestPageShowsWhatNetworksGet guards that a picture that does not fit a network is shown as
// the network gets it, and that other pictures are the originals.
func TestPageShowsWhatNetworksGet(t *testing.T) {
	t.Parallel()
	uploading := publishtest.NewUploadingFake("fake")
	uploading.Rules.Classes[schedctl.MediaImage] = publish.ClassRules{Types: []string{"image/png"}, MaxWidth: 100}
	var signer *media.Signer
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.Publishers, signer = publish.NewRegistry(uploading), c.Signer })
	small, large := f.upload(mediatest.PNG(90, 90)).ID, f.upload(mediatest.PNG(200, 90)).ID
	p := f.proposed(body{"content": "x", "media": []body{{"id": small}, {"id": large, "alt_text": "a cat"}}})
	page := (&browser{f: f}).get(f.reviewer(body{"can": "view"}) + "/" + p.ID)
	shown := attributes(page.shownFor("fake account of mine"), "img", "src")
	if len(shown) != 2 || !page.says("as fake gets it") {
		t.Fatalf("the page: %s", page.body)
	}
	for i, action := range []media.Action{media.ActionDownload, media.ActionVariant} {
		c, err := signer.Verify(strings.TrimPrefix(shown[i], "../../media/"), action, time.Now())
		if err != nil || c.AssetID != []string{small, large}[i] || c.Platform != []string{"", "fake"}[i] {
			t.Errorf("picture %d: %+v, %v", i, c, err)
		}
	}
}
