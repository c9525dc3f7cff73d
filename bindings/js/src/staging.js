// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * How arguments come into the WebAssembly's memory, and how nothing of them stays there. Internal: package.json does not
 * export it.
 *
 * @module
 */
import { memory, wasm } from "./module.js";

export const KEY_BYTES = 32;
export const TAG_BYTES = 16;

// Where things are in the memory: src/module.c.
const STACK_END = wasm.__stack_pointer.value;
const STATE = wasm.state();
export const KEY = wasm.key();
export const NONCE = wasm.nonce();
export const TAG = wasm.tag();
export const WINDOW = wasm.window();
export const WINDOW_BYTES = wasm.window_bytes();

// One or the other is staged.
export const stagedState = memory.subarray(STATE, STATE + wasm.state_bytes());
export const stagedAead = memory.subarray(STATE, STATE + wasm.aead_state_bytes());
export const stagedTag = memory.subarray(TAG, TAG + TAG_BYTES);

// The accessors of typed arrays themselves, which no subclass and no property of an array can replace.
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const typeOf = accessor(Symbol.toStringTag);
const lengthOf = accessor("length");
const bufferOf = accessor("buffer");
const offsetOf = accessor("byteOffset");

/** @param {PropertyKey} property */
function accessor(property) {
    const get = /** @type {() => any} */ (Object.getOwnPropertyDescriptor(typedArray, property)?.get);
    return (/** @type {unknown} */ view) => Reflect.apply(get, view, []);
}

/**
 * A view of some bytes of an argument, whatever its class makes of `subarray`.
 *
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} length
 */
export function part(bytes, at, length) {
    return new Uint8Array(bufferOf(bytes), offsetOf(bytes) + at, length);
}

/**
 * Copies bytes into an argument, whatever its class makes of `set`.
 *
 * @param {Uint8Array} output
 * @param {Uint8Array} bytes
 */
export function write(output, bytes) {
    Reflect.apply(typedArray.set, output, [bytes]);
}

/**
 * The length of an argument of any length.
 *
 * @param {string} name of the argument
 * @param {unknown} bytes
 * @returns {number}
 */
export function checkBytes(name, bytes) {
    if (typeOf(bytes) !== "Uint8Array") {
        throw new TypeError(`${name}: expected a Uint8Array, got ${kindOf(bytes)}`);
    }
    const length = lengthOf(bytes);
    if (length === 0) {
        try {
            // Throws where the buffer is detached, or has become too short for the array.
            Reflect.apply(typedArray.indexOf, bytes, [0]);
        } catch {
            throw new TypeError(`${name}: its buffer is detached or too short`);
        }
    }
    return length;
}

/**
 * @param {string} name of the argument
 * @param {unknown} bytes
 * @param {number} expected length
 */
export function checkLength(name, bytes, expected) {
    const length = checkBytes(name, bytes);
    if (length !== expected) {
        throw new RangeError(`${name}: expected ${expected} bytes, got ${length}`);
    }
}

/**
 * The length of an argument that has at least so many bytes.
 *
 * @param {string} name of the argument
 * @param {unknown} bytes
 * @param {number} least length
 */
export function checkAtLeast(name, bytes, least) {
    const length = checkBytes(name, bytes);
    if (length < least) {
        throw new RangeError(`${name}: expected ${least} bytes or more, got ${length}`);
    }
    return length;
}

/** @param {unknown} value */
function kindOf(value) {
    return value !== null && typeof value === "object"
        ? (typeOf(value) ?? Object.prototype.toString.call(value).slice(8, -1))
        : String(value === null ? null : typeof value);
}

/** Whether the last call has thrown: then it may have wiped nothing, where JavaScript's own stack has ended within it. */
let cutShort = false;

/** @param {number} usedBytes of the window */
function wipe(usedBytes) {
    memory.fill(0, 0, STACK_END);
    memory.fill(0, STATE, WINDOW + usedBytes);
}

/**
 * What `work` returns, with nothing left in the memory: neither on its stack nor in the staging area, of whose window
 * `usedBytes` are used.
 *
 * @template T
 * @param {number} usedBytes
 * @param {() => T} work
 * @returns {T}
 */
export function staged(usedBytes, work) {
    if (cutShort) {
        wasm.__stack_pointer.value = STACK_END;
        wipe(WINDOW_BYTES);
    }
    cutShort = true;
    let result;
    try {
        result = work();
    } finally {
        wipe(usedBytes);
    }
    cutShort = false;
    return result;
}

/** @param {number} length */
export function windowBytes(length) {
    return length < WINDOW_BYTES ? length : WINDOW_BYTES;
}

/**
 * Puts bytes of any length into the window, as much as it holds at a time, and calls `use` with how many there are and
 * how many came before.
 *
 * @param {Uint8Array} bytes
 * @param {number} length
 * @param {(lenBytes: number, at: number) => void} use
 */
export function eachWindow(bytes, length, use) {
    if (length <= WINDOW_BYTES) {
        memory.set(bytes, WINDOW);
        use(length, 0);
        return;
    }
    for (let at = 0; at < length; at += WINDOW_BYTES) {
        const lenBytes = windowBytes(length - at);
        memory.set(part(bytes, at, lenBytes), WINDOW);
        use(lenBytes, at);
    }
}

/**
 * The state of a message in pieces, which is null when the message has ended.
 *
 * @template T
 * @param {string} type
 * @param {T | null} state
 * @returns {T}
 */
export function live(type, state) {
    if (state === null) {
        throw new Error(`${type}: the message has ended`);
    }
    return state;
}

/** The tag that is staged. */
export function takeTag() {
    return stagedTag.slice();
}
