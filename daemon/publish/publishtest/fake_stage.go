package publishtest

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// StagingFake is a network that publishes in two steps. It publishes a staged post at most
// once. The functions may be nil. They run on the caller's goroutine and may block.
type StagingFake struct {
	*UploadingFake

	// OnStage returns the error of a request that stages a post, or nil. stored says
	// whether the network has the staged post in spite of an error.
	OnStage func(ctx context.Context, n int) (stored bool, err error)

	// OnStaged returns whether the nth question about staged posts finds one ready, and
	// the error of the question. Nil means that posts are ready at once.
	OnStaged func(ctx context.Context, n int, id string) (ready bool, err error)

	// StageLife is how long the network keeps a staged post; 0 for ever.
	StageLife time.Duration

	stages         []*FakeStage
	asked, created int
}

// FakeStage is a staged post of a [StagingFake].
type FakeStage struct {
	ID      string
	Request publish.Request // that staged it
	Receipt *schedctl.Receipt
	at      time.Time
	lost    bool
}

// NewStagingFake returns a fake that takes four images of any size.
func NewStagingFake(platform string) *StagingFake {
	return &StagingFake{UploadingFake: NewUploadingFake(platform)}
}

// Stages returns the staged posts so far.
func (f *StagingFake) Stages() (list []FakeStage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.stages {
		list = append(list, *s)
	}
	return list
}

// LoseStages makes the network forget all staged posts that it has not published.
func (f *StagingFake) LoseStages() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.stages {
		s.lost = s.Receipt == nil
	}
}

// Stage implements [publish.Stager].
func (f *StagingFake) Stage(ctx context.Context, r publish.Request) (publish.Stage, error) {
	f.mu.Lock()
	f.created++
	n := f.created
	f.mu.Unlock()
	stored, err := true, error(nil)
	if f.OnStage != nil {
		if stored, err = f.OnStage(ctx, n); err == nil {
			stored = true
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, file := range r.Files {
		if f.find(file.Upload.ID) == nil {
			return publish.Stage{}, uploadLost()
		}
	}
	if !stored {
		return publish.Stage{}, err
	}
	s := &FakeStage{ID: fmt.Sprintf("stage-%d", len(f.stages)+1), Request: r, at: time.Now()}
	f.stages = append(f.stages, s)
	stage := publish.Stage{ID: s.ID, Ready: f.OnStaged == nil}
	if f.StageLife > 0 {
		stage.ExpiresAt = s.at.Add(f.StageLife)
	}
	return stage, err
}

// Staged implements [publish.Stager].
func (f *StagingFake) Staged(ctx context.Context, _ publish.Request, s publish.Stage) (publish.Stage, error) {
	f.mu.Lock()
	f.asked++
	n, known := f.asked, f.stage(s.ID)
	published := known != nil && known.Receipt != nil
	f.mu.Unlock()
	switch {
	case known == nil:
		return s, publish.StageLost(404, "the network does not have the post")
	case published:
		return s, publish.StagePublished()
	}
	s.Ready = true
	var err error
	if f.OnStaged != nil {
		s.Ready, err = f.OnStaged(ctx, n, s.ID)
	}
	return s, err
}

// Publish publishes the staged post of the request, and responds as scripted.
func (f *StagingFake) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	response, held := f.recordCall(ctx, r)
	if !wait(ctx, held, response.After) {
		if response.Accepted {
			_, _ = f.publishStage(r, response)
		}
		return schedctl.Receipt{}, &publish.Error{
			Kind: schedctl.KindNetwork, Message: "no response in time", Outcome: schedctl.OutcomeUnknown, Err: ctx.Err(),
		}
	}
	if response.Err != nil && !response.Accepted {
		return schedctl.Receipt{}, response.Err
	}
	receipt, err := f.publishStage(r, response)
	if err == nil {
		err = response.Err
	}
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return receipt, nil
}

// Accept publishes the staged post of a request, as a network does that processes the
// request after its connection was cut.
func (f *StagingFake) Accept(r publish.Request) { _, _ = f.publishStage(r, Response{}) }

func (f *StagingFake) publishStage(r publish.Request, response Response) (schedctl.Receipt, error) {
	f.mu.Lock()
	s := f.stage(r.Stage)
	switch {
	case s == nil:
		f.mu.Unlock()
		return schedctl.Receipt{}, publish.StageLost(404, "the network does not have the post")
	case s.Receipt != nil:
		f.mu.Unlock()
		return schedctl.Receipt{}, publish.StagePublished()
	}
	shown := s.Request
	shown.Key = r.Key
	s.Receipt = &schedctl.Receipt{} // so that a second request does not publish it
	f.mu.Unlock()
	receipt, err := f.accept(shown, response.Degraded)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		s.Receipt = nil
		return receipt, err
	}
	s.Receipt = &receipt
	return receipt, nil
}

// Find implements [publish.Finder]: it knows only staged posts.
func (f *StagingFake) Find(_ context.Context, r publish.Request, _ time.Time) (schedctl.Receipt, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.stages {
		if s.ID == r.Stage && s.Receipt != nil {
			return *s.Receipt, true, nil
		}
	}
	return schedctl.Receipt{}, false, nil
}

// stage returns the staged post with an id, or nil. The caller holds mu.
func (f *StagingFake) stage(id string) *FakeStage {
	for _, s := range f.stages {
		if s.ID == id && !s.lost && (f.StageLife == 0 || s.Receipt != nil || time.Since(s.at) < f.StageLife) {
			return s
		}
	}
	return nil
}
