// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Poly1305 (RFC 8439, section 2.5) and Poly1305-AES (Bernstein 2005): the Hornet library, in WebAssembly.
 *
 * Every function reads its arguments once and completely before it does anything: a call that throws has changed nothing.
 * Arguments are instances of `Uint8Array` or of its subclasses, such as Node's `Buffer`, of any realm. They may lie over
 * shared memory; then the tag is that of the bytes as they were when they were read.
 *
 * Errors: a `TypeError` for what is no `Uint8Array`, or one whose buffer is detached; a `RangeError` for a wrong length and
 * for a key whose r is not clamped. They name the argument, and tell nothing of its bytes but that.
 *
 * @module
 */
import { memory, wasm } from "./module.js";

// Where things are in the memory: src/module.c.
const STACK_END = wasm.__stack_pointer.value;
const STATE = wasm.state();
const STATE_BYTES = wasm.state_bytes();
const KEY = wasm.key();
const NONCE = wasm.nonce();
const TAG = wasm.tag();
const WINDOW = wasm.window();
const WINDOW_BYTES = wasm.window_bytes();

const stagedState = memory.subarray(STATE, STATE + STATE_BYTES);

const KEY_BYTES = 32;
const NONCE_BYTES = 16;
const TAG_BYTES = 16;

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
 * The length of an argument of any length.
 *
 * @param {string} name of the argument
 * @param {unknown} bytes
 * @returns {number}
 */
function checkBytes(name, bytes) {
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
function checkLength(name, bytes, expected) {
    const length = checkBytes(name, bytes);
    if (length !== expected) {
        throw new RangeError(`${name}: expected ${expected} bytes, got ${length}`);
    }
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
function staged(usedBytes, work) {
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
function windowBytes(length) {
    return length < WINDOW_BYTES ? length : WINDOW_BYTES;
}

function takeTag() {
    return memory.slice(TAG, TAG + TAG_BYTES);
}

/**
 * Appends a message to the state that is staged.
 *
 * @param {Uint8Array} message
 * @param {number} length
 */
function absorb(message, length) {
    if (length <= WINDOW_BYTES) {
        memory.set(message, WINDOW);
        wasm.update(length);
        return;
    }
    const buffer = bufferOf(message);
    const offset = offsetOf(message);
    for (let at = 0; at < length; at += WINDOW_BYTES) {
        const bytes = windowBytes(length - at);
        memory.set(new Uint8Array(buffer, offset + at, bytes), WINDOW);
        wasm.update(bytes);
    }
}

/**
 * The tag of a message under a key.
 *
 * **One key, one message.** Two tags under one key give away what it takes to forge. Derive a fresh key for every message,
 * as ChaCha20-Poly1305 does, or use {@link aesMac}.
 *
 * @param {Uint8Array} key 32 bytes: r, which is clamped here, and then s
 * @param {Uint8Array} message of any length
 * @returns {Uint8Array} the tag, 16 bytes
 */
export function mac(key, message) {
    checkLength("key", key, KEY_BYTES);
    const length = checkBytes("message", message);
    return staged(windowBytes(length), () => {
        memory.set(key, KEY);
        if (length <= WINDOW_BYTES) {
            memory.set(message, WINDOW);
            wasm.mac(length);
        } else {
            wasm.init();
            absorb(message, length);
            wasm.final();
        }
        return takeTag();
    });
}

/**
 * Whether a tag is that of a message under a key. Takes a time that depends on the length of the message only.
 *
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} message of any length
 * @param {Uint8Array} tag 16 bytes
 * @returns {boolean}
 */
export function verify(key, message, tag) {
    checkLength("key", key, KEY_BYTES);
    const length = checkBytes("message", message);
    checkLength("tag", tag, TAG_BYTES);
    return staged(windowBytes(length), () => {
        memory.set(key, KEY);
        memory.set(tag, TAG);
        if (length <= WINDOW_BYTES) {
            memory.set(message, WINDOW);
            return wasm.verify(length) !== 0;
        }
        wasm.init();
        absorb(message, length);
        return wasm.final_verify() !== 0;
    });
}

/**
 * A message in pieces. It ends by {@link digest}, {@link verify} or {@link wipe}, which wipe its state; after that, every
 * method but `wipe` throws an `Error`.
 *
 * Any number may be under way at once. Each holds its key until it has ended: one that is to be given up should be wiped.
 */
export class Poly1305 {
    /**
     * The state, as src/module.c has it; null when it has ended. Not in the WebAssembly's memory, where one that is never
     * ended would take its place forever.
     *
     * @type {Uint8Array | null}
     */
    #state;

    /**
     * Starts a message. **One key, one message.**
     *
     * @param {Uint8Array} key 32 bytes: r, which is clamped here, and then s
     */
    constructor(key) {
        checkLength("key", key, KEY_BYTES);
        this.#state = staged(0, () => {
            memory.set(key, KEY);
            wasm.init();
            return stagedState.slice();
        });
    }

    /**
     * Starts a message under Poly1305-AES. **One nonce, one message.**
     *
     * @param {Uint8Array} key 32 bytes, as for {@link aesMac}
     * @param {Uint8Array} nonce 16 bytes
     * @returns {Poly1305}
     */
    static aes(key, nonce) {
        checkLength("key", key, KEY_BYTES);
        checkLength("nonce", nonce, NONCE_BYTES);
        const message = new Poly1305(new Uint8Array(KEY_BYTES));
        const state = message.#live();
        staged(0, () => {
            beginAes(key, nonce);
            state.set(stagedState);
        });
        return message;
    }

    /**
     * Appends a piece. The tag depends on the bytes only, not on how they were cut.
     *
     * @param {Uint8Array} data of any length
     * @returns {this}
     */
    update(data) {
        const state = this.#live();
        const length = checkBytes("data", data);
        staged(windowBytes(length), () => {
            memory.set(state, STATE);
            absorb(data, length);
            state.set(stagedState);
        });
        return this;
    }

    /**
     * The tag of all bytes so far, and the end.
     *
     * @returns {Uint8Array} 16 bytes
     */
    digest() {
        const state = this.#live();
        const tag = staged(0, () => {
            memory.set(state, STATE);
            wasm.final();
            return takeTag();
        });
        this.wipe();
        return tag;
    }

    /**
     * Whether a tag is that of all bytes so far, and the end. Takes a time that does not depend on the tags.
     *
     * @param {Uint8Array} tag 16 bytes
     * @returns {boolean}
     */
    verify(tag) {
        const state = this.#live();
        checkLength("tag", tag, TAG_BYTES);
        const valid = staged(0, () => {
            memory.set(state, STATE);
            memory.set(tag, TAG);
            return wasm.final_verify() !== 0;
        });
        this.wipe();
        return valid;
    }

    /** Ends without a tag. Does nothing if it has ended. */
    wipe() {
        this.#state?.fill(0);
        this.#state = null;
    }

    /** @returns {Uint8Array} */
    #live() {
        if (this.#state === null) {
            throw new Error("Poly1305: the message has ended");
        }
        return this.#state;
    }
}

/**
 * Stages the state of a message of Poly1305-AES.
 *
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 */
function beginAes(key, nonce) {
    memory.set(key, KEY);
    memory.set(nonce, NONCE);
    if (wasm.aes_init() === 0) {
        throw new RangeError(`key: r is not clamped, ${forbidden()} (aesKey makes a key of random bytes)`);
    }
}

/** Says which byte of the staged key has one of the 22 bits that must be 0: that is no secret. */
function forbidden() {
    for (const at of [3, 7, 11, 15]) {
        if (memory[KEY + 16 + at] >= 16) {
            return `byte ${16 + at} is not below 16`;
        }
    }
    const at = [4, 8, 12].find((at) => memory[KEY + 16 + at] % 4 !== 0) ?? 0;
    return `byte ${16 + at} is not a multiple of 4`;
}

/**
 * A key for Poly1305-AES, of random bytes: a copy, with r clamped.
 *
 * @param {Uint8Array} random 32 bytes, such as those of `crypto.getRandomValues(new Uint8Array(32))`
 * @returns {Uint8Array} 32 bytes
 */
export function aesKey(random) {
    checkLength("random", random, KEY_BYTES);
    return staged(0, () => {
        memory.set(random, KEY);
        wasm.clamp();
        return memory.slice(KEY, KEY + KEY_BYTES);
    });
}

/**
 * The tag of a message under a key and a nonce: Poly1305-AES, one key for many messages.
 *
 * **One nonce, one message.** Two messages under one key and nonce give away what it takes to forge. A nonce is any 16
 * bytes, known to everyone; count them up.
 *
 * @param {Uint8Array} key 32 bytes: k, an AES-128 key, and then r, which must be clamped: see {@link aesKey}
 * @param {Uint8Array} nonce 16 bytes
 * @param {Uint8Array} message of any length
 * @returns {Uint8Array} the tag, 16 bytes
 */
export function aesMac(key, nonce, message) {
    checkLength("key", key, KEY_BYTES);
    checkLength("nonce", nonce, NONCE_BYTES);
    const length = checkBytes("message", message);
    return staged(windowBytes(length), () => {
        beginAes(key, nonce);
        absorb(message, length);
        wasm.final();
        return takeTag();
    });
}

/**
 * Whether a tag is that of a message under a key and a nonce. Takes a time that depends on the length of the message only.
 *
 * @param {Uint8Array} key 32 bytes, as for {@link aesMac}
 * @param {Uint8Array} nonce 16 bytes
 * @param {Uint8Array} message of any length
 * @param {Uint8Array} tag 16 bytes
 * @returns {boolean}
 */
export function aesVerify(key, nonce, message, tag) {
    checkLength("key", key, KEY_BYTES);
    checkLength("nonce", nonce, NONCE_BYTES);
    const length = checkBytes("message", message);
    checkLength("tag", tag, TAG_BYTES);
    return staged(windowBytes(length), () => {
        beginAes(key, nonce);
        absorb(message, length);
        memory.set(tag, TAG);
        return wasm.final_verify() !== 0;
    });
}

/** The version of the library, and of this package: major, minor and patch number. */
export const version = text(wasm.version());

/** @param {number} at */
function text(at) {
    return String.fromCharCode(...memory.subarray(at, memory.indexOf(0, at)));
}
