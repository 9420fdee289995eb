package mastodon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// TestChangedStatusIsNoticed: the response to a new status is compared with the
// request, and a mere difference in formatting causes no warning.
func TestChangedStatusIsNoticed(t *testing.T) {
	t.Parallel()
	type options = schedctl.Options
	const text = "A rather ordinary post about nothing in particular, see https://example.com/a_(b) #tag"
	html := `<p>A rather ordinary post about nothing in particular, see <a href=\"https://example.com/a_(b)\"><span class=\"invisible\">https://</span><span>example.com/a_(b)</span></a> <a href=\"/tags/tag\">#<span>tag</span></a></p>`
	for name, tt := range map[string]struct {
		options options
		status  string // members besides id and url
		code    string // empty for no warning
		says    string
	}{
		"as asked":                  {options{"visibility": "unlisted"}, `"visibility":"unlisted","content":"` + html + `"`, "", ""},
		"more visible":              {options{"visibility": "unlisted"}, `"visibility":"public"`, "visibility", "the visibility is public instead of unlisted"},
		"less visible":              {options{"visibility": "public"}, `"visibility":"unlisted"`, "visibility", "the visibility is unlisted"},
		"a visibility of its own":   {options{"visibility": "private"}, `"visibility":"mutuals_only"`, "visibility", "the visibility is mutuals_only"},
		"an odd visibility":         {options{"visibility": "private"}, `"visibility":"<script>\u0007"`, "visibility", "the visibility is something else"},
		"the account's default":     {nil, `"visibility":"private"`, "", ""},
		"nothing said":              {options{"visibility": "private", "spoiler_text": "x", "sensitive": true}, `"x":1`, "", ""},
		"odd types":                 {options{"visibility": "private", "sensitive": true}, `"visibility":7,"sensitive":"no","content":[]`, "", ""},
		"warning kept":              {options{"spoiler_text": "careful  now"}, `"spoiler_text":"careful now"`, "", ""},
		"warning dropped":           {options{"spoiler_text": "careful"}, `"spoiler_text":""`, "spoiler_text", "the content warning is missing"},
		"sensitive kept":            {options{"sensitive": true}, `"sensitive":true`, "", ""},
		"sensitive dropped":         {options{"sensitive": "true"}, `"sensitive":false`, "sensitive", "not marked as sensitive"},
		"sensitive by the server":   {options{"sensitive": false}, `"sensitive":true`, "", ""},
		"the text as HTML":          {nil, `"content":"` + html + `"`, "", ""},
		"another text":              {nil, `"content":"<p>Wholly different words</p>"`, "content", "the text differs"},
		"the source":                {nil, `"text":"` + text + `","content":"<p>Wholly different words</p>"`, "", ""},
		"another source":            {nil, `"text":"A rather ordinary post about nothing"`, "content", "the text differs"},
		"Markdown taken out":        {nil, `"content":"<p>A <em>rather</em> ordinary post about <code>nothing</code> in particular, see</p>"`, "", ""},
		"visibility and the source": {options{"visibility": "direct"}, `"visibility":"public","text":"Wholly different words"`, "visibility", "; the text differs"},
	} {
		r := publish.Request{Content: text, Account: schedctl.Account{Options: tt.options}}
		body := fmt.Sprintf(`{"id":"109","url":"https://social.example/@alice/109",%s}`, tt.status)
		got, err := readResponse(outbound.Response{Status: 200, Body: []byte(body)}, r, time.Unix(1780412400, 0))
		if err != nil || got.ID != "109" || got.Degraded.Code != tt.code || !strings.Contains(got.Degraded.Message, tt.says) {
			t.Errorf("%s: got %+v, %v; want code %q and %q", name, got, err, tt.code, tt.says)
		}
		if strings.Contains(got.Degraded.Message, text[:20]) || len(got.Degraded.Message) > 500 {
			t.Errorf("%s: message %q", name, got.Degraded.Message)
		}
	}
}
