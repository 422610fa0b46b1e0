package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Logistic is a logistic regression of an outcome on columns, with an intercept: how well the columns tell who succeeds.
type Logistic struct {
	Columns      []string  // those that were used
	Dropped      []string  // copies of another column, and columns that do not vary
	Intercept    float64   //
	Coefficients []float64 // of Columns, in log odds for one unit
	AUC          *float64  // of the fitted probabilities, 0 to 1
	McFadden     *float64  // 1 − log-likelihood over that of the intercept alone
	Reason       string    // why there is none
}

const (
	maxIterations = 50
	converged     = 1e-10
	// runaway is a coefficient of a standardised column beyond which outcomes are parted: odds of e^30 are no estimate.
	runaway = 30
)

// Regress fits by Newton's method on standardised columns. rows are values in the order of names, outcome is what
// happened. A column equal to another one up to scale, or that does not vary, is dropped and named.
func Regress(names []string, rows [][]float64, outcome []bool) Logistic {
	var l Logistic
	if len(rows) != len(outcome) || len(rows) == 0 {
		l.Reason = NoData
		return l
	}
	ones := 0
	for _, o := range outcome {
		if o {
			ones++
		}
	}
	if ones == 0 || ones == len(outcome) {
		l.Reason = NoOutcomes
		return l
	}
	columns := l.standardise(names, rows)
	if len(columns) == 0 {
		l.Reason = NoVariation
		return l
	}
	if len(rows) <= len(columns)+1 {
		l.Reason = FewRows
		return l
	}
	beta, ok := newton(columns, outcome)
	if !ok {
		l.Reason = Separable
		l.Columns, l.Coefficients = nil, nil
		return l
	}
	l.judge(columns, outcome, beta, float64(ones)/float64(len(outcome)))
	return l
}

// column is one of the regression's, standardised: (x − mean)/sd.
type column struct {
	values   []float64
	mean, sd float64
}

// standardise keeps the columns that say something of their own.
func (l *Logistic) standardise(names []string, rows [][]float64) []column {
	var kept []column
	for j, name := range names {
		x := make([]float64, len(rows))
		for i := range rows {
			x[i] = rows[i][j]
		}
		c := column{mean: mean(x)}
		for _, v := range x {
			c.sd += square(v-c.mean) / float64(len(x))
		}
		c.sd = math.Sqrt(c.sd)
		if allEqual(x) || c.sd == 0 || math.IsNaN(c.sd) || math.IsInf(c.sd, 0) {
			l.Dropped = append(l.Dropped, name)
			continue
		}
		for _, v := range x {
			c.values = append(c.values, (v-c.mean)/c.sd)
		}
		if slices.ContainsFunc(kept, func(k column) bool { return copies(k.values, c.values) }) {
			l.Dropped = append(l.Dropped, name)
			continue
		}
		kept, l.Columns = append(kept, c), append(l.Columns, name)
	}
	return kept
}

// copies tells whether two standardised columns are one, or one the other's negative.
func copies(a, b []float64) bool {
	same, opposite := true, true
	for i := range a {
		same = same && math.Abs(a[i]-b[i]) < 1e-9
		opposite = opposite && math.Abs(a[i]+b[i]) < 1e-9
	}
	return same || opposite
}

func chances(columns []column, beta []float64) []float64 {
	p := make([]float64, len(columns[0].values))
	for i := range p {
		z := beta[0]
		for j, c := range columns {
			z += float64(beta[j+1] * c.values[i])
		}
		p[i] = 1 / (1 + math.Exp(-z))
	}
	return p
}

// newton maximises the likelihood; ok is false where it has no maximum.
func newton(columns []column, outcome []bool) (beta []float64, ok bool) {
	k := len(columns) + 1
	beta = make([]float64, k)
	at := func(j, i int) float64 {
		if j == 0 {
			return 1
		}
		return columns[j-1].values[i]
	}
	for range maxIterations {
		p := chances(columns, beta)
		gradient, hessian := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
		for i, o := range outcome {
			y := 0.0
			if o {
				y = 1
			}
			w := p[i] * (1 - p[i])
			for a := range k {
				gradient.SetVec(a, gradient.AtVec(a)+at(a, i)*(y-p[i]))
				for b := a; b < k; b++ {
					hessian.SetSym(a, b, hessian.At(a, b)+w*at(a, i)*at(b, i))
				}
			}
		}
		var step mat.VecDense
		var chol mat.Cholesky
		if !chol.Factorize(hessian) || chol.SolveVecTo(&step, gradient) != nil {
			return nil, false
		}
		largest := 0.0
		for j := range k {
			beta[j] += step.AtVec(j)
			largest = math.Max(largest, math.Abs(step.AtVec(j)))
			if math.Abs(beta[j]) > runaway || math.IsNaN(beta[j]) {
				return nil, false
			}
		}
		if largest < converged {
			return beta, true
		}
	}
	return nil, false
}

// judge puts the coefficients back to the columns' units and measures the fit.
func (l *Logistic) judge(columns []column, outcome []bool, beta []float64, share float64) {
	l.Intercept = beta[0]
	for j, c := range columns {
		l.Coefficients = append(l.Coefficients, beta[j+1]/c.sd)
		l.Intercept -= beta[j+1] * c.mean / c.sd
	}
	p := chances(columns, beta)
	var full, null float64
	for i, o := range outcome {
		if o {
			full, null = full+math.Log(p[i]), null+math.Log(share)
		} else {
			full, null = full+math.Log1p(-p[i]), null+math.Log1p(-share)
		}
	}
	r2, auc := 1-full/null, AUC(p, outcome)
	l.McFadden, l.AUC = &r2, &auc
}

// AUC is the area under the ROC curve: the chance that a success has a higher score than a failure, equal scores counting
// half. Both outcomes must occur.
func AUC(score []float64, outcome []bool) float64 {
	r := ranks(score)
	sum, ones := 0.0, 0.0
	for i, o := range outcome {
		if o {
			sum, ones = sum+r[i], ones+1
		}
	}
	zeros := float64(len(outcome)) - ones
	return (sum - ones*(ones+1)/2) / (ones * zeros)
}
