package api

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const (
	responseRef  = "#/components/responses/"
	headerRef    = "#/components/headers/"
	parameterRef = "#/components/parameters/"
)

// sharedHeaders describes the headers of responses that have the same meaning in all
// operations. Operations refer to them.
var sharedHeaders = map[string]string{
	requestIDHeader:         "The id of the request, for questions about it. Errors have it in the body, too.",
	"ETag":                  "The version, for If-Match.",
	"Idempotent-Replayed":   "true when the response was stored by an earlier request with the same Idempotency-Key.",
	"Retry-After":           "Seconds to wait before repeating the call.",
	"WWW-Authenticate":      "Bearer",
	"X-RateLimit-Limit":     "How many calls the API key may make at once.",
	"X-RateLimit-Remaining": "How many of them are left.",
	"X-RateLimit-Reset":     "When all of them are there again, in seconds since 1970 UTC.",
}

// sharedParameters are the parameters in headers that several operations have, by the names
// of their components.
var sharedParameters = map[string]*huma.Param{
	"IdempotencyKey": {
		Name: "Idempotency-Key", In: "header",
		Description: "Makes the request safe to repeat for 24 hours: the same key with the same body returns the stored response, with Idempotent-Replayed: true.",
		Schema:      &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(255), Pattern: "^[!-~]+$"},
	},
	"IfMatch": {
		Name: "If-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "The ETag of the version that was read; the request is refused if there is a later one.",
	},
	"RequiredIfMatch": {
		Name: "If-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString}, Required: true,
		Description: "The ETag of the version that was read; the request is refused if there is a later one.",
	},
	"IfNoneMatch": {
		Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "The ETag of an earlier response. If nothing has changed since, the response is 304 without a body.",
	},
}

// sharedParameter returns a reference to one of [sharedParameters].
func sharedParameter(name string) *huma.Param { return &huma.Param{Ref: parameterRef + name} }

// sharedHeader returns a reference to one of [sharedHeaders].
func sharedHeader(name string) *huma.Header { return &huma.Header{Ref: headerRef + name} }

// headerComponents returns the components of [sharedHeaders].
func headerComponents() map[string]*huma.Header {
	out := map[string]*huma.Header{}
	for name, about := range sharedHeaders {
		out[name] = header(about)
	}
	return out
}

// shareResponses makes equal error responses of several operations references to one
// component. It is called after the examples were added: a response with examples belongs
// to its operation.
func shareResponses(doc *huma.OpenAPI) {
	uses := map[string]int{}
	eachError(doc, func(_ *huma.Operation, _ string, r *huma.Response) { uses[responseName(r)]++ })
	doc.Components.Responses = map[string]*huma.Response{}
	eachError(doc, func(op *huma.Operation, status string, r *huma.Response) {
		if name := responseName(r); uses[name] > 1 {
			doc.Components.Responses[name] = r
			op.Responses[status] = &huma.Response{Ref: responseRef + name}
		}
	})
}

// eachError calls visit with every error response that has no examples.
func eachError(doc *huma.OpenAPI, visit func(op *huma.Operation, status string, r *huma.Response)) {
	for _, path := range doc.Paths {
		for _, op := range operationsOf(path) {
			for status, r := range op.Responses {
				code, _ := strconv.Atoi(status)
				if content := r.Content[mediaJSON]; code >= http.StatusBadRequest && content != nil && content.Examples == nil {
					visit(op, status, r)
				}
			}
		}
	}
}

// operationsOf returns the operations of a path.
func operationsOf(path *huma.PathItem) []*huma.Operation {
	return slices.DeleteFunc([]*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete},
		func(op *huma.Operation) bool { return op == nil })
}

// shortNames replace the names of codes that most operations have together, because their long
// names would be a tenth of the document.
var shortNames = strings.NewReplacer(
	"ApiKeyExpiredOrApiKeyRevokedOrAuthenticationRequiredOrInvalidApiKey", "Unauthorized",
	"InvalidIdempotencyKeyOrInvalidJsonOrValidationFailed", "Invalid",
	"InvalidIdempotencyKeyOrInvalidJson", "InvalidBody",
	"UnsupportedMediaType", "WrongType",
	"InsufficientStorage", "NoSpace",
	"IdempotencyInProgressOrIdempotencyKeyReused", "IdempotencyConflict",
	"InsufficientScopeOrKeyNotAllowedOrNotYourDraft", "NotAllowed",
)

// responseName returns the name of an error response as a component: its codes, in the form
// NotFound or InsufficientScopeOrKeyNotAllowed, and the headers that only some operations
// have. So responses with one name are equal.
func responseName(r *huma.Response) string {
	var name strings.Builder
	for i, code := range strings.Split(r.Description, ", ") {
		if i > 0 {
			name.WriteString("Or")
		}
		for word := range strings.SplitSeq(code, "_") {
			name.WriteString(word[:1] + strings.ToLower(word[1:]))
		}
	}
	for _, header := range slices.Sorted(maps.Keys(r.Headers)) {
		if sharedHeaders[header] == "" {
			name.WriteString("With" + header)
		}
	}
	return shortNames.Replace(name.String())
}
