package apiv1

// Label is a label with the posts that have it.
type Label struct {
	Label   string `json:"label" doc:"The label."`
	Posts   int    `json:"posts" doc:"The number of posts with the label."`
	FirstAt *Time  `json:"first_at" doc:"The earliest publish_at of these posts; null if none has a time."`
	LastAt  *Time  `json:"last_at" doc:"The latest publish_at of these posts; null if none has a time."`
}

// LabelList is the labels of posts, sorted by name.
type LabelList struct {
	Results  []Label `json:"results" doc:"The labels, sorted by name, at most 1,000."`
	Count    int     `json:"count" doc:"The number of results."`
	Complete bool    `json:"complete" doc:"Whether all posts were counted. If it is false, only the newest 5,000 posts were, or only the 1,000 labels that were found first."`
}
