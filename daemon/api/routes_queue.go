package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// queueRoutes are the routes of queues.
func (s *Server) queueRoutes() []route {
	one := reflect.TypeFor[apiv1.QueueEnvelope]()
	invalid := []schedctl.Code{schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.NameTaken}
	return []route{{
		method: http.MethodGet, path: "/queues", id: "listQueues", tag: "Queues",
		summary:     "List queues",
		description: "All queues of the workspace, in order of creation. A key that is limited to accounts sees the queues of all accounts, and those that name only its accounts.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.QueueList](),
		handle: s.listQueues,
	}, {
		method: http.MethodPost, path: "/queues", id: "createQueue", tag: "Queues",
		summary: "Create a queue",
		description: "A queue is a weekly timetable. A post takes its next free slot with publish_at \"next-slot\". Times are those of the zone, also after the clocks change: " +
			"a time that the clocks skip becomes the first instant after the gap, and of a time that they show twice the first counts. " +
			"Posts for accounts that no queue names use the default queue. The first queue of a workspace becomes the default.",
		scopes: writesPosts, codes: invalid,
		request: reflect.TypeFor[apiv1.CreateQueue](), status: http.StatusCreated, response: one,
		handle: withBody(readCreateQueue, s.createQueue),
	}, {
		method: http.MethodGet, path: "/queues/{id}", id: "getQueue", tag: "Queues",
		summary:     "Get a queue",
		description: "With the posts whose slots the queue does not have any more. The ETag is derived from the version; send it in If-Match.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.getQueue,
	}, {
		method: http.MethodPatch, path: "/queues/{id}", id: "editQueue", tag: "Queues",
		summary: "Edit a queue",
		description: "Moves no post. The response lists the posts whose slots the queue does not have any more; reflow moves them. " +
			"A request that changes nothing keeps the version.",
		scopes: writesPosts, codes: append([]schedctl.Code{schedctl.NotFound, schedctl.VersionMismatch}, invalid...),
		request: reflect.TypeFor[apiv1.EditQueue](), status: http.StatusOK, response: one,
		handle: withBody(readEditQueue, s.editQueue),
	}, {
		method: http.MethodDelete, path: "/queues/{id}", id: "deleteQueue", tag: "Queues",
		summary:     "Delete a queue",
		description: "Its posts keep their times and slots, and lose their queue_id. If it was the default queue, the workspace has none until another queue becomes the default.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed, schedctl.VersionMismatch},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteQueue),
	}}
}

// queueMoveRoutes are the routes of the slots of queues, and of posts that move in them.
func (s *Server) queueMoveRoutes() []route {
	moves := reflect.TypeFor[apiv1.QueueMoves]()
	return []route{{
		method: http.MethodGet, path: "/queues/{id}/slots", id: "listQueueSlots", tag: "Queues",
		summary: "List the slots of a queue",
		description: "The slots between two times, in order, each free, taken or blocked. Reserves nothing. A slot is taken by any post of the accounts that is scheduled, publishing or published at its time, or closer than the gap. " +
			"Past slots that no post has, and slots of more than 31 days ago, are left out. A post that the key may not see is not named. For the next slots, continue with after at the time of the last one.",
		scopes: readsPosts, params: slotListParams(), codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.QueueSlots](),
		handle: s.listSlots,
	}, {
		method: http.MethodPost, path: "/queues/{id}/order", id: "orderQueue", tag: "Queues",
		summary: "Put posts of a queue into an order",
		description: "The posts exchange their times: the first one named gets the earliest. All of them are scheduled posts with slots of the queue. " +
			"The request is refused if a time is not free for the accounts of its new post.",
		scopes: writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed, schedctl.SlotTaken, schedctl.VersionMismatch, schedctl.ApprovalMissing},
		request: reflect.TypeFor[apiv1.OrderQueue](), status: http.StatusOK, response: moves,
		handle: withBody(readOrderQueue, s.orderQueue),
	}, {
		method: http.MethodPost, path: "/queues/{id}/reflow", id: "reflowQueue", tag: "Queues",
		summary: "Move displaced posts into slots of the queue",
		description: "After the times of a queue have changed, moves the posts whose slots it does not have any more, at most 500 at once: each into the first free slot after the post before it. Other posts do not move. " +
			"With dry_run, only returns the moves, and a digest. Send that digest to make the moves; the request is refused if the queue or its posts have changed since.",
		scopes: writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed, schedctl.VersionMismatch, schedctl.ApprovalMissing},
		request: reflect.TypeFor[apiv1.ReflowQueue](), status: http.StatusOK, response: moves,
		handle: withBody(readReflowQueue, s.reflowQueue),
	}}
}

// slotListParams describes the query of GET /queues/{id}/slots.
func slotListParams() []*huma.Param {
	at := &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	return []*huma.Param{
		queryParam("after", "only slots at this time or later; "+utcOnly+". Default: now", at),
		queryParam("before", "only slots before this time, at most 366 days after the first; "+utcOnly+". Default: 180 days after the first", at),
		queryParam("limit", "slots in the response", &huma.Schema{
			Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(maxSlots)), Default: defaultSlots,
		}),
		queryParam("social_account_id", "free means free for this account; repeat it for a post with several accounts. Default: all accounts of the queue",
			&huma.Schema{Type: huma.TypeArray, MaxItems: new(schedctl.MaxAccounts), Items: &huma.Schema{Type: huma.TypeString}}),
	}
}
