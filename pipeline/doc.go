// Package pipeline is the engine of wideswe: what a stage is, how its items are
// worked through, how they end. It knows no stage and no database driver.
//
// A [Stage] turns earlier tables into its own. It lists its items, each with a
// hash of everything that decides the item's result, and hands them to [Each],
// which gives bounded workers, resume, one outcome an item, progress and counts.
// What an item found is written in the transaction that records its outcome, so
// a kill at any moment leaves whole items or none.
//
// The tools that stages share are the folders beside this file; a tool that only
// one stage needs stays with that stage.
package pipeline
