// SPDX-License-Identifier: Apache-2.0 OR MIT
/** ChaCha20 and XChaCha20 alone, beside node:crypto and @noble/ciphers, in Node. */
import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import test from "node:test";

import * as noble from "@noble/ciphers/chacha.js";
import { chacha20, xchacha20 } from "hornet-poly1305";

import { pseudorandom } from "./reference.js";

const key = pseudorandom(32, 1);
const nonce = pseudorandom(12, 2);
const extendedNonce = pseudorandom(24, 3);
const LENGTHS = [...Array(1100).keys(), 4095, 32767, 32768, 32769, 65536, 65537, 100_000];

/** @param {Uint8Array} data @param {number} counter */
function nodeChaCha20(data, counter) {
    const iv = Buffer.alloc(16);
    iv.writeUInt32LE(counter);
    iv.set(nonce, 4);
    return createCipheriv("chacha20", key, iv).update(data);
}

/** @param {Uint8Array} actual @param {Uint8Array} expected */
function equal(actual, expected) {
    assert.equal(Buffer.compare(actual, expected), 0, `${expected.length} bytes`);
}

test("the vector of RFC 8439, section 2.4.2", () => {
    const text =
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
    const sealed = chacha20(
        Uint8Array.from(Array(32).keys()),
        Buffer.from("000000000000004a00000000", "hex"),
        Buffer.from(text),
        undefined,
        1,
    );
    equal(sealed.subarray(0, 8), Buffer.from("6e2e359a2568f980", "hex"));
    equal(sealed.subarray(-4), Buffer.from("5e42874d", "hex"));
});

test("many lengths beside node:crypto and @noble/ciphers", () => {
    const bytes = pseudorandom(100_000, 4);
    for (const length of LENGTHS) {
        const data = bytes.subarray(0, length);
        const counter = (length * 7919) % 5000;
        equal(chacha20(key, nonce, data, undefined, counter), nodeChaCha20(data, counter));
        equal(
            xchacha20(key, extendedNonce, data, undefined, counter),
            noble.xchacha20(key, extendedNonce, data, undefined, counter),
        );
    }
    equal(chacha20(key, nonce, bytes), noble.chacha20(key, nonce, bytes));
});

test("outputs: given, the input, and overlapping it", () => {
    for (const length of [0, 1, 100, 32768, 70_000]) {
        const data = pseudorandom(length, 5);
        const expected = nodeChaCha20(data, 0);
        const output = new Uint8Array(length);
        assert.equal(chacha20(key, nonce, data, output), output);
        equal(output, expected);
        assert.equal(chacha20(key, nonce, output, output), output);
        equal(output, data);
        const memory = new Uint8Array(length + 10);
        memory.set(data);
        chacha20(key, nonce, memory.subarray(0, length), memory.subarray(10));
        equal(memory.subarray(10), expected);
    }
});

test("the last block", () => {
    const data = pseudorandom(129, 6);
    const last = 2 ** 32 - 1;
    equal(chacha20(key, nonce, data.subarray(0, 64), undefined, last), nodeChaCha20(data.subarray(0, 64), last));
    equal(
        chacha20(key, nonce, data.subarray(0, 128), undefined, last - 1).subarray(64),
        nodeChaCha20(data.subarray(64, 128), last),
    );
    const output = new Uint8Array(129);
    for (const [length, counter] of [
        [65, last],
        [129, last - 1],
    ]) {
        assert.throws(() => chacha20(key, nonce, data.subarray(0, length), output.subarray(0, length), counter), {
            name: "RangeError",
            message: "data: the counter of blocks would pass 2^32 - 1",
        });
    }
    equal(output, new Uint8Array(129));
    for (const counter of [-1, 2 ** 32, 0.5, NaN]) {
        assert.throws(() => chacha20(key, nonce, data, undefined, counter), RangeError);
    }
    assert.throws(() => chacha20(key, nonce, data, undefined, /** @type {any} */ ("1")), TypeError);
});

test("wrong arguments", () => {
    const data = new Uint8Array(5);
    assert.throws(() => chacha20(key.subarray(1), nonce, data), /^RangeError: key: expected 32 bytes, got 31$/);
    assert.throws(() => chacha20(key, extendedNonce, data), /^RangeError: nonce: expected 12 bytes, got 24$/);
    assert.throws(() => xchacha20(key, nonce, data), /^RangeError: nonce: expected 24 bytes, got 12$/);
    assert.throws(() => chacha20(key, nonce, data, new Uint8Array(6)), /^RangeError: output: expected 5 bytes, got 6$/);
    assert.throws(() => chacha20(key, nonce, /** @type {any} */ ("text")), TypeError);
    assert.equal(chacha20.nonceLength, 12);
    assert.equal(xchacha20.nonceLength, 24);
    assert.equal(chacha20.blockSize, 64);
});
