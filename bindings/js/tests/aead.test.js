// SPDX-License-Identifier: Apache-2.0 OR MIT
/** ChaCha20-Poly1305 and XChaCha20-Poly1305, in Node and in a browser, where files in browser/ replace the node: imports. */
import assert from "node:assert/strict";
import test from "node:test";

import { ChaCha20Poly1305, chacha20poly1305, open, seal, xOpen, xSeal, xchacha20poly1305 } from "hornet-poly1305";

import { completeBinary, removeVectors } from "../dist/compile.js";
import { wasm } from "../dist/module.js";
import { chacha20Poly1305, concat, hex, pseudorandom, unhex, vectors, wycheproof } from "./reference.js";

const WINDOW = wasm.window_bytes();
const EMPTY = new Uint8Array(0);
const KEY = pseudorandom(32, 1);
const NONCE = pseudorandom(12, 2);
const EXTENDED_NONCE = pseudorandom(24, 3);
const ONE = new Uint8Array(1);
const NOT_AUTHENTIC = { name: "Error", message: /^(sealed|ciphertext): not authentic/ };

/** Returns the functions for nonces of this length. */
function functionsFor(nonce) {
    return nonce.length === 24
        ? { sealAny: xSeal, openAny: xOpen, cipher: xchacha20poly1305, start: ChaCha20Poly1305.xchacha20 }
        : {
              sealAny: seal,
              openAny: open,
              cipher: chacha20poly1305,
              start: (key, nonce) => new ChaCha20Poly1305(key, nonce),
          };
}

/** Checks all functions that seal or open a message. */
function check(key, nonce, aad, message, sealed) {
    const { sealAny, openAny, cipher, start } = functionsFor(nonce);
    const ciphertext = sealed.subarray(0, message.length);
    const tag = sealed.subarray(message.length);
    assert.equal(hex(sealAny(key, nonce, message, aad)), hex(sealed));
    assert.equal(hex(openAny(key, nonce, sealed, aad)), hex(message));
    assert.equal(hex(cipher(key, nonce, aad).encrypt(message)), hex(sealed));
    assert.equal(hex(cipher(key, nonce, aad).decrypt(sealed)), hex(message));
    const encrypts = start(key, nonce).aad(aad);
    assert.equal(hex(encrypts.encrypt(message)), hex(ciphertext));
    assert.equal(hex(encrypts.digest()), hex(tag));
    const decrypts = start(key, nonce).aad(aad);
    assert.equal(hex(decrypts.decrypt(ciphertext)), hex(message));
    assert.equal(decrypts.verify(tag), true);
    if (aad.length === 0) {
        assert.equal(hex(sealAny(key, nonce, message)), hex(sealed));
        assert.equal(hex(openAny(key, nonce, sealed)), hex(message));
        assert.equal(hex(cipher(key, nonce).encrypt(message)), hex(sealed));
        assert.equal(hex(cipher(key, nonce).decrypt(sealed)), hex(message));
    }
}

/** Checks that all functions that open refuse the message, and write nothing. */
function checkRefused(key, nonce, aad, sealed) {
    const { openAny, cipher, start } = functionsFor(nonce);
    const length = sealed.length - 16;
    assert.throws(() => openAny(key, nonce, sealed, aad), NOT_AUTHENTIC);
    const output = pseudorandom(length, 4);
    assert.throws(() => cipher(key, nonce, aad).decrypt(sealed, output), NOT_AUTHENTIC);
    assert.equal(hex(output), hex(pseudorandom(length, 4)));
    const decrypts = start(key, nonce).aad(aad);
    decrypts.decrypt(sealed.subarray(0, length));
    assert.equal(decrypts.verify(sealed.subarray(length)), false);
}

test("vectors of RFC 8439, RFC 9001 and the draft of XChaCha20", async () => {
    const rows = await vectors("chacha20_poly1305");
    assert.ok(rows.length >= 4);
    for (const row of rows) {
        const [key, nonce, aad, message, ciphertext, tag] = row.map(unhex);
        check(key, nonce, aad, message, concat(ciphertext, tag));
        assert.equal(hex(chacha20Poly1305(key, nonce, aad, message)), hex(concat(ciphertext, tag)));
    }
});

for (const [name, count, nonceBytes] of [
    ["chacha20_poly1305", 325, 12],
    ["xchacha20_poly1305", 315, 24],
]) {
    test(`Wycheproof's cases of ${name}`, async () => {
        const cases = await wycheproof(name);
        assert.equal(cases.length, count);
        const results = { valid: 0, invalid: 0 };
        for (const [number, ...digits] of cases) {
            const result = digits.pop();
            const [key, nonce, aad, message, ciphertext, tag] = digits.map(unhex);
            const sealed = concat(ciphertext, tag);
            results[result]++;
            if (nonce.length !== nonceBytes) {
                assert.equal(result, "invalid", number);
                const openAny = nonceBytes === 24 ? xOpen : open;
                const refusal = new RegExp(`^nonce: expected ${nonceBytes} bytes, got ${nonce.length}$`);
                assert.throws(() => openAny(key, nonce, sealed, aad), { name: "RangeError", message: refusal });
            } else if (result === "valid") {
                check(key, nonce, aad, message, sealed);
            } else {
                checkRefused(key, nonce, aad, sealed);
            }
        }
        assert.equal(results.valid + results.invalid, count);
        assert.ok(results.valid > 200 && results.invalid > 50, JSON.stringify(results));
    });
}

test("every length to 300, and around the window, its multiples and 64 KiB", () => {
    const lengths = Array.from({ length: 301 }, (_, i) => i);
    for (const edge of [WINDOW, 2 * WINDOW]) {
        lengths.push(...[-17, 0, 1].map((distance) => edge + distance));
    }
    for (const length of lengths) {
        const key = pseudorandom(32, length + 1);
        const message = pseudorandom(length, length + 2);
        for (const nonce of [NONCE, EXTENDED_NONCE]) {
            const aad = pseudorandom(length % 40, length + 3);
            check(key, nonce, aad, message, chacha20Poly1305(key, nonce, aad, message));
        }
    }
    for (const length of [17, 64, 65, 300, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW + 5]) {
        const aad = pseudorandom(length, length + 3);
        const message = pseudorandom(50, length);
        check(KEY, NONCE, aad, message, chacha20Poly1305(KEY, NONCE, aad, message));
    }
});

test("messages that fill the window together with associated data, or exceed it", () => {
    for (const length of [0, 1, 16, 500, WINDOW - 33, WINDOW - 32, WINDOW - 17, WINDOW - 16]) {
        const room = WINDOW - Math.ceil((length + 16) / 16) * 16;
        for (const aadBytes of [room - 1, room, room + 1]) {
            const aad = pseudorandom(Math.max(aadBytes, 0), length + 4);
            const message = pseudorandom(length, length + 5);
            check(KEY, NONCE, aad, message, chacha20Poly1305(KEY, NONCE, aad, message));
        }
    }
});

test("a module without vectors computes the same, and one with vectors uses them", () => {
    const message = pseudorandom(2000, 7);
    const sealed = chacha20Poly1305(KEY, NONCE, EMPTY, message);
    const binary = completeBinary();
    removeVectors(binary);
    const module = new WebAssembly.Module(binary);
    const sealIn = ({ exports }) => {
        const all = new Uint8Array(exports.memory.buffer);
        all.set(KEY, exports.key());
        all.set(NONCE, exports.nonce());
        all.set(message, exports.window());
        assert.equal(exports.aead_seal(0, message.length, 0), 1);
        return all.subarray(exports.window(), exports.window() + sealed.length);
    };
    const unprepared = new WebAssembly.Instance(module);
    assert.throws(() => sealIn(unprepared), { name: "RuntimeError", message: /unreachable/ });
    const without = new WebAssembly.Instance(module);
    assert.equal(without.exports.without_vectors(), 1);
    assert.equal(hex(sealIn(without)), hex(sealed));
});

test("every byte of key, nonce, associated data, ciphertext and tag counts", () => {
    for (const nonce of [NONCE, EXTENDED_NONCE]) {
        const parts = [KEY, nonce, pseudorandom(20, 5), pseudorandom(150, 6)];
        const [, , aad, message] = parts;
        parts[3] = functionsFor(nonce).sealAny(KEY, nonce, message, aad);
        for (const part of [0, 1, 2, 3]) {
            for (let at = 0; at < parts[part].length; at++) {
                const changed = parts.slice();
                changed[part] = parts[part].slice();
                changed[part][at] ^= 1 << (at & 7);
                checkRefused(...changed);
            }
        }
        const [key, , , sealed] = parts;
        for (let length = 16; length < sealed.length; length++) {
            checkRefused(key, nonce, aad, sealed.subarray(0, length));
        }
        checkRefused(key, nonce, aad.subarray(1), sealed);
        checkRefused(key, nonce, EMPTY, sealed);
        checkRefused(key, nonce, aad, concat(sealed, EMPTY, new Uint8Array(1)));
    }
    // In a message longer than the window, change the first byte, bytes around the ends of the pieces, and the last.
    const sealed = seal(KEY, NONCE, new Uint8Array(2 * WINDOW + 9));
    for (const at of [0, WINDOW - 1, WINDOW, 2 * WINDOW, 2 * WINDOW + 8, 2 * WINDOW + 9, 2 * WINDOW + 24]) {
        sealed[at] ^= 0x80;
        checkRefused(KEY, NONCE, EMPTY, sealed);
        sealed[at] ^= 0x80;
    }
    assert.equal(open(KEY, NONCE, sealed).length, 2 * WINDOW + 9);
});

test("fewer bytes than a tag are refused", () => {
    for (let length = 0; length < 16; length++) {
        for (const [call, name] of [
            [(sealed) => open(KEY, NONCE, sealed), "sealed"],
            [(sealed) => xOpen(KEY, EXTENDED_NONCE, sealed), "sealed"],
            [(ciphertext) => chacha20poly1305(KEY, NONCE).decrypt(ciphertext), "ciphertext"],
        ]) {
            const message = new RegExp(`^${name}: expected 16 bytes or more, got ${length}$`);
            assert.throws(() => call(new Uint8Array(length)), { name: "RangeError", message });
        }
    }
});

/** Seals and opens a message cut at `cuts`, with the associated data cut at the first of them. */
function checkCuts(message, aad, sealed, cuts) {
    const ends = [...cuts, message.length];
    const piecesOf = (bytes) => ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
    const start = () => {
        const cut = Math.min(ends[0], aad.length);
        return new ChaCha20Poly1305(KEY, NONCE).aad(aad.subarray(0, cut)).aad(aad.subarray(cut));
    };
    const encrypts = start();
    const ciphertext = piecesOf(message).map((piece) => encrypts.encrypt(piece));
    assert.equal(hex(concat(...ciphertext, encrypts.digest())), hex(sealed));
    const decrypts = start();
    const pieces = piecesOf(sealed.subarray(0, message.length)).map((piece) => decrypts.decrypt(piece));
    assert.equal(hex(concat(...pieces)), hex(message));
    assert.equal(decrypts.verify(sealed.subarray(message.length)), true);
}

test("every cut in two, and byte by byte", () => {
    for (const length of [0, 1, 16, 64, 400]) {
        const message = pseudorandom(length, 7);
        const aad = pseudorandom(length / 2, 8);
        const sealed = chacha20Poly1305(KEY, NONCE, aad, message);
        for (let cut = 0; cut <= length; cut++) {
            checkCuts(message, aad, sealed, [cut]);
        }
        checkCuts(
            message,
            aad,
            sealed,
            Array.from({ length }, (_, i) => i),
        );
    }
});

test("every cut in three of 80 bytes, and cuts around the window", () => {
    const message = pseudorandom(2 * WINDOW + 50, 9);
    const short = message.subarray(0, 80);
    const aad = pseudorandom(13, 10);
    const sealed = chacha20Poly1305(KEY, NONCE, aad, short);
    for (let one = 0; one <= 80; one++) {
        for (let two = one; two <= 80; two++) {
            checkCuts(short, aad, sealed, [one, two]);
        }
    }
    const long = chacha20Poly1305(KEY, NONCE, aad, message);
    for (const cut of [1, 63, WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + 255, WINDOW + 257, 2 * WINDOW]) {
        checkCuts(message, aad, long, [cut]);
    }
});

test("the output may be the input, or overlap it and all others", () => {
    for (const length of [0, 1, 40, WINDOW, WINDOW + 100]) {
        const message = pseudorandom(length, 11);
        const sealed = chacha20Poly1305(KEY, NONCE, EMPTY, message);
        for (const from of [0, 1, 8, 16, 17, 40]) {
            for (const to of [0, 1, 15, 16, 40]) {
                const buffer = new Uint8Array(length + 80);
                const put = (bytes) => {
                    buffer.set(bytes, from);
                    return buffer.subarray(from, from + bytes.length);
                };
                const encrypted = buffer.subarray(to, to + length + 16);
                assert.equal(chacha20poly1305(KEY, NONCE).encrypt(put(message), encrypted), encrypted);
                assert.equal(hex(encrypted), hex(sealed));
                const decrypted = buffer.subarray(to, to + length);
                assert.equal(chacha20poly1305(KEY, NONCE).decrypt(put(sealed), decrypted), decrypted);
                assert.equal(hex(decrypted), hex(message));
            }
        }
    }
    // The output overlaps the key, the nonce and the associated data.
    const buffer = pseudorandom(100, 12);
    const [key, nonce, aad] = [buffer.subarray(0, 32), buffer.subarray(32, 44), buffer.subarray(44, 60)];
    const sealed = chacha20Poly1305(key, nonce, aad, buffer.subarray(20, 80));
    const output = buffer.subarray(10, 86);
    chacha20poly1305(key, nonce, aad).encrypt(buffer.subarray(20, 80), output);
    assert.equal(hex(output), hex(sealed));
});

test("a cipher encrypts once, and decrypts any number of times", () => {
    for (const nonce of [NONCE, EXTENDED_NONCE]) {
        const cipher = functionsFor(nonce).cipher(KEY, nonce);
        // A refused call does not use up the nonce.
        assert.throws(() => cipher.encrypt("text"), {
            name: "TypeError",
            message: /^plaintext: expected a Uint8Array/,
        });
        assert.throws(() => cipher.encrypt(EMPTY, new Uint8Array(15)), {
            name: "RangeError",
            message: /^output: expected 16/,
        });
        const sealed = cipher.encrypt(EMPTY);
        assert.throws(() => cipher.encrypt(EMPTY), {
            name: "Error",
            message: /^encrypt: this nonce has encrypted a message/,
        });
        for (let i = 0; i < 3; i++) {
            assert.equal(cipher.decrypt(sealed).length, 0);
        }
    }
    assert.equal(chacha20poly1305.nonceLength, 12);
    assert.equal(xchacha20poly1305.nonceLength, 24);
    for (const { blockSize, tagLength } of [chacha20poly1305, xchacha20poly1305]) {
        assert.equal(blockSize, 64);
        assert.equal(tagLength, 16);
    }
});

test("a cipher reads key, nonce and associated data when it is called", () => {
    const key = KEY.slice();
    const nonce = NONCE.slice();
    const aad = pseudorandom(5, 13);
    const cipher = chacha20poly1305(key, nonce, aad);
    [key, nonce, aad].forEach((bytes) => (bytes[0] ^= 1));
    const sealed = cipher.encrypt(ONE);
    assert.equal(hex(sealed), hex(chacha20Poly1305(key, nonce, aad, ONE)));
    key.fill(0);
    assert.throws(() => cipher.decrypt(sealed), NOT_AUTHENTIC);
    structuredClone(key.buffer, { transfer: [key.buffer] });
    assert.throws(() => cipher.decrypt(sealed), { name: "TypeError", message: /^key: its buffer is detached/ });
});

test("a message in pieces out of order is refused, and stays as it was", () => {
    const message = pseudorandom(30, 14);
    const aad = pseudorandom(6, 15);
    const sealed = chacha20Poly1305(KEY, NONCE, aad, message);
    const late = { name: "Error", message: /^ChaCha20Poly1305: associated data comes before the message$/ };
    const encrypting = {
        name: "Error",
        message: /this message is being encrypted: call encrypt, and at the end digest$/,
    };
    const decrypting = {
        name: "Error",
        message: /this message is being decrypted: call decrypt, and at the end verify$/,
    };

    const encrypts = new ChaCha20Poly1305(KEY, NONCE).aad(aad);
    assert.throws(() => encrypts.encrypt("text"), { name: "TypeError", message: /^data: expected/ });
    const first = encrypts.encrypt(message.subarray(0, 7));
    assert.throws(() => encrypts.aad(aad), late);
    assert.throws(() => encrypts.decrypt(message), encrypting);
    assert.throws(() => encrypts.verify(aad), { name: "RangeError", message: /^tag: expected 16 bytes, got 6$/ });
    assert.throws(() => encrypts.verify(new Uint8Array(16)), encrypting);
    assert.equal(hex(concat(first, encrypts.encrypt(message.subarray(7)), encrypts.digest())), hex(sealed));

    const decrypts = new ChaCha20Poly1305(KEY, NONCE).aad(aad);
    const opened = decrypts.decrypt(sealed.subarray(0, 7));
    assert.throws(() => decrypts.aad(aad), late);
    assert.throws(() => decrypts.encrypt(message), decrypting);
    assert.throws(() => decrypts.digest(), decrypting);
    assert.equal(hex(concat(opened, decrypts.decrypt(sealed.subarray(7, 30)))), hex(message));
    assert.equal(decrypts.verify(sealed.subarray(30)), true);

    // Empty pieces count as pieces of the message.
    for (const [way, other] of [
        ["encrypt", "decrypt"],
        ["decrypt", "encrypt"],
    ]) {
        const empty = new ChaCha20Poly1305(KEY, NONCE);
        assert.equal(empty[way](EMPTY).length, 0);
        assert.throws(() => empty.aad(EMPTY), late);
        assert.throws(() => empty[other](EMPTY), way === "encrypt" ? encrypting : decrypting);
    }
});

test("a message of more than 2^38 - 64 bytes is refused, and stays as it was", () => {
    // The fourth word of the state is the number of bytes so far (src/aead/chunks.c). The state is created by slice.
    const { slice } = Uint8Array.prototype;
    let state = EMPTY;
    Uint8Array.prototype.slice = function (...range) {
        return (state = slice.apply(this, range));
    };
    const pieces = new ChaCha20Poly1305(KEY, NONCE);
    delete Uint8Array.prototype.slice;
    pieces.encrypt(new Uint8Array(5));
    const bytes = new DataView(state.buffer, state.byteOffset + 24, 8);
    assert.equal(bytes.getBigUint64(0, true), 5n);
    bytes.setBigUint64(0, 2n ** 38n - 64n - 10n, true);
    const before = hex(state);
    for (const length of [11, WINDOW + 1]) {
        const message = /^data: the message would have more than 2\^38 - 64 bytes$/;
        assert.throws(() => pieces.encrypt(new Uint8Array(length)), { name: "RangeError", message });
        assert.equal(hex(state), before);
    }
    assert.equal(pieces.encrypt(new Uint8Array(10)).length, 10);
    assert.throws(() => pieces.encrypt(new Uint8Array(1)), { name: "RangeError", message: /^data: / });
});

test("five hundred messages under way at once", () => {
    const all = Array.from({ length: 500 }, (_, i) => ({
        key: pseudorandom(32, i + 1),
        nonce: pseudorandom(24, i + 2),
        message: pseudorandom(40 + (i % 200), i),
    }));
    const states = all.map(({ key, nonce }) => ChaCha20Poly1305.xchacha20(key, nonce));
    const pieces = all.map(() => []);
    for (let at = 0; at < 240; at += 60) {
        all.forEach(({ message }, i) => pieces[i].push(states[i].encrypt(message.subarray(at, at + 60))));
    }
    all.forEach(({ key, nonce, message }, i) => {
        assert.equal(hex(concat(...pieces[i], states[i].digest())), hex(chacha20Poly1305(key, nonce, EMPTY, message)));
    });
    assert.equal(wasm.memory.buffer.byteLength, 65536);
});
