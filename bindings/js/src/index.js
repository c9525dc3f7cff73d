// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Poly1305 (RFC 8439, section 2.5), ChaCha20-Poly1305 (section 2.8), XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03),
 * ChaCha20, XChaCha20 and Poly1305-AES (Bernstein 2005): the Hornet library as WebAssembly.
 *
 * Every function reads all its arguments, once, before it writes anything: a call that throws has changed nothing, and
 * outputs may overlap inputs.
 * Arguments are instances of `Uint8Array` or of its subclasses, such as Node's `Buffer`, of any realm. They may be views of
 * shared memory; then the tag is that of the bytes that were read.
 *
 * Functions throw a `TypeError` if an argument is not a `Uint8Array` or its buffer is detached, and a `RangeError` if it has
 * a wrong length or is a key whose r is not clamped. These errors name the argument, and reveal nothing else about its bytes.
 * An `Error` is thrown if a message is not authentic, and for calls that are not allowed, such as those on a message that has
 * ended.
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
    finalTag,
    finalVerify,
    live,
    staged,
    stagedState,
    takeTag,
    windowBytes,
} from "./staging.js";

export * from "./aead.js";
export * from "./stream.js";

/**
 * A `Uint8Array` with its own `ArrayBuffer`, as DOM functions require it: `Uint8Array<ArrayBuffer>`. TypeScript before 5.7
 * does not distinguish it from other arrays, and there it is a `Uint8Array`.
 *
 * @typedef {ReturnType<typeof Uint8Array.of>} Bytes
 */

const NONCE_BYTES = 16;

/**
 * Returns the tag of a message under a key.
 *
 * **One key, one message.** Two tags under one key let anyone forge messages. Derive a fresh key for every message, as
 * ChaCha20-Poly1305 does, or use {@link aesMac}.
 *
 * @param {Uint8Array} key 32 bytes: r, which this function clamps, and then s
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
 * Returns whether a tag is that of a message under a key. The time depends only on the length of the message.
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
 * A message in pieces. End it with {@link digest}, {@link verify} or {@link wipe}. Each of these wipes the state; after that,
 * every method except `wipe` throws an `Error`.
 *
 * Any number of messages may be in progress at once. Each holds its key until it ends: call `wipe` to abandon one.
 */
export class Poly1305 {
    /**
     * The state, as in src/module.c; null when the message has ended. It is kept outside the WebAssembly's memory, where a
     * message that never ends would take space forever.
     *
     * @type {Uint8Array | null}
     */
    #state;

    /**
     * Starts a message. **One key, one message.**
     *
     * @param {Uint8Array} key 32 bytes: r, which this function clamps, and then s
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
     * Starts a message of Poly1305-AES. **One nonce, one message.**
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
     * Appends a piece. The tag depends only on the bytes, not on how they are cut into pieces.
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
     * Ends the message and returns the tag.
     *
     * @returns {Bytes} 16 bytes
     */
    digest() {
        const state = this.#live();
        const tag = finalTag(stagedState, state, wasm.final);
        this.wipe();
        return tag;
    }

    /**
     * Ends the message and returns whether `tag` is its tag. The time does not depend on the tags.
     *
     * @param {Uint8Array} tag 16 bytes
     * @returns {boolean}
     */
    verify(tag) {
        const state = this.#live();
        checkLength("tag", tag, TAG_BYTES);
        const valid = finalVerify(stagedState, state, tag, wasm.final_verify);
        this.wipe();
        return valid;
    }

    /** Ends the message without a tag. Does nothing if it has ended already. */
    wipe() {
        this.#state?.fill(0);
        this.#state = null;
    }

    #live() {
        return live("Poly1305", this.#state);
    }
}

/**
 * Begins a message of Poly1305-AES in the staging area.
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

/** Tells which byte of the staged key has one of the 22 bits that must be 0. The index of this byte is not secret. */
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
 * Makes a key for Poly1305-AES from random bytes: a copy of them, with r clamped.
 *
 * @param {Uint8Array} random 32 bytes, such as `crypto.getRandomValues(new Uint8Array(32))`
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
 * Returns the tag of a message under a key and a nonce with Poly1305-AES, whose keys serve many messages.
 *
 * **One nonce, one message.** Two messages under one key and nonce let anyone forge messages. A nonce is any 16 bytes, which
 * may be public. Count the nonces.
 *
 * @param {Uint8Array} key 32 bytes: k, an AES-128 key, and then r, which must be clamped (see {@link aesKey})
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
 * Returns whether a tag is that of a message under a key and a nonce. The time depends only on the length of the message.
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

/** The version of the library and of this package: the major, minor and patch numbers. */
export const version = text(wasm.version());

/** @param {number} at */
function text(at) {
    return String.fromCharCode(...memory.subarray(at, memory.indexOf(0, at)));
}
