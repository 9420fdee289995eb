package when

// Reason is the kind of an [Error].
type Reason int

// The reasons.
const (
	Unreadable Reason = iota // not in the grammar
	Ambiguous                // could mean several times
	Past                     // understood, but not in the future
)

// String returns the reason in one word.
func (r Reason) String() string {
	return [...]string{"unreadable", "ambiguous", "past"}[r]
}

// Error describes why a text is not a usable time or duration, and what to write
// instead.
type Error struct {
	Reason  Reason
	Text    string // the input
	Message string // one clause that quotes it
	Hint    string // what to write instead; never empty
}

// Error returns the message and the hint.
func (e *Error) Error() string { return e.Message + ": " + e.Hint }
