module hornet-examples

go 1.26.0

require github.com/hornet-mac/hornet/bindings/go v0.0.0

require golang.org/x/sys v0.49.0 // indirect

replace github.com/hornet-mac/hornet/bindings/go => ../../bindings/go
