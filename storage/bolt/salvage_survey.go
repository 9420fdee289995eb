package bolt

import (
	"context"
	"errors"
	"io"
)

// findings are what is known of a damaged file before its records are read.
type findings struct {
	pageFile
	limit        uint64 // pages from here on were never written by a commit
	most         uint64 // that a first page says there are; 0 when none can be read
	root         root
	guessed      bool            // a first page is broken, and what the root was is a guess
	free         map[uint64]bool // nil when that cannot be known
	outdated     bool            // the root is older than free: what it leads to there was changed or deleted
	doubtfulFree bool            // pages are free and in use
	reached      []bool          // by page: the tree leads to it, and it could be read
	missing      map[uint64]bool // pages that the tree leads to and that cannot be read
	misplaced    map[uint64]bool // pages that a tree leads to that is no guess, and that hold what belongs elsewhere
	holes        [bucketCount][]hole
	listed       listedPosts
	gaps         gaps // known when not all is certain
}

var errNothing = errors.New("no page of a schedctl database is in it")

// survey finds the tree of a file, and the parts of it that are missing.
func survey(ctx context.Context, file io.ReaderAt, length int64) (*findings, error) {
	s := &findings{pageFile: pageFile{file: file, length: length}, missing: map[uint64]bool{}, misplaced: map[uint64]bool{}}
	metas := s.firstPages()
	if s.size == 0 {
		return nil, foreign(errNothing.Error())
	}
	s.limit = s.count()
	s.reached = make([]bool, s.count())
	candidates := make([]root, 0, len(metas))
	for _, m := range metas {
		s.most = max(s.most, m.pages)
		candidates = append(candidates, s.rootAt(root{page: m.root, tx: m.tx, free: m.freelist}))
	}
	if s.guessed = len(metas) < 2 || candidates[0].readable+candidates[1].readable == 0; s.guessed {
		guesses, err := s.guessRoots(ctx)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, guesses...)
	}
	if len(candidates) > 0 {
		s.root = s.newest(candidates)
	}
	s.eachRootPage(s.root, s.reach)
	s.believe(metas)
	if err := s.checkVersion(); err != nil {
		return nil, err
	}
	return s, s.readLists(ctx)
}

// believe takes from the first pages which others are free. When the root of the
// newer one cannot be read, its list still says of every page of the older root
// whether it was of the last state. Without it nothing is known: pages that were
// free in the older state may be of the last one.
func (s *findings) believe(metas []metaPage) {
	newest := true // is the root
	for _, m := range metas {
		if m.tx > s.root.tx {
			newest, s.guessed = false, true
			if s.root.tx > 0 {
				s.limit, s.free = s.count(), s.freelist(m)
				s.outdated = s.free != nil
			}
		}
	}
	for _, m := range metas {
		if m.root != s.root.page || m.tx != s.root.tx {
			continue
		}
		if newest {
			s.free = s.freelist(m)
		}
		if !s.guessed {
			s.limit = min(s.limit, m.pages)
		}
	}
}

// firstPages reads the first pages that are sound, and finds the size of a page.
func (s *findings) firstPages() (metas []metaPage) {
	first, err := readMeta(s.file, 0)
	if err == nil {
		metas, s.size = append(metas, first), int64(first.pageSize)
	}
	for size := int64(1 << 10); size <= 1<<16; size <<= 1 {
		if second, err := readMeta(s.file, size); err == nil && int64(second.pageSize) == size && (s.size == 0 || s.size == size) {
			metas, s.size = append(metas, second), size
			break
		}
	}
	if s.size == 0 {
		s.size = guessPageSize(s.file, s.length)
	}
	return metas
}

// eachPage calls fn for every page that may be one of a tree.
func (s *findings) eachPage(ctx context.Context, fn func(rawPage)) error {
	for id := uint64(2); id < s.limit; id++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p, err := s.page(id); err == nil {
			fn(p)
		}
	}
	return nil
}
