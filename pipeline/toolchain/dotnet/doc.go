// Package dotnet plans builds and test runs of .NET projects (dotnet test). What another
// language needs, too, is in toolchain/kit.
package dotnet
