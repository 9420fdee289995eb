package publishtest

import "github.com/schedctl/schedctl/daemon/publish"

// Recording are responses of a network in its own words: those that hold an account, and
// those that refuse only a post, a part or a file of it.
type Recording struct {
	Holds, Refuses []Recorded
}

const (
	identity = publish.PurposeIdentity
	post     = publish.PurposePublish
	part     = publish.PurposePart
	comment  = publish.PurposeComment
	file     = publish.PurposeFile
	status   = publish.PurposeStatus
	lookup   = publish.PurposeLookup
	results  = publish.PurposeResults
)

// unlistedOfMeta has a code that is in no table.
var unlistedOfMeta = MetaError(3, 0, "(#3) Application does not have the capability to make this API call.")

// Recordings are the responses of each platform.
var Recordings = map[string]Recording{
	"bluesky": {
		Holds: []Recorded{
			{Purpose: post, Status: 401, Body: `{"error":"AccountTakedown","message":"Account has been taken down"}`, Code: "AccountTakedown"},
			{Purpose: post, Status: 400, Body: `{"error":"AccountDeactivated","message":"Account is deactivated"}`, Code: "AccountDeactivated"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"error":"Forbidden","message":"not allowed"}`}, {Purpose: file, Body: `{"error":"Forbidden","message":"not allowed"}`},
		},
	},
	"discord": {
		Holds: []Recorded{
			{Purpose: post, Status: 404, Body: `{"message": "Unknown Webhook", "code": 10015}`, Code: "10015"},
			{Purpose: post, Status: 401, Body: `{"message": "Invalid Webhook Token", "code": 50027}`, Code: "50027"},
			{Purpose: post, Status: 400, Body: `{"message": "Webhooks posted to forum channels must have a thread_name or thread_id", "code": 220001}`, Code: "220001"},
			{Purpose: post, Status: 400, Body: `{"message": "Webhooks can only create threads in forum channels", "code": 220003}`, Code: "220003"},
			{Purpose: identity, Status: 404, Body: `{"message": "Unknown Webhook", "code": 10015}`},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"message": "You lack permissions to perform that action", "code": 50013}`, Code: "50013"},
			{Purpose: part, Body: `{"message": "You lack permissions to perform that action", "code": 50013}`, Code: "50013"},
			{Purpose: post, Body: `{"message": "internal network error", "code": 40333}`, Code: platformError},
			{Purpose: post, Body: `{"message": "Forbidden"}`, Code: publish.CodeBlockedOnTheWay},
		},
	},
	"facebook": {
		Holds: []Recorded{
			{Purpose: identity, Status: 400, Body: MetaError(190, 460, "Error validating access token")},
			{Purpose: post, Status: 400, Body: MetaError(190, 463, "Error validating access token: Session has expired"), Code: "token_expired"},
			{Purpose: post, Body: MetaError(200, 0, "(#200) Requires pages_manage_posts permission"), Code: "missing_scope"},
			{Purpose: post, Status: 400, Body: MetaError(10, 0, "(#10) Application does not have permission for this action"), Code: "missing_scope"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: MetaError(100, 0, "Invalid parameter"), Code: "100"},
			{Purpose: file, Body: MetaError(200, 0, "(#200) Requires pages_manage_posts permission"), Code: "200"},
			{Purpose: lookup, Status: 400, Body: MetaError(10, 0, "(#10) Application does not have permission for this action")},
			{Purpose: file, Body: unlistedOfMeta, Code: "3"}, {Purpose: lookup, Body: unlistedOfMeta},
		},
	},
	"googlechat": {
		Holds: []Recorded{
			{Purpose: post, Body: `{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}`, Code: "PERMISSION_DENIED"},
			{Purpose: part, Body: `{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}`},
		},
		Refuses: []Recorded{{Purpose: post, Body: `{"error":{"code":403,"message":"not allowed","status":"FAILED_PRECONDITION"}}`}},
	},
	"http": {
		Holds:   []Recorded{{Purpose: post, Status: 401, Body: `{"error":"wrong signature"}`}},
		Refuses: []Recorded{{Purpose: post, Body: `{"error":"not allowed"}`}, {Purpose: post, Body: "not allowed"}},
	},
	"instagram": {
		Holds: []Recorded{
			{Purpose: post, Status: 400, Body: MetaError(190, 460, "Error validating access token"), Code: "token_revoked"},
			{Purpose: post, Body: MetaError(10, 0, "(#10) Application does not have permission for this action"), Code: "missing_scope"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"error":{"message":"not allowed"}}`},
			{Purpose: post, Status: 400, Body: MetaError(36004, 2207010, "The caption was too long"), Code: "36004/2207010"},
			{Purpose: post, Body: firewallPage, Code: publish.CodeBlockedOnTheWay},
			{Purpose: status, Status: 400, Body: MetaError(10, 0, "(#10) Application does not have permission for this action")},
			{Purpose: lookup, Body: MetaError(200, 0, "(#200) Permissions error")},
			{Purpose: post, Body: unlistedOfMeta, Code: "3"}, {Purpose: status, Body: unlistedOfMeta}, {Purpose: lookup, Body: unlistedOfMeta},
		},
	},
	"linkedin": {
		Holds: []Recorded{
			{Purpose: identity, Status: 401, Body: `{"status":401,"serviceErrorCode":65601,"code":"REVOKED_ACCESS_TOKEN","message":"The token used in the request has been revoked by the user"}`},
			{Purpose: post, Status: 401, Body: `{"status":401,"serviceErrorCode":65602,"code":"EXPIRED_ACCESS_TOKEN","message":"The token used in the request has expired"}`, Code: "token_expired"},
			{Purpose: post, Status: 401, Body: `{"status":401,"serviceErrorCode":65600,"code":"INVALID_ACCESS_TOKEN","message":"Invalid access token"}`, Code: "token_revoked"},
			{Purpose: post, Body: `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: partnerApiPosts.CREATE"}`, Code: "missing_scope"},
			{Purpose: post, Status: 400, Body: `{"status":400,"message":"Organization permissions must be used when using organization as author"}`, Code: "missing_scope"},
			{Purpose: post, Body: `{"status":403,"message":"Organization permissions must be used when using organization as author"}`, Code: "missing_scope"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"status":403,"message":"not allowed"}`},
			{Purpose: comment, Body: `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: partnerApiSocialActions.CREATE.20261001"}`},
			{Purpose: part, Body: `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: partnerApiSocialActions.CREATE.20261001"}`},
			{Purpose: lookup, Body: `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: partnerApiSocialActions.GET_ALL.20261001"}`},
			{Purpose: file, Body: `{"status":403,"message":"not allowed"}`},
		},
	},
	"mastodon": {
		Holds: []Recorded{
			{Purpose: post, Status: 401, Body: `{"error":"The access token is invalid"}`},
			{Purpose: post, Body: `{"error":"This action is outside the authorized scopes"}`, Code: "missing_scope"},
			{Purpose: post, Body: `{"error":"insufficient_scope"}`, Code: "missing_scope"},
			{Purpose: post, Body: `{"error":"Your login is currently disabled"}`, Code: "blocked"},
			{Purpose: part, Body: `{"error":"Your login is currently disabled"}`, Code: "blocked"},
			{Purpose: file, Body: `{"error":"Your login is currently disabled"}`, Code: "blocked"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"error":"This action is not allowed"}`}, {Purpose: part, Body: `{"error":"This action is not allowed"}`},
			{Purpose: file, Body: `{"error":"This action is not allowed"}`},
			{Purpose: file, Body: `{"error":"This action is outside the authorized scopes"}`, Code: "missing_scope"},
			{Purpose: results, Body: `{"error":"This action is outside the authorized scopes"}`, Code: "missing_scope"},
		},
	},
	"matrix": {
		Holds: []Recorded{
			{Purpose: post, Status: 401, Body: `{"errcode":"M_UNKNOWN_TOKEN","error":"Unrecognised access token"}`},
			{Purpose: post, Body: `{"errcode":"M_FORBIDDEN","error":"User @alice:example.org not in room"}`, Code: "M_FORBIDDEN"},
			{Purpose: post, Body: `{"errcode":"M_CONSENT_NOT_GIVEN","error":"Read the terms","consent_uri":"https://example.org"}`, Code: "M_CONSENT_NOT_GIVEN"},
			{Purpose: part, Body: `{"errcode":"M_USER_DEACTIVATED","error":"This account has been deactivated"}`, Code: "M_USER_DEACTIVATED"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"errcode":"ORG.EXAMPLE.SPAM","error":"spam"}`, Code: "ORG.EXAMPLE.SPAM"},
			{Purpose: file, Body: `{"errcode":"M_FORBIDDEN","error":"not allowed"}`}, {Purpose: lookup, Body: `{"errcode":"M_FORBIDDEN","error":"not allowed"}`},
		},
	},
	"nostr": { // the reasons of a relay, which responds without a status
		Holds: []Recorded{
			{Purpose: post, Body: "blocked: you are banned from posting here", Code: "blocked"},
			{Purpose: post, Body: "restricted: not allowed to write.", Code: "restricted"},
			{Purpose: part, Body: "blocked: please register your pubkey at https://my-expensive-relay.example.com", Code: "blocked"},
			{Purpose: post, Body: "auth-required: we only accept events from registered users", Code: "auth-required"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: "invalid: event creation date is too far off from the current time", Code: "invalid"},
			{Purpose: part, Body: "pow: difficulty 26 is less than 30", Code: "pow"},
		},
	},
	"slack": {
		Holds: []Recorded{
			{Purpose: post, Body: `{"ok":false,"error":"invalid_auth"}`, Code: "invalid_auth"},
			{Purpose: file, Status: 200, Body: `{"ok":false,"error":"token_revoked"}`, Code: "token_revoked"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"ok":false,"error":"not_allowed"}`}, {Purpose: part, Body: `{"ok":false,"error":"not_allowed"}`},
			{Purpose: file, Status: 200, Body: `{"ok":false,"error":"missing_scope","needed":"files:write"}`, Code: "missing_scope"},
			{Purpose: file, Status: 200, Body: `{"ok":false,"error":"access_denied"}`, Code: "access_denied"},
			{Purpose: lookup, Status: 200, Body: `{"ok":false,"error":"missing_scope","needed":"channels:history","provided":"chat:write"}`},
		},
	},
	"telegram": {
		Holds: []Recorded{
			{Purpose: post, Body: `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the channel chat"}`, Code: "bot_removed"},
			{Purpose: post, Body: `{"ok":false,"error_code":403,"description":"Forbidden: bot is not a member of the channel chat"}`, Code: "bot_removed"},
			{Purpose: part, Body: `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`, Code: "bot_removed"},
			{Purpose: post, Status: 401, Body: `{"ok":false,"error_code":401,"description":"Unauthorized"}`},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"ok":false,"error_code":403,"description":"Forbidden: not enough rights to send this"}`},
			{Purpose: part, Body: `{"ok":false,"error_code":403,"description":"Forbidden: not allowed"}`},
		},
	},
	"threads": {
		Holds: []Recorded{
			{Purpose: post, Status: 400, Body: MetaError(190, 463, "Error validating access token: Session has expired"), Code: "token_expired"},
			{Purpose: post, Status: 400, Body: MetaError(10, 0, "(#10) Application does not have permission for this action"), Code: "missing_scope"},
			{Purpose: part, Status: 400, Body: MetaError(368, 0, "The action attempted has been deemed abusive or is otherwise disallowed"), Code: "blocked"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"error":{"message":"not allowed"}}`},
			{Purpose: post, Status: 400, Body: MetaError(100, 0, "THREADS_API__LINK_LIMIT_EXCEEDED"), Code: "too_many_links"},
			{Purpose: post, Body: firewallPage, Code: publish.CodeBlockedOnTheWay},
			{Purpose: part, Status: 400, Body: MetaError(10, 0, "(#10) Application does not have permission for this action"), Code: "10"},
			{Purpose: part, Body: MetaError(10, 0, "(#10) Application does not have permission for this action"), Code: "10"},
			{Purpose: status, Body: MetaError(10, 0, "(#10) Application does not have permission for this action")},
			{Purpose: lookup, Status: 400, Body: MetaError(10, 0, "(#10) Application does not have permission for this action")},
			{Purpose: post, Body: unlistedOfMeta, Code: "3"}, {Purpose: part, Body: unlistedOfMeta, Code: "3"},
			{Purpose: status, Body: unlistedOfMeta}, {Purpose: lookup, Body: unlistedOfMeta},
		},
	},
	"wordpress": {
		Holds: []Recorded{
			{Purpose: post, Status: 401, Body: `{"code":"incorrect_password","message":"The provided password is an invalid application password.","data":{"status":401}}`, Code: "incorrect_password"},
			{Purpose: post, Body: `{"code":"rest_cannot_create","message":"Sorry, you are not allowed to create posts as this user.","data":{"status":403}}`, Code: "missing_scope"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"code":"rest_forbidden","message":"Sorry, you are not allowed to do that.","data":{"status":403}}`, Code: "rest_forbidden"},
			{Purpose: file, Body: `{"code":"rest_cannot_create","message":"Sorry, you are not allowed to upload media on this site.","data":{"status":403}}`},
		},
	},
	"x": {
		Holds: []Recorded{
			{Purpose: post, Body: `{"title":"Forbidden","detail":"Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.","type":"https://api.twitter.com/2/problems/oauth1-permissions"}`, Code: "missing_scope"},
			{Purpose: post, Status: 402, Body: `{"title":"CreditsDepleted","detail":"Your enrolled account [1] does not have any credits to fulfill this request.","type":"https://api.x.com/2/problems/credits"}`, Code: "credits_depleted"},
			{Purpose: post, Body: `{"title":"Unsupported Authentication","detail":"Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.","type":"https://api.twitter.com/2/problems/unsupported-authentication"}`, Code: "missing_scope"},
			{Purpose: post, Body: `{"title":"Client Forbidden","detail":"not attached","reason":"client-not-enrolled","type":"https://api.twitter.com/2/problems/client-forbidden"}`, Code: "missing_scope"},
			{Purpose: part, Body: `{"title":"Forbidden","detail":"Your account is suspended and is not permitted to access this feature."}`, Code: "blocked"},
			{Purpose: post, Body: `{"title":"Forbidden","detail":"To protect our users from spam and other malicious activity, this account is temporarily locked."}`, Code: "blocked"},
		},
		Refuses: []Recorded{
			{Purpose: post, Body: `{"title":"Forbidden","detail":"You are not permitted to perform this action.","type":"about:blank","status":403}`},
			{Purpose: part, Body: `{"title":"Forbidden","detail":"Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.","type":"about:blank","status":403}`},
			{Purpose: post, Body: `{"title":"Forbidden","detail":"This user is not allowed to post a video longer than 2 minutes","type":"about:blank","status":403}`},
			{Purpose: post, Body: `{"title":"Forbidden","detail":"Posts are limited to a maximum of one cashtag","type":"about:blank","status":403}`},
			{Purpose: post, Body: `{"title":"Forbidden","detail":"You have been blocked by the author of this post.","type":"about:blank","status":403}`},
			{Purpose: file, Body: `{"title":"Forbidden","detail":"You are not permitted to perform this action.","type":"about:blank","status":403}`},
			{Purpose: status, Body: `{"title":"Forbidden","detail":"You are not permitted to perform this action.","type":"about:blank","status":403}`},
			{Purpose: lookup, Body: `{"title":"Forbidden","detail":"You are not permitted to perform this action.","type":"about:blank","status":403}`},
		},
	},
}
