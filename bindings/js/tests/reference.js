// SPDX-License-Identifier: Apache-2.0 OR MIT
/** What the tests compare with: Poly1305 by its definition, on numbers of any size; and the vectors in tests/vectors. */
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

/** The number whose bytes these are, the least first. @param {Uint8Array} bytes */
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

/** The value of the polynomial before the pad is added. @param {bigint} r @param {Uint8Array} message */
export function polynomial(r, message) {
    let h = 0n;
    for (let at = 0; at < message.length; at += 16) {
        const block = message.subarray(at, at + 16);
        h = ((h + number(block) + (1n << BigInt(8 * block.length))) * r) % P;
    }
    return h;
}

/** RFC 8439, section 2.5. @param {Uint8Array} key @param {Uint8Array} message */
export function poly1305(key, message) {
    const h = polynomial(number(key.subarray(0, 16)) & R_MASK, message);
    return bytesOf((h + number(key.subarray(16))) % 2n ** 128n, 16);
}

/** 1 / a modulo p, by Fermat. @param {bigint} a */
export function inverse(a) {
    let result = 1n;
    for (let exponent = P - 2n, power = a; exponent > 0n; exponent >>= 1n, power = (power * power) % P) {
        if ((exponent & 1n) !== 0n) {
            result = (result * power) % P;
        }
    }
    return result;
}

/** Bytes that are the same in every run: xorshift. @param {number} length @param {number} seed */
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

/** The rows of a file in tests/vectors, as digits of bytes and numbers. @param {string} name */
export async function vectors(name) {
    const text = await readFile(new URL(`../../../tests/vectors/${name}.h`, import.meta.url), "utf8");
    const rows = text.replace(/\/\*[^]*?\*\//g, "").matchAll(/\{([^}]*)\}/g);
    return Array.from(rows, ([, row]) => row.split(",").map((field) => field.trim().replace(/"/g, "")));
}
