package tui

import "strings"

// inASCII replaces the signs of the screen with characters of ASCII of the same width, for
// terminals and fonts without them. Texts keep their own characters, except these.
var inASCII = strings.NewReplacer(
	"─", "-", "│", "|", "▌", ">", "▏", "|", "…", "~", "“", `"`, "”", `"`, "–", "-", "•", "*", "×", "x",
	"←", "<", "→", ">", "↑", "^", "↓", "v",
	"◌", ".", "○", "o", "◐", "%", "●", "*", "✕", "x", "⊘", "/",
	"▣", "#", "≡", "=", "☑", "&", "‖", "|", "↻", "~", "✓", "+", "✎", "e",
	"░", ":", "▒", "%", "»", "}", "◆", "@", "␣", "_",
)
