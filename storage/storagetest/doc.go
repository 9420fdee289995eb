// Package storagetest tests storage engines. [Run] is the suite that every engine must
// pass, and [RunShared] the one for engines that several processes share. [NewMemory]
// returns an engine in memory for the tests of other packages, [NewSharedMemory] one
// for several processes, and [Faulty] is a decorator that injects failures.
//
// The test of a new engine is short:
//
//	func TestStore(t *testing.T) {
//		storagetest.Run(t, func(t *testing.T) storage.Store {
//			store, err := engine.Open(filepath.Join(t.TempDir(), "test.db"))
//			if err != nil {
//				t.Fatal(err)
//			}
//			t.Cleanup(func() { store.Close() })
//			return store
//		})
//	}
package storagetest
