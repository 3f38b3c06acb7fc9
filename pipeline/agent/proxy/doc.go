// Package proxy carries an agent's network: it lets through the destinations that a policy allows and counts requests,
// bytes and the tokens that model APIs report. It knows nothing of agents, tasks or sandboxes except the gate's
// address.
package proxy
