package metric

import "slices"

var orderScore = Metric{
	Name: "order_score", Title: "Order of groups",
	Definition: "mean of three on tool groups: Jaccard index of the sets; common multiset / longer list; longest " +
		"common subsequence / longer list; both empty 1, one empty 0",
	Source: "TerraAgent (arXiv 2606.13148), OrderScore", High: 1,
	Compute: callMetric(func(c *Case) float64 { return order(groups(c.Predicted), groups(c.Gold)) }),
}

func order(p, g []string) float64 {
	longer := max(len(p), len(g))
	switch {
	case longer == 0:
		return 1
	case len(p) == 0 || len(g) == 0:
		return 0
	}
	sp, sg := set(p), set(g)
	common := multiset(sp, sg)
	unique := ratio(common, len(sp)+len(sg)-common)
	inOrder := lcs(len(p), len(g), func(i, j int) bool { return p[i] == g[j] })
	return (unique + ratio(multiset(p, g), longer) + ratio(inOrder, longer)) / 3
}

func set(list []string) []string {
	s := slices.Clone(list)
	slices.Sort(s)
	return slices.Compact(s)
}
