// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Compiles the inlined WebAssembly. This file is internal: package.json does not export it. compile-workerd.js replaces it in
 * workerd, which refuses to compile bytes.
 *
 * @module
 */
import { base64, vectorBodies } from "./wasm.js";

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

export function compile() {
    const hasVectors = WebAssembly.validate(VECTOR_PROBE);
    const binary = completeBinary();
    if (!hasVectors) {
        removeVectors(binary);
    }
    return { module: new WebAssembly.Module(binary), hasVectors };
}
