package api

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// everyRoute has the error codes of all routes, everyBody those of routes with a
// body, and everyWrite those of routes that write.
var (
	everyRoute = []schedctl.Code{
		schedctl.AuthenticationRequired, schedctl.InvalidAPIKey, schedctl.APIKeyRevoked, schedctl.APIKeyExpired,
		schedctl.NotAcceptable, schedctl.RateLimited, schedctl.Internal, schedctl.Unavailable,
	}
	everyBody = []schedctl.Code{
		schedctl.InvalidJSON, schedctl.ValidationFailed, schedctl.BodyTooLarge, schedctl.UnsupportedMediaType,
	}
	everyWrite = []schedctl.Code{schedctl.InvalidIdempotencyKey, schedctl.IdempotencyKeyReused, schedctl.IdempotencyRunning, schedctl.InsufficientStorage}
)

// refusals returns all error codes of the route.
func (rt *route) refusals() []schedctl.Code {
	codes := slices.Concat(everyRoute, rt.codes)
	if rt.method != http.MethodGet {
		codes = append(codes, everyBody...)
	}
	if rt.repeatable() {
		codes = append(codes, everyWrite...)
	}
	if rt.upload {
		codes = append(codes, schedctl.InsufficientStorage)
	}
	if len(rt.scopes) > 0 {
		codes = append(codes, schedctl.InsufficientScope)
	}
	if rt.people || rt.overrides {
		codes = append(codes, schedctl.KeyNotAllowed)
	}
	if rt.writes() && slices.Contains(rt.scopes, schedctl.ScopePostsWrite) && !slices.Contains(rt.scopes, schedctl.ScopePostsApprove) {
		codes = append(codes, schedctl.KeyNotAllowed, schedctl.NotYourDraft) // see usecase.Request.mayChange
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// writes reports whether the route changes anything.
func (rt *route) writes() bool { return rt.method != http.MethodGet && !rt.readOnly }

// repeatable reports whether the route takes an Idempotency-Key. Uploads by URL need
// none.
func (rt *route) repeatable() bool { return rt.writes() && !rt.upload }

// operation describes the route for the document.
func (rt *route) operation(registry huma.Registry) *huma.Operation {
	op := &huma.Operation{
		Method: rt.method, Path: prefix + rt.path, OperationID: rt.id, Tags: []string{rt.tag},
		Summary: rt.summary, Description: rt.description, DefaultStatus: rt.status,
		Parameters: rt.parameters(), Responses: rt.responses(registry),
	}
	if len(rt.scopes) > 0 {
		op.Description += " Needs the scope " + joinAll(rt.scopes, " or ") + "."
	}
	if rt.accepts != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: rt.accepts()}
	}
	if rt.upload {
		op.Security = []map[string][]string{{}}
	}
	if rt.request != nil {
		op.RequestBody = &huma.RequestBody{Required: !rt.optionalBody, Content: jsonContent(registry, rt.request)}
	}
	return op
}

func (rt *route) parameters() []*huma.Param {
	params := slices.Clone(rt.params)
	text := &huma.Schema{Type: huma.TypeString}
	for _, name := range []string{"id", "delivery_id", "item_id"} {
		if strings.Contains(rt.path, "{"+name+"}") {
			params = append(params, &huma.Param{Name: name, In: "path", Required: true, Schema: text})
		}
	}
	if rt.repeatable() {
		params = append(params, sharedParameter("IdempotencyKey"))
	}
	switch versioned := slices.Contains(rt.codes, schedctl.VersionMismatch); {
	case versioned && rt.needsVersion():
		params = append(params, sharedParameter("RequiredIfMatch"))
	case versioned:
		params = append(params, sharedParameter("IfMatch"))
	}
	if rt.conditional() {
		params = append(params, sharedParameter("IfNoneMatch"))
	}
	return params
}

// versioned reports whether the response has one object with a version, as its ETag.
func (rt *route) versioned() bool {
	return rt.partlyVersioned() || rt.response == reflect.TypeFor[apiv1.PostEnvelope]() || rt.response == reflect.TypeFor[apiv1.SeriesEnvelope]()
}

// conditional reports whether the route reads one object that is unchanged as long as
// its ETag is.
func (rt *route) conditional() bool {
	return rt.method == http.MethodGet && rt.versioned() && !rt.partlyVersioned()
}

// partlyVersioned reports whether the response has more than the object, or state of it, that can
// change without its version: the displaced ones of a queue, or those in the period of a
// blackout, and what a source has fetched.
func (rt *route) partlyVersioned() bool {
	return slices.Contains([]reflect.Type{reflect.TypeFor[apiv1.QueueEnvelope](), reflect.TypeFor[apiv1.BlackoutEnvelope](), reflect.TypeFor[apiv1.SourceEnvelope]()}, rt.response)
}

func (rt *route) responses(registry huma.Registry) map[string]*huma.Response {
	success := &huma.Response{Description: http.StatusText(rt.status), Headers: rt.successHeaders()}
	if rt.response != nil {
		success.Content = content(registry, rt.mediaType(), rt.response)
	}
	out := map[string]*huma.Response{strconv.Itoa(rt.status): success}
	switch {
	case rt.status == http.StatusNoContent && rt.response != nil:
		out[strconv.Itoa(http.StatusOK)] = &huma.Response{Description: "The query says what becomes of the open posts.", Headers: success.Headers, Content: success.Content}
		success.Content = nil
	case rt.alsoOK:
		known := *success
		known.Description, known.Headers = "The workspace has a file with the same bytes; this is its asset.", maps.Clone(success.Headers)
		delete(known.Headers, "Location")
		out[strconv.Itoa(http.StatusOK)] = &known
	}
	if rt.conditional() {
		out[strconv.Itoa(http.StatusNotModified)] = &huma.Response{
			Description: "Nothing has changed since the ETag in If-None-Match.", Headers: rt.successHeaders(),
		}
	}
	if rt.media == mediaAny {
		out[strconv.Itoa(http.StatusPartialContent)] = &huma.Response{Description: "The requested range.", Content: success.Content, Headers: success.Headers}
		out[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "The client has the bytes: If-None-Match has their ETag.", Headers: success.Headers}
		out[strconv.Itoa(http.StatusRequestedRangeNotSatisfiable)] = &huma.Response{Description: "The range is outside the file.", Headers: map[string]*huma.Header{requestIDHeader: sharedHeader(requestIDHeader)}}
	}
	byStatus := map[int][]string{}
	for _, code := range rt.refusals() {
		byStatus[Status(code)] = append(byStatus[Status(code)], string(code))
	}
	failure := registry.Schema(reflect.TypeFor[apiv1.ErrorEnvelope](), true, "")
	for status, codes := range byStatus {
		out[strconv.Itoa(status)] = &huma.Response{
			Description: strings.Join(codes, ", "),
			Headers:     rt.failureHeaders(status, codes),
			Content:     map[string]*huma.MediaType{mediaJSON: {Schema: failure}},
		}
	}
	return out
}

func (rt *route) successHeaders() map[string]*huma.Header {
	headers := map[string]*huma.Header{requestIDHeader: sharedHeader(requestIDHeader)}
	if rt.versioned() {
		headers["ETag"] = sharedHeader("ETag")
	}
	if rt.media == mediaAny {
		headers["ETag"] = header("The SHA-256 of the bytes.")
		headers["Content-Disposition"] = header("attachment, with the name of the file.")
		headers["Content-Security-Policy"] = header("sandbox; default-src 'none'")
		headers["Accept-Ranges"] = header("bytes")
	}
	if rt.locates() {
		headers["Location"] = header("The path of what was created, with that of the public URL.")
	}
	if rt.media == mediaEvents {
		headers["X-Accel-Buffering"] = header("no: a proxy is not to hold events back.")
		headers["Connection"] = header("close: the connection is used for the stream alone.")
	}
	if rt.repeatable() {
		headers["Idempotent-Replayed"] = sharedHeader("Idempotent-Replayed")
	}
	return headers
}

// locates reports whether the route creates an object with a path of its own.
func (rt *route) locates() bool {
	return rt.status == http.StatusCreated && rt.response != reflect.TypeFor[apiv1.CreatedWorkspace]() && rt.response != reflect.TypeFor[apiv1.PostNoteEnvelope]() // these have no path
}

func (rt *route) failureHeaders(status int, codes []string) map[string]*huma.Header {
	headers := map[string]*huma.Header{requestIDHeader: sharedHeader(requestIDHeader)}
	if status == http.StatusUnauthorized {
		headers["WWW-Authenticate"] = sharedHeader("WWW-Authenticate")
	}
	var locations []string
	if rt.locates() && slices.Contains(codes, string(schedctl.IdempotencyKeyReused)) {
		locations = append(locations, "With IDEMPOTENCY_KEY_REUSED, the path of what the first call with the key created.")
	}
	if slices.Contains(codes, string(schedctl.ExternalIDExists)) {
		locations = append(locations, "With EXTERNAL_ID_EXISTS, the path of the existing post, if the key may see it.")
	}
	if len(locations) > 0 {
		headers["Location"] = header(strings.Join(locations, " "))
	}
	for _, code := range codes {
		if retryAfter[schedctl.Code(code)] != "" {
			headers["Retry-After"] = sharedHeader("Retry-After")
		}
		if code == string(schedctl.RateLimited) {
			maps.Copy(headers, limitHeaders())
		}
	}
	return headers
}

// limitHeaders are the headers of all responses to requests with a valid key, if the
// daemon limits requests.
func limitHeaders() map[string]*huma.Header {
	out := map[string]*huma.Header{}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		out[name] = sharedHeader(name)
	}
	return out
}

// header returns a header of the document.
func header(about string) *huma.Header {
	return &huma.Header{Description: about, Schema: &huma.Schema{Type: huma.TypeString}}
}

func jsonContent(registry huma.Registry, t reflect.Type) map[string]*huma.MediaType {
	return content(registry, mediaJSON, t)
}

func content(registry huma.Registry, media string, t reflect.Type) map[string]*huma.MediaType {
	switch media {
	case mediaBytes, mediaAny:
		return map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	case mediaEvents: // the schema of the data of each event, as generators of clients expect
		return map[string]*huma.MediaType{media: {Schema: registry.Schema(reflect.TypeFor[apiv1.Event](), true, "")}}
	}
	return map[string]*huma.MediaType{media: {Schema: registry.Schema(t, true, "")}}
}
