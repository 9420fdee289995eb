package api

import (
	"net/http"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func (s *Server) blackoutRoutes() []route {
	one := reflect.TypeFor[apiv1.BlackoutEnvelope]()
	refusals := []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed}
	return []route{{
		method: http.MethodGet, path: "/blackouts", id: "listBlackouts", tag: "Blackouts",
		summary:     "List blackouts",
		description: "All of the workspace, in order of creation, with those that are over. A key that is limited to accounts sees those that name only its accounts, and those for all accounts.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.BlackoutList](),
		handle: s.listBlackouts,
	}, {
		method: http.MethodPost, path: "/blackouts", id: "createBlackout", tag: "Blackouts", people: true,
		summary: "Create a blackout",
		description: "With mode avoid, slots and occurrences of series step around the period, and posts with a time in it are refused unless they have allow_blackout; posts that are scheduled already are published and listed in scheduled. " +
			"With mode hold, nothing is published from its start to its end. A hold without an end lasts until it is deleted or gets an end. " +
			"With a label, a hold is about posts that have this label when they are due, on the accounts of the blackout; a thread of which a part is published is finished. Such posts are not too late before the hold ends. " +
			"After a hold, posts whose slots have passed get new slots in their order. Other posts are late, and are published one after the other. " +
			"A workspace can have 200 blackouts that are not over.",
		scopes: writesPosts, codes: refusals,
		request: reflect.TypeFor[apiv1.CreateBlackout](), status: http.StatusCreated, response: one,
		handle: withBody(readCreateBlackout, s.createBlackout),
	}, {
		method: http.MethodGet, path: "/blackouts/{id}", id: "getBlackout", tag: "Blackouts",
		summary:     "Get a blackout",
		description: "Includes the posts that are scheduled in its period. The ETag is derived from the version; send it in If-Match.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.getBlackout,
	}, {
		method: http.MethodPatch, path: "/blackouts/{id}", id: "editBlackout", tag: "Blackouts", people: true,
		summary: "Edit a blackout",
		description: "Absent fields stay unchanged; a request that changes nothing keeps the version. Accounts that leave a hold, or whose hold ends by the change, publish again at once: " +
			"their posts whose slots have passed get new slots first. A blackout that is over starts again if its end moves into the future.",
		scopes: writesPosts, codes: append([]schedctl.Code{schedctl.NotFound, schedctl.VersionMismatch}, refusals...),
		request: reflect.TypeFor[apiv1.EditBlackout](), status: http.StatusOK, response: one,
		handle: withBody(readEditBlackout, s.editBlackout),
	}, {
		method: http.MethodDelete, path: "/blackouts/{id}", id: "deleteBlackout", tag: "Blackouts", people: true,
		summary:     "Delete a blackout",
		description: "A hold ends: posts whose slots have passed get new slots in their order, and other posts that are late are published one after the other.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed, schedctl.VersionMismatch},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteBlackout),
	}}
}
