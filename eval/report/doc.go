// Package report writes what a run says as one HTML file that needs nothing else, and as Markdown for a terminal.
//
// A reader should see within ten seconds who won, by how much, how sure that is and at what cost; everything below is
// for those who doubt it. The page has no script: it can be read, folded open and printed without one, in light and
// dark. Drawings are SVG made here.
//
// A section is a file with its template and the function that fills it, and a line in the list of sections. A section
// that has nothing to show says why.
package report
