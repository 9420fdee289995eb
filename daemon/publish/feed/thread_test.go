package feed_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/feed"
)

// threadFeed is a feed with a thread and an ordinary entry.
func threadFeed() memory {
	m := posts("One & only", "Ordinary")
	pictures := files()
	m.entries[0].Media = pictures[:1]
	m.entries[0].Parts = []feed.Part{
		{Content: "Two\nlines <b>", Media: []publish.Media{pictures[0], pictures[2]}}, {Media: pictures[1:2]}, {Content: "The comment"},
	}
	m.entries[0].Presentation = schedctl.Presentation{ContentWarning: `Spiders & "webs"`, Language: "de-AT"}
	return m
}

func TestAThreadIsOneEntry(t *testing.T) {
	t.Parallel()
	m := threadFeed()
	target := m.entries[0].ID
	var atom struct {
		Entry []struct {
			Language string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
			Title    string `xml:"title"`
			Summary  string `xml:"summary"`
			Content  struct {
				Type string `xml:"type,attr"`
				Body string `xml:",chardata"`
			} `xml:"content"`
			Links []struct {
				Rel string `xml:"rel,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(ask(m, http.MethodGet, "/feeds/news.atom").Body.Bytes(), &atom); err != nil || len(atom.Entry) != 2 {
		t.Fatalf("%v, %d entries", err, len(atom.Entry))
	}
	ordinary, thread := atom.Entry[0], atom.Entry[1]
	if ordinary.Language != "" || ordinary.Summary != "" || ordinary.Content.Type != "" || len(ordinary.Links) != 1 {
		t.Errorf("the ordinary entry is %+v", ordinary)
	}
	if thread.Language != "de-AT" || thread.Title != `Spiders & "webs"` || thread.Summary != thread.Title || thread.Content.Type != "html" || len(thread.Links) != 1+3 {
		t.Errorf("the thread is %+v", thread)
	}
	at := 0
	for _, want := range []string{
		"<p>One &amp; only</p>", "beach", `<section id="part-2">`, "<p>Two<br>\nlines &lt;b&gt;</p>", "/media/" + target, "</section>",
		`<section id="part-3">`, "<img", `<section id="part-4">`, "<p>The comment</p>",
	} {
		next := strings.Index(thread.Content.Body[at:], want)
		if next < 0 {
			t.Fatalf("%q is missing in order in %s", want, thread.Content.Body)
		}
		at += next
	}

	var items struct {
		Items []struct {
			Text        string `json:"content_text"`
			HTML        string `json:"content_html"`
			Summary     string `json:"summary"`
			Language    string `json:"language"`
			Attachments []any  `json:"attachments"`
		} `json:"items"`
	}
	if err := json.Unmarshal(ask(m, http.MethodGet, "/feeds/news.json").Body.Bytes(), &items); err != nil {
		t.Fatal(err)
	}
	got := items.Items[1]
	if got.Text != "One & only\n\nTwo\nlines <b>\n\nThe comment" || got.Summary != `Spiders & "webs"` || got.Language != "de-AT" || len(got.Attachments) != 3 || got.HTML != thread.Content.Body {
		t.Errorf("the item is %+v", got)
	}
}

// Each receipt leads to its part, which the page hides behind the content warning.
func TestThePageOfAThread(t *testing.T) {
	t.Parallel()
	m := threadFeed()
	r := publish.Request{TargetID: m.entries[0].ID, Account: schedctl.Account{Name: "news"}, Rest: make([]publish.RequestPart, 3)}
	receipt, err := feed.New(publicURL).Publish(t.Context(), r)
	if err != nil || len(receipt.Rest) != 3 {
		t.Fatalf("got %+v, %v", receipt, err)
	}
	body := ask(m, http.MethodGet, path(t, receipt.URL)).Body.String()
	for _, part := range receipt.Rest {
		page, anchor, _ := strings.Cut(part.URL, "#")
		if page != receipt.URL || !strings.Contains(body, `id="`+anchor+`"`) {
			t.Errorf("%+v does not lead to a part of %s", part, body)
		}
	}
	for _, want := range []string{`<html lang="de-AT">`, "<details>\n<summary>Spiders &amp; &#34;webs&#34;</summary>\n<p>One", "</section>\n</details>"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in %s", want, body)
		}
	}
	file := "/feeds/news/media/" + r.TargetID + "-" + files()[2].AssetID + ".mp4"
	if w := ask(m, http.MethodGet, file); w.Code != 200 {
		t.Errorf("%s: %d", file, w.Code)
	}
}

func TestFeedsArePublic(t *testing.T) {
	t.Parallel()
	f := feed.New(publicURL)
	check := f.Check(schedctl.Account{}, publish.Content{Extras: publish.Extras{
		Presentation: schedctl.Presentation{Visibility: schedctl.VisibilityFollowers}, Preview: schedctl.LinkPreview{Mode: schedctl.PreviewCard},
	}})
	if len(check.Problems) != 1 || check.Problems[0].Code != "visibility" || len(check.Warnings) != 1 {
		t.Errorf("got %+v", check)
	}
	alone, err := f.Publish(t.Context(), publish.Request{TargetID: "pt_1", Part: 2, Account: schedctl.Account{Name: "news"}})
	want := schedctl.Receipt{ID: "pt_1-2", URL: publicURL + "/feeds/news/pt_1#part-3"}
	if diff := cmp.Diff(want, alone); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
