// Package skills holds what agents with a shell read about schedctl.
package skills

import _ "embed"

// Schedctl is the skill file, in the format that agents of several vendors read: Markdown
// after a name and a description in YAML.
//
//go:embed schedctl/SKILL.md
var Schedctl string
