package api_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TestTextsAreStoredTidy sends texts with CRLF, blank lines and trailing white space in
// every field that has a text of a post.
func TestTextsAreStoredTidy(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		const untidy, tidy = " \r\n\r\n one\r\ntwo \r\n\t\r\n", " one\ntwo"
		texts := func(p apiv1.Post) []string {
			o := p.TargetOverrides[0]
			return []string{p.Content, p.Thread[0].Content, p.FirstComment.Content, *o.Content, (*o.Thread)[0].Content}
		}
		of := func(text string) body {
			return body{
				"content": text, "thread": []body{{"content": text}}, "first_comment": body{"content": text},
				"target_overrides":   []body{{"social_account_id": f.mine.account, "content": text, "thread": []body{{"content": text}}}},
				"social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour),
			}
		}
		made := f.create(of(untidy))
		for i, text := range texts(made) {
			if text != tidy {
				t.Errorf("text %d of a new post is %q", i, text)
			}
		}
		edit := of("x" + untidy)
		delete(edit, "publish_at")
		edited := f.do(nil, "PATCH", "/posts/"+made.ID, edit).want(200).post()
		for i, text := range texts(edited) {
			if text != "x \n\n one\ntwo" {
				t.Errorf("text %d of an edited post is %q", i, text)
			}
		}
		series := decodeAs[apiv1.SeriesEnvelope](t, f.do(nil, "POST", "/series", body{
			"name": "tidy", "content": untidy, "variants": []string{untidy, "second\r\n"}, "timezone": "UTC", "start": "2099-01-01T09:00",
			"rule": "FREQ=DAILY", "social_account_ids": []string{f.mine.account},
		}).want(201)).Series
		if s := series; s.Content != tidy || s.Variants[0] != tidy || s.Variants[1] != "second" {
			t.Errorf("the series has %q and %q", s.Content, s.Variants)
		}
	})
}
