// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * ChaCha20 and XChaCha20 alone. index.js exports these functions, and documents the rules that all functions follow.
 *
 * @module
 */
/** @import { Bytes } from "./index.js" */
import { memory, wasm } from "./module.js";
import {
    KEY,
    KEY_BYTES,
    NONCE,
    WINDOW,
    WINDOW_BYTES,
    checkBytes,
    checkLength,
    eachWindow,
    staged,
    windowBytes,
    write,
} from "./staging.js";

const BLOCK_BYTES = 64;
const BLOCKS = 2 ** 32;

/**
 * @typedef {{
 *     (key: Uint8Array, nonce: Uint8Array, data: Uint8Array, output?: Bytes, counter?: number): Bytes;
 *     (key: Uint8Array, nonce: Uint8Array, data: Uint8Array, output?: Uint8Array, counter?: number): Uint8Array;
 * } & { readonly blockSize: number, readonly nonceLength: number }} StreamFunction
 */

/**
 * @param {number} nonceBytes
 * @param {boolean} extended
 * @returns {StreamFunction}
 */
function streamFunction(nonceBytes, extended) {
    /**
     * @param {Uint8Array} key
     * @param {Uint8Array} nonce
     * @param {Uint8Array} data
     * @param {Uint8Array} [output]
     * @param {number} [counter]
     */
    const stream = (key, nonce, data, output, counter = 0) => {
        checkLength("key", key, KEY_BYTES);
        checkLength("nonce", nonce, nonceBytes);
        const length = checkBytes("data", data);
        if (output !== undefined) {
            checkLength("output", output, length);
        }
        if (typeof counter !== "number") {
            throw new TypeError(`counter: expected a number, got ${typeof counter}`);
        }
        if (!Number.isInteger(counter) || counter < 0 || counter >= BLOCKS) {
            throw new RangeError("counter: expected an integer from 0 to 2^32 - 1");
        }
        if (Math.ceil(length / BLOCK_BYTES) > BLOCKS - counter) {
            throw new RangeError("data: the counter of blocks would pass 2^32 - 1");
        }
        // A long result is written to the output when all data have been read.
        const apart = output === undefined || length > WINDOW_BYTES;
        const result = apart ? new Uint8Array(length) : output;
        staged(windowBytes(length), () => {
            memory.set(key, KEY);
            memory.set(nonce, NONCE);
            if (extended) {
                wasm.xchacha20_begin();
            }
            eachWindow(data, length, (lenBytes, at) => {
                wasm.chacha20(lenBytes, counter + at / BLOCK_BYTES);
                const done = memory.subarray(WINDOW, WINDOW + lenBytes);
                if (apart) {
                    result.set(done, at);
                } else {
                    write(result, done);
                }
            });
        });
        if (output === undefined) {
            return result;
        }
        if (apart) {
            write(output, result);
            result.fill(0);
        }
        return output;
    };
    return /** @type {StreamFunction} */ (
        Object.assign(/** @type {any} */ (stream), { blockSize: BLOCK_BYTES, nonceLength: nonceBytes })
    );
}

/**
 * ChaCha20 (RFC 8439, section 2.4) with the interface of `@noble/ciphers`: returns `data` xor the keystream from block
 * `counter` on, in `output` if it is given, which must be as long as `data` and may overlap it. The key has 32 bytes, the nonce
 * 12. Encrypts and decrypts.
 *
 * **It does not authenticate:** who changes a bit of the ciphertext changes that bit of the message; use {@link seal}. Two
 * messages under one key and nonce reveal both. Throws a `RangeError` if the message needs blocks beyond number 2^32 - 1.
 */
export const chacha20 = /* @__PURE__ */ streamFunction(12, false);

/** Like {@link chacha20}, but XChaCha20 (draft-irtf-cfrg-xchacha-03), with a nonce of 24 bytes, which may be random. */
export const xchacha20 = /* @__PURE__ */ streamFunction(24, true);
