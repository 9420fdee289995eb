package api

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// sourceChange is the body of a request that creates or changes a source.
type sourceChange struct {
	apiv1.EditSource
	Kind  string   `json:"kind"`
	Take  int      `json:"take"`
	clear []string // fields that are null
}

// readCreateSource reads the body of POST /sources.
func (s *Server) readCreateSource(d *decoder) sourceChange {
	d.policy = s.sourcePolicy(d.agent)
	b := readAs[apiv1.CreateSource, sourceChange](d)
	d.managed(b.Managed)
	return b
}

// readEditSource reads the body of PATCH /sources/{id}.
func (s *Server) readEditSource(d *decoder) sourceChange {
	d.policy = s.sourcePolicy(d.agent)
	b := sourceChange{EditSource: read[apiv1.EditSource](d)}
	d.managed(b.Managed)
	b.clear = slices.Clone(d.nulls)
	return b
}

// readSentItem reads the body of POST /sources/{id}/items.
func (s *Server) readSentItem(d *decoder) apiv1.SendSourceItem {
	d.policy = s.sourcePolicy(d.agent)
	return read[apiv1.SendSourceItem](d)
}

// sourcePolicy returns which addresses a source may have. Those of agents are public.
func (s *Server) sourcePolicy(agent bool) outbound.Policy {
	if agent {
		return outbound.PublicOnly
	}
	return s.outbound
}

// apply sets the given fields.
func (b *sourceChange) apply(s *schedctl.Source) {
	was := s.Mode
	if b.Kind != "" {
		s.Kind = schedctl.SourceKind(b.Kind)
	}
	set(&s.Name, b.Name)
	set(&s.URL, b.URL)
	set(&s.Template, b.Template)
	set(&s.QueueID, b.QueueID)
	set(&s.ImageRequired, b.ImageRequired)
	set(&s.Language, b.Language)
	setText(&s.Mode, b.Mode)
	setText(&s.Image, b.Image)
	setText(&s.Identity, b.Identity)
	setDuration(&s.Interval, b.Interval)
	setDuration(&s.Delay, b.Delay)
	if b.SocialAccountIDs != nil {
		s.AccountIDs = slices.Clone(*b.SocialAccountIDs)
	}
	if b.Overrides != nil {
		s.Overrides = apiv1.SourceOverrides(*b.Overrides)
	}
	if b.Filter != nil {
		s.Filter = schedctl.SourceFilter(*b.Filter)
	}
	if b.Link != nil {
		s.Link = schedctl.SourceLink(*b.Link)
	}
	if b.Labels != nil {
		s.Labels = slices.Clone(*b.Labels)
	}
	switch {
	case s.MaxPerDay == 0: // a new one
		b.applyNew(s)
	case was == schedctl.SourceDraft && s.Mode != was:
		b.applyMore(s)
	}
	set(&s.MaxPerDay, b.MaxPerDay)
	setManaged(&s.Managed, b.Managed)
}

// applyNew sets the fields of a new source that depend on others.
func (b *sourceChange) applyNew(s *schedctl.Source) {
	s.Take = b.Take
	if b.Link == nil {
		s.Link.Strip = true
	}
	if b.Delay == nil && s.Mode != "" && s.Mode != schedctl.SourceDraft {
		s.Delay = schedctl.DefaultSourceDelay
	}
}

// applyMore replaces what only drafts have by default: posts of a source that made drafts until
// now wait for a moment, too, and there are as few of them as of a new source.
func (b *sourceChange) applyMore(s *schedctl.Source) {
	if b.Delay == nil && s.Delay == 0 {
		s.Delay = schedctl.DefaultSourceDelay
	}
	if s.MaxPerDay == schedctl.DraftSourcePerDay {
		s.MaxPerDay = schedctl.DefaultSourcePerDay
	}
}

// setText sets a text of a type of its own, if it is given.
func setText[S ~string](to *S, given *string) {
	if given != nil {
		*to = S(*given)
	}
}

// setDuration sets a duration that the reader has checked, if it is given.
func setDuration(to *time.Duration, given *string) {
	if given != nil {
		*to, _ = time.ParseDuration(*given)
	}
}

// sourceSecrets is how the URL of a source is read. It is stored sealed, as JSON.
type sourceSecrets struct {
	BasicAuth *apiv1.SourceAuth   `json:"basic_auth,omitempty"`
	Header    *apiv1.SourceHeader `json:"header,omitempty"`
}

// names returns which secrets a source has.
func (c sourceSecrets) names() (names []string) {
	if c.BasicAuth != nil {
		names = append(names, "basic_auth")
	}
	if c.Header != nil {
		names = append(names, "header")
	}
	return names
}

// secretsOf opens the secrets of a source. They are empty if they cannot be opened.
func (s *Server) secretsOf(v *schedctl.Source) sourceSecrets {
	if len(v.Credentials) == 0 {
		return sourceSecrets{}
	}
	c, _ := openSecrets(s.sealer.Open, v)
	return c
}

func openSecrets(open func(sealed []byte, owner string) ([]byte, error), v *schedctl.Source) (c sourceSecrets, err error) {
	plain, err := open(v.Credentials, v.ID)
	if err == nil {
		err = json.Unmarshal(plain, &c)
	}
	if err != nil {
		return sourceSecrets{}, err
	}
	return c, nil
}

// applySecrets seals the given secrets of a source, and keeps the others. A source keeps none
// when its URL changes: they are for the host of that one.
func (s *Server) applySecrets(source *schedctl.Source, b *sourceChange, urlChanged bool) {
	c := s.secretsOf(source)
	if urlChanged {
		c = sourceSecrets{}
	}
	if b.BasicAuth != nil {
		c.BasicAuth = b.BasicAuth
	}
	if b.Header != nil {
		c.Header = b.Header
	}
	if slices.Contains(b.clear, "basic_auth") {
		c.BasicAuth = nil
	}
	if slices.Contains(b.clear, "header") {
		c.Header = nil
	}
	if c == (sourceSecrets{}) {
		source.Credentials = nil
		return
	}
	if old := s.secretsOf(source); !old.equal(c) { // sealing again would change the record
		plain, _ := json.Marshal(c)
		source.Credentials = s.sealer.Seal(plain, source.ID)
	}
}

func (c sourceSecrets) equal(o sourceSecrets) bool {
	same := (c.BasicAuth == nil) == (o.BasicAuth == nil) && (c.Header == nil) == (o.Header == nil)
	return same && (c.BasicAuth == nil || *c.BasicAuth == *o.BasicAuth) && (c.Header == nil || *c.Header == *o.Header)
}
