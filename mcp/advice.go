package mcp

import (
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl"
)

// steps say what a model can do, the best first. One holds for callers that have all tools
// that it names. In those about errors, TOOL is the tool that was called.
type steps []string

// nextSteps say what a model can do about an error.
var nextSteps = map[schedctl.Code]steps{
	schedctl.NotFound:              {"list_posts, list_accounts, list_slots and list_series have what exists", "list_posts has the posts", "list_accounts has the accounts"},
	schedctl.VersionMismatch:       {"call get_post, look at the change, and pass its version", "a person has to look at the change"},
	schedctl.InvalidCursor:         {"call TOOL with the arguments of the first page, or without cursor"},
	schedctl.ContentTooLong:        {"check_post has the length for each account; split_text makes a thread", "shorten the text"},
	schedctl.PostNotDraft:          {"reschedule_post and edit_post change scheduled posts", "get_post has its status; a person changes scheduled posts"},
	schedctl.PostNotScheduled:      {"get_post has its status; schedule_post schedules drafts", "get_post has its status; a person schedules drafts"},
	schedctl.PostNotEditable:       {"call get_post for its status; create_draft makes another one", "create_draft makes another one"},
	schedctl.PostNotDeletable:      {"delete_draft deletes drafts only; get_post has the status", "delete_draft deletes drafts only"},
	schedctl.ApprovalMissing:       {"call submit_post; a person approves it", "a person approves it"},
	schedctl.ApprovalNotPending:    {"call get_post for the state of its approval", "a person has the state of its approval"},
	schedctl.NotYourDraft:          {"it belongs to someone else: leave a note with add_note, or make another one with create_draft", "it belongs to someone else"},
	schedctl.NoQueue:               {"a person has to create a queue; give a time instead"},
	schedctl.QueueFull:             {"list_slots has the free slots; or give a time", "give a time"},
	schedctl.InBlackout:            {"choose another time; list_slots has free ones", "choose another time"},
	schedctl.SlotTaken:             {"list_slots has the free slots", "choose another time"},
	schedctl.MediaInvalid:          {"check_post says what each account takes", "a person can check what each account takes"},
	schedctl.MediaNotReady:         {"wait until the upload is complete, then make the same call again"},
	schedctl.IdempotencyRunning:    {"wait a second, then make the same call again"},
	schedctl.RateLimited:           {"wait a minute, then make the same call again"},
	schedctl.DuplicateContent:      {"change the text or the time; list_posts with q finds the other post", "change the text or the time"},
	schedctl.InsufficientScope:     {"only a person can give a key another scope"},
	schedctl.KeyNotAllowed:         {"a person has to do this"},
	schedctl.InvalidPublishAt:      {`use a time in the future, such as "friday 9am"`},
	schedctl.PostNotRetryable:      {"get_timeline says what happened", "a person has to look at it"},
	schedctl.InvalidAPIKey:         {"a person has to give you a new API key"},
	schedctl.APIKeyRevoked:         {"a person has to give you a new API key"},
	schedctl.APIKeyExpired:         {"a person has to give you a new API key"},
	schedctl.InvalidSocialAccounts: {"list_accounts has the accounts", "a person has the names of the accounts"},
}

// nextStep returns what a model can do about an error, empty if that is not known.
func (c *call) nextStep(code schedctl.Code) string {
	next := c.first(nextSteps[code])
	if c.tool == nil { // a resource
		return strings.ReplaceAll(next, "TOOL", "it")
	}
	return strings.ReplaceAll(next, "TOOL", c.tool.name)
}

// toolWord matches what could be the name of a tool in a text.
var toolWord = regexp.MustCompile(`[a-z]+(?:_[a-z]+)+|whoami|attention|results`)

// first returns the first step whose tools the caller has, empty for none.
func (c *Caller) first(of steps) string {
	for _, step := range of {
		if c.hasAll(step) {
			return step
		}
	}
	return ""
}

// hasAll reports whether the caller has all tools that a text names.
func (c *Caller) hasAll(text string) bool {
	for _, word := range toolWord.FindAllString(text, -1) {
		if findTool(word) != nil && !c.has(word) {
			return false
		}
	}
	return true
}

// has reports whether the caller can call a tool.
func (c *Caller) has(name string) bool {
	t := findTool(name)
	return t != nil && c.allows(t.scopes)
}

// lacksScope is the error of a tool that the key may not use.
func (t *tool) lacksScope() error {
	words := make([]string, len(t.scopes))
	for i, s := range t.scopes {
		words[i] = string(s)
	}
	return schedctl.Errorf(schedctl.InsufficientScope, "", "%s needs an API key with the scope %s, and yours lacks it: whoami has your scopes", t.name, strings.Join(words, " or "))
}

// otherNames are names of tools that models look for and that do not exist, with what to do.
var otherNames = map[string]steps{
	"create_post": {"call create_draft"}, "new_post": {"call create_draft"}, "update_post": {"call edit_post"}, "get_results": {"call results"}, "get_analytics": {"call results"}, "search_posts": {"call list_posts"},
	"publish_post": {"call publish_now", byPerson},
	"delete_post":  {"call delete_draft for drafts, or cancel_post for scheduled posts", "call delete_draft for drafts; a person cancels posts", byPerson},
	"approve_post": {byPerson}, "approve": {byPerson}, "reject_post": {byPerson}, "request_changes": {byPerson}, "add_account": {byPerson},
	"connect_account": {byPerson}, "remove_account": {byPerson}, "create_key": {byPerson}, "create_queue": {byPerson}, "resend_post": {byPerson},
	"create_webhook": {byPerson}, "create_share": {byPerson}, "pause": {byPerson}, "resume": {byPerson},
}

// byPerson is the step for what no tool does.
const byPerson = "only a person can do this"

// noSuchTool returns the result of a call with one of the other names, nil for any other.
func noSuchTool(c Caller, name string) (*sdk.CallToolResult, error) {
	of, known := otherNames[name]
	if !known {
		return nil, nil
	}
	code, next := schedctl.ValidationFailed, c.first(slices.Concat(of, steps{byPerson}))
	if next == byPerson {
		code = schedctl.KeyNotAllowed
	}
	return (&call{Caller: c}).failed(schedctl.Errorf(code, "", "there is no tool %s: %s", name, next))
}
