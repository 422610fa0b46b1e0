// Package data embeds the data sets that Almanac ships: NetCDF, CSV and
// GeoJSON files, the manifest that describes them, and the hand-written files
// of the gazetteer.
//
// The files are made by scripts/data/build.py (make data) from public packages;
// manifest.yaml names source, version, licence and SHA-256 of each, and what
// was cut. Read them through package catalog, which checks the hashes:
//
//	cat, err := catalog.Open(data.Files, "")
package data

import "embed"

// Files holds manifest.yaml and the files that it lists, at the root.
//
//go:embed manifest.yaml aliases.yaml regions.yaml *.nc *.csv *.geojson
var Files embed.FS
