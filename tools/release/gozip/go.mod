module github.com/hornet-mac/hornet/tools/release/gozip

go 1.26.0

require golang.org/x/mod v0.43.0
