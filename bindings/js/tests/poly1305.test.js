// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Poly1305 and Poly1305-AES, in Node and in a browser, where files in browser/ replace the node: imports. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import { Poly1305, aesKey, aesMac, aesVerify, mac, verify, version } from "hornet-poly1305";

import { memory, wasm } from "../dist/module.js";
import {
    P,
    bytesOf,
    concat,
    hex,
    inverse,
    number,
    poly1305,
    polynomial,
    pseudorandom,
    unhex,
    vectors,
} from "./reference.js";

const WINDOW = wasm.window_bytes();
const EMPTY = new Uint8Array(0);
const ONES = new Uint8Array(16).fill(0xff);
const ZEROS = new Uint8Array(16);
const LARGEST_R = bytesOf(0x0ffffffc0ffffffc0ffffffc0fffffffn, 16);

/** Clamped values of r: small ones, the largest, and those with a power close to 0 or p. */
const rs = [0n, 1n, 2n, 4n, 0xfn].map((r) => bytesOf(r, 16)).concat([LARGEST_R]);
for (const [digits, power, value] of await vectors("edge_keys")) {
    // The file writes r as a number, its most significant digit first.
    const r = unhex(digits).reverse();
    assert.equal((number(r) ** BigInt(power) - BigInt(value)) % P, 0n);
    rs.push(r);
}

/** Checks all functions that make or verify a tag, also with a wrong tag. */
function check(key, message, tag) {
    const wrong = tag.slice();
    wrong[message.length % 16] ^= 1 << (message.length % 8);
    assert.equal(hex(mac(key, message)), hex(tag));
    assert.equal(verify(key, message, tag), true);
    assert.equal(verify(key, message, wrong), false);
    assert.equal(hex(new Poly1305(key).update(message).digest()), hex(tag));
    assert.equal(new Poly1305(key).update(message).verify(tag), true);
    assert.equal(new Poly1305(key).update(message).verify(wrong), false);
}

test("the version is that of package.json", async () => {
    const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
    assert.equal(version, JSON.parse(text).version);
});

test("vectors of RFC 8439", async () => {
    const rows = await vectors("rfc8439");
    assert.equal(rows.length, 12);
    for (const [key, message, tag] of rows) {
        check(unhex(key), unhex(message), unhex(tag));
        assert.equal(hex(poly1305(unhex(key), unhex(message))), tag);
    }
});

test("vectors of Bernstein 2005", async () => {
    const rows = await vectors("poly1305_aes");
    assert.equal(rows.length, 4);
    for (const [k, r, nonce, pad, message, tag] of rows) {
        const key = unhex(k + r);
        assert.equal(hex(aesMac(key, unhex(nonce), unhex(message))), tag);
        assert.equal(hex(aesMac(key, unhex(nonce), EMPTY)), pad);
        assert.equal(aesVerify(key, unhex(nonce), unhex(message), unhex(tag)), true);
        assert.equal(hex(Poly1305.aes(key, unhex(nonce)).update(unhex(message)).digest()), tag);
        assert.equal(Poly1305.aes(key, unhex(nonce)).update(unhex(message)).verify(unhex(tag)), true);
        assert.equal(hex(mac(unhex(r + pad), unhex(message))), tag);
    }
});

test("known answers of AES: the tag of no bytes", async () => {
    const rows = await vectors("aes");
    assert.ok(rows.length > 284);
    for (const [key, block, encrypted] of rows) {
        assert.equal(hex(aesMac(concat(unhex(key), ZEROS), unhex(block), EMPTY)), encrypted);
    }
});

test("every length to 300, and around the window, its multiples and 64 KiB", () => {
    const lengths = Array.from({ length: 301 }, (_, i) => i);
    for (const edge of [WINDOW, 2 * WINDOW, 3 * WINDOW, 65536]) {
        for (const distance of [-17, -16, -15, -1, 0, 1, 15, 16, 17, 257]) {
            lengths.push(edge + distance);
        }
    }
    for (const length of lengths) {
        const key = pseudorandom(32, length + 1);
        const message = pseudorandom(length, length + 2);
        check(key, message, poly1305(key, message));

        const both = aesKey(concat(pseudorandom(16, 3), key.subarray(0, 16)));
        const nonce = pseudorandom(16, 4);
        const pad = aesMac(both, nonce, EMPTY);
        const tag = aesMac(both, nonce, message);
        assert.equal(hex(tag), hex(poly1305(concat(key.subarray(0, 16), pad), message)));
        assert.equal(aesVerify(both, nonce, message, tag), true);
        tag[0] ^= 1;
        assert.equal(aesVerify(both, nonce, message, tag), false);
    }
});

test("largest and least blocks and pads, under keys at the edges", () => {
    const blocks = [ZEROS, ONES, bytesOf(2n ** 128n - 5n, 16), bytesOf(1n, 16)];
    for (const limb of [32n, 64n, 96n]) {
        blocks.push(bytesOf(2n ** limb - 1n, 16), bytesOf(2n ** limb, 16), bytesOf(2n ** 128n - 2n ** limb, 16));
    }
    for (const r of rs) {
        for (const pad of [ZEROS, ONES, bytesOf(1n, 16)]) {
            const key = concat(r, pad);
            for (const block of blocks) {
                for (const count of [1, 2, 3, 4, 5, 17]) {
                    const message = concat(...Array(count).fill(block));
                    assert.equal(hex(mac(key, message)), hex(poly1305(key, message)));
                    const short = message.subarray(0, message.length - 3);
                    assert.equal(hex(mac(key, short)), hex(poly1305(key, short)));
                }
            }
        }
    }
});

test("values around 0, p and every limb's end, by a last block that is solved for", () => {
    const targets = [];
    for (const edge of [0n, 2n ** 32n, 2n ** 64n, 2n ** 96n, 2n ** 128n, 2n ** 129n, P]) {
        for (let distance = -6n; distance <= 6n; distance++) {
            targets.push((edge + distance + P) % P);
        }
    }
    let solved = 0;
    for (const r of rs.map(number).filter((r) => r !== 0n)) {
        const inverted = inverse(r);
        for (const target of targets) {
            // Solve (h + block + 2^128) r = target. For one in four values of `first`, the block has at most 128 bits.
            for (let seed = 1; seed < 40; seed++) {
                const first = pseudorandom(32, seed);
                const last = (((target * inverted - polynomial(r, first) - 2n ** 128n) % P) + P) % P;
                if (last < 2n ** 128n) {
                    const message = concat(first, bytesOf(last, 16));
                    assert.equal(polynomial(r, message), target);
                    for (const pad of [ZEROS, ONES]) {
                        const key = concat(bytesOf(r, 16), pad);
                        assert.equal(hex(mac(key, message)), hex(poly1305(key, message)));
                    }
                    solved++;
                    break;
                }
            }
        }
    }
    assert.ok(solved > 1500, `${solved}`);
});

test("every cut in two, and byte by byte", () => {
    const key = pseudorandom(32, 5);
    for (const length of [0, 1, 16, 600]) {
        const message = pseudorandom(length, 6);
        const tag = hex(poly1305(key, message));
        for (let cut = 0; cut <= length; cut++) {
            const pieces = new Poly1305(key).update(message.subarray(0, cut)).update(message.subarray(cut));
            assert.equal(hex(pieces.digest()), tag);
        }
        const bytes = new Poly1305(key);
        for (let at = 0; at < length; at++) {
            bytes.update(message.subarray(at, at + 1));
        }
        assert.equal(hex(bytes.digest()), tag);
    }
});

test("every cut in three of 80 bytes, and cuts around the window", () => {
    const key = pseudorandom(32, 7);
    const message = pseudorandom(2 * WINDOW + 50, 8);
    const short = message.subarray(0, 80);
    const tag = hex(poly1305(key, short));
    for (let one = 0; one <= 80; one++) {
        for (let two = one; two <= 80; two++) {
            const pieces = new Poly1305(key).update(short.subarray(0, one));
            pieces.update(short.subarray(one, two)).update(short.subarray(two));
            assert.equal(hex(pieces.digest()), tag);
        }
    }
    const long = hex(poly1305(key, message));
    for (const cut of [1, 15, WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + 255, WINDOW + 257, 2 * WINDOW]) {
        const pieces = new Poly1305(key).update(message.subarray(0, cut)).update(message.subarray(cut));
        assert.equal(hex(pieces.digest()), long);
    }
});

test("two thousand messages under way at once, in a memory that does not grow", () => {
    const before = wasm.memory.buffer.byteLength;
    assert.equal(before, 65536);
    const all = Array.from({ length: 2000 }, (_, i) => ({
        key: pseudorandom(32, i + 1),
        message: pseudorandom(40 + (i % 300), i),
    }));
    const states = all.map(({ key }) => new Poly1305(key));
    for (let at = 0; at < 340; at += 20) {
        all.forEach(({ message }, i) => states[i].update(message.subarray(at, at + 20)));
    }
    all.forEach(({ key, message }, i) => {
        assert.equal(hex(states[i].digest()), hex(poly1305(key, message)));
    });
    mac(new Uint8Array(32), new Uint8Array(3_000_000));
    assert.equal(wasm.memory.buffer.byteLength, before);
});

test("every bit of a tag counts", () => {
    const key = pseudorandom(32, 9);
    const message = pseudorandom(100, 10);
    const both = aesKey(key);
    const tag = mac(key, message);
    const aesTag = aesMac(both, ZEROS, message);
    for (let bit = 0; bit < 128; bit++) {
        const flip = (good) => good.map((byte, i) => byte ^ (i === bit >> 3 ? 1 << (bit & 7) : 0));
        assert.equal(verify(key, message, flip(tag)), false);
        assert.equal(new Poly1305(key).update(message).verify(flip(tag)), false);
        assert.equal(aesVerify(both, ZEROS, message, flip(aesTag)), false);
        assert.equal(Poly1305.aes(both, ZEROS).update(message).verify(flip(aesTag)), false);
    }
});

test("a key whose r is not clamped is refused, and the byte named", () => {
    const good = aesKey(new Uint8Array(32).fill(0xff));
    assert.equal(hex(good), "ff".repeat(16) + hex(LARGEST_R));
    assert.equal(hex(aesKey(good)), hex(good));
    let refused = 0;
    for (let bit = 0; bit < 128; bit++) {
        const byte = bit >> 3;
        const key = new Uint8Array(32);
        key[16 + byte] = 1 << (bit & 7);
        if ((LARGEST_R[byte] & key[16 + byte]) !== 0) {
            aesMac(key, ZEROS, EMPTY);
            continue;
        }
        refused++;
        const message = new RegExp(
            `^key: r is not clamped, byte ${16 + byte} is not ${byte % 4 === 3 ? "below 16" : "a multiple of 4"}`,
        );
        for (const call of [
            () => aesMac(key, ZEROS, EMPTY),
            () => aesVerify(key, ZEROS, EMPTY, ZEROS),
            () => Poly1305.aes(key, ZEROS),
        ]) {
            assert.throws(call, { name: "RangeError", message });
        }
        assert.equal(hex(aesKey(key)), "00".repeat(32));
    }
    assert.equal(refused, 22);
});
