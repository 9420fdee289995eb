package pattern_test

import (
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

func TestLazyCompilesOnce(t *testing.T) {
	t.Parallel()
	digits := pattern.Lazy(`^[0-9]+$`)
	if !digits().MatchString("42") || digits().MatchString("x") {
		t.Error("the expression differs from the given one")
	}
	if first, second := digits(), digits(); first != second {
		t.Error("it was compiled twice")
	}
}

// A wrong expression is no reason for a program not to start.
func TestLazyFailsWhenItIsUsed(t *testing.T) {
	t.Parallel()
	wrong := pattern.Lazy("(")
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was compiled")
		}
	}()
	wrong()
}
