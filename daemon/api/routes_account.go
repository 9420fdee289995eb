package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func (s *Server) accountRoutes() []route {
	one := reflect.TypeFor[apiv1.AccountEnvelope]()
	return []route{{
		method: http.MethodGet, path: "/social-accounts", id: "listSocialAccounts", tag: "Social accounts",
		summary:     "List social accounts",
		description: "In order of creation. Disconnected accounts are included only if status is all.",
		scopes:      readsAccounts, params: accountListParams(), codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.AccountList](),
		handle: s.listAccounts,
	}, {
		method: http.MethodPost, path: "/social-accounts", id: "addSocialAccount", tag: "Social accounts",
		summary:     "Connect a social account",
		description: "The credentials are verified with the network before the account is stored. They are encrypted at rest and never returned.",
		scopes:      writesAccounts,
		codes:       []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountVerificationFailed, schedctl.AccountNotAllowed, schedctl.NameTaken},
		request:     reflect.TypeFor[apiv1.AddAccount](), status: http.StatusCreated, response: one,
		actsEarly: true, handle: withBody(readAddAccount, s.addAccount),
	}, {
		method: http.MethodGet, path: "/social-accounts/{id}", id: "getSocialAccount", tag: "Social accounts",
		summary:     "Get a social account",
		description: "Disconnected accounts can be read too. open counts the posts and series with the account that are not over.",
		scopes:      readsAccounts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.getAccount,
	}, {
		method: http.MethodPatch, path: "/social-accounts/{id}", id: "editSocialAccount", tag: "Social accounts",
		summary:     "Rename, configure or reconnect a social account",
		description: "New credentials replace all old ones. Credentials and platform options are verified with the network before they are stored. An option set to null is reset to its default. Credentials of a different user are refused; connect them as a new account. The option approval asks about scheduled posts of the account as PATCH /workspaces/{id} does.",
		scopes:      writesAccounts,
		codes:       []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountVerificationFailed, schedctl.AccountNotAllowed, schedctl.NameTaken, schedctl.NotFound, schedctl.ExistingPosts, schedctl.SelfApproval},
		request:     reflect.TypeFor[apiv1.EditAccount](), status: http.StatusOK, response: one,
		actsEarly: true, handle: withBody(readEditAccount, s.editAccount),
	}, {
		method: http.MethodDelete, path: "/social-accounts/{id}", id: "removeSocialAccount", tag: "Social accounts",
		summary:     "Disconnect a social account",
		description: "Erases its credentials. The account can still be read; its due posts fail. Repeating the request changes nothing. " + releases + " A post with other accounts loses this one instead of being canceled.",
		scopes:      writesAccounts, params: []*huma.Param{postsParam(), moveParam()},
		codes:  []schedctl.Code{schedctl.ValidationFailed, schedctl.NotFound, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed},
		status: http.StatusNoContent, response: reflect.TypeFor[apiv1.Released](), actsEarly: true,
		handle: withoutBody(s.removeAccount),
	}, {
		method: http.MethodPost, path: "/social-accounts/{id}/verify", id: "verifySocialAccount", tag: "Social accounts",
		summary:     "Verify a social account",
		description: "Checks the account with its network and returns it with status connected or error. When the network cannot be reached, the account is not changed and the status is 503.",
		scopes:      writesAccounts, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.NotFound},
		status: http.StatusOK, response: one,
		actsEarly: true, handle: withoutBody(s.verifyAccount),
	}}
}

// accountListParams describes the query of GET /social-accounts.
func accountListParams() []*huma.Param {
	return []*huma.Param{
		queryParam("status", "all includes disconnected accounts", &huma.Schema{Type: huma.TypeString, Enum: []any{"all"}}),
	}
}
