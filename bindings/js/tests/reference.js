// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * References for the tests: Poly1305 and ChaCha20-Poly1305 by their definitions, the former on numbers of any size; the vectors
 * of tests/vectors, and Wycheproof's.
 */
import { readFile } from "node:fs/promises";

export const P = 2n ** 130n - 5n;
const R_MASK = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** @param {Uint8Array} bytes */
export function hex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} digits */
export function unhex(digits) {
    return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Returns the number that the bytes represent, in little-endian order. @param {Uint8Array} bytes */
export function number(bytes) {
    return BigInt("0x0" + hex(bytes.slice().reverse()));
}

/** @param {bigint} value @param {number} length */
export function bytesOf(value, length) {
    return unhex(value.toString(16).padStart(2 * length, "0")).reverse();
}

/** @param {Uint8Array[]} parts */
export function concat(...parts) {
    return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Returns the value of the polynomial, before s is added. @param {bigint} r @param {Uint8Array} message */
export function polynomial(r, message) {
    let h = 0n;
    for (let at = 0; at < message.length; at += 16) {
        const block = message.subarray(at, at + 16);
        h = ((h + number(block) + (1n << BigInt(8 * block.length))) * r) % P;
    }
    return h;
}

/** Returns the tag as in RFC 8439, section 2.5. @param {Uint8Array} key @param {Uint8Array} message */
export function poly1305(key, message) {
    const h = polynomial(number(key.subarray(0, 16)) & R_MASK, message);
    return bytesOf((h + number(key.subarray(16))) % 2n ** 128n, 16);
}

/** Returns the words of RFC 8439, section 2.3, after the rounds, without the final addition. @param {Uint32Array} state */
function chacha20Rounds(state) {
    const x = state.slice();
    const quarterRound = (a, b, c, d) => {
        for (const [to, from, by, bits] of [
            [a, b, d, 16],
            [c, d, b, 12],
            [a, b, d, 8],
            [c, d, b, 7],
        ]) {
            x[to] += x[from];
            x[by] ^= x[to];
            x[by] = (x[by] << bits) | (x[by] >>> (32 - bits));
        }
    };
    for (let round = 0; round < 20; round++) {
        for (let i = 0; i < 4; i++) {
            const turn = round % 2;
            quarterRound(i, 4 + ((i + turn) % 4), 8 + ((i + 2 * turn) % 4), 12 + ((i + 3 * turn) % 4));
        }
    }
    return x;
}

/** Converts bytes to little-endian words. @param {Uint8Array} bytes */
function wordsOf(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

/** @param {Uint32Array} words */
function bytesOfWords(words) {
    const bytes = new Uint8Array(4 * words.length);
    words.forEach((word, i) => new DataView(bytes.buffer).setUint32(4 * i, word, true));
    return bytes;
}

/** @param {Uint8Array} key @param {Uint8Array} last counter and nonce, 16 bytes */
function chacha20State(key, last) {
    return Uint32Array.from([...wordsOf(new TextEncoder().encode("expand 32-byte k")), ...wordsOf(concat(key, last))]);
}

/**
 * Returns ciphertext and tag, as in RFC 8439, section 2.8, for a nonce of 12 bytes, and as in draft-irtf-cfrg-xchacha-03,
 * section 2.3, for one of 24 bytes.
 *
 * @param {Uint8Array} key @param {Uint8Array} nonce @param {Uint8Array} aad @param {Uint8Array} message
 */
export function chacha20Poly1305(key, nonce, aad, message) {
    if (nonce.length === 24) {
        const x = bytesOfWords(chacha20Rounds(chacha20State(key, nonce.subarray(0, 16))));
        const derived = concat(x.subarray(0, 16), x.subarray(48));
        return chacha20Poly1305(derived, concat(new Uint8Array(4), nonce.subarray(16)), aad, message);
    }
    const block = (counter) => {
        const state = chacha20State(key, concat(bytesOf(BigInt(counter), 4), nonce));
        return bytesOfWords(chacha20Rounds(state).map((word, i) => word + state[i]));
    };
    const ciphertext = new Uint8Array(message.length);
    for (let at = 0; at < message.length; at += 64) {
        const stream = block(1 + at / 64);
        message.subarray(at, at + 64).forEach((byte, i) => (ciphertext[at + i] = byte ^ stream[i]));
    }
    const padded = (bytes) => concat(bytes, new Uint8Array(-bytes.length & 15));
    const lengths = concat(bytesOf(BigInt(aad.length), 8), bytesOf(BigInt(message.length), 8));
    const tag = poly1305(block(0).subarray(0, 32), concat(padded(aad), padded(ciphertext), lengths));
    return concat(ciphertext, tag);
}

/** Returns 1 / a modulo p, by Fermat's little theorem. @param {bigint} a */
export function inverse(a) {
    let result = 1n;
    for (let exponent = P - 2n, power = a; exponent > 0n; exponent >>= 1n, power = (power * power) % P) {
        if ((exponent & 1n) !== 0n) {
            result = (result * power) % P;
        }
    }
    return result;
}

/** Returns bytes of a xorshift generator, the same in every run. @param {number} length @param {number} seed */
export function pseudorandom(length, seed) {
    const bytes = new Uint8Array(length);
    let x = seed * 2654435761 + 1;
    for (let i = 0; i < length; i++) {
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        bytes[i] = x >>> 8;
    }
    return bytes;
}

/** Returns the rows of a file in tests/vectors, with fields of hexadecimal digits and numbers. @param {string} name */
export async function vectors(name) {
    const text = await readFile(new URL(`../../../tests/vectors/${name}.h`, import.meta.url), "utf8");
    const rows = text.replace(/\/\*[^]*?\*\//g, "").matchAll(/\{([^}]*)\}/g);
    return Array.from(rows, ([, row]) => row.split(",").map((field) => field.trim().replace(/"/g, "")));
}

/**
 * Returns the Wycheproof cases of the Go module's tests: number, key, nonce, associated data, message, ciphertext and tag as
 * digits, and "valid" or "invalid".
 *
 * @param {string} name
 */
export async function wycheproof(name) {
    const url = new URL(`../../go/internal/vectors/wycheproof_${name}.txt`, import.meta.url);
    const lines = (await readFile(url, "utf8")).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return lines.map((line) => line.split(" ").map((field) => (field === "-" ? "" : field)));
}
