package networks

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/schedctl/schedctl"
)

// feed has no address: the daemon serves it.
func feed() Account { return Account{Platform: "feed", Name: "feed", Unencrypted: true} }

// receiver is an http receiver. recognizes means that it recognizes repeats.
func receiver(recognizes bool) Account {
	a := Account{
		Platform: "http", Name: "http", Memory: Neither, Traits: []Trait{AnyBody}, Unencrypted: true,
		Credentials: map[string]string{"url": "{url}/hook/a-secret-part-of-the-path?token=a-token-of-the-receiver", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		Secrets:     []string{"a-secret-part-of-the-path", "a-token-of-the-receiver", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		Accepted:    func(p Sent) string { return fmt.Sprintf(`{"id":"%d"}`, p.Number) },
	}
	if recognizes {
		a.Name, a.Memory, a.Stored.Options = "http, idempotent", Idempotent, schedctl.Options{"idempotent": true}
		a.RepeatKey = func(r *http.Request, _ []byte) string { return r.Header.Get("Idempotency-Key") }
	}
	return a
}

func wordpress() Account {
	post := func(p Sent) string {
		slug, _ := p.Body["slug"].(string)
		return fmt.Sprintf(`{"id":%d,"slug":%q,"link":"https://blog.test/?p=%[1]d"}`, p.Number, slug)
	}
	return Account{
		Platform: "wordpress", Name: "wordpress", Memory: Findable,
		Credentials: map[string]string{"site_url": "{url}", "username": "me", "application_password": "abcdEFGHijklMNOPqrstUVWX"},
		Secrets:     []string{"abcdEFGHijklMNOPqrstUVWX"},
		Stored:      schedctl.Account{Username: "me@blog.test"},
		Responds: func(r *http.Request) string {
			if r.Method == http.MethodGet && !strings.HasSuffix(r.URL.Path, "/me") {
				return `[]`
			}
			return `{"id":1,"name":"n","url":"https://network.example/@u"}`
		},
		Accepted: post,
		Asked: func(r *http.Request, posts []Sent) string {
			list := []string{}
			for _, p := range posts {
				if p.Body["slug"] == r.URL.Query().Get("slug") {
					list = append(list, post(p))
				}
			}
			return "[" + strings.Join(list, ",") + "]"
		},
	}
}
