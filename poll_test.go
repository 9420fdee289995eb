package schedctl_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

func validPoll() *schedctl.Poll {
	return &schedctl.Poll{Options: []string{"a", "b"}, ExpiresIn: time.Hour}
}

// poll returns a valid poll with a change.
func poll(change func(*schedctl.Poll)) *schedctl.Poll {
	p := validPoll()
	change(p)
	return p
}

func TestPublishedFieldsAreChecked(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", schedctl.MaxContent+1)
	media := schedctl.PostMedia{AssetID: "med_1"}
	options := func(list ...string) *schedctl.Poll {
		return poll(func(p *schedctl.Poll) { p.Options = list })
	}
	expires := func(d time.Duration) *schedctl.Poll {
		return poll(func(p *schedctl.Poll) { p.ExpiresIn = d })
	}
	card := func(l schedctl.LinkPreview) schedctl.NewPost {
		l.Mode = schedctl.PreviewCard
		return schedctl.NewPost{Content: schedctl.Content{LinkPreview: l}}
	}
	var eleven []string
	for i := range 11 {
		eleven = append(eleven, fmt.Sprint(i))
	}
	tests := []struct {
		in    schedctl.NewPost
		code  schedctl.Code
		field string
	}{
		{schedctl.NewPost{Content: schedctl.Content{Thread: thread("two", " ")}}, schedctl.ValidationFailed, "thread[1].content"},
		{schedctl.NewPost{Content: schedctl.Content{Thread: thread(long)}}, schedctl.ContentTooLong, "thread[0].content"},
		{schedctl.NewPost{Content: schedctl.Content{Thread: make([]schedctl.Part, 25)}}, schedctl.ValidationFailed, "thread"},
		{schedctl.NewPost{Content: schedctl.Content{Thread: []schedctl.Part{{Content: "x", Media: []schedctl.PostMedia{media, media}}}}}, schedctl.ValidationFailed, "thread[0].media"},
		{schedctl.NewPost{Content: schedctl.Content{FirstComment: &schedctl.Part{}}}, schedctl.ValidationFailed, "first_comment.content"},
		{schedctl.NewPost{Content: schedctl.Content{FirstComment: &schedctl.Part{Media: []schedctl.PostMedia{media, media}}}}, schedctl.ValidationFailed, "first_comment.media"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: options("a")}}, schedctl.ValidationFailed, "poll.options"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: options(eleven...)}}, schedctl.ValidationFailed, "poll.options"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: options("a", "b", "a")}}, schedctl.ValidationFailed, "poll.options[2]"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: options("a", " ")}}, schedctl.ValidationFailed, "poll.options[1]"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: options("a", "\x00")}}, schedctl.ValidationFailed, "poll.options[1]"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: options("a", strings.Repeat("é", 301))}}, schedctl.ValidationFailed, "poll.options[1]"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: expires(5*time.Minute - time.Second)}}, schedctl.ValidationFailed, "poll.expires_in_seconds"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: expires(30*24*time.Hour + time.Second)}}, schedctl.ValidationFailed, "poll.expires_in_seconds"},
		{schedctl.NewPost{Content: schedctl.Content{Poll: expires(time.Hour + time.Millisecond)}}, schedctl.ValidationFailed, "poll.expires_in_seconds"},
		{schedctl.NewPost{Content: schedctl.Content{LinkPreview: schedctl.LinkPreview{Mode: "other"}}}, schedctl.ValidationFailed, "link_preview"},
		{schedctl.NewPost{Content: schedctl.Content{LinkPreview: schedctl.LinkPreview{Title: "x"}}}, schedctl.ValidationFailed, "link_preview"},
		{card(schedctl.LinkPreview{}), schedctl.ValidationFailed, "link_preview.url"},
		{card(schedctl.LinkPreview{URL: "ftp://example.com"}), schedctl.ValidationFailed, "link_preview.url"},
		{card(schedctl.LinkPreview{URL: "https://example.com/" + long}), schedctl.ValidationFailed, "link_preview.url"},
		{card(schedctl.LinkPreview{URL: "https://example.com", Title: strings.Repeat("é", 301)}), schedctl.ValidationFailed, "link_preview.title"},
		{card(schedctl.LinkPreview{URL: "https://example.com", Description: "\xff"}), schedctl.ValidationFailed, "link_preview.description"},
		{schedctl.NewPost{Content: schedctl.Content{Presentation: schedctl.Presentation{ContentWarning: " "}}}, schedctl.ValidationFailed, "content_warning"},
		{schedctl.NewPost{Content: schedctl.Content{Presentation: schedctl.Presentation{ContentWarning: strings.Repeat("é", 501)}}}, schedctl.ValidationFailed, "content_warning"},
		{schedctl.NewPost{Content: schedctl.Content{Presentation: schedctl.Presentation{Visibility: "private"}}}, schedctl.ValidationFailed, "visibility"},
		{schedctl.NewPost{Content: schedctl.Content{Presentation: schedctl.Presentation{Language: "de_DE"}}}, schedctl.ValidationFailed, "language"},
		{overridden(schedctl.Override{Partial: schedctl.Partial{Thread: thread("")}}), schedctl.ValidationFailed, "target_overrides[0].thread[0].content"},
		{overridden(schedctl.Override{Partial: schedctl.Partial{Poll: options("a")}}), schedctl.ValidationFailed, "target_overrides[0].poll.options"},
		{overridden(schedctl.Override{Partial: schedctl.Partial{Presentation: schedctl.Presentation{Visibility: "x"}}}), schedctl.ValidationFailed, "target_overrides[0].visibility"},
	}
	for _, tt := range tests {
		tt.in.Text = "hello"
		_, _, err := schedctl.Create(tt.in, t0)
		if e, ok := err.(*schedctl.Error); !ok || e.Code != tt.code || e.Field != tt.field {
			t.Errorf("got %v (%+v), want %s in %s", err, err, tt.code, tt.field)
		}
	}
}

func overridden(o schedctl.Override) schedctl.NewPost {
	o.AccountID = "acct_a"
	return schedctl.NewPost{Accounts: accounts("a"), Overrides: []schedctl.Override{o}}
}

func TestPublishedFieldsAreAccepted(t *testing.T) {
	t.Parallel()
	ten := poll(func(p *schedctl.Poll) {
		p.Options, p.ExpiresIn = nil, schedctl.MaxPollTime
		for i := range 10 {
			p.Options = append(p.Options, strings.Repeat("é", 299)+fmt.Sprint(i))
		}
	})
	parts := make([]schedctl.Part, schedctl.MaxThread)
	for i := range parts {
		parts[i].Content = strings.Repeat("é", schedctl.MaxContent)
	}
	image := []schedctl.PostMedia{{AssetID: "med_1"}}
	for i, in := range []schedctl.NewPost{
		{Content: schedctl.Content{Thread: parts, Poll: ten}},
		{Content: schedctl.Content{Thread: []schedctl.Part{{Media: image}}, FirstComment: &schedctl.Part{Media: image}}},
		{Content: schedctl.Content{LinkPreview: schedctl.LinkPreview{Mode: schedctl.PreviewNone}, Presentation: schedctl.Presentation{ContentWarning: "w", Visibility: "unlisted", Language: "zh-Hant-TW"}}},
		{Content: schedctl.Content{LinkPreview: schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com/", Image: image[0]}}},
	} {
		in.Text = "hello"
		if _, _, err := schedctl.Create(in, t0); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestPollAndPresentationOfATarget(t *testing.T) {
	t.Parallel()
	own := poll(func(p *schedctl.Poll) { p.Multiple = true })
	p, _ := create(t, schedctl.NewPost{
		Accounts: accounts("a", "b", "c"), Content: schedctl.Content{Poll: validPoll(), Presentation: schedctl.Presentation{Visibility: "unlisted", Language: "en"}},
		Overrides: []schedctl.Override{
			{AccountID: "acct_b", Partial: schedctl.Partial{Poll: own, Presentation: schedctl.Presentation{Language: "de"}}}, {AccountID: "acct_c", Partial: schedctl.Partial{Poll: &schedctl.Poll{}}},
		},
	})
	if a, b, c := p.PollFor(&p.Targets[0]), p.PollFor(&p.Targets[1]), p.PollFor(&p.Targets[2]); a.Multiple || !b.Multiple || c != nil {
		t.Errorf("polls %+v, %+v, %+v", a, b, c)
	}
	if got, want := p.PresentationFor(&p.Targets[1]), (schedctl.Presentation{Visibility: "unlisted", Language: "de"}); got != want {
		t.Errorf("presentation %+v", got)
	}
	if len(p.Overrides()) != 2 {
		t.Errorf("overrides %+v", p.Overrides())
	}
}
