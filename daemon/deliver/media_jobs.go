package deliver

import (
	"sync"
)

// mediaJobs are the jobs of all targets.
type mediaJobs struct {
	mu   sync.Mutex // mu guards jobs
	jobs map[string]*mediaJob
}

// get returns the job of the target of a call. A job for other media is dropped.
func (s *mediaJobs) get(c *publisherCall) *mediaJob {
	s.mu.Lock()
	defer s.mu.Unlock()
	target := c.attempt.TargetID
	j := s.jobs[target]
	if j != nil && sameMedia(j.media, c.media) {
		return j
	}
	if j != nil {
		j.drop()
	}
	if s.jobs == nil {
		s.jobs = map[string]*mediaJob{}
	}
	j = &mediaJob{turn: make(chan struct{}, 1), media: c.media, account: c.account, files: make([]jobFile, len(c.media))}
	j.turn <- struct{}{}
	s.jobs[target] = j
	return j
}

// existing returns the job of a target, or nil.
func (s *mediaJobs) existing(target string) *mediaJob {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[target]
}

// targets returns the targets that have a job.
func (s *mediaJobs) targets() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for target := range s.jobs {
		list = append(list, target)
	}
	return list
}

// drop drops the job of a target, if any.
func (s *mediaJobs) drop(target string) {
	s.mu.Lock()
	j := s.jobs[target]
	delete(s.jobs, target)
	s.mu.Unlock()
	if j != nil {
		j.drop()
	}
}

// dropAll drops all jobs.
func (s *mediaJobs) dropAll() {
	for _, target := range s.targets() {
		s.drop(target)
	}
}
