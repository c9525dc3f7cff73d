module github.com/hornet-mac/hornet/bindings/go

go 1.26.0

require golang.org/x/sys v0.49.0
