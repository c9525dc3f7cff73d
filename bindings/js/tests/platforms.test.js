// SPDX-License-Identifier: Apache-2.0 OR MIT
/** The package in Node without ES modules, and where WebAssembly is missing or not allowed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import test from "node:test";
import vm from "node:vm";

import * as imported from "hornet-poly1305";

import { pseudorandom } from "./reference.js";

const CJS = fileURLToPath(new URL("../dist/index.cjs", import.meta.url));
const require = createRequire(import.meta.url);
const required = require(CJS);

test("the file for require has the same functions", () => {
    assert.deepEqual(Object.keys(required).sort(), Object.keys(imported).sort());
    assert.equal(required.version, imported.version);
    const key = pseudorandom(32, 1);
    const nonce = pseudorandom(24, 2);
    for (const length of [0, 1, 16, 64, 600, 5_000, 40_000]) {
        const message = pseudorandom(length, 3);
        assert.deepEqual(required.mac(key, message), imported.mac(key, message));
        const sealed = required.xSeal(key, nonce, message, key);
        assert.deepEqual(imported.xOpen(key, nonce, sealed, key), message);
        const pieces = required.ChaCha20Poly1305.xchacha20(key, nonce).aad(key);
        assert.deepEqual(pieces.encrypt(message), sealed.subarray(0, length));
        assert.deepEqual(pieces.digest(), sealed.subarray(length));
        sealed[length] ^= 1;
        assert.throws(() => required.xOpen(key, nonce, sealed, key), /not authentic/);
    }
});

/** Returns what a program prints, in a process of its own. */
function printed(program, ...options) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [...options, "--eval", program], {
        cwd: new URL(".", import.meta.url),
        encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    return stdout;
}

test("import and require give the same classes where Node can require ES modules", () => {
    const program = `import("hornet-poly1305").then((imported) => {
        const required = require("hornet-poly1305");
        console.log(required.mac(new Uint8Array(32), new Uint8Array(5)).length, required.Poly1305 === imported.Poly1305);
    });`;
    const can = process.features.require_module === true;
    assert.equal(printed(program), `16 ${can}\n`);
    if (can) {
        assert.equal(printed(program, "--no-experimental-require-module"), "16 false\n");
    }
});

const LOADS = [`import("hornet-poly1305")`, `Promise.resolve().then(() => require(${JSON.stringify(CJS)}))`];

test("without WebAssembly, loading throws an error that says so", () => {
    for (const load of LOADS) {
        const program = `${load}.then(() => console.log("loaded"), (error) => console.log(error.name, error.message));`;
        const expected =
            "Error hornet-poly1305: WebAssembly is missing or not allowed here: WebAssembly is not defined\n";
        assert.equal(printed(program, "--jitless"), expected);
        assert.equal(printed(`delete globalThis.WebAssembly; ${program}`), expected);
    }
});

test("where WebAssembly must not be compiled, loading throws an error that says so", () => {
    const context = vm.createContext(
        { module: { exports: {} }, atob, Uint8Array },
        { codeGeneration: { strings: true, wasm: false } },
    );
    assert.throws(() => vm.runInContext(readFileSync(CJS, "utf8"), context), {
        name: "Error",
        message: /^hornet-poly1305: WebAssembly is missing or not allowed here: .*Wasm code generation disallowed/,
    });
});
