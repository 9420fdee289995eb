package publishtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// TokenScopes are the scopes of a token for a platform: instagram, mastodon, slack or x. They
// are put before any fake of the platform, which needs no scopes of its own then: every
// request passes them, and one that is in no table is refused. The fakes in the packages
// mastodon and slack serve tests of a token with all scopes. Facebook, Threads and LinkedIn
// have scopes in their fakes, because there the author or the container decides.
type TokenScopes struct {
	Platform string
	Scopes   []string
}

// platformScopes are the scopes of a platform, and its response to a request without them.
type platformScopes struct {
	needs  [][2]string // a part of "METHOD /path", and the scope of a request that has it, empty for none; the first counts
	denies func(needed string, provided []string) Recorded
}

var scopesOf = map[string]platformScopes{
	"instagram": {
		needs: [][2]string{{"POST ", "instagram_business_content_publish"}, {"/content_publishing_limit", "instagram_business_content_publish"}, {"/insights", "instagram_business_manage_insights"}, {"GET ", "instagram_business_basic"}},
		denies: func(string, []string) Recorded {
			return Recorded{Body: MetaError(10, 0, "(#10) Application does not have permission for this action")}
		},
	},
	"mastodon": {
		needs: [][2]string{
			{"POST /api/v1/statuses", "write:statuses"}, {"POST /api/v2/media", "write:media"}, {"/api/v1/media", "write:media"},
			{"/verify_credentials", "read:accounts"}, {"/statuses", "read:statuses"}, {"GET /api/v1/instance", ""}, {"GET /api/v2/instance", ""},
			{"nodeinfo", ""},
		},
		denies: func(string, []string) Recorded {
			return Recorded{Body: `{"error":"This action is outside the authorized scopes"}`}
		},
	},
	"slack": {
		needs: [][2]string{
			{"chat.postMessage", "chat:write"}, {"files.info", "files:read"}, {"files.", "files:write"},
			{"conversations.history", "channels:history"}, {"conversations.replies", "channels:history"}, {"conversations.info", "channels:read"},
			{"auth.test", ""}, {"chat.getPermalink", ""}, {"/upload/", ""},
		},
		denies: func(needed string, provided []string) Recorded {
			return Recorded{Status: http.StatusOK, Body: fmt.Sprintf(`{"ok":false,"error":"missing_scope","needed":%q,"provided":%q}`, needed, strings.Join(provided, ","))}
		},
	},
	"x": { // OAuth 2.0; X documents no words for a missing scope, and responded so to programs of others
		needs: [][2]string{{"POST /2/tweets", "tweet.write"}, {"/2/media/", "media.write"}, {"/tweets", "tweet.read"}, {"/2/users/me", "users.read"}},
		denies: func(string, []string) Recorded {
			return Recorded{Body: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"Forbidden"}`}
		},
	},
}

// ScopesOf returns all scopes of a platform.
func ScopesOf(platform string) (list []string) {
	for _, n := range scopesOf[platform].needs {
		if n[1] != "" && !slices.Contains(list, n[1]) {
			list = append(list, n[1])
		}
	}
	return list
}

// Denies returns the response of the platform in its words to a request for which the token
// lacks the scope, or nil.
func (s TokenScopes) Denies(r *http.Request) *Recorded {
	platform, call := scopesOf[s.Platform], r.Method+" "+r.URL.Path
	needed := "a scope of a request that is in no table"
	if i := slices.IndexFunc(platform.needs, func(n [2]string) bool { return strings.Contains(call, n[0]) }); i >= 0 {
		needed = platform.needs[i][1]
	}
	if needed == "" || slices.Contains(s.Scopes, needed) {
		return nil
	}
	denied := platform.denies(needed, s.Scopes)
	return &denied
}
