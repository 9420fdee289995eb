package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

const sharePath = schedctl.SharePath

var writesShares = []schedctl.Scope{schedctl.ScopeSharesWrite}

func (s *Server) shareRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/shares", id: "listShares", tag: "Shares",
		summary:     "List shares",
		description: "In order of creation, without their addresses, and until 30 days after their end. A key that is limited to accounts, or that changes only its own posts, sees the shares that it made.",
		scopes:      writesShares, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.ShareList](),
		handle: s.listShares,
	}, {
		method: http.MethodPost, path: "/shares", id: "createShare", tag: "Shares", people: true,
		summary: "Share posts with a person",
		description: "Returns an address at which a person sees posts in a browser without an API key. It is shown only once. " +
			"The share does not do more than the API key that makes it may do, and ends with it: when the key is revoked or expires, the address is not found. The key also needs the scope posts:read, and posts:approve for a share that decides. " +
			"A review without post_ids and filter shows all posts that wait for an approval, also later ones. A workspace can have 1,000 shares that have not ended.",
		scopes: writesShares, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.CreateShare](), status: http.StatusCreated, response: reflect.TypeFor[apiv1.ShareAddress](),
		handle: withBody(read[apiv1.CreateShare], s.createShare),
	}, {
		method: http.MethodGet, path: "/shares/{id}", id: "getShare", tag: "Shares",
		summary:     "Get a share",
		description: "Without its address.",
		scopes:      writesShares, codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.ShareEnvelope](),
		handle: s.getShare,
	}, {
		method: http.MethodDelete, path: "/shares/{id}", id: "revokeShare", tag: "Shares", people: true,
		summary:     "Revoke a share",
		description: "The address is not found from now on. The share stays in the list for 30 days.",
		scopes:      writesShares, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusNoContent,
		handle: withoutBody(s.revokeShare),
	}}
}

// listShares handles GET /shares.
func (s *Server) listShares(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.view, c.Shares)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.ShareList{Results: convert(list, apiv1.NewShare), Count: len(list)})
}

// getShare handles GET /shares/{id}.
func (s *Server) getShare(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	share, err := storage.Read(ctx, s.view, c.Share)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.ShareEnvelope{Share: apiv1.NewShare(share)})
}

// createShare handles POST /shares. The address exists only in the response.
func (s *Server) createShare(ctx context.Context, c *request, b apiv1.CreateShare) (response, error) {
	n := schedctl.NewShare{Kind: schedctl.ShareKind(b.Kind), Name: b.Name, PostIDs: b.PostIDs}
	if b.Can != nil {
		n.Can = schedctl.ShareRight(*b.Can)
	}
	if b.ExpiresAt != nil {
		n.ExpiresAt = b.ExpiresAt.Time
	}
	if f := b.Filter; f != nil {
		n.Filter = schedctl.ShareFilter{AccountIDs: f.SocialAccountIDs, Labels: f.Labels}
		if f.Approval != nil {
			n.Filter.Approval = schedctl.ApprovalState(*f.Approval)
		}
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		share, token, err := c.CreateShare(tx, n)
		if err != nil {
			return response{}, err
		}
		a, err := sealedResponse(http.StatusCreated, apiv1.ShareAddress{Share: apiv1.NewShare(share), URL: s.calendarBase(c) + sharePath + token})
		a.created, a.location = share.ID, prefix+"/shares/"+share.ID
		return a, err
	})
}

// revokeShare handles DELETE /shares/{id}.
func (s *Server) revokeShare(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		_, err := c.RevokeShare(tx)
		return noContent, err
	})
}
