// Package oracle says a second time what schedctl promises about posts, and
// compares: it plays random scripts of steps on something that keeps posts, and
// on a model of its own that is too simple to be wrong.
//
// Its rules are written from the documents of the API, in plain maps and lists,
// and use nothing of package schedctl: two statements of one law, made apart
// from each other, seldom have the same fault.
//
//	[Check] draws a [Step] of rapid, [Play] takes it from a [Script]
//	  the step becomes a [Request], with ids that exist
//	  [Subject].Do answers it ─▶ the model says whether that answer is right
//	  [Subject].Settle lets time do its work ─▶ the model judges every network call
//	  [Subject].Look shows all that there is ─▶ it must be what the model has
//
// What nobody can foretell is taken over from the subject when the law allows
// it: ids must be new, a wait between two tries must be within its jitter.
//
// A step is a value, and what a failure prints of it is how it is written in Go:
// a script that failed can be made a regression test.
package oracle
