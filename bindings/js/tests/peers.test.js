// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Compares ChaCha20-Poly1305 with node:crypto, and XChaCha20-Poly1305 with @noble/ciphers, in Node. */
import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import test from "node:test";

import * as noble from "@noble/ciphers/chacha.js";
import { managedNonce } from "@noble/ciphers/utils.js";
import { ChaCha20Poly1305, chacha20poly1305, open, seal, xOpen, xSeal, xchacha20poly1305 } from "hornet-poly1305";

import { pseudorandom } from "./reference.js";

const NODE = "chacha20-poly1305";
const OPTIONS = { authTagLength: 16 };
const LENGTH_MAX = 4200;

const key = pseudorandom(32, 1);
const nonce = pseudorandom(12, 2);
const extendedNonce = pseudorandom(24, 3);

function nodeSeal(message, aad) {
    const cipher = createCipheriv(NODE, key, nonce, OPTIONS).setAAD(aad);
    return Buffer.concat([cipher.update(message), cipher.final(), cipher.getAuthTag()]);
}

function nodeOpen(sealed, aad) {
    const length = sealed.length - 16;
    const decipher = createDecipheriv(NODE, key, nonce, OPTIONS).setAAD(aad).setAuthTag(sealed.subarray(length));
    return Buffer.concat([decipher.update(sealed.subarray(0, length)), decipher.final()]);
}

/** @param {Uint8Array} actual @param {Uint8Array} expected */
function equal(actual, expected) {
    assert.equal(Buffer.compare(actual, expected), 0, `${expected.length} bytes`);
}

test(`every length to ${LENGTH_MAX}, sealed and opened, beside node:crypto`, () => {
    const bytes = pseudorandom(LENGTH_MAX, 4);
    for (let length = 0; length <= LENGTH_MAX; length++) {
        const message = bytes.subarray(0, length);
        const aad = bytes.subarray(length % 7, (length * 5) % 100);
        const sealed = seal(key, nonce, message, aad);
        equal(sealed, nodeSeal(message, aad));
        equal(nodeOpen(sealed, aad), message);
        equal(open(key, nonce, sealed, aad), message);
    }
});

test(`every length of associated data to ${LENGTH_MAX}, beside node:crypto`, () => {
    const aad = pseudorandom(LENGTH_MAX, 5);
    const message = pseudorandom(3, 6);
    for (let length = 0; length <= LENGTH_MAX; length++) {
        const some = aad.subarray(0, length);
        equal(seal(key, nonce, message, some), nodeSeal(message, some));
    }
});

test("messages of some windows, at once and in pieces, beside node:crypto", () => {
    const message = pseudorandom(1_000_003, 7);
    const aad = pseudorandom(100_001, 8);
    const sealed = seal(key, nonce, message, aad);
    equal(sealed, nodeSeal(message, aad));
    equal(open(key, nonce, sealed, aad), message);
    const pieces = new ChaCha20Poly1305(key, nonce).aad(aad);
    const all = [];
    for (let at = 0, length = 1; at < message.length; at += length, length = (length * 7) % 70_001) {
        all.push(pieces.encrypt(message.subarray(at, at + length)));
    }
    equal(Buffer.concat([...all, pieces.digest()]), sealed);
});

test("both beside @noble/ciphers, with its interface", () => {
    for (const length of [0, 1, 63, 64, 65, 1000, 32768, 65537]) {
        const message = pseudorandom(length, length + 1);
        const aad = pseudorandom(length % 50, length + 2);
        for (const [ours, theirs, some] of [
            [chacha20poly1305, noble.chacha20poly1305, nonce],
            [xchacha20poly1305, noble.xchacha20poly1305, extendedNonce],
        ]) {
            const sealed = theirs(key, some, aad).encrypt(message);
            equal(ours(key, some, aad).encrypt(message), sealed);
            equal(ours(key, some, aad).decrypt(sealed), message);
            const output = new Uint8Array(length + 16);
            assert.equal(ours(key, some, aad).encrypt(message, output), output);
            equal(theirs(key, some, aad).decrypt(output), message);
        }
        const sealed = noble.xchacha20poly1305(key, extendedNonce).encrypt(message);
        equal(xSeal(key, extendedNonce, message), sealed);
        equal(xOpen(key, extendedNonce, sealed), message);
        const managed = managedNonce(xchacha20poly1305, randomBytes)(key, aad);
        const sent = managed.encrypt(message);
        equal(managed.decrypt(sent), message);
        equal(managedNonce(noble.xchacha20poly1305, randomBytes)(key, aad).decrypt(sent), message);
    }
});
