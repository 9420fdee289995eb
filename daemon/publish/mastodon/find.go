package mastodon

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	pageSize = 40 // statuses; the maximum of Mastodon
	maxPages = 10

	// wholePage is the smallest number of statuses after which servers without paging
	// are known to cut a list.
	wholePage = 20
)

// Find looks for the request's status among the account's own statuses; see the
// package comment. A server may process a request for up to a minute, so a status
// that is missing earlier may still appear. Errors are an [*publish.Error] with an
// unknown outcome.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	u, err := parseServer(r.Credentials["instance_url"])
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	r.Account = presented(r.Account, r.Presentation)
	s := &search{publisher: p, server: u, request: r, started: since}
	receipt, found, err := s.run(ctx)
	if err != nil {
		return schedctl.Receipt{}, false, publish.UnknownOutcome(err)
	}
	return receipt, found, nil
}

// MayConfuse reports whether a server may display the two contents alike, so that Find
// cannot distinguish them.
func (p *Publisher) MayConfuse(a, b string) bool {
	return normalize(a) == normalize(b) || string(lettersOf(a)) == string(lettersOf(b))
}

// search is one run of Find.
type search struct {
	publisher *Publisher
	server    *url.URL
	request   publish.Request
	started   time.Time // start of the attempt, by the daemon's clock

	window         window
	unclear        bool // a status was found that may or may not be the post
	listsNonPublic bool // the list contains a status that is not public
	listsReplies   bool // the list contains a reply
}

func (s *search) run(ctx context.Context) (schedctl.Receipt, bool, error) {
	o, err := s.owner(ctx)
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	receipt, whole, err := s.read(ctx, o)
	if s.request.Parent != nil && err == nil && receipt.ID == "" {
		receipt, err = s.readReplies(ctx, o)
	}
	switch {
	case err != nil || receipt.ID != "":
		return receipt, err == nil, err
	case s.unclear:
		return receipt, false, unresolved("doubtful", "a status on the server may be this post; check it, and retry with force if it is not")
	case !whole:
		return receipt, false, unresolved("incomplete", "the server does not list statuses back to the time of the request; check on the server whether the post is published")
	case !s.listsNonPublic && !isPublic(o, s.request):
		return receipt, false, unresolved("hidden", "the server may not list statuses that are not public; check on the server whether the post is published")
	case s.request.Parent != nil && !s.listsReplies:
		return receipt, false, unresolved("hidden", "the server may not list replies; check on the server whether this part of the thread is published")
	}
	return receipt, false, s.checkUploads(ctx)
}

// checkUploads returns an error if the server no longer has an upload of the request,
// because a status that is not listed may have it.
func (s *search) checkUploads(ctx context.Context) error {
	for _, f := range s.request.Files {
		if f.Upload.ID == "" || strings.HasPrefix(f.Upload.ID, uncheckable) {
			continue
		}
		a, err := s.publisher.getMedia(ctx, s.server, s.request, f.Upload.ID)
		switch {
		case err != nil:
			return err
		case a.Status == http.StatusNotFound:
			return unresolved("attached", "a file of the post is no longer unused on the server, but no status shows it; check on the server whether the post is published")
		}
	}
	return nil
}

// unresolved is the error of a search that could neither find the post nor rule it
// out.
func unresolved(code, message string) error {
	return &publish.Error{Kind: schedctl.KindUnknown, Code: code, Message: message, Outcome: schedctl.OutcomeUnknown}
}

// owner is the account of a token.
type owner struct {
	id      string
	privacy string // the account's default visibility, if the server reports it
}

// owner reads the account of the token and the server's clock.
func (s *search) owner(ctx context.Context) (owner, error) {
	a, err := s.get(ctx, "api/v1/accounts/verify_credentials", nil)
	if err != nil {
		return owner{}, err
	}
	s.window = windowOf(s.started, time.Now(), a.Header.Get("Date"))
	o, ok := parseOwner(a)
	if !ok {
		return owner{}, unreadable(a, "for the account")
	}
	return o, nil
}

// isPublic reports whether everyone may read the request's status.
func isPublic(o owner, r publish.Request) bool {
	visibility := r.Account.Options.String("visibility")
	if visibility == "" {
		visibility = o.privacy
	}
	return visibility != "private" && visibility != "direct"
}

// read goes through the statuses from the newest until it finds the post or reaches
// the start of the window. whole is false if it did not get that far.
func (s *search) read(ctx context.Context, o owner) (receipt schedctl.Receipt, whole bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}, "exclude_reblogs": {"true"}}
	seen := map[string]bool{}
	for range maxPages {
		a, err := s.get(ctx, "api/v1/accounts/"+url.PathEscape(o.id)+"/statuses", query)
		if err != nil {
			return receipt, false, err
		}
		page, ok := parseStatuses(a)
		if !ok {
			return receipt, false, unreadable(a, "for the account's statuses")
		}
		if receipt, err = s.match(ctx, page); err != nil || receipt.ID != "" {
			return receipt, false, err
		}
		fresh := addNew(seen, page)
		switch {
		case len(page) == 0 || s.endsBeforeWindow(page):
			return receipt, true, nil
		case fresh == 0: // a server that does not page
			return receipt, len(seen) < wholePage, nil
		}
		query.Set("max_id", page[len(page)-1].ID)
	}
	return receipt, false, nil
}

// addNew adds the statuses of a page to seen and returns how many are new.
func addNew(seen map[string]bool, page []listedStatus) int {
	before := len(seen)
	for _, status := range page {
		seen[status.ID] = true
	}
	return len(seen) - before
}

// endsBeforeWindow reports whether a page ends before the window. On some servers a
// boost has the time of the boosted status, so boosts are ignored.
func (s *search) endsBeforeWindow(page []listedStatus) bool {
	for i := len(page) - 1; i >= 0; i-- {
		if !page[i].boost && !page[i].created.IsZero() {
			return page[i].created.Before(s.window.possible)
		}
	}
	return false
}

// match returns the receipt of the post if it is on the page. If several match, it
// returns the first one after the attempt started.
func (s *search) match(ctx context.Context, page []listedStatus) (receipt schedctl.Receipt, err error) {
	for _, status := range page {
		s.listsNonPublic = s.listsNonPublic || status.visibility == "private" || status.visibility == "direct"
		when := s.window.position(status.created)
		s.listsReplies = s.listsReplies || status.replyTo != ""
		if status.boost || when == outside || !s.mayReply(status) {
			continue
		}
		likeness, err := s.compareAll(ctx, status)
		if err == nil && likeness != different && s.request.Taken != nil {
			var taken bool
			if taken, err = s.request.Taken(status.ID); taken {
				continue
			}
		}
		switch {
		case err != nil:
			return receipt, err
		case likeness == same && when == inside:
			receipt = status.receipt
			receipt.Degraded = degradation(status, s.request)
		case likeness != different:
			s.unclear = true
		}
	}
	return receipt, nil
}

// mayReply reports whether a status replies to the same status as the request. A status
// that replies to none may be a reply whose parent the server dropped.
func (s *search) mayReply(status listedStatus) bool {
	parent := s.request.Parent
	if parent == nil {
		return status.replyTo == ""
	}
	return status.ID != parent.ID && (status.replyTo == "" || status.replyTo == parent.ID || status.replyTo == unknownReply)
}

// readReplies looks for the request's reply among the replies to its parent. Some servers
// do not list replies among the statuses of an account.
func (s *search) readReplies(ctx context.Context, o owner) (schedctl.Receipt, error) {
	a, err := s.get(ctx, "api/v1/statuses/"+url.PathEscape(s.request.Parent.ID)+"/context", nil)
	if err != nil {
		if publish.AsError(err).HTTPStatus == 0 {
			return schedctl.Receipt{}, err
		}
		return schedctl.Receipt{}, nil // the parent is gone, or the server has no threads
	}
	replies, ok := parseReplies(a)
	if !ok {
		return schedctl.Receipt{}, nil
	}
	s.listsReplies = true
	replies = slices.DeleteFunc(replies, func(l listedStatus) bool { return l.account != "" && l.account != o.id })
	return s.match(ctx, replies)
}

// compareAll compares text and files. A status with the files of the request's uploads
// is certainly the post. Other ids prove nothing: snac lists files under other ids.
func (s *search) compareAll(ctx context.Context, status listedStatus) (similarity, error) {
	files, wordless := s.request.Files, strings.TrimSpace(s.request.Content) == ""
	if len(files) == 0 {
		return s.compare(ctx, status)
	}
	for _, f := range files {
		if f.Upload.ID != "" && slices.Contains(status.attachments, f.Upload.ID) {
			return same, nil
		}
	}
	if wordless && status.attachments != nil && len(status.attachments) == 0 {
		return different, nil
	}
	likeness, err := s.compare(ctx, status)
	if likeness == same && (wordless || len(status.attachments) != len(files)) {
		likeness = unclear
	}
	return likeness, err
}

// compare compares a status as exactly as the server permits. It asks for the source
// of a status only if that can decide.
func (s *search) compare(ctx context.Context, status listedStatus) (similarity, error) {
	wanted := statusText{text: s.request.Content, warning: s.request.Account.Options.String("spoiler_text")}
	if status.source != nil {
		return compareSource(wanted, *status.source, status.edited), nil
	}
	l := compareShown(wanted, status.shown, status.edited)
	if l != unclear {
		return l, nil
	}
	a, err := s.get(ctx, "api/v1/statuses/"+url.PathEscape(status.ID)+"/source", nil)
	if err != nil {
		// A server without this endpoint still responds.
		if publish.AsError(err).HTTPStatus == 0 {
			return unclear, err
		}
		return unclear, nil
	}
	if source, ok := parseSource(a); ok {
		return compareSource(wanted, source, status.edited), nil
	}
	return unclear, nil
}

// get sends a request and returns an error unless the status is 200.
func (s *search) get(ctx context.Context, path string, query url.Values) (outbound.Response, error) {
	u := s.server.JoinPath(path)
	u.RawQuery = query.Encode()
	a, err := outbound.Get(ctx, s.publisher.client, u.String(), s.publisher.header(s.request.Credentials))
	if err == nil && a.Status != http.StatusOK {
		words := outbound.ErrorText(a, s.request.Credentials["access_token"], s.request.Content, s.request.Account.Options.String("spoiler_text"))
		e := outbound.Refusal(a, publish.PurposeLookup, time.Now())
		holdDisabled(e, a, strings.ToLower(words))
		err = outbound.WithErrorText(e, words)
	}
	return a, err
}

func unreadable(a outbound.Response, what string) error {
	return &publish.Error{
		Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeUnknown,
		Message: "the server gave no readable response when asked " + what,
	}
}
