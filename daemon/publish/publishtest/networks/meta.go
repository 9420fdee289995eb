package networks

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// facebook is a Page of a person.
func facebook() Account {
	fake := publishtest.NewFakeFacebook()
	id := func(p Sent) string { return fmt.Sprint(fake.Page, "_", 122100000000000000+p.Number) }
	return Account{
		Platform: "facebook", Name: "facebook", Memory: Findable,
		Credentials: fake.Credentials("{url}", publishtest.FacebookUserToken),
		Session:     map[string]string{"access_token": publishtest.FacebookPageToken},
		Secrets:     []string{publishtest.FacebookUserToken, publishtest.FacebookPageToken},
		Stored:      schedctl.Account{Username: "acmebakery", Limits: schedctl.Limits{MaxCharacters: 63206, Unit: "characters"}},
		Responds: func(r *http.Request) string {
			if strings.HasSuffix(r.URL.Path, "/debug_token") {
				return `{"data":{"type":"USER","is_valid":true,"expires_at":0,"scopes":["pages_manage_posts","pages_read_engagement","pages_show_list"]}}`
			}
			return fmt.Sprintf(`{"id":%q,"name":"n","username":"u","access_token":%q,"data":[]}`, fake.Page, publishtest.FacebookPageToken)
		},
		Accepted: func(p Sent) string { return fmt.Sprintf(`{"id":%q}`, id(p)) },
		Asked: func(_ *http.Request, posts []Sent) string {
			return `{"data":` + newestFirst(posts, func(p Sent) string {
				return fmt.Sprintf(`{"id":%q,"message":%s,"created_time":%q}`, id(p), quote(p.Body["message"]), p.At.UTC().Format("2006-01-02T15:04:05+0000"))
			}) + `}`
		},
		Unreliable: func(random *rand.Rand) (http.Handler, func() int) {
			fake := publishtest.NewFakeFacebook()
			fake.Respond(func(*http.Request) publishtest.Mishap { return FacebookMishap(random.IntN(12)) })
			return fake, func() int { return len(fake.Posts()) }
		},
	}
}

// FacebookMishap returns the mishap with a number. Those from 4 on are nothing.
func FacebookMishap(n int) publishtest.Mishap {
	switch n {
	case 0:
		return publishtest.Mishap{Cut: true}
	case 1:
		return publishtest.Mishap{Cut: true, Accept: true}
	case 2:
		return publishtest.Mishap{Status: 500, Body: publishtest.MetaError(2, 0, "An unexpected error has occurred"), Accept: true}
	case 3:
		return publishtest.Mishap{Status: 500, Body: publishtest.MetaError(1, 0, "An unexpected error has occurred")}
	}
	return publishtest.Mishap{}
}

func instagram() Account {
	return Account{
		Platform: "instagram", Name: "instagram", Memory: Findable, Pictures: true,
		Credentials: map[string]string{"access_token": "instagram-token", "api_url": "{url}"},
		Secrets:     []string{"instagram-token"},
		Stored:      schedctl.Account{Username: "acme", ProfileURL: "https://www.instagram.com/acme/", Limits: schedctl.Limits{MaxCharacters: 2200, Unit: "characters"}},
		Responds:    func(*http.Request) string { return `{"user_id":"17","username":"u","id":"1"}` },
		Unreliable:  prompt(publishtest.InstagramAPI),
	}
}

func threads() Account {
	return Account{
		Platform: "threads", Name: "threads", Memory: Findable,
		Credentials: map[string]string{"access_token": "threads-token", "api_url": "{url}"},
		Secrets:     []string{"threads-token"},
		Stored:      schedctl.Account{Username: "acme", ProfileURL: "https://www.threads.net/@acme", Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters"}},
		Unreliable:  prompt(publishtest.ThreadsAPI),
	}
}

// prompt returns fakes like [Containers] that respond at once.
func prompt(api publishtest.ContainerAPI) func(*rand.Rand) (http.Handler, func() int) {
	return func(random *rand.Rand) (http.Handler, func() int) {
		fake := Containers(api, random)
		fake.Delay = nil
		return fake, func() int { return len(fake.Posts()) }
	}
}

// Containers returns a server that takes seconds for each response, cuts connections, and
// reports unknown errors.
func Containers(api publishtest.ContainerAPI, random *rand.Rand) *publishtest.FakeContainers {
	var mu sync.Mutex // mu guards random
	pick := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
	return &publishtest.FakeContainers{
		API:        api,
		Processing: time.Duration(pick(20)) * time.Second,
		Delay:      func() time.Duration { return time.Duration(pick(3000)) * time.Millisecond },
		Respond: func(int) publishtest.ContainerResponse {
			response := publishtest.ContainerResponse{Store: pick(2) == 0}
			switch pick(8) {
			case 0:
				response.Drop = true
			case 1:
				response.Status, response.Body = 400, publishtest.MetaError(1, 0, "An unknown error has occurred")
			default:
				response.Store = false
			}
			return response
		},
	}
}
