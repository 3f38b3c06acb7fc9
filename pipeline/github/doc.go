// Package github asks the GitHub REST API, or anything that answers like it, and
// keeps the raw answers.
//
// A [Pool] holds one client a token. A repository is pinned to one of them, so
// that its ETags, which are bound to the token, stay good; the requests of one
// token are sent one after the other. Limits are waited out, cut and broken
// answers are asked for again, and what is left is an answer or an error that says
// what the thing asked for has become: see [StatusError] and [TroubleError].
//
// An [Archive] keeps every page as it came, so that the database can be rebuilt
// without asking again.
//
// What to ask for, in which order, and what the answers mean, is the crawl's.
package github
