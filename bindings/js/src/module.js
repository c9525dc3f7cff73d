// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * The only instance of the WebAssembly module, and its memory. This file is internal: package.json does not export it.
 *
 * The instance is created synchronously on import, because neither `require` nor service workers can load a module that
 * awaits at its top level. The only browser that refuses this for a module of this size is Chrome before 114, and only outside
 * workers.
 */
import { base64, vectorBodies } from "./wasm.js";

/**
 * @typedef {object} Exports what src/module.c exports
 * @property {WebAssembly.Memory} memory
 * @property {WebAssembly.Global} __stack_pointer
 * @property {() => number} state
 * @property {() => number} state_bytes
 * @property {() => number} aead_state_bytes
 * @property {() => number} key
 * @property {() => number} nonce
 * @property {() => number} tag
 * @property {() => number} window
 * @property {() => number} window_bytes
 * @property {(lenBytes: number) => void} mac
 * @property {(lenBytes: number) => number} verify
 * @property {() => void} init
 * @property {() => number} aes_init
 * @property {(lenBytes: number) => void} update
 * @property {() => void} final
 * @property {() => number} final_verify
 * @property {() => void} clamp
 * @property {(extended: boolean) => void} aead_init
 * @property {(aadBytes: number) => number} aead_aad
 * @property {(lenBytes: number) => number} aead_encrypt
 * @property {(lenBytes: number) => number} aead_decrypt
 * @property {() => number} aead_final
 * @property {() => number} aead_final_verify
 * @property {(extended: boolean, lenBytes: number, aadBytes: number) => number} aead_seal
 * @property {(extended: boolean, lenBytes: number, aadBytes: number) => number} aead_open
 * @property {() => number} without_vectors
 * @property {() => number} version
 */

/** A module with a function that returns a vector (WebAssembly Core Specification, chapter 5). */
// prettier-ignore
const VECTOR_PROBE = Uint8Array.of(
    0, 97, 115, 109, 1, 0, 0, 0, // "\0asm", version 1
    1, 5, 1, 96, 0, 1, 123, // types: () -> v128
    3, 2, 1, 0, // functions: of type 0
    10, 8, 1, 6, 0, 65, 0, 253, 15, 11, // code: i32.const 0, i8x16.splat
);

const UNREACHABLE = 0;
const NOP = 1;
const END = 11;

/**
 * Replaces the functions that have vectors by others of the same size, which trap: where vectors are missing, a module that
 * has any is refused.
 *
 * @param {Uint8Array} binary
 */
export function removeVectors(binary) {
    for (const [begin, end] of vectorBodies) {
        binary.fill(NOP, begin, end);
        binary.set([0, UNREACHABLE], begin); // no variables
        binary[end - 1] = END;
    }
}

/** The module with all functions. */
export function completeBinary() {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const hasVectors = WebAssembly.validate(VECTOR_PROBE);
const binary = completeBinary();
if (!hasVectors) {
    removeVectors(binary);
}
const instance = new WebAssembly.Instance(new WebAssembly.Module(binary));

export const wasm = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
if (!hasVectors) {
    wasm.without_vectors();
}

/** The complete memory, which never grows. */
export const memory = new Uint8Array(wasm.memory.buffer);
