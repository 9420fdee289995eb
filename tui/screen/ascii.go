package screen

import "strings"

// ASCII replaces the signs of the screen with characters of ASCII of the same width, for
// terminals and fonts without them. Texts keep their own characters, except these.
var ASCII = strings.NewReplacer(
	"─", "-", "│", "|", "▌", ">", "▏", "|", "…", "~", "“", `"`, "”", `"`, "–", "-", "•", "*", "×", "x",
	"←", "<", "→", ">", "↑", "^", "↓", "v",
	"◌", ".", "○", "o", "◐", "%", "●", "*", "✕", "x", "⊘", "/",
	"▣", "#", "≡", "=", "☑", "&", "‖", "|", "↻", "~", "✓", "+", "✎", "e",
	"░", ":", "▒", "%", "»", "}", "◆", "@", "␣", "_",
)
