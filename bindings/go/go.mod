module hornet

go 1.26.0
