// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Copies arguments into the WebAssembly's memory, and wipes them from there after each call. This file is internal:
 * package.json does not export it.
 *
 * @module
 */
import { memory, wasm } from "./module.js";

export const KEY_BYTES = 32;
export const TAG_BYTES = 16;

// Addresses in the memory (see src/module.c).
const STACK_END = wasm.__stack_pointer.value;
const STATE = wasm.state();
export const KEY = wasm.key();
export const NONCE = wasm.nonce();
export const TAG = wasm.tag();
export const WINDOW = wasm.window();
export const WINDOW_BYTES = wasm.window_bytes();

// Only one of these states is staged at a time: they share their address.
export const stagedState = memory.subarray(STATE, STATE + wasm.state_bytes());
export const stagedAead = memory.subarray(STATE, STATE + wasm.aead_state_bytes());
export const stagedTag = memory.subarray(TAG, TAG + TAG_BYTES);

// The original accessors of typed arrays, which no subclass and no own property of an array can override.
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
 * Returns a view of some bytes of an argument, even if its class overrides `subarray`.
 *
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} length
 */
export function part(bytes, at, length) {
    return new Uint8Array(bufferOf(bytes), offsetOf(bytes) + at, length);
}

/**
 * Copies bytes into an argument, even if its class overrides `set`.
 *
 * @param {Uint8Array} output
 * @param {Uint8Array} bytes
 */
export function write(output, bytes) {
    Reflect.apply(typedArray.set, output, [bytes]);
}

/**
 * Checks that an argument is a `Uint8Array`, and returns its length.
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
            // Throws if the buffer is detached, or has become too short for the array.
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
 * Checks that an argument has at least `least` bytes, and returns its length.
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

/** Whether the last call threw. Then it may have wiped nothing, for example if JavaScript's stack overflowed within it. */
let cutShort = false;

/** @param {number} usedBytes of the window */
function wipe(usedBytes) {
    memory.fill(0, 0, STACK_END);
    memory.fill(0, STATE, WINDOW + usedBytes);
}

/**
 * Returns the result of `work`, and wipes the memory: its stack and the staging area, of whose window `work` uses at most
 * `usedBytes` bytes.
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
 * Copies `length` bytes into the window in pieces of at most the window's size, and calls `use` for each with its length and
 * its offset.
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
 * Returns the state of a message in pieces. Throws if it is null, because then the message has ended.
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

/** Returns a copy of the staged tag. */
export function takeTag() {
    return stagedTag.slice();
}

/**
 * Ends a message in pieces, and returns its tag.
 *
 * @param {Uint8Array} stagedAt where its state is staged
 * @param {Uint8Array} state
 * @param {() => void} final
 */
export function finalTag(stagedAt, state, final) {
    return staged(0, () => {
        stagedAt.set(state);
        final();
        return takeTag();
    });
}

/**
 * Ends a message in pieces, and returns whether `tag` is its tag.
 *
 * @param {Uint8Array} stagedAt where its state is staged
 * @param {Uint8Array} state
 * @param {Uint8Array} tag
 * @param {() => number} final
 */
export function finalVerify(stagedAt, state, tag, final) {
    return staged(0, () => {
        stagedAt.set(state);
        memory.set(tag, TAG);
        return final() !== 0;
    });
}
