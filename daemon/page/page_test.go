package page_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/page"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/scripts/cost"
)

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func frame() *page.Frame {
	return &page.Frame{Share: schedctl.Share{Name: "Dana"}, Workspace: schedctl.Workspace{Name: "Acme", Timezone: "Europe/Berlin"}, Token: "token", Now: now}
}

// publishing returns the view of a post with one part.
func publishing(part schedctl.TargetPart, assets ...schedctl.MediaAsset) *page.PostView {
	p := &schedctl.Post{ID: "post_1", Content: schedctl.Content{Text: "text"}, Review: schedctl.Review{Proposed: schedctl.ProposedTime{At: time.Date(2026, 12, 8, 8, 0, 0, 0, time.UTC)}}}
	return &page.PostView{
		Post: p, Assets: assets, FileURL: func(a *schedctl.MediaAsset, platform string) string { return "../../media/" + platform + a.ID }, CanDecide: true,
		Publications: []usecase.Publication{{Account: schedctl.Account{Platform: "fake", Name: "a"}, Target: schedctl.Target{Platform: "fake"}, Parts: []usecase.PublishedPart{{TargetPart: part, Converted: make([]bool, len(part.Media))}}}},
	}
}

func render(t *testing.T, v *page.PostView) string {
	t.Helper()
	out, err := page.Post(frame(), v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// timeTag is an element around a time.
var timeTag = regexp.MustCompile(`</?time[^>]*>`)

// TestLocales guards how each language of a workspace shows dates, and that a page says which
// language it is.
func TestLocales(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ full, month, days string }{
		"en": {"Tuesday 8 December 2026, 09:00 CET", "December 2026", "7 December – 13 December 2026"},
		"de": {"Dienstag, 8. Dezember 2026, 09:00 CET", "Dezember 2026", "7. Dezember 2026 – 13. Dezember 2026"},
		"es": {"martes, 8 de diciembre de 2026, 9:00 CET", "diciembre 2026", "7 de diciembre de 2026 – 13 de diciembre de 2026"},
		"fr": {"mardi 8 décembre 2026, 09:00 CET", "décembre 2026", "7 décembre 2026 – 13 décembre 2026"},
		"it": {"martedì 8 dicembre 2026, 09:00 CET", "dicembre 2026", "7 dicembre 2026 – 13 dicembre 2026"},
		"nl": {"dinsdag 8 december 2026, 09:00 CET", "december 2026", "7 december 2026 – 13 december 2026"},
		"pt": {"terça-feira, 8 de dezembro de 2026, 09:00 CET", "dezembro 2026", "7 de dezembro de 2026 – 13 de dezembro de 2026"},
		"sv": {"tisdag 8 december 2026, 09:00 CET", "december 2026", "7 december 2026 – 13 december 2026"},
	}
	for _, locale := range schedctl.Locales() {
		f := frame()
		f.Workspace.SetLocale(locale)
		lang := ` lang="` + locale + `"`
		if locale == "en" {
			lang = ""
		}
		post, err := page.Post(f, publishing(schedctl.TargetPart{Content: "text"}))
		if err != nil {
			t.Fatal(err)
		}
		if text := `<time datetime="2026-12-08T09:00:00+01:00"` + lang + `>` + want[locale].full + `</time>`; strings.Count(html.UnescapeString(string(post)), text) != 2 {
			t.Errorf("%s: the page does not have %q twice:\n%s", locale, text, post)
		}
		for view, title := range map[page.View]string{page.Month: want[locale].month, page.Week: want[locale].days} {
			span := page.Span{View: view, Date: time.Date(2026, 12, 8, 0, 0, 0, 0, time.UTC)}
			out, err := page.Calendar(f, span, page.Posts{}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text := "<h1" + lang + ">" + title + "</h1>"; !strings.Contains(string(out), text) {
				t.Errorf("%s: the calendar does not have %q:\n%s", locale, text, out)
			}
		}
	}
}

// TestTime guards that times are shown in the zone of the workspace, with its name, and in
// words.
func TestTime(t *testing.T) {
	t.Parallel()
	out := timeTag.ReplaceAllString(render(t, publishing(schedctl.TargetPart{Content: "text"})), "")
	for _, want := range []string{"Tuesday 8 December 2026, 09:00 CET, in 12 days", "Approve for Tuesday 8 December 2026, 09:00 CET", "Times are in the time zone Europe/Berlin"} {
		if !strings.Contains(out, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestFiles guards that files have their alt texts, that no hostile name becomes an element,
// and that only pictures are shown in the page.
func TestFiles(t *testing.T) {
	t.Parallel()
	asset := func(id, name, mime string) schedctl.MediaAsset {
		return schedctl.MediaAsset{ID: id, FileName: name, MIMEType: mime, Status: schedctl.MediaReady, SHA256: [32]byte{1}}
	}
	media := []schedctl.PostMedia{
		{AssetID: "png", SHA256: [32]byte{1}, AltText: "a cat\u200b <b>"}, {AssetID: "svg", SHA256: [32]byte{1}},
		{AssetID: "html"}, {AssetID: "other", SHA256: [32]byte{2}}, {AssetID: "gone"},
	}
	out := render(t, publishing(schedctl.TargetPart{Media: media},
		asset("png", `"><script>alert(1)</script>.png`, "image/png"), asset("svg", "a.svg", "image/svg+xml"), asset("html", "\u202elmth.exe", "text/html"), asset("other", "b.png", "image/png")))
	if n := strings.Count(out, "<img "); n != 1 || !strings.Contains(out, `<img src="../../media/png" alt="a cat`) {
		t.Errorf("%d pictures in %s", n, out)
	}
	if strings.Contains(out, "<script") || !strings.Contains(out, "a cat<mark>U+200B</mark> &lt;b&gt;") {
		t.Error("a name or an alt text is not escaped")
	}
	if n := strings.Count(out, "No alt text"); n != 4 {
		t.Errorf("%d files without an alt text", n)
	}
	if strings.Contains(out, "media/other") || strings.Contains(out, "media/gone") || strings.Count(out, "not available") != 2 {
		t.Error("a file is shown that would not be published")
	}
}

// TestConvertedFiles guards that a picture that networks get converted is shown as each of
// them gets it, and that accounts that get the same are one group.
func TestConvertedFiles(t *testing.T) {
	t.Parallel()
	v := publishing(schedctl.TargetPart{Media: []schedctl.PostMedia{{AssetID: "a", AltText: "a cat"}}}, schedctl.MediaAsset{ID: "a", FileName: "a.png", MIMEType: "image/png", Status: schedctl.MediaReady})
	for _, network := range []string{"mastodon", "mastodon", "bluesky"} {
		pub := v.Publications[0]
		pub.Account.Platform, pub.Target.Platform = network, network
		pub.Parts = []usecase.PublishedPart{{TargetPart: pub.Parts[0].TargetPart, Converted: []bool{true}}}
		v.Publications = append(v.Publications, pub)
	}
	out := render(t, v)
	for want, n := range map[string]int{`<img src="../../media/a"`: 1, `<img src="../../media/mastodona"`: 1, `<img src="../../media/blueskya"`: 1, "as mastodon gets it": 1, `class="group"`: 3} {
		if got := strings.Count(out, want); got != n {
			t.Errorf("%d times %q, want %d: %s", got, want, n, out)
		}
	}
}

// TestWithoutTime guards that a post without a proposed time has no button that approves it.
func TestWithoutTime(t *testing.T) {
	t.Parallel()
	v := publishing(schedctl.TargetPart{Content: "text"})
	v.Post.Proposed = schedctl.ProposedTime{}
	if out := render(t, v); strings.Contains(out, `value="approve"`) || !strings.Contains(out, "no proposed time") {
		t.Errorf("the page: %s", out)
	}
}

// TestSpans guards the days that the views show.
func TestSpans(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][2]string{
		"":                             {"2026-10-26", "2026-12-07"},
		"view=week&date=2026-12-01":    {"2026-11-30", "2026-12-07"},
		"view=agenda&date=2026-12-01":  {"2026-12-01", "2026-12-29"},
		"view=month&date=2027-02-28":   {"2027-02-01", "2027-03-01"},
		"view=other&date=x":            {"2026-10-26", "2026-12-07"},
		"view=month&date=99999-01-01":  {"2026-10-26", "2026-12-07"},
		"view=month&date=2026-03-29":   {"2026-02-23", "2026-04-06"}, // clocks change
		"view=week&date=2026-03-29&x=": {"2026-03-23", "2026-03-30"},
	} {
		q, _ := url.ParseQuery(query)
		from, to := page.ParseSpan(q, now, "Europe/Berlin").Times("Europe/Berlin")
		if got := [2]string{from.Format("2006-01-02"), to.Format("2006-01-02")}; got != want || from.Hour() != 0 || to.Hour() != 0 {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}

// FuzzParseSpan guards that no query breaks a calendar.
func FuzzParseSpan(f *testing.F) {
	f.Add("view=month&date=2026-12-01&account=a")
	f.Add("view=agenda&date=9000-12-31")
	f.Add("date=1970-01-01&account=%ff%00<b>")
	f.Fuzz(func(t *testing.T, query string) {
		defer cost.Check(t, len(query))()
		q, _ := url.ParseQuery(query)
		span := page.ParseSpan(q, now, "Europe/Berlin")
		if from, to := span.Times("Europe/Berlin"); !from.Before(to) || to.Sub(from) > 43*24*time.Hour {
			t.Fatalf("%q: %v to %v", query, from, to)
		}
		out, err := page.Calendar(frame(), span, page.Posts{}, nil, nil)
		if err != nil || len(out) > 60<<10 {
			t.Fatalf("%q: %d bytes, %v", query, len(out), err)
		}
	})
}

// Accounts of several networks can have one name, and all of them are meant.
func TestAccountsOfASpan(t *testing.T) {
	t.Parallel()
	names := map[string]string{"acct_3": "team", "acct_1": "team", "acct_2": "blog"}
	for text, want := range map[string][]string{"team": {"acct_1", "acct_3"}, "acct_3": {"acct_3"}, "nobody": nil, "": nil} {
		if got := (page.Span{Account: text}).Accounts(names); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestNotesShowInvisibleCharacters guards that a comment cannot hide or turn text.
func TestNotesShowInvisibleCharacters(t *testing.T) {
	t.Parallel()
	v := publishing(schedctl.TargetPart{Content: "text"})
	v.Post.Notes = []schedctl.PostNote{{By: schedctl.KeyRef{Name: "boss"}, Text: "good\u202ebad", CreatedAt: now}}
	if out := render(t, v); strings.Contains(out, "\u202e") || !strings.Contains(html.UnescapeString(out), "good<mark>U+202E</mark>bad") {
		t.Errorf("the page: %s", out)
	}
}
