// Package geodesy measures on the WGS84 ellipsoid: distances, azimuths and end points of geodesics, areas and lengths
// of shapes given in degrees.
//
// # Geodesics
//
// [Inverse] and [Direct] solve the two geodesic problems in the formulation of C. F. F. Karney, Algorithms for
// geodesics, J. Geodesy 87, 43–55 (2013): the geodesic is mapped to a great circle on the auxiliary sphere, where
// distance and longitude are integrals of slowly varying functions. The integrals are taken by Gauss–Legendre
// quadrature with 12 nodes, whose error is below one part in 10^17 for the Earth's flattening; the azimuth of the
// inverse problem is found by a bracketed search, which converges for all pairs of points, antipodal ones too.
// Distances agree with Karney's own to better than a micrometre.
//
// # Areas and lengths of shapes
//
// The sides of a shape are straight in longitude and latitude, as RFC 7946 says for GeoJSON: a side along 49° N
// follows the parallel, and a box is bounded by parallels and meridians. Areas are exact for such sides: they integrate the
// ellipsoid's area between equator and latitude (Snyder, Map Projections, USGS 1395, eq. 3-12). A shape with geodesic sides has
// another area; for outlines whose vertices are closer than a degree the two differ by some parts in 10^5.
package geodesy
