package linkedin

// Exported for tests.
var (
	Escape   = escape
	Unescape = unescape
)
