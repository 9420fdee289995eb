package dir

// OnSync calls a function after each sync of a directory.
func (s *Store) OnSync(synced func(path string) error) {
	before := s.syncDir
	s.syncDir = func(path string) error {
		if err := before(path); err != nil {
			return err
		}
		return synced(path)
	}
}

// OnWait calls a function before a Put or a deletion waits for the lock of the directory.
func (s *Store) OnWait(f func()) { s.beforeWait = f }

// OnRemove calls a function between the check and the removal of a deletion.
func (s *Store) OnRemove(f func()) { s.beforeRemove = f }
