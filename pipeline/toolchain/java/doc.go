// Package java plans builds and test runs of Maven and Gradle builds (JUnit, TestNG). What another
// language needs, too, is in toolchain/kit.
package java
