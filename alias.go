package schedctl

import (
	"regexp"
	"slices"
	"time"
)

// Limits of aliases.
const (
	MaxAliases       = 200        // of one kind, of a workspace
	MaxAliasAccounts = 100        // of a group
	MaxSnippet       = MaxContent // characters
)

// AliasKind says what an alias stands for.
type AliasKind string

// The kinds of aliases.
const (
	AliasGroup   AliasKind = "group"   // accounts
	AliasSnippet AliasKind = "snippet" // a text
)

// Alias is a name that clients put in a request for what it stands for: an account group
// for its accounts, and a snippet for its text. Posts do not refer to aliases: a change of
// one changes no post.
type Alias struct {
	ID          string
	WorkspaceID string
	Kind        AliasKind
	Name        string   // unique among the aliases of the kind; see [CheckAliasName]
	AccountIDs  []string // of a group; sorted, 1–[MaxAliasAccounts]
	Text        string   // of a snippet; 1–[MaxSnippet] characters
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Clone returns a copy that shares nothing with a.
func (a *Alias) Clone() Alias {
	c := *a
	c.AccountIDs = slices.Clone(a.AccountIDs)
	return c
}

var aliasName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,49}$`)

// CheckAliasName returns nil for 1 to 50 lower-case letters, digits, hyphens and
// underscores, the first one a letter or a digit.
func CheckAliasName(name string) error {
	if !aliasName.MatchString(name) {
		return Errorf(ValidationFailed, "name", "name must have 1 to 50 lower-case letters, digits, hyphens or underscores, and start with a letter or a digit")
	}
	return nil
}

// CheckSnippet returns nil for a text that a post could have.
func CheckSnippet(text string) error { return checkContent("text", text) }
