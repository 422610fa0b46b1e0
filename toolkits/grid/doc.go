// Package grid is gridded data on longitude and latitude: the Raster that
// data sets are read into and that tools hand to each other.
//
// # What holds for every Raster
//
// Longitudes and latitudes are cell centres, strictly ascending, so row 0 is
// the southernmost; readers flip what files have the other way. Longitudes may
// be in any convention (0 to 360, -180 to 180, 100 to 300) and callers may ask
// in any other: a box or a point is aligned to the data. Values are
// [time][lat][lon], row-major. A missing value is NaN, in memory only; fill
// values, scale and offset were dealt with when the data was read.
//
// # Selections and means
//
// An empty selection is an error (ErrEmpty), never an empty raster or NaN. A
// point outside the grid is an error (ErrOutside), never the edge value. Area
// means weight every cell by its true area on the WGS84 ellipsoid, time means
// by the true length of every step; the weight of a missing value leaves the
// denominator too.
package grid
