package transfer

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// post is a post with the attempts of its targets, ordered by target and number.
type post struct {
	Post     schedctl.Post
	Attempts []schedctl.Attempt
}

// pageOfPosts reads posts, oldest first.
func pageOfPosts(r storage.Exporter, workspace, after string, limit int) (records []any, next string, err error) {
	query := storage.PostQuery{WorkspaceID: workspace, Sort: storage.OldestFirst, Limit: limit}
	if after != "" {
		query.After = &storage.Position{PostID: after}
	}
	page, err := r.Posts(query)
	if err != nil || len(page.Posts) == 0 {
		return nil, "", err
	}
	attempts, err := attemptsByPost(r, page.Posts)
	if err != nil {
		return nil, "", err
	}
	for _, p := range page.Posts {
		records = append(records, post{Post: p, Attempts: attempts[p.ID]})
	}
	if page.Next != nil {
		next = page.Next.PostID
	}
	return records, next, nil
}

// attemptsByPost returns the attempts of the posts' targets, by post.
func attemptsByPost(r storage.Exporter, posts []schedctl.Post) (map[string][]schedctl.Attempt, error) {
	var targets []string
	owner := make(map[string]string)
	for i := range posts {
		for j := range posts[i].Targets {
			target := posts[i].Targets[j].ID
			owner[target] = posts[i].ID
			targets = append(targets, target)
		}
	}
	list, err := r.AttemptsOf(targets)
	byPost := make(map[string][]schedctl.Attempt)
	for _, a := range list {
		byPost[owner[a.TargetID]] = append(byPost[owner[a.TargetID]], a)
	}
	return byPost, err
}

func putPost(tx storage.Importer, p post) error {
	if err := tx.PutPost(p.Post); err != nil {
		return err
	}
	for _, a := range p.Attempts {
		if err := tx.PutAttempt(a); err != nil {
			return err
		}
	}
	return nil
}
