package api

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/page"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

const (
	maxForm    = 128 << 10 // bytes of a form: its text in percent encoding, and a little more
	formCookie = "schedctl_share"
	formType   = "application/x-www-form-urlencoded"
	nonceChars = 26 // of rand.Text
)

// form is a form of the page of a post.
type form struct{ action, nonce, version, text string }

// addForm gives the page of a post what its forms need: a token that is bound to the share
// and to the cookie of the browser, and a nonce. It sets the cookie if there is none.
func (s *Server) addForm(v *visit, shown *page.PostView) error {
	session := sessionOf(v.r)
	if session == "" {
		session = rand.Text()
		http.SetCookie(v.w, &http.Cookie{
			Name: formCookie, Value: session, Path: s.path + sharePath, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(s.external, "https://"),
		})
	}
	shown.Form, shown.Nonce = s.formToken(&v.share, session), rand.Text()
	return nil
}

// sessionOf returns the value of the cookie of a browser, or an empty text.
func sessionOf(r *http.Request) string {
	c, err := r.Cookie(formCookie)
	if err != nil || len(c.Value) != nonceChars || !visibleASCII(c.Value, nonceChars) {
		return ""
	}
	return c.Value
}

// formToken returns the token of the forms of a share for a browser. All daemons of a database
// make the same one.
func (s *Server) formToken(share *schedctl.Share, session string) string {
	key := s.sealer.DeriveKey("forms of shares")
	mac := hmac.New(sha256.New, key[:])
	fmt.Fprintf(mac, "%q %q", share.ID, session)
	return hex.EncodeToString(mac.Sum(nil))
}

// sameOrigin reports whether a form was sent by a page of this daemon, as far as the browser
// says. sure is false if it does not say.
func (s *Server) sameOrigin(r *http.Request) (same, sure bool) {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin", true
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true, false
	}
	origin, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || origin.Host == "" {
		return false, true
	}
	public, _ := url.Parse(s.external)
	return strings.EqualFold(origin.Host, r.Host) || public != nil && strings.EqualFold(origin.Host, public.Host), true
}

// readForm reads the form of a request. Errors: BODY_TOO_LARGE, VALIDATION_FAILED.
func readForm(w http.ResponseWriter, r *http.Request) (f form, token string, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != formType {
		return f, "", schedctl.Errorf(schedctl.UnsupportedMediaType, "", "the body must be a form")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return f, "", errTooLarge
		}
		return f, "", schedctl.Errorf(schedctl.ValidationFailed, "", "the form could not be read: %w", err)
	}
	get := r.PostForm.Get
	f = form{get("action"), get("nonce"), get("version"), strings.TrimSpace(strings.ReplaceAll(get("text"), "\r\n", "\n"))}
	return f, get("form"), nil
}

// Notices about forms that had no effect.
const (
	noticeOrigin   = "The form came from another website, so nothing was done. If you want to do this, use the form below."
	noticeSession  = "Your browser did not send its cookie, so nothing was done. Please try again."
	noticeTyped    = "Your browser did not send its cookie, so nothing was done. Your text is still there: please send it again."
	noticeForm     = "The form is not complete, so nothing was done. Please try again."
	noticeMay      = "This address does not let you do that."
	noticeText     = "Please write a text of 1 to 5,000 characters."
	noticeChanged  = "This post has changed since you opened it. Nothing was done. Read it again, and then decide."
	noticeDecided  = "This post no longer waits for a decision. Nothing was done."
	noticeSelf     = "This post was submitted or edited with the API key that made this address, so somebody else has to decide about it."
	noticeTime     = "The proposed time cannot be used any more. Ask the author for another one."
	noticeRunning  = "Your first click is not finished yet. Reload the page in a moment to see the result."
	noticeRefusals = "The post cannot be approved as it is now. Ask its author to check it."
)

// ofSeries makes a notice about a post one about a series.
var ofSeries = strings.NewReplacer("This post", "This series", "The post", "The series")

// noticeOf returns the notice for an error of a decision.
func noticeOf(code schedctl.Code) string {
	switch code {
	case schedctl.VersionMismatch:
		return noticeChanged
	case schedctl.ApprovalNotPending, schedctl.PostNotDraft, schedctl.PostCanceled:
		return noticeDecided
	case schedctl.SelfApproval:
		return noticeSelf
	case schedctl.InvalidPublishAt:
		return noticeTime
	case schedctl.IdempotencyRunning:
		return noticeRunning
	}
	return noticeRefusals
}

// submitForm handles POST /s/<token>/<post>. A form that is refused shows the page again, with
// the text that was typed.
func (s *Server) submitForm(ctx context.Context, v *visit) error {
	if _, err := storage.Read(ctx, s.view, v.proposal); err != nil {
		return err
	}
	f, token, err := readForm(v.w, v.r)
	if err != nil {
		return err
	}
	again := func(status int, notice string) error {
		return s.writePost(ctx, v, status, page.PostView{Notice: notice, Action: f.action, Typed: f.text})
	}
	same, sure := s.sameOrigin(v.r)
	if !same {
		f.text = ""
		return again(http.StatusForbidden, noticeOrigin)
	}
	if session := sessionOf(v.r); session == "" || !hmac.Equal([]byte(token), []byte(s.formToken(&v.share, session))) {
		if !sure || f.action == page.ActionApprove {
			f.text = "" // another website may have written it, or there is no field for it
		}
		if f.text != "" {
			return again(http.StatusForbidden, noticeTyped)
		}
		return again(http.StatusForbidden, noticeSession)
	}
	right := schedctl.ShareComment
	switch f.action {
	case page.ActionApprove, page.ActionChanges:
		right = schedctl.ShareDecide
	case page.ActionComment:
	default:
		return again(http.StatusBadRequest, noticeForm)
	}
	if v.ofSeries() && right == schedctl.ShareComment {
		return again(http.StatusBadRequest, noticeForm) // series have no notes
	}
	switch {
	case len(f.nonce) != nonceChars:
		return again(http.StatusBadRequest, noticeForm)
	case !usecase.ShareMay(&v.share, &v.Key, right):
		return again(http.StatusForbidden, noticeMay)
	case f.action != page.ActionApprove && (f.text == "" || schedctl.CheckReviewNote("text", f.text) != nil):
		return again(http.StatusUnprocessableEntity, noticeText)
	}
	done, err := s.handleForm(ctx, v, &f)
	if code := schedctl.CodeOf(err); err != nil && code != schedctl.NotFound && (Status(code) < http.StatusInternalServerError || code == schedctl.IdempotencyRunning) {
		return again(Status(code), noticeOf(code))
	}
	if err != nil {
		return err
	}
	v.w.Header().Set("Location", done.location)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// handleForm does what a form asks for, once: the nonce of the form and its text are the
// idempotency key. It returns the response to the browser.
func (s *Server) handleForm(ctx context.Context, v *visit, f *form) (response, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", *f))
	v.idempotency = storage.IdempotencyScope{
		WorkspaceID: v.share.WorkspaceID, Method: http.MethodPost, Path: sharePath + v.share.ID + "/" + v.ID, IdempotencyKey: hex.EncodeToString(sum[:]),
	}
	v.fingerprintRequest(sum)
	v.bodyValid = true
	rt := &route{actsEarly: true} // looks for the first response before it decides
	if f.action != page.ActionComment {
		v.Expected = usecase.Versions{f.version}
	}
	switch {
	case v.ofSeries():
		v.decideSeries(s, f, rt)
	case f.action == page.ActionApprove:
		v.action = "approvePost"
		rt.handle = func(ctx context.Context, c *request) (response, error) {
			return decide(ctx, s, c, func(d *usecase.Decision) (schedctl.Post, error) { return d.ApprovePost(ctx, usecase.Approval{}) }, v.respond)
		}
	case f.action == page.ActionChanges:
		v.action = "requestPostChanges"
		rt.handle = operationOf(s, func(tx storage.Tx) (response, error) {
			p, err := v.Post(tx)
			if err == nil && v.Expected.Check("post", p.Version) == nil {
				err = v.CheckApproval(tx, &p) // of what waits, and not of what is approved
			}
			if err != nil {
				return response{}, err
			}
			if p, err = v.RequestChanges(tx, f.text); err != nil {
				return response{}, err
			}
			return v.respond(tx, v.request, p)
		})
	default:
		v.action = "addPostNote"
		rt.handle = operationOf(s, func(tx storage.Tx) (response, error) {
			if _, err := v.AddNote(tx, f.text); err != nil {
				return response{}, err
			}
			a, err := v.respond(tx, v.request, schedctl.Post{})
			a.location += "#notes"
			return a, err
		})
	}
	return s.handleOnce(ctx, v.request, rt)
}

// decideSeries sets the handler of a decision about a series.
func (v *visit) decideSeries(s *Server, f *form, rt *route) {
	change := func(tx storage.Tx) (usecase.ChangedSeries, error) { return v.ApproveSeries(tx, "") }
	if v.action = "approveSeries"; f.action == page.ActionChanges {
		v.action = "requestSeriesChanges"
		change = func(tx storage.Tx) (usecase.ChangedSeries, error) { return v.RequestSeriesChanges(tx, f.text) }
	}
	rt.handle = operationOf(s, func(tx storage.Tx) (response, error) {
		one, err := v.Series(tx)
		if err == nil && v.Expected.Check("series", one.Version) == nil {
			err = v.CheckApproval(tx, &one.Template) // of what waits, and not of what is approved
		}
		if err != nil {
			return response{}, err
		}
		if _, err := change(tx); err != nil {
			return response{}, err
		}
		return v.respond(tx, v.request, schedctl.Post{})
	})
}

// operationOf returns the handler of a change in one transaction.
func operationOf(s *Server, change func(storage.Tx) (response, error)) handler {
	return func(ctx context.Context, c *request) (response, error) { return s.commit(ctx, c, change) }
}

// respond returns the response to a form in the transaction of its change. It opens the share
// again, because the share or its key may have been revoked since. Errors: NOT_FOUND.
func (v *visit) respond(r storage.Reader, c *request, _ schedctl.Post) (response, error) {
	share, opened, err := usecase.OpenShare(r, v.hash, c.Now)
	if err != nil {
		return response{}, err
	}
	v.share, c.Key, c.Person = share, opened.Key, opened.Person
	return response{status: http.StatusSeeOther, location: v.ID}, nil
}
