// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Poly1305 (RFC 8439, section 2.5), ChaCha20-Poly1305 (section 2.8), XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) and
 * Poly1305-AES (Bernstein 2005): the Hornet library, in WebAssembly.
 *
 * Every function reads its arguments once and completely before it writes anything: a call that throws has changed nothing,
 * and what is written may overlap what is read.
 * Arguments are instances of `Uint8Array` or of its subclasses, such as Node's `Buffer`, of any realm. They may lie over
 * shared memory; then the tag is that of the bytes as they were when they were read.
 *
 * Errors: a `TypeError` for what is no `Uint8Array`, or one whose buffer is detached; a `RangeError` for a wrong length and
 * for a key whose r is not clamped. They name the argument, and tell nothing of its bytes but that. An `Error` for what is not
 * authentic, and for calls that make no sense, such as those on a message that has ended.
 *
 * @module
 */
import { memory, wasm } from "./module.js";
import {
    KEY,
    KEY_BYTES,
    NONCE,
    TAG,
    TAG_BYTES,
    WINDOW,
    WINDOW_BYTES,
    checkBytes,
    checkLength,
    eachWindow,
    live,
    staged,
    stagedState,
    takeTag,
    windowBytes,
} from "./staging.js";

export * from "./aead.js";

/**
 * A `Uint8Array` with an `ArrayBuffer` of its own, as functions of the DOM take it: `Uint8Array<ArrayBuffer>`. Before
 * TypeScript 5.7, which does not tell it from others, a `Uint8Array`.
 *
 * @typedef {ReturnType<typeof Uint8Array.of>} Bytes
 */

const NONCE_BYTES = 16;

/**
 * The tag of a message under a key.
 *
 * **One key, one message.** Two tags under one key give away what it takes to forge. Derive a fresh key for every message,
 * as ChaCha20-Poly1305 does, or use {@link aesMac}.
 *
 * @param {Uint8Array} key 32 bytes: r, which is clamped here, and then s
 * @param {Uint8Array} message of any length
 * @returns {Bytes} the tag, 16 bytes
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
            eachWindow(message, length, wasm.update);
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
        eachWindow(message, length, wasm.update);
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
            stagedState.set(state);
            eachWindow(data, length, wasm.update);
            state.set(stagedState);
        });
        return this;
    }

    /**
     * The tag of all bytes so far, and the end.
     *
     * @returns {Bytes} 16 bytes
     */
    digest() {
        const state = this.#live();
        const tag = staged(0, () => {
            stagedState.set(state);
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
            stagedState.set(state);
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

    #live() {
        return live("Poly1305", this.#state);
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
 * @returns {Bytes} 32 bytes
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
 * @returns {Bytes} the tag, 16 bytes
 */
export function aesMac(key, nonce, message) {
    checkLength("key", key, KEY_BYTES);
    checkLength("nonce", nonce, NONCE_BYTES);
    const length = checkBytes("message", message);
    return staged(windowBytes(length), () => {
        beginAes(key, nonce);
        eachWindow(message, length, wasm.update);
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
        eachWindow(message, length, wasm.update);
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
