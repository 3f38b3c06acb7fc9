// Package schema holds the nouns of wideswe: the words, the database tables and
// the file formats that every other package shares. It imports the standard
// library only and does nothing by itself.
//
// # Words
//
// One word per thing, the same in Go, SQL, JSON, flags and prose.
//
//	ecosystem           repositories that support one product, platform or technology;
//	                    mostly one organization, may name more
//	pull                a pull request, keyed by (repository id, number)
//	link                one occurrence of a reference from a pull to a pull, issue or commit
//	                    of another repository, with its evidence
//	candidate           pulls of two or more repositories that may be one change
//	task                an accepted candidate on its way to, or in, a release
//	target              a repository that must change; scored
//	context repository  given to read in the workspace; not scored
//	base, gold          base = base commit + hidden tests; gold = base + gold patch
//	gold patch          the pull's non-test part
//	hidden tests        the pull's test part
//	F2P                 passes on gold in every repeat, and on base in none
//	P2P                 passes on both in every repeat
//	unstable            gold's outcome differs between repeats, or base passes in some only
//	recipe              how one repository is built and tested
//	wiring              making a target use its sibling's working tree
//	workspace           the tree an agent gets: every repository without history
//	prediction          one agent's patches for one task: a patch per repository
//	joint, independent  one run over the whole workspace; one run per target
//	resolved            every target passes all its F2P and P2P
//
// # Names
//
// A repository is written owner/name in the inventory's spelling, a pull
// owner/name#N, a commit owner/name@sha. In file names the slash is a double
// underscore (see [FileName]). Times are UTC.
//
// # Test ids
//
//	id   = unit "::" name [ " #" n ]
//	unit = the Go import path, the test file's path in the repository, or the class name
//	       a report gives; it holds no "::"
//	name = the runner's own name: Go "TestA/sub_case", pytest "TestClass::test_x[param]",
//	       TAP the description
//	n    = 2, 3, … for an id that a run reports again, in order of appearance
//
// An id holds no absolute path, duration, colour, address or temporary name.
// Control characters are written as \xNN, bytes that are not UTF-8 become U+FFFD,
// and an id over 1,000 bytes is cut and ends in a hash of the whole (see [TestID]).
//
// # Outcomes
//
// A test's outcome is pass, fail, error, skip, not_run (known to exist, but the
// runner crashed or stopped before it) or missing. Missing is the zero value: a
// lost report can't count as a pass (see [TestOutcome]).
//
// The class of a test over base and gold ([Class]):
//
//	F2P           fails, errors or is missing on base in every repeat, passes on gold in every repeat
//	P2P           passes on both in every repeat
//	F2F           passes on neither
//	P2F           passes on base, not on gold
//	S2P           skipped on base, passes on gold: neither F2P nor P2P
//	skipped       skipped on gold
//	unstable      gold differs between repeats, or base passes in some repeats only, or gold
//	              breaks in another order, on one CPU or in another time zone (validate --stress)
//	gold_missing  seen on base, not on gold
//
// The end of one item in one stage ([Status]): done; skipped, with a reason that is
// a fact about the item; failed, when our machinery broke and it will be retried.
//
// # Who writes which table
//
// A stage reads earlier tables and writes only its own. The engine alone writes
// outcomes. The head of each file in migrations/ names its writer and its readers:
//
//	0001_engine.sql    the engine      outcomes, stage_runs, meta
//	0002_rank.sql      rank            ecosystems
//	0003_crawl.sql     crawl           repository_versions, pull_versions, issue_versions, crawl_pages, crawl_passes, crawl_inventories, repository_aliases
//	0004_link.sql      link            link_occurrences, own_issues, paper_links
//	0005_group.sql     group           edges, candidate_groups, group_members, campaigns, lineage
//	0006_dedupe.sql    dedupe          duplicates, records, consolidation_proposals
//	0007_inspect.sql   inspect         pull_files, linked_issues, pull_comments, pull_facts, candidate_facts, inspected_references, dependency_evidence
//	0008_review.sql    review          reviews, candidate_verdicts
//	0009_assemble.sql  assemble        task_list, task_targets, task_patches, prompt_paragraphs, task_notes
//	0010_validate.sql  validate        test_runs, test_outcomes, task_images
//	0011_balance.sql   balance         selections
//	0012_export.sql    export          exports, context_repositories
//	0013_audit.sql     crawl           crawl_audits
//	0014_lists.sql     crawl           crawl_lists
//	0020_evaluate.sql  evaluate        evaluation_runs, evaluation_tests, evaluation_verdicts (in the evaluation's folder)
//	0021_run_limits.sql validate       test_runs, more columns
//	0022_landed.sql    crawl           landing_commits, landing_pages, pull_landings, crawl_looks
//	0023_leaks.sql     validate        task_leaks
//	0024_journal.sql   validate        task_bases, run_journal
//	0025_stress.sql    validate        stress_runs, stress_outcomes
//	0026_outcomes.sql  evaluate        evaluation_outcomes (in the evaluation's folder)
//	0027_evaluation_states.sql evaluate evaluation_states (in the evaluation's folder)
//	0028_two_counts.sql evaluate       columns of evaluation_runs and evaluation_states
//	0040_paper_checks.sql inspect      paper_checks
//	0041_split_differences.sql assemble split_differences; inspect a column of pull_facts
//	0042_pull_proposals.sql dedupe     pull_proposals
//	0043_manifest_evidence.sql inspect manifest_evidence
package schema
