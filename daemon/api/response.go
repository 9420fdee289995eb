package api

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// response is the response to a request.
type response struct {
	status   int
	etag     string
	location string
	created  string // the id of the created object, for the audit log; may be empty
	repeated bool   // the request changed nothing and gets no audit entry
	body     []byte // JSON, or nil for none
	fresh    bool   // the body has more than the ETag covers: always send it, and do not cache it
	secret   bool   // the body contains a secret and is sealed when stored
	replayed bool   // stored by an earlier request with the same key

	// stream replaces all fields above. It writes the whole response and returns at
	// its end.
	stream func(http.ResponseWriter, *http.Request)
}

// noContent is a response without a body.
var noContent = response{status: http.StatusNoContent}

// newResponse returns a response with v as its body.
func newResponse(status int, v any) (response, error) {
	body, err := encode(v)
	if err != nil {
		return response{}, internal(err)
	}
	return response{status: status, body: body}, nil
}

// versionTag returns the ETag of a version.
func versionTag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// postResponse returns a response with a post and its ETag.
func (s *Server) postResponse(r storage.Reader, c *request, status int, p schedctl.Post, warnings ...string) (response, error) {
	wire, err := s.showPosts(r, c, p)
	if err != nil {
		return response{}, err
	}
	wire[0].ProposedAlso, wire[0].Warnings = c.ProposedAlso, append(wire[0].Warnings, warnings...)
	return envelopeWire(status, wire[0])
}

// envelopePost is postResponse for a new post whose assets are known.
func envelopePost(c *request, status int, p schedctl.Post, assets []schedctl.MediaAsset) (response, error) {
	wire := apiv1.NewPost(p, assets...)
	wire.ProposedAlso = c.ProposedAlso
	wire.Authors = apiv1.NewAuthors(p.Trail, "", func(string) *schedctl.APIKey { return &c.Key })
	return envelopeWire(status, wire)
}

// envelopeWire is postResponse for the wire form of a post.
func envelopeWire(status int, p apiv1.Post) (response, error) {
	a, err := newResponse(status, &apiv1.PostEnvelope{Post: p})
	a.etag = versionTag(p.Version)
	if status == http.StatusCreated {
		a.created, a.location = p.ID, prefix+"/posts/"+p.ID
	}
	return a, err
}

// accountResponse returns a response with an account and its warnings.
func (s *Server) accountResponse(r storage.Reader, c *request, status int, acc schedctl.Account) (response, error) {
	wire, err := s.accountEnvelope(r, c, acc)
	if err != nil {
		return response{}, err
	}
	a, err := newResponse(status, wire)
	if status == http.StatusCreated {
		a.created, a.location = acc.ID, prefix+"/social-accounts/"+acc.ID
	}
	return a, err
}

// accountEnvelope returns the wire form of an account with its warnings.
func (s *Server) accountEnvelope(r storage.Reader, c *request, acc schedctl.Account) (apiv1.AccountEnvelope, error) {
	wire, err := s.cases.ShowAccounts(r, &c.Request, acc)
	if err != nil {
		return apiv1.AccountEnvelope{}, err
	}
	return apiv1.AccountEnvelope{SocialAccount: wire[0]}, nil
}

// encode returns v as JSON without the escapes that only HTML needs. A large v is passed by
// its address.
func encode(v any) ([]byte, error) {
	var body wholeBody
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return body, err
}

// wholeBody is what an encoder writes. [json.Encoder] writes each value in one piece, so that
// the first piece has the size of the body.
type wholeBody []byte

func (b *wholeBody) Write(piece []byte) (int, error) {
	*b = append(*b, piece...)
	return len(piece), nil
}

func (a response) write(w http.ResponseWriter) {
	h := w.Header()
	h["Cache-Control"] = noStore
	if a.etag != "" {
		h["Etag"] = []string{a.etag}
	}
	if a.location != "" {
		h["Location"] = []string{a.location}
	}
	if a.replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	if len(a.body) > 0 {
		h["Content-Type"] = contentJSON
		h["X-Content-Type-Options"] = noSniff
		h["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// Header values that never change; net/http does not write to them.
var (
	noStore     = []string{"no-store"}
	contentJSON = []string{"application/json"}
	noSniff     = []string{"nosniff"}
)
