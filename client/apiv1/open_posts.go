package apiv1

// What becomes of the open posts of an account that is disconnected, or of an API key that
// is revoked.
const (
	PostsKeep       = "keep"
	PostsUnschedule = "unschedule" // scheduled posts become drafts, series pause
	PostsCancel     = "cancel"     // scheduled posts are canceled, series end
)

// OpenPosts are the posts and series of an account or of an API key that are not over. At
// most 1,000 of each are counted.
type OpenPosts struct {
	Drafts    int `json:"drafts" doc:"The number of drafts; 1000 stands for 1,000 or more."`
	Scheduled int `json:"scheduled" doc:"The number of scheduled posts; 1000 stands for 1,000 or more."`
	Series    int `json:"series" doc:"The number of series that have not ended; 1000 stands for 1,000 or more."`
}

// Empty reports whether nothing is open.
func (o OpenPosts) Empty() bool { return o == OpenPosts{} }

// Released is the response to a request that removes an API key or an account and says what
// becomes of its open posts.
type Released struct {
	Open OpenPosts `json:"open" doc:"The posts and series that are still open."`
}
