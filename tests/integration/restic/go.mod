module hornet-restic

go 1.26.0

require golang.org/x/crypto v0.41.0
