package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestSecretIsNotLostWhenTheDiskIsFull guards that a secret that cannot be saved is
// printed, because it cannot be shown again.
func TestSecretIsNotLostWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	full := "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no /dev/full")
	}
	file, err := os.OpenFile(full, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "secret")
	o := &OneTimeSecret{App: &App{System: System{Err: io.Discard}}, path: path, file: file}
	shown, err := o.Save("whsec_made")
	if shown == nil || *shown != "whsec_made" || err == nil {
		t.Errorf("got %v, %v", shown, err)
	}
}
