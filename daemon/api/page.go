package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
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
	case schedctl.RateLimited:
		title, text = "Too many requests", "Please wait a minute, and try again."
	case schedctl.BodyTooLarge:
		title, text = "The text is too long", "Nothing was changed. Go back, and shorten your text."
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
	if r.PathValue("post") != "" {
		return "../style.css"
	}
	return "style.css"
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
	err := s.scan(ctx, v.request, func(r storage.Reader) error {
		names, err := v.accountNames(r)
		if err != nil {
			return err
		}
		if v.share.Kind == schedctl.ShareCalendar {
			body, err = s.calendar(ctx, v, r, names)
			return err
		}
		posts, err := v.waiting(ctx, r)
		if err == nil {
			body, err = page.Review(&v.frame, posts, names)
		}
		return err
	})
	if err != nil {
		return err
	}
	writePage(v.w, http.StatusOK, body)
	return nil
}

// accountNames returns the names of the accounts that the key of the share sees, by id.
func (v *visit) accountNames(r storage.Reader) (map[string]string, error) {
	accounts, err := r.Accounts(v.share.WorkspaceID)
	names := make(map[string]string, len(accounts))
	for i := range accounts {
		if v.MayUse(accounts[i].ID) {
			names[accounts[i].ID] = accounts[i].Name
		}
	}
	return names, err
}

// Limits of the posts that are read for one page.
const (
	pageReads = 2000
	pageBatch = 100
)

// waiting returns the posts of a review, the last one asked for first.
func (v *visit) waiting(ctx context.Context, r storage.Reader) (posts []schedctl.Post, err error) {
	if len(v.share.PostIDs) > 0 {
		for _, id := range v.share.PostIDs {
			p, err := v.PostByID(r, id)
			switch {
			case err == nil:
				posts = append(posts, p)
			case schedctl.CodeOf(err) != schedctl.NotFound:
				return nil, err
			}
		}
	} else {
		q := storage.PostQuery{Approval: v.share.Filter.Approval, Sort: storage.NewestFirst}
		if q.Approval == "" {
			q.Approval = schedctl.ApprovalPending
		}
		if posts, _, err = v.posts(ctx, r, q); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(posts, func(a, b schedctl.Post) int { return askedAt(&b).Compare(askedAt(&a)) })
	return posts, nil
}

// askedAt returns when an approval of a post was asked for, or when it was made.
func askedAt(p *schedctl.Post) time.Time {
	if p.Approval != nil {
		return p.Approval.RequestedAt
	}
	return p.CreatedAt
}

// posts returns the posts of a query that the share covers and its key sees. cut means that
// there may be more.
func (v *visit) posts(ctx context.Context, r storage.Reader, q storage.PostQuery) (posts []schedctl.Post, cut bool, err error) {
	q.WorkspaceID, q.Limit = v.share.WorkspaceID, pageBatch
	for read := 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		batch, err := r.Posts(q)
		if err != nil {
			return nil, false, err
		}
		for i := range batch.Posts {
			if p := &batch.Posts[i]; v.MaySee(p) && v.share.Covers(p) && p.ArchivedAt.IsZero() && p.Status() != schedctl.Canceled {
				posts = append(posts, *p)
			}
		}
		if read += len(batch.Posts); batch.Next == nil || read >= pageReads {
			return posts, batch.Next != nil, nil
		}
		q.After = batch.Next
	}
}

// calendar returns the page of a calendar.
func (s *Server) calendar(ctx context.Context, v *visit, r storage.Reader, names map[string]string) ([]byte, error) {
	zone := v.frame.Workspace.Timezone
	span := page.ParseSpan(v.r.URL.Query(), v.Now, zone)
	q := storage.PostQuery{Proposed: true, Sort: storage.PublishAscending}
	q.PublishAfter, q.PublishBefore = span.Times(zone)
	only := span.Accounts(names)
	switch {
	case span.Account == "":
	case len(only) == 0:
		return page.Calendar(&v.frame, span, nil, names, false)
	case len(only) == 1:
		q.AccountID = only[0]
	}
	posts, cut, err := v.posts(ctx, r, q)
	if err != nil {
		return nil, err
	}
	if len(only) > 1 {
		selected := func(t schedctl.Target) bool { return slices.Contains(only, t.AccountID) }
		posts = slices.DeleteFunc(posts, func(p schedctl.Post) bool { return !slices.ContainsFunc(p.Targets, selected) })
	}
	v.frame.Thumbnail = func(p *schedctl.Post) string { return s.thumbnail(v, r, p) }
	return page.Calendar(&v.frame, span, posts, names, cut)
}

// thumbnail returns the address of a small picture of a post, relative to the page of a
// calendar; empty if it has no picture.
func (s *Server) thumbnail(v *visit, r storage.Reader, p *schedctl.Post) string {
	for i := range p.Media {
		a, err := r.MediaAsset(p.WorkspaceID, p.Media[i].AssetID)
		if err == nil && a.Status == schedctl.MediaReady && a.Class() == schedctl.MediaImage && p.Media[i].Matches(&a) {
			return "../media/" + s.fileToken(v, &a, media.Thumbnail)
		}
	}
	return ""
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

// sharedPost returns the post of the path. Errors: NOT_FOUND, also if the share does not cover
// it.
func (v *visit) sharedPost(r storage.Reader) (schedctl.Post, error) {
	p, err := v.Post(r)
	if err == nil && !v.share.Covers(&p) && !v.decided(&p) {
		err = schedctl.Errorf(schedctl.NotFound, "", "the share does not cover this post")
	}
	return p, err
}

// decided reports whether a review of what waits has covered the post until somebody decided
// about it. The page of the post then shows the decision, also to the one who was slower.
func (v *visit) decided(p *schedctl.Post) bool {
	a := p.Approval
	if v.share.Kind != schedctl.ShareReview || v.share.Filter.Approval != "" || a == nil || a.State == schedctl.ApprovalWithdrawn || a.DecidedAt.Before(v.share.CreatedAt) {
		return false
	}
	before := *p
	before.Approval = new(*a)
	before.Approval.State = schedctl.ApprovalPending
	return v.share.Covers(&before)
}

// showSharedPost handles GET /s/<token>/<post>.
func (s *Server) showSharedPost(ctx context.Context, v *visit) error {
	return s.writePost(ctx, v, http.StatusOK, page.PostView{})
}

// writePost writes the page of the post of the path. shown has what a refused form has to say.
func (s *Server) writePost(ctx context.Context, v *visit, status int, shown page.PostView) error {
	var post schedctl.Post
	shown.Whole = v.r.URL.Query().Get("all") == "1"
	decision := s.cases.Decide(&v.Request, nil)
	err := s.scan(ctx, v.request, func(r storage.Reader) (err error) {
		decision.On(r)
		if post, err = v.sharedPost(r); err != nil {
			return err
		}
		shown.Post = &post
		if shown.Publications, shown.Assets, err = decision.Publications(ctx, &post); err != nil {
			return err
		}
		shown.CanComment = usecase.ShareMay(&v.share, &v.Key, schedctl.ShareComment)
		shown.CanDecide, err = v.mayDecide(r, &post, &shown)
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
