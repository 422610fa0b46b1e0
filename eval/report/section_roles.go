package report

import (
	"fmt"

	"almanac/eval"
)

var rolesSection = section{id: "roles", title: "Where the tokens went", template: `
{{if not .Rows}}<p class="soft">No setup used a model.</p>{{else}}<div class="wide" tabindex="0" role="group" aria-label="Tokens by role"><table class="sortable"><thead><tr><th>Setup</th><th>Role</th><th class="n">Prompt</th><th class="n">Completion</th><th class="n">Thinking</th><th class="n">Total</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Setup}}</td><td>{{.Role}}</td><td class="n">{{.Prompt}}</td><td class="n">{{.Completion}}</td><td class="n">{{.Thinking}}</td>{{.Total.Td}}</tr>
{{end}}</tbody></table></div><p class="note">As the server counts them; “–” is unknown, not zero. Embedding and judge tokens are not in a setup’s total.</p>{{end}}`, content: rolesContent}

type roleRow struct {
	Setup, Role, Prompt, Completion, Thinking string
	Total                                     figure
}

func rolesContent(v *view) any { return struct{ Rows []roleRow }{v.roles()} }

func (v *view) roles() []roleRow {
	var out []roleRow
	for i, s := range v.Setups {
		for _, role := range s.Roles() {
			row := tokensRow(v.label(s.Arm), role, s.ByRole[role])
			row.Total = tokensOf(s.ByRole[role].Total, fmt.Sprintf("setups/%d/tokens/by_role/%s", i, role))
			out = append(out, row)
		}
	}
	return out
}

func tokensRow(setup, role string, t eval.Tokens) roleRow {
	show := func(v *int64) string {
		if v == nil {
			return nothing
		}
		return thousands(*v)
	}
	return roleRow{Setup: setup, Role: role, Prompt: show(t.Prompt), Completion: show(t.Completion), Thinking: show(t.Thinking)}
}
