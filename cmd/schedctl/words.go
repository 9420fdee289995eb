package main

import "strings"

// words says in terms of the command line what the daemon's refusals say in
// terms of the API.
var words = strings.NewReplacer(
	"there is no such webhook in this workspace; list them with GET /api/v1/webhooks", "there is no such webhook; see: schedctl webhook list",
	"; list them with GET /api/v1/api-keys", "; see: schedctl key list",
	"edit publish_at to move a scheduled post", "move a scheduled post with: schedctl post edit ID --at TIME",
	"retry with force", "retry with --force",
	"list them with GET /api/v1/social-accounts", "see: schedctl account list --all",
	"verify it or give it new credentials first", "give it new credentials with: schedctl account reconnect ACCOUNT",
)
