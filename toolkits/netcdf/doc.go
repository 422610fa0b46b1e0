// Package netcdf reads and writes the NetCDF classic formats CDF-1, CDF-2
// (64-bit offset) and CDF-5 in pure Go, and turns CF variables into rasters.
//
// # Reading
//
// Open (or New, over any io.ReaderAt) reads the header and checks it against
// the size of the file: lengths, offsets, overlaps. After that File.Read
// takes slabs of numbers as they are stored, and File.ReadValues takes them
// as they are meant: fill values and values outside the valid range become
// NaN first, scale factor and offset are applied to the rest. ReadRaster finds
// the CF coordinates and returns a grid.Raster with both axes ascending.
//
// Nothing in a file is trusted. A fault is a *FormatError that names the
// variable and the byte; memory is bounded by the size of the file and by
// Options.MaxValues.
//
// NetCDF-4 files are HDF5 and give ErrUnsupported with the command that
// converts them.
//
// # Writing
//
// Write lays out a Dataset in the smallest format that holds it; WriteRaster
// writes rasters with CF coordinates and bounds.
//
// The layout follows "The NetCDF Classic Format Specification" (Unidata) and
// the CDF-5 specification of PnetCDF.
package netcdf
