// Package layout holds the test that keeps imports pointing one way: from the commands down to the data types. It has
// no code of its own. A new package that no rule covers fails the test until a rule says where it belongs.
package layout
