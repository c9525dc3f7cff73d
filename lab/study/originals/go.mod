module github.com/hornet-mac/hornet/lab/study/originals

go 1.26.0

require golang.org/x/crypto v0.0.0-20180904163835-0709b304e793
