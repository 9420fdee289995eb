package variant

import (
	"image"
	"image/draw"
)

// turn returns a picture as it is displayed with an EXIF orientation (EXIF 3.0, section
// 4.6.5.1.6).
func turn(m image.Image, orientation int) image.Image {
	if orientation <= 1 || orientation > 8 {
		return m
	}
	src, ok := m.(*image.RGBA)
	if !ok {
		src = image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
		draw.Draw(src, src.Rect, m, m.Bounds().Min, draw.Src)
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			i, j := turned(x, y, w, h, orientation)
			copy(dst.Pix[j*dst.Stride+4*i:][:4], src.Pix[y*src.Stride+4*x:][:4])
		}
	}
	return dst
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
