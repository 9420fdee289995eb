package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/page"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// pagePolicy lets a page of a share load pictures and its style sheet from this daemon, and
// send forms to it. Nothing runs.
const pagePolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// sharedFileLife is how long the address of a file on a page works.
const sharedFileLife = time.Hour

// visit is a request for a page of a share. Its request has the key that made the share.
type visit struct {
	*request
	hash  [32]byte // of the token in the path
	share schedctl.Share
	frame page.Frame
	w     http.ResponseWriter
	r     *http.Request
}

// servePages adds the routes of the pages of shares. The token in the path takes the place of
// an API key.
func (s *Server) servePages() {
	s.mux.HandleFunc("GET "+sharePath+"style.css", func(w http.ResponseWriter, _ *http.Request) {
		pageHeader(w.Header())
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		w.Write(page.Style())
	})
	s.mux.HandleFunc("GET "+sharePath+"{token}", s.public(s.visited(s.showShare)))
	s.mux.HandleFunc("GET "+sharePath+"{token}/{post}", s.public(s.visited(s.showSharedPost)))
	s.mux.HandleFunc("POST "+sharePath+"{token}/{post}", s.public(s.visited(s.submitForm)))
}

func pageHeader(h http.Header) {
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	h["X-Content-Type-Options"] = noSniff
}

// visited returns a handler that opens the share of the path and calls next, which writes the
// response unless it returns an error. All reasons why there is no share give the same
// response, and count against the limit of requests without a valid key.
func (s *Server) visited(next func(context.Context, *visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		pageHeader(w.Header())
		v, err := s.openShare(w, r)
		if err == nil {
			s.shareUses.add(v.hash, newShareUse(v.ID == "", v.Now))
			err = s.limits.spend(w, v.share.ID, v.Now)
		}
		if err == nil {
			err = next(r.Context(), v)
		}
		if err != nil {
			s.refusePage(w, r, err)
		}
	}
}

// openShare returns the visit of a share. Errors: NOT_FOUND, RATE_LIMITED.
func (s *Server) openShare(w http.ResponseWriter, r *http.Request) (*visit, error) {
	now := time.Now()
	v := &visit{w: w, r: r, request: &request{host: r.Host, proxied: isProxied(r.Context()), requestID: w.Header().Get(requestIDHeader), remote: r.RemoteAddr, arrived: now}}
	v.frame = page.Frame{Token: r.PathValue("token"), Now: now}
	v.hash, _ = schedctl.HashShareToken(v.frame.Token) // that of no share for what is no token
	err := s.view(r.Context(), func(reader storage.Reader) (err error) {
		if v.share, v.Request, err = usecase.OpenShare(reader, v.hash, now); err != nil {
			return err
		}
		v.frame.Share = v.share
		v.frame.Workspace, err = reader.Workspace(v.share.WorkspaceID)
		return err
	})
	if schedctl.CodeOf(err) == schedctl.NotFound {
		if grant := s.limits.failures.take(addressBlock(r.RemoteAddr), now); !grant.granted {
			err = rateLimited(w, grant.wait, "too many requests for addresses that do not exist came from you; try again in %d s")
		}
	}
	v.ID = r.PathValue("post")
	return v, err
}

// refusePage writes the page of an error.
func (s *Server) refusePage(w http.ResponseWriter, r *http.Request, err error) {
	e := asError(err)
	s.logFailure(r, w.Header().Get(requestIDHeader), e)
	title, text := "Something went wrong", "The page cannot be shown now. Nothing was changed. Please try again in a minute."
	switch e.Code {
	case schedctl.NotFound:
		title, text = "There is nothing here", "The address is wrong, or it has ended. Ask the person who sent it to you for a new one."
	case schedctl.ValidationFailed:
		title, text = "The form is not complete", "Nothing was changed. Go back, fill it in, and send it again."
	case schedctl.MethodNotAllowed:
		title, text = "This does not work here", "Nothing was changed. Open the address in a browser, and use its page."
	case schedctl.RateLimited:
		title, text = "Too many requests", "Please wait a minute, and try again."
	case schedctl.BodyTooLarge:
		title, text = "The text is too long", "Nothing was changed. Go back, and shorten your text."
	case schedctl.MediaTypeNotAllowed:
		title, text = "This is no file of a known type", "Go back, and choose a picture (PNG, JPEG, WebP or GIF), a video (MP4, MOV or WebM) or a PDF."
	case schedctl.MediaTooLarge:
		title, text = "The file is too large", "Go back, and choose a smaller one."
	case schedctl.MediaInvalid:
		title, text = "The file did not arrive", "It is damaged, or was not sent completely. Go back, and send it again."
	case schedctl.MediaQuotaExceeded:
		title, text = "There is no room for the file", "Please tell the person who sent the address to you."
	}
	if wait, ok := retryAfter[e.Code]; ok && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", wait)
	}
	body, err := page.Refusal(styleAddress(r), title, text)
	if err != nil {
		s.log.LogAttrs(r.Context(), slog.LevelError, "page not rendered", slog.Any("error", err))
	}
	writePage(w, Status(e.Code), body)
}

// styleAddress returns the address of the style sheet, relative to the page of a request.
func styleAddress(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, uploadPagePath) {
		return ".." + sharePath + "style.css"
	}
	return strings.Repeat("../", strings.Count(strings.TrimPrefix(r.URL.EscapedPath(), sharePath), "/")) + "style.css"
}

func writePage(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// showShare handles GET /s/<token>.
func (s *Server) showShare(ctx context.Context, v *visit) error {
	var body []byte
	err := s.scan(ctx, v.request, func(r storage.Reader) (err error) {
		var failed error
		names := v.names(r, &failed)
		if v.share.Kind == schedctl.ShareCalendar {
			body, err = s.calendar(ctx, v, r, names)
			return errors.Join(err, failed)
		}
		list, err := v.waiting(ctx, r)
		if err == nil {
			body, err = page.Review(&v.frame, list, names, page.ParsePage(v.r.URL.Query()))
		}
		return errors.Join(err, failed)
	})
	if err != nil {
		return err
	}
	writePage(v.w, http.StatusOK, body)
	return nil
}

// names returns the names of accounts that the key of the share sees. It reads only accounts that
// the page shows. *failed is the last error of the store.
func (v *visit) names(r storage.Reader, failed *error) page.Names {
	known := map[string]string{}
	return func(id string) string {
		name, found := known[id]
		if found || !v.MayUse(id) {
			return name
		}
		a, err := r.Account(v.share.WorkspaceID, id)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			*failed = err
		}
		known[id] = a.Name
		return a.Name
	}
}

// fileToken returns the token of the address of a file on a page: of the one that a platform
// gets, or of the original if the platform is empty.
func (s *Server) fileToken(v *visit, a *schedctl.MediaAsset, platform string) string {
	c := media.Capability{Action: media.ActionDownload, WorkspaceID: a.WorkspaceID, AssetID: a.ID, Expires: v.Now.Add(sharedFileLife)}
	if platform != "" {
		c.Action, c.Platform = media.ActionVariant, platform
	}
	return s.signer.Sign(c)
}

// showSharedPost handles GET /s/<token>/<post>, where the post can also be a series.
func (s *Server) showSharedPost(ctx context.Context, v *visit) error {
	return s.writePost(ctx, v, http.StatusOK, page.PostView{})
}

// writePost writes the page of the post of the path. shown has what a refused form has to say.
func (s *Server) writePost(ctx context.Context, v *visit, status int, shown page.PostView) error {
	shown.Whole = v.r.URL.Query().Get("all") == "1"
	decision := s.cases.Decide(&v.Request, nil)
	err := s.scan(ctx, v.request, func(r storage.Reader) error {
		decision.On(r)
		p, err := v.proposal(r)
		if err != nil {
			return err
		}
		shown.Post, shown.Series = p.Post, p.Series
		if shown.Publications, shown.Assets, err = decision.Publications(ctx, published(&p)); err != nil {
			return err
		}
		shown.CanComment = p.Series == nil && usecase.ShareMay(&v.share, &v.Key, schedctl.ShareComment)
		shown.CanDecide, err = v.mayDecide(r, p.Post, &shown)
		if p.Series != nil {
			shown.Notice = ofSeries.Replace(shown.Notice)
		}
		return err
	})
	if err != nil {
		return err
	}
	shown.FileURL = func(a *schedctl.MediaAsset, platform string) string {
		return "../../media/" + s.fileToken(v, a, platform)
	}
	if shown.CanComment || shown.CanDecide {
		if err := s.addForm(v, &shown); err != nil {
			return err
		}
	}
	body, err := page.Post(&v.frame, &shown)
	if err != nil {
		return err
	}
	writePage(v.w, status, body)
	return nil
}

// mayDecide reports whether the page has the forms of a decision. If only the author of the
// post keeps it from having them, it sets the notice.
func (v *visit) mayDecide(r storage.Reader, p *schedctl.Post, shown *page.PostView) (bool, error) {
	if !usecase.ShareMay(&v.share, &v.Key, schedctl.ShareDecide) || p.Approval == nil || p.Approval.State != schedctl.ApprovalPending {
		return false, nil
	}
	err := v.CheckApproval(r, p)
	refusal, refused := errors.AsType[*schedctl.Error](err)
	if refused && shown.Notice == "" {
		shown.Notice = noticeOf(refusal.Code)
	}
	if refused {
		err = nil
	}
	if err != nil {
		return false, fmt.Errorf("read who may decide: %w", err)
	}
	return !refused, nil
}
