// Package variant makes media files fit the limits of a network.
//
// [Plan] says from the facts of a file what is needed to fit a [Target]; it reads no file.
// [Fitter.Fit] does it:
//
//   - A file that fits is copied without its metadata, and is otherwise unchanged.
//   - A still picture with too many pixels is scaled down. One with too many bytes is
//     encoded as JPEG, with a quality of at least 75, and then scaled down until it fits.
//     A picture with transparent pixels stays PNG.
//   - A still picture of a type that the network does not take becomes JPEG or PNG.
//   - Animations, videos and documents are never changed: they fit, or they are a
//     [FitError]. So are pictures that are too long for their width, because the part to
//     cut away is for their author to choose.
//
// A picture that is encoded again is turned upright and keeps its color profile.
package variant
