// Package schema defines the words, the database tables and views, and the file
// formats that all other packages of wideswe share. It imports the standard library
// only and runs nothing.
//
// # Words
//
// Each thing has one word, the same in Go, SQL, JSON, flags and prose.
//
//	ecosystem           repositories that support one product, platform or technology;
//	                    usually one organization
//	pull                a pull request, identified by (repository id, number)
//	link                one reference from a pull to a pull, issue or commit of another
//	                    repository, with its evidence
//	candidate           pulls of two or more repositories that may be one change
//	task                an accepted candidate on its way to a release, or in one
//	target              a repository that must change; it is scored
//	context repository  a repository that the agent may read; it is not scored
//	base, gold          base = base commit + hidden tests; gold = base + gold patch
//	gold patch          the part of the pulls that is not tests
//	hidden tests        the part of the pulls that is tests
//	F2P                 passes on gold in every repeat, and on base in none
//	P2P                 passes on base and on gold in every repeat
//	unstable            the outcome on gold differs between repeats, or base passes in some only
//	unsettled           no rerun could tell the test's outcome on base; it is in neither list
//	recipe              how one repository is built and tested
//	wiring              making a target use the working tree of its sibling
//	workspace           the tree that an agent gets: every repository, without history
//	prediction          one agent's patches for one task, a patch per repository
//	joint, independent  one run over the whole workspace; one run per target
//	resolved            all F2P and P2P tests of every target pass, as submitted and in the second run
//	as submitted        the same in the run as submitted alone, which is the paper's rule
//	disputed            resolved as submitted, but not in the second run
//	unbuilt             resolved as submitted, but the second run's tree does not build
//
// # Names
//
// A repository is written as owner/name in GitHub's spelling, a pull as owner/name#N,
// a commit as owner/name@sha. File names have a double underscore for the slash (see
// [FileName]). Times are UTC.
//
// # Test ids
//
//	id   = unit "::" name [ " #" n ]
//	unit = the Go import path, the test file's path in the repository, or the class name
//	       in the report; it contains no "::"
//	name = the runner's own name: Go "TestA/sub_case", pytest "TestClass::test_x[param]",
//	       TAP's description
//	n    = 2, 3, … where a run reports the same id again, in order of appearance
//
// An id contains no absolute path, duration, color, address or temporary name.
// Control characters are written as \xNN, bytes that are not UTF-8 become U+FFFD, and
// an id over 1,000 bytes is cut and ends in a hash of the whole id (see [TestID]).
//
// # Outcomes
//
// A test's outcome is pass, fail, error, skip, not_run (the test exists, but the runner
// crashed or stopped before it) or missing (no report of the test). Missing is the zero
// value, so a lost report never counts as a pass (see [TestOutcome]).
//
// A test's class compares its outcomes on base and gold ([Class]):
//
//	F2P           fails, errors or is missing on base in every repeat, passes on gold in every repeat
//	P2P           passes on both in every repeat
//	F2F           fails or errors on gold in every repeat, passes on base in none
//	P2F           passes on base in every repeat, fails or errors on gold in every repeat
//	S2P           skipped on base, passes on gold: neither F2P nor P2P
//	skipped       skipped on gold in every repeat
//	unstable      any other combination: gold differs between repeats, base passes in some repeats
//	              only, a run did not reach the test, or gold fails in another order, on one CPU
//	              or in another time zone (validate --stress)
//	unsettled     passes on gold in every repeat, and no run of base came to its end for the test's unit
//	gold_missing  reported on base, not on gold
//
// An item ends in a stage in one of three ways ([Status]): done; skipped, with a reason
// that is a fact about the item; failed, because our machinery broke, and to be retried.
//
// # Who writes which table
//
// A stage reads earlier tables and writes only its own. Only the engine writes
// outcomes. The first comment of each file in migrations/ names its writer and readers:
//
//	0001_engine.sql             the engine  outcomes, stage_runs, meta
//	0002_rank.sql               rank        ecosystems
//	0003_crawl.sql              crawl       repository_versions, pull_versions, issue_versions, crawl_pages,
//	                                        crawl_passes, crawl_inventories, repository_aliases
//	0004_link.sql               link        link_occurrences, own_issues, paper_links
//	0005_group.sql              group       edges, candidate_groups, group_members, campaigns, lineage
//	0006_dedupe.sql             dedupe      duplicates, records, consolidation_proposals
//	0007_inspect.sql            inspect     pull_files, linked_issues, pull_comments, pull_facts, candidate_facts,
//	                                        inspected_references, dependency_evidence
//	0008_review.sql             review      reviews, candidate_verdicts
//	0009_assemble.sql           assemble    task_list, task_targets, task_patches, prompt_paragraphs, task_notes
//	0010_validate.sql           validate    test_runs, test_outcomes, task_images
//	0011_balance.sql            balance     selections
//	0012_export.sql             export      exports, context_repositories
//	0013_audit.sql              crawl       crawl_audits
//	0014_lists.sql              crawl       crawl_lists
//	0020_evaluate.sql           evaluate    evaluation_runs, evaluation_tests, evaluation_verdicts (in the
//	                                        evaluation's folder)
//	0021_run_limits.sql         validate    test_runs, more columns
//	0022_landed.sql             crawl       landing_commits, landing_pages, pull_landings, crawl_looks
//	0023_leaks.sql              validate    task_leaks
//	0024_journal.sql            validate    task_bases, run_journal
//	0025_stress.sql             validate    stress_runs, stress_outcomes
//	0026_outcomes.sql           evaluate    evaluation_outcomes (in the evaluation's folder)
//	0027_evaluation_states.sql  evaluate    evaluation_states (in the evaluation's folder)
//	0028_two_counts.sql         evaluate    columns of evaluation_runs and evaluation_states
//	0029_passed_before.sql      validate    own_test_runs, passed_before
//	0040_paper_checks.sql       inspect     paper_checks
//	0041_split_differences.sql  assemble    split_differences; inspect a column of pull_facts
//	0042_pull_proposals.sql     dedupe      pull_proposals
//	0043_manifest_evidence.sql  inspect     manifest_evidence
package schema
