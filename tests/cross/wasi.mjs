// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// Runs a WebAssembly program that expects the first preview of WASI, and nothing of files: node wasi.mjs PROGRAM [ARG...]
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env: process.env, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(await readFile(args[0]), {
    wasi_snapshot_preview1: wasi.wasiImport,
});
process.exitCode = wasi.start(instance);
