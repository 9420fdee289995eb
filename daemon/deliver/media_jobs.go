package deliver

import (
	"sync"

	"github.com/schedctl/schedctl"
)

// jobKey identifies a part of a target.
type jobKey struct {
	target string
	part   int
}

func (c *publisherCall) jobKey() jobKey { return jobKey{c.attempt.TargetID, c.part.Index} }

// mediaJobs are the jobs of all parts of all targets.
type mediaJobs struct {
	mu   sync.Mutex // mu guards jobs
	jobs map[jobKey]*mediaJob
}

// get returns the job of the part of a call. A job for other media is dropped.
func (s *mediaJobs) get(c *publisherCall) *mediaJob {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, media := c.jobKey(), c.part.Media
	j := s.jobs[key]
	if j != nil && sameMedia(j.media, media) {
		return j
	}
	if j != nil {
		j.drop()
	}
	if s.jobs == nil {
		s.jobs = map[jobKey]*mediaJob{}
	}
	j = &mediaJob{turn: make(chan struct{}, 1), media: media, account: c.account, files: make([]jobFile, len(media))}
	j.turn <- struct{}{}
	s.jobs[key] = j
	return j
}

// existing returns the job of the part of a call, or nil.
func (s *mediaJobs) existing(c *publisherCall) *mediaJob {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[c.jobKey()]
}

// keys returns the parts that have a job.
func (s *mediaJobs) keys() (list []jobKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.jobs {
		list = append(list, key)
	}
	return list
}

// dropParts drops the jobs of the parts of a call that has ended: those before next, or all
// if no part follows.
func (s *mediaJobs) dropParts(c *publisherCall, next *schedctl.TargetPart) {
	end := c.part.Index + 1 + len(c.later)
	if next != nil {
		end = next.Index
	}
	for part := c.part.Index; part < end; part++ {
		s.drop(jobKey{c.attempt.TargetID, part})
	}
}

// drop drops a job, if it exists.
func (s *mediaJobs) drop(key jobKey) {
	s.mu.Lock()
	j := s.jobs[key]
	delete(s.jobs, key)
	s.mu.Unlock()
	if j != nil {
		j.drop()
	}
}

// dropAll drops all jobs.
func (s *mediaJobs) dropAll() {
	for _, key := range s.keys() {
		s.drop(key)
	}
}
