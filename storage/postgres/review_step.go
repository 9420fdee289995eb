package postgres

import "github.com/schedctl/schedctl"

// stepDoc is a [schedctl.ReviewStep] as a document.
type stepDoc struct {
	By      keyRefDoc `json:"by,omitzero"`
	Agent   bool      `json:"agent,omitempty"`
	Note    string    `json:"note,omitempty"`
	Version int64     `json:"version"`
}

// reviewStepField returns the field of the step of an event of a review; null for other
// events.
func reviewStepField(step **schedctl.ReviewStep) docField[*schedctl.ReviewStep, stepDoc] {
	return docField[*schedctl.ReviewStep, stepDoc]{step, func(s *schedctl.ReviewStep) (*stepDoc, error) {
		if s == nil {
			return nil, nil
		}
		return &stepDoc{keyRefDoc(s.By), s.Agent, s.Note, s.Version}, nil
	}, func(d stepDoc) (*schedctl.ReviewStep, error) {
		return &schedctl.ReviewStep{By: schedctl.KeyRef(d.By), Agent: d.Agent, Note: d.Note, Version: d.Version}, nil
	}}
}
