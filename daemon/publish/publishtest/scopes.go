package publishtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// TokenScopes are the scopes of a token for a platform: instagram, mastodon, slack or x.
type TokenScopes struct {
	Platform string
	Scopes   []string
}

// platformScopes are the scopes of a platform, and its response to a request without them.
type platformScopes struct {
	needs  [][2]string // a part of "METHOD /path", and the scope of a request that has it; the first counts
	denies func(needed string, provided []string) Recorded
}

var scopesOf = map[string]platformScopes{
	"instagram": {
		needs: [][2]string{{"POST ", "instagram_business_content_publish"}, {"/content_publishing_limit", "instagram_business_content_publish"}, {"GET ", "instagram_business_basic"}},
		denies: func(string, []string) Recorded {
			return Recorded{Body: MetaError(10, 0, "(#10) Application does not have permission for this action")}
		},
	},
	"mastodon": {
		needs: [][2]string{
			{"POST /api/v1/statuses", "write:statuses"}, {"POST /api/v2/media", "write:media"}, {"/api/v1/media/", "write:media"},
			{"/verify_credentials", "read:accounts"}, {"/statuses", "read:statuses"},
		},
		denies: func(string, []string) Recorded {
			return Recorded{Body: `{"error":"This action is outside the authorized scopes"}`}
		},
	},
	"slack": {
		needs: [][2]string{
			{"chat.postMessage", "chat:write"}, {"files.info", "files:read"}, {"files.", "files:write"},
			{"conversations.history", "channels:history"}, {"conversations.replies", "channels:history"}, {"conversations.info", "channels:read"},
		},
		denies: func(needed string, provided []string) Recorded {
			return Recorded{Status: http.StatusOK, Body: fmt.Sprintf(`{"ok":false,"error":"missing_scope","needed":%q,"provided":%q}`, needed, strings.Join(provided, ","))}
		},
	},
	"x": { // OAuth 2.0
		needs: [][2]string{{"POST /2/tweets", "tweet.write"}, {"/2/media/", "media.write"}, {"/tweets", "tweet.read"}, {"/2/users/me", "users.read"}},
		denies: func(string, []string) Recorded {
			return Recorded{Body: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"Forbidden"}`}
		},
	},
}

// ScopesOf returns all scopes of a platform.
func ScopesOf(platform string) (list []string) {
	for _, n := range scopesOf[platform].needs {
		if !slices.Contains(list, n[1]) {
			list = append(list, n[1])
		}
	}
	return list
}

// Denies returns the response of the platform in its words to a request for which the token
// lacks the scope, or nil.
func (s TokenScopes) Denies(r *http.Request) *Recorded {
	platform, call := scopesOf[s.Platform], r.Method+" "+r.URL.Path
	for _, n := range platform.needs {
		if !strings.Contains(call, n[0]) {
			continue
		}
		if slices.Contains(s.Scopes, n[1]) {
			return nil
		}
		denied := platform.denies(n[1], s.Scopes)
		return &denied
	}
	return nil
}
