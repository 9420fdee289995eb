package bolt

import (
	"maps"
	"slices"

	"github.com/schedctl/schedctl"
)

// source has no id and no workspace: they are in the key.
func (c *coder) source(s *schedctl.Source) {
	c.optionalID(schedctl.KeyPrefix, &s.KeyID)
	text(c, &s.Name)
	c.sourceSettings(&s.SourceSettings)
	text(c, &s.State)
	if optional(c, &s.Fault) {
		text(c, &s.Fault.Code)
		text(c, &s.Fault.Message)
		c.time(&s.Fault.Since)
	}
	c.managed(&s.Managed)
	c.bytes(&s.Credentials)
	c.bytes(&s.Secret)
	c.bytes(&s.PreviousSecret)
	c.time(&s.PreviousUntil)
	c.sourceProgress(&s.SourceProgress)
	list(c, &s.Inherits, func(c *coder, id *string) { c.id(schedctl.SourcePrefix, id) })
	c.time(&s.CreatedAt)
	c.time(&s.UpdatedAt)
	c.time(&s.RemovedAt)
	c.int64(&s.Version)
}

func (c *coder) sourceSettings(s *schedctl.SourceSettings) {
	text(c, &s.Kind)
	text(c, &s.URL)
	c.duration(&s.Interval)
	text(c, &s.Template)
	c.accountIDs(&s.AccountIDs)
	list(c, &s.Overrides, func(c *coder, o *schedctl.SourceOverride) {
		c.id(schedctl.AccountPrefix, &o.AccountID)
		text(c, &o.Template)
	})
	c.optionalID(schedctl.QueuePrefix, &s.QueueID)
	text(c, &s.Mode)
	f := &s.Filter
	for _, words := range []*[]string{&f.Include, &f.Exclude, &f.Categories, &f.Authors} {
		list(c, words, text)
	}
	text(c, &f.TitleRegex)
	c.bool(&f.Prereleases)
	c.duration(&s.Delay)
	c.int(&s.MaxPerDay)
	text(c, &s.Image)
	c.bool(&s.ImageRequired)
	c.bool(&s.Link.Strip)
	c.texts(&s.Link.Params)
	text(c, &s.Identity)
	list(c, &s.Labels, text)
	text(c, &s.Language)
}

func (c *coder) sourceProgress(p *schedctl.SourceProgress) {
	text(c, &p.ETag)
	text(c, &p.LastModified)
	c.time(&p.LastFetchAt)
	c.time(&p.LastSuccessAt)
	c.time(&p.NextFetchAt)
	c.time(&p.WakeAt)
	c.time(&p.ClaimedUntil)
	c.int(&p.Failures)
	c.time(&p.FailingSince)
	text(c, &p.MovedTo)
	c.int(&p.MovedTimes)
	c.time(&p.BaselineAt)
	text(c, &p.BodyHash)
	c.time(&p.BodyAt)
	c.time(&p.PrunedAt)
	c.int(&p.Take)
	c.time(&p.NewestAt)
	c.bool(&p.ByLink)
	list(c, &p.Warnings, text)
	list(c, &p.Made, (*coder).time)
	list(c, &p.Pictures, text)
}

// texts is a map of texts, in order of its keys.
func (c *coder) texts(m *map[string]string) {
	names := slices.Sorted(maps.Keys(*m))
	if n := c.length(len(names)); c.reading && n > 0 {
		*m, names = make(map[string]string, n), make([]string, n)
	}
	for _, name := range names {
		value := (*m)[name]
		text(c, &name)
		if text(c, &value); c.reading {
			(*m)[name] = value
		}
	}
}

// sourceItem has no id and no workspace: they are in the key.
func (c *coder) sourceItem(i *schedctl.SourceItem) {
	c.optionalID(schedctl.SourcePrefix, &i.SourceID)
	text(c, &i.State)
	text(c, &i.Reason)
	text(c, &i.Title)
	text(c, &i.Link)
	text(c, &i.Author)
	c.time(&i.PublishedAt)
	c.time(&i.FirstSeenAt)
	c.time(&i.SeenAt)
	c.time(&i.GoneAt)
	c.time(&i.DueAt)
	list(c, &i.Keys, text)
	c.int(&i.Round)
	c.optionalID(schedctl.PostPrefix, &i.PostID)
	c.bytes(&i.Content)
}
