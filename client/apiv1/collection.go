package apiv1

import "github.com/schedctl/schedctl"

// Collection is who applies the files of a collection.
type Collection struct {
	Name      string    `json:"name" doc:"The name that the posts have in managed.collection."`
	Source    string    `json:"source" doc:"The repository that the files are in. No other one can apply them."`
	Revision  *Revision `json:"revision" doc:"The last applied commit; null if it is not known."`
	AppliedAt *Time     `json:"applied_at" doc:"When the files were applied last; null for never."`
	AppliedBy *KeyRef   `json:"applied_by" doc:"The API key that applied them last; null for none."`
	CreatedAt *Time     `json:"created_at" doc:"When it was created." nullable:"false"`
}

// Revision is a commit of a repository.
type Revision struct {
	Commit      string `json:"commit" doc:"The hash of the commit: 7 to 64 hexadecimal digits in lower case." minLength:"7" maxLength:"64"`
	CommittedAt Time   `json:"committed_at" doc:"The committer time. A time in the future counts as now."`
}

// CollectionEnvelope is the response to requests about one collection.
type CollectionEnvelope struct {
	Collection Collection `json:"collection" doc:"The collection."`
}

// CollectionList is all collections, sorted by name.
type CollectionList struct {
	Results []Collection `json:"results" doc:"The collections, sorted by name."`
	Count   int          `json:"count" doc:"The number of results."`
}

// ApplyCollection is the body of POST /collections/{id}/apply.
type ApplyCollection struct {
	Source     string    `json:"source" doc:"The repository that the files are in, such as github.com/me/posts: 1 to 500 characters of visible ASCII." minLength:"1" maxLength:"500"`
	Revision   *Revision `json:"revision,omitempty" doc:"The commit that the files have; absent or null if they have changes that are not committed, or are in no repository."`
	AllowOlder bool      `json:"allow_older,omitempty" doc:"Accept a commit that is older than the last applied one."`
}

// AdoptCollection is the body of PUT /collections/{id}.
type AdoptCollection struct {
	Source string `json:"source" doc:"The repository that may apply the files from now on: 1 to 500 characters of visible ASCII." minLength:"1" maxLength:"500"`
}

// NewCollection returns the wire form of a collection.
func NewCollection(c schedctl.Collection) Collection {
	out := Collection{Name: c.Name, Source: c.Source, AppliedAt: NewTime(c.AppliedAt), CreatedAt: NewTime(c.CreatedAt), AppliedBy: newOptionalKeyRef(c.AppliedBy)}
	if c.Revision != (schedctl.Revision{}) {
		out.Revision = &Revision{Commit: c.Revision.Commit, CommittedAt: Time{Time: c.Revision.CommittedAt}}
	}
	return out
}

// Domain returns the revision; the zero value for nil.
func (r *Revision) Domain() schedctl.Revision {
	if r == nil {
		return schedctl.Revision{}
	}
	return schedctl.Revision{Commit: r.Commit, CommittedAt: r.CommittedAt.Time}
}

// Domain returns the collection without its ids.
func (c *Collection) Domain() schedctl.Collection {
	return schedctl.Collection{Name: c.Name, Source: c.Source, Revision: c.Revision.Domain()}
}
