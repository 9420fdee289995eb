package postfile_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

func TestColumnsOfOtherTools(t *testing.T) {
	t.Parallel()
	hello := apiv1.CreatePost{Content: "Hello"}
	for name, tc := range map[string]struct {
		text string
		want postfile.Document
	}{
		"a date and a time":      {"Message,Scheduled Date,Scheduled Time,Accounts\nHello,2027-01-05,9:00,a;b\n", postfile.Document{Post: hello, At: "2027-01-05 9:00", To: []string{"a", "b"}}},
		"a time, then a date":    {"Time,Content,Date\n9:00,Hello,2027-01-05\n", postfile.Document{Post: hello, At: "2027-01-05 9:00"}},
		"a date and no time":     {"Time,Content,Date\n,Hello,2027-01-05\n", postfile.Document{Post: hello, At: "2027-01-05"}},
		"one time":               {"Text,Posting Time,Profile\nHello,2027-01-05 9:00,a\n", postfile.Document{Post: hello, At: "2027-01-05 9:00", To: []string{"a"}}},
		"in JSON":                {`{"Post Text":"Hello","date":"2027-01-05","time":"9:00"}`, postfile.Document{Post: hello, At: "2027-01-05 9:00"}},
		"tags":                   {"Text,Tags\nHello,\"a, b;c\"\n", postfile.Document{Post: apiv1.CreatePost{Content: "Hello", Labels: []string{"a", "b", "c"}}}},
		"a link":                 {"Text,Link\nHello,https://example.org\n", postfile.Document{Post: apiv1.CreatePost{Content: "Hello\nhttps://example.org"}}},
		"a link in the text":     {"Text,URL\nSee https://example.org!,https://example.org\n", postfile.Document{Post: apiv1.CreatePost{Content: "See https://example.org!"}}},
		"a picture":              {"Text,Image URL\nHello,https://example.org/a.png\n", postfile.Document{Post: apiv1.CreatePost{Content: "Hello", Media: []apiv1.PostMedia{{ID: "https://example.org/a.png"}}}}},
		"a text for one account": {"Text,text:Blog,TEXT: feed:b\nHello,Hi,\n", postfile.Document{Post: apiv1.CreatePost{Content: "Hello", TargetOverrides: []apiv1.Override{{SocialAccountID: "Blog", Content: new("Hi")}}}}},
		"a note":                 {"Text,Notes\nHello,Ask Ann\n", postfile.Document{Post: hello, Notes: "Ask Ann"}},
		"mapped":                 {"Text,Headline,Ref\nHello,T,1\n", postfile.Document{Post: apiv1.CreatePost{Content: "Hello", Title: new("T")}}},
		"mapped in JSON":         {`{"text":"Hello","Headline":"T","ref":"1"}`, postfile.Document{Post: apiv1.CreatePost{Content: "Hello", Title: new("T")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := postfile.NewReader(strings.NewReader(tc.text), "")
			if strings.Contains(name, "mapped") {
				r.Map("headline", "title")
				r.Map(" Ref ", "")
			}
			got, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			got.First = 0
			if diff := cmp.Diff(tc.want, got, ignorePositions, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		})
	}
	r := postfile.NewReader(strings.NewReader("content\nHello\n"), postfile.CSV)
	r.Map("text", "content")
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), `no column "text" to map`) {
		t.Error(err)
	}
	for name, want := range map[string]bool{"title": true, "Post Text": true, "text:blog": true, "notes": true, "reference": false, "": false, "override": false} {
		if postfile.IsField(name) != want {
			t.Errorf("%q is a field: %v", name, !want)
		}
	}
}
