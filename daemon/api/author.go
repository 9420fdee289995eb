package api

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// showPosts returns the wire forms of posts, with their assets and authors, and warnings
// about these.
func (s *Server) showPosts(r storage.Reader, c *request, posts ...schedctl.Post) ([]apiv1.Post, error) {
	list := make([]*schedctl.Post, len(posts))
	for i := range posts {
		list[i] = &posts[i]
	}
	assets, err := s.cases.AssetsOf(r, list...)
	if err != nil {
		return nil, err
	}
	wire := make([]apiv1.Post, len(posts))
	sources := map[string]string{} // names by ids
	for i := range posts {
		wire[i] = apiv1.NewPost(posts[i], assets...)
		if wire[i].Authors, err = s.authors(r, c, posts[i].Trail, sources); err != nil {
			return nil, err
		}
		if wire[i].CreatedBy != nil && isOpen(&posts[i]) {
			maker, err := s.keyByID(r, c, posts[i].CreatedBy)
			if err != nil {
				return nil, err
			}
			wire[i].Warnings = authorWarnings(&posts[i], maker)
		}
	}
	return wire, nil
}

// authors returns who made and changed a post or a series. sources has the names of sources
// that were read before.
func (s *Server) authors(r storage.Reader, c *request, t schedctl.Trail, sources map[string]string) (apiv1.Authors, error) {
	if _, read := sources[t.SourceID]; t.SourceID != "" && !read {
		one, err := r.Source(c.Key.WorkspaceID, t.SourceID)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return apiv1.Authors{}, err
		}
		sources[t.SourceID] = one.Name // empty if it was removed long ago
	}
	var failed error
	return apiv1.NewAuthors(t, sources[t.SourceID], func(id string) *schedctl.APIKey {
		k, err := s.keyByID(r, c, id)
		if err != nil {
			failed = err
		}
		return k
	}), failed
}

// keyByID returns an API key of the workspace as it was within the last second, or nil.
func (s *Server) keyByID(r storage.Reader, c *request, id string) (*schedctl.APIKey, error) {
	switch id {
	case "":
		return nil, nil
	case c.Key.ID:
		return &c.Key, nil
	}
	k, generation, found := s.keysByID.get(id, c.Now)
	if found {
		return &k, nil
	}
	k, err := r.Key(c.Key.WorkspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.keysByID.put(id, k, 1, generation, c.Now)
	return &k, nil
}
