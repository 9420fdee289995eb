package variant

import (
	"context"
	"image"
	stddraw "image/draw"
	"math"

	"golang.org/x/image/draw"
)

// resample scales a picture down with the Catmull-Rom kernel of x/image. Its own scaler
// needs 32 bytes for each column of the result and row of the source, which is a gigabyte
// for a large photo. This one keeps only the source rows that a row of the result needs.
func resample(ctx context.Context, src image.Image, width, height int) (*image.RGBA, error) {
	b := src.Bounds()
	columns, rows := weights(b.Dx(), width), weights(b.Dy(), height)
	depth := 0 // how many source rows a row of the result needs
	for _, r := range rows {
		depth = max(depth, len(r.weights))
	}
	ring := make([][]float32, depth) // source row y, scaled to width, is in ring[y % depth]
	for i := range ring {
		ring[i] = make([]float32, 4*width)
	}
	line := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	dst := image.NewRGBA(image.Rect(0, 0, width, height))
	sum := make([]float32, 4*width)
	next := 0 // the first source row that is not in the ring yet
	for y, row := range rows {
		for ; next < row.start+len(row.weights); next++ {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			stddraw.Draw(line, line.Rect, src, image.Pt(b.Min.X, b.Min.Y+next), stddraw.Src)
			scaleLine(ring[next%depth], line.Pix, columns)
		}
		clear(sum)
		for i, weight := range row.weights {
			for x, v := range ring[(row.start+i)%depth] {
				sum[x] += weight * v
			}
		}
		storeLine(dst.Pix[y*dst.Stride:][:4*width], sum)
	}
	return dst, nil
}

// window is the range of source pixels that make a pixel of the result.
type window struct {
	start   int
	weights []float32 // their sum is 1
}

// weights returns, for each of n target pixels, the window of source pixels from which it
// is computed. size is the number of source pixels.
// The kernel is stretched by the scale, so that every source pixel counts.
func weights(size, n int) []window {
	kernel := draw.CatmullRom
	scale := float64(size) / float64(n)
	stretch := max(1, scale)
	out := make([]window, n)
	for i := range out {
		center := (float64(i)+0.5)*scale - 0.5
		first := max(0, int(math.Ceil(center-kernel.Support*stretch)))
		last := min(size-1, int(math.Floor(center+kernel.Support*stretch)))
		w := window{start: first, weights: make([]float32, last-first+1)}
		total := 0.0
		for j := range w.weights {
			v := kernel.At(math.Abs(float64(first+j)-center) / stretch)
			w.weights[j] = float32(v)
			total += v
		}
		for j := range w.weights {
			w.weights[j] /= float32(total)
		}
		out[i] = w
	}
	return out
}

// scaleLine scales one row of RGBA pixels.
func scaleLine(dst []float32, pix []uint8, columns []window) {
	for x, c := range columns {
		var r, g, b, a float32
		p := pix[4*c.start:]
		for i, weight := range c.weights {
			q := p[4*i : 4*i+4 : 4*i+4]
			r += weight * float32(q[0])
			g += weight * float32(q[1])
			b += weight * float32(q[2])
			a += weight * float32(q[3])
		}
		d := dst[4*x : 4*x+4 : 4*x+4]
		d[0], d[1], d[2], d[3] = r, g, b, a
	}
}

// storeLine rounds one row. Colors are premultiplied, so none exceeds its alpha.
func storeLine(pix []uint8, sum []float32) {
	for i := 0; i+3 < len(sum); i += 4 {
		a := min(max(sum[i+3]+0.5, 0), 255)
		pix[i+3] = uint8(a)
		for c := range 3 {
			pix[i+c] = uint8(min(max(sum[i+c]+0.5, 0), float32(uint8(a))))
		}
	}
}
