package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const postURIs = "schedctl://posts/"

// postResource returns the template of posts.
func postResource() (*sdk.ResourceTemplate, sdk.ResourceHandler) {
	return &sdk.ResourceTemplate{
		Name: "post", Title: "A post", URITemplate: postURIs + "{id}", MIMEType: "application/json",
		Description: "A post, as get_post returns it.",
	}, readPost
}

func readPost(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id, ok := strings.CutPrefix(r.Params.URI, postURIs)
	if _, valid := schedctl.ParseID(schedctl.PostPrefix, id); !ok || !valid {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	c := callerOf(ctx)
	p, err := c.Client.Post(ctx, id)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	if err != nil {
		return nil, protocolError(c, err)
	}
	text, err := encode(apiv1.PostEnvelope{Post: p})
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
}

// protocolError returns an error of the API for methods whose results have no errors.
func protocolError(c Caller, err error) error {
	e := (&call{Caller: c}).viewError(err)
	data, _ := json.Marshal(map[string]any{"error": e})
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: string(e.Code), Data: data}
}
