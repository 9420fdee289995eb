// Package storagetest judges storage engines. [Run] is the suite that every
// engine passes, and [RunShared] that of those that several processes share.
// [NewMemory] is an engine without a file for the tests of other packages,
// [NewSharedMemory] one for several processes, and [Faulty] a decorator that lets
// transactions fail where a test wants them to.
//
// A driver for a new engine is one test:
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
