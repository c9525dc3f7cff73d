// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * The only instance of the WebAssembly module, and its memory. This file is internal: package.json does not export it.
 *
 * The instance is created synchronously on import, because neither `require` nor service workers can load a module that
 * awaits at its top level. The only browser that refuses this for a module of this size is Chrome before 114, and only outside
 * workers.
 */
import { compile } from "./compile.js";

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
 * @property {(lenBytes: number, counter: number) => number} chacha20
 * @property {() => void} xchacha20_begin
 * @property {() => number} without_vectors
 * @property {() => number} version
 */

function instantiate() {
    try {
        const { module, hasVectors } = compile();
        const instance = new WebAssembly.Instance(module);
        return { wasm: /** @type {Exports} */ (/** @type {unknown} */ (instance.exports)), hasVectors };
    } catch (cause) {
        const reason = cause instanceof Error ? cause.message : cause;
        throw new Error(`hornet-poly1305: WebAssembly is missing or not allowed here: ${reason}`, { cause });
    }
}

const instance = instantiate();
export const wasm = instance.wasm;
if (!instance.hasVectors) {
    wasm.without_vectors();
}

/** The complete memory, which never grows. */
export const memory = new Uint8Array(wasm.memory.buffer);
