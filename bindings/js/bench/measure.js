// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Measures ChaCha20-Poly1305 of this package beside that of others, in Node and in a browser. */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import sodium from "libsodium-wrappers";

import { open, seal } from "../dist/index.js";

const LENGTHS = [64, 256, 1350, 16384, 1 << 20];
const ROUNDS = 50;

/** The clock of a page advances by 0.005 ms. */
const BATCH_MS = 1;

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {(key: Uint8Array, nonce: Uint8Array, message: Uint8Array) => Uint8Array} seal
 * @property {(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array) => Uint8Array} open
 */

/** @type {Peer[]} */
const peers = [
    { name: "hornet-poly1305", seal, open },
    {
        name: "@noble/ciphers",
        seal: (key, nonce, message) => chacha20poly1305(key, nonce).encrypt(message),
        open: (key, nonce, sealed) => chacha20poly1305(key, nonce).decrypt(sealed),
    },
    {
        name: "libsodium-wrappers",
        seal: (key, nonce, message) =>
            sodium.crypto_aead_chacha20poly1305_ietf_encrypt(message, null, null, nonce, key),
        open: (key, nonce, sealed) => sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, sealed, null, nonce, key),
    },
];

/**
 * Returns the milliseconds that `count` calls take.
 *
 * @param {() => Uint8Array} call
 * @param {number} count
 */
function time(call, count) {
    const begin = performance.now();
    for (let i = 0; i < count; i++) {
        call();
    }
    return performance.now() - begin;
}

/** Returns a number of calls that take BATCH_MS or more. @param {() => Uint8Array} call */
function batch(call) {
    for (let count = 1; ; count *= 2) {
        if (Math.min(...Array.from({ length: 10 }, () => time(call, count))) >= BATCH_MS) {
            return count;
        }
    }
}

/**
 * Returns for each call and length the peers' times in microseconds: minima over rounds, because other programs may run and
 * engines optimize late. In each round, both calls of every peer are timed in turn.
 *
 * @param {Peer[]} further peers
 */
export async function measure(further) {
    await sodium.ready;
    const all = [...peers, ...further];
    const key = Uint8Array.from({ length: 32 }, (_, i) => i);
    const nonce = Uint8Array.from({ length: 12 }, (_, i) => i);
    const rows = [];
    for (const length of LENGTHS) {
        const timings = [];
        const message = Uint8Array.from({ length }, (_, i) => i % 251);
        const sealed = seal(key, nonce, message);
        for (const call of /** @type {const} */ (["seal", "open"])) {
            const input = call === "seal" ? message : sealed;
            const expected = call === "seal" ? sealed : message;
            const us = all.map(() => Infinity);
            rows.push({ call, length, us });
            all.forEach((peer, i) => {
                const each = () => peer[call](key, nonce, input);
                const result = each();
                if (result.length !== expected.length || result.some((byte, at) => byte !== expected[at])) {
                    throw new Error(`${peer.name}: ${call} of ${length} bytes is wrong`);
                }
                const count = batch(each);
                timings.push(() => {
                    time(each, count); // pays for what others have left in caches and to the garbage collector
                    us[i] = Math.min(us[i], (1000 * time(each, count)) / count);
                });
            });
        }
        for (let round = 0; round < ROUNDS; round++) {
            timings.forEach((timing) => timing());
        }
    }
    return { names: all.map(({ name }) => name), rows };
}
