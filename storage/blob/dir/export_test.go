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
