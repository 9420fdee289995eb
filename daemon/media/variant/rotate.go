package variant

import (
	"context"
	"image"
	"image/draw"
)

// rotate returns a picture as it is displayed with an EXIF orientation (EXIF 3.0, section
// 4.6.5.1.6).
func rotate(ctx context.Context, m image.Image, orientation int) (image.Image, error) {
	if orientation <= 1 || orientation > 8 {
		return m, nil
	}
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	line := image.NewRGBA(image.Rect(0, 0, w, 1))
	for y := range h {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		draw.Draw(line, line.Rect, m, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		for x := range w {
			i, j := turned(x, y, w, h, orientation)
			copy(dst.Pix[j*dst.Stride+4*i:][:4], line.Pix[4*x:][:4])
		}
	}
	return dst, nil
}

// turned returns where the stored pixel (x, y) of w × h pixels is displayed.
func turned(x, y, w, h, orientation int) (int, int) {
	switch orientation {
	case 2: // mirrored
		return w - 1 - x, y
	case 3: // upside down
		return w - 1 - x, h - 1 - y
	case 4: // mirrored and upside down
		return x, h - 1 - y
	case 5: // mirrored and turned left
		return y, x
	case 6: // to be turned right
		return h - 1 - y, x
	case 7: // mirrored and turned right
		return h - 1 - y, w - 1 - x
	case 8: // to be turned left
		return y, w - 1 - x
	}
	return x, y
}
