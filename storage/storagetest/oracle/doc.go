// Package oracle is an independent model of what schedctl promises about posts. It
// plays random scripts on a subject that implements posts, and on a model that is too
// simple to be wrong, and compares the two.
//
// The rules are written from the API documentation, with plain maps and lists, and do
// not use package schedctl: two independent implementations of the same rules rarely
// have the same fault.
//
//	[Check] draws a [step] with rapid; [Play] takes it from a [Script]
//	  the step becomes a [Request] with existing ids
//	  [Subject].Do executes it ─▶ the model checks the response
//	  [Subject].Settle lets time pass ─▶ the model checks every network call
//	  [Subject].Look returns the whole state ─▶ it must equal that of the model
//
// Unpredictable values are taken over from the subject if they are allowed: ids must be
// new, and a pause between two tries must be within its jitter.
//
// A step is a value, and failures print it as Go source: a failed script can be turned
// into a regression test.
package oracle
