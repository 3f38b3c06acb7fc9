package schema

import "embed"

// Files holds the SQL of the database: migrations/, views/ and checks/, and the
// comments that views share, columns.txt. Migrations run in the order of their
// numbers, views in the order of their names; a check is a query that must return
// no row.
//
//go:embed migrations/*.sql views/*.sql checks/*.sql columns.txt
var Files embed.FS

// Version is the version of the tables and views, stored in the table meta.
const Version = "1"
