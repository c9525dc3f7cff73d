// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * ChaCha20-Poly1305 and XChaCha20-Poly1305, for whole messages and for messages in pieces. index.js exports these functions,
 * and documents the rules that all functions follow.
 *
 * A message that fits in the window is processed there in one call, another one window by window. It is copied to the output
 * after its tag has been verified, until then a long one is in a new array. So no unverified plaintext is visible in the
 * output, not even to other threads if it is in shared memory.
 *
 * @module
 */
/** @import { Bytes } from "./index.js" */
import { memory, wasm } from "./module.js";
import {
    KEY,
    KEY_BYTES,
    NONCE,
    TAG,
    TAG_BYTES,
    WINDOW,
    WINDOW_BYTES,
    checkAtLeast,
    checkBytes,
    checkLength,
    eachWindow,
    finalTag,
    finalVerify,
    live,
    part,
    staged,
    stagedAead,
    stagedTag,
    windowBytes,
    write,
} from "./staging.js";

const NONCE_BYTES = 12;
const EXTENDED_NONCE_BYTES = 24;
const NO_BYTES = new Uint8Array(0);

/**
 * @param {number} nonceBytes
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 */
function checkKeyAndNonce(nonceBytes, key, nonce) {
    checkLength("key", key, KEY_BYTES);
    checkLength("nonce", nonce, nonceBytes);
}

/**
 * Copies key and nonce into the staging area.
 *
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 */
function stage(key, nonce) {
    memory.set(key, KEY);
    memory.set(nonce, NONCE);
}

/**
 * Begins a message in the staging area.
 *
 * @param {number} nonceBytes
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 */
function init(nonceBytes, key, nonce) {
    stage(key, nonce);
    wasm.aead_init(nonceBytes === EXTENDED_NONCE_BYTES);
}

/**
 * Returns where the associated data of a whole message begins in the window: at the next multiple of 16 after the tag.
 *
 * @param {number} length of the message
 */
function aadAt(length) {
    return Math.ceil((length + TAG_BYTES) / 16) * 16;
}

/**
 * Copies a whole message into the window, and returns the result of `work`.
 *
 * @template T
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 * @param {Uint8Array} aad
 * @param {number} aadBytes
 * @param {Uint8Array} input
 * @param {number} length of the message
 * @param {() => T} work
 * @returns {T}
 */
function whole(key, nonce, aad, aadBytes, input, length, work) {
    const at = aadAt(length);
    return staged(at + aadBytes, () => {
        stage(key, nonce);
        memory.set(input, WINDOW);
        if (aadBytes !== 0) {
            memory.set(aad, WINDOW + at);
        }
        return work();
    });
}

/**
 * Returns a copy of the first bytes of the window, in `output` if it is given.
 *
 * @template {Uint8Array} T
 * @param {number} length
 * @param {T} [output]
 * @returns {Bytes | T}
 */
function takeWindow(length, output) {
    if (output === undefined) {
        return memory.slice(WINDOW, WINDOW + length);
    }
    write(output, memory.subarray(WINDOW, WINDOW + length));
    return output;
}

/**
 * Encrypts or decrypts `length` bytes with the staged state.
 *
 * @param {(lenBytes: number) => number} step wasm.aead_encrypt or wasm.aead_decrypt
 * @param {string} name of the argument
 * @param {Uint8Array} input
 * @param {number} length
 * @param {Bytes} output
 */
function crypt(step, name, input, length, output) {
    eachWindow(input, length, (lenBytes, at) => {
        if (step(lenBytes) === 0) {
            throw new RangeError(`${name}: the message would have more than 2^38 - 64 bytes`);
        }
        output.set(memory.subarray(WINDOW, WINDOW + lenBytes), at);
    });
}

/**
 * Begins a message, appends its associated data, and returns the result of `work`.
 *
 * @template T
 * @param {number} nonceBytes
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 * @param {Uint8Array} aad
 * @param {number} aadBytes
 * @param {number} length of the message
 * @param {() => T} work
 * @returns {T}
 */
function begun(nonceBytes, key, nonce, aad, aadBytes, length, work) {
    return staged(windowBytes(aadBytes > length ? aadBytes : length), () => {
        init(nonceBytes, key, nonce);
        if (aadBytes !== 0) {
            eachWindow(aad, aadBytes, wasm.aead_aad);
        }
        return work();
    });
}

/**
 * @template {Uint8Array} T
 * @param {number} nonceBytes
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 * @param {Uint8Array} aad
 * @param {string} name of the argument
 * @param {Uint8Array} message
 * @param {T} [output]
 * @returns {Bytes | T}
 */
function sealAny(nonceBytes, key, nonce, aad, name, message, output) {
    checkKeyAndNonce(nonceBytes, key, nonce);
    const aadBytes = checkBytes("aad", aad);
    const length = checkBytes(name, message);
    if (output !== undefined) {
        checkLength("output", output, length + TAG_BYTES);
    }
    if (aadAt(length) + aadBytes <= WINDOW_BYTES) {
        return whole(key, nonce, aad, aadBytes, message, length, () => {
            wasm.aead_seal(nonceBytes === EXTENDED_NONCE_BYTES, length, aadBytes);
            return takeWindow(length + TAG_BYTES, output);
        });
    }
    const sealed = new Uint8Array(length + TAG_BYTES);
    begun(nonceBytes, key, nonce, aad, aadBytes, length, () => {
        crypt(wasm.aead_encrypt, name, message, length, sealed);
        wasm.aead_final();
        sealed.set(stagedTag, length);
    });
    if (output === undefined) {
        return sealed;
    }
    write(output, sealed);
    return output;
}

/**
 * @template {Uint8Array} T
 * @param {number} nonceBytes
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 * @param {Uint8Array} aad
 * @param {string} name of the argument
 * @param {Uint8Array} sealed
 * @param {T} [output]
 * @returns {Bytes | T}
 */
function openAny(nonceBytes, key, nonce, aad, name, sealed, output) {
    checkKeyAndNonce(nonceBytes, key, nonce);
    const aadBytes = checkBytes("aad", aad);
    const length = checkAtLeast(name, sealed, TAG_BYTES) - TAG_BYTES;
    if (output !== undefined) {
        checkLength("output", output, length);
    }
    if (aadAt(length) + aadBytes <= WINDOW_BYTES) {
        const opened = whole(key, nonce, aad, aadBytes, sealed, length, () =>
            wasm.aead_open(nonceBytes === EXTENDED_NONCE_BYTES, length, aadBytes) !== 0
                ? takeWindow(length, output)
                : null,
        );
        if (opened === null) {
            throw notAuthentic(name);
        }
        return opened;
    }
    const message = new Uint8Array(length);
    const valid = begun(nonceBytes, key, nonce, aad, aadBytes, length, () => {
        crypt(wasm.aead_decrypt, name, part(sealed, 0, length), length, message);
        memory.set(part(sealed, length, TAG_BYTES), TAG);
        return wasm.aead_final_verify() !== 0;
    });
    if (!valid) {
        message.fill(0);
        throw notAuthentic(name);
    }
    if (output === undefined) {
        return message;
    }
    write(output, message);
    message.fill(0);
    return output;
}

/** @param {string} name of the argument */
function notAuthentic(name) {
    return new Error(`${name}: not authentic: changed, or sealed with another key, nonce or aad`);
}

/**
 * Encrypts a message, and authenticates it and associated data, with ChaCha20-Poly1305.
 *
 * **One nonce, one message.** Two messages under one key and nonce reveal both, and let anyone forge messages. Count the
 * nonces; for random nonces, use {@link xSeal}.
 *
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce 12 bytes
 * @param {Uint8Array} message of any length
 * @param {Uint8Array} [aad] associated data of any length, authenticated but not part of the result
 * @returns {Bytes} the ciphertext, as long as the message, and then the tag, 16 bytes
 */
export function seal(key, nonce, message, aad = NO_BYTES) {
    return sealAny(NONCE_BYTES, key, nonce, aad, "message", message);
}

/**
 * Returns the message that was sealed by {@link seal}. Throws an `Error` if it is not authentic.
 *
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce 12 bytes
 * @param {Uint8Array} sealed ciphertext and tag
 * @param {Uint8Array} [aad] associated data, as they were when the message was sealed
 * @returns {Bytes}
 */
export function open(key, nonce, sealed, aad = NO_BYTES) {
    return openAny(NONCE_BYTES, key, nonce, aad, "sealed", sealed);
}

/**
 * Seals like {@link seal}, but with XChaCha20-Poly1305, whose nonce is long enough to be random.
 *
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce 24 bytes, such as `crypto.getRandomValues(new Uint8Array(24))`
 * @param {Uint8Array} message of any length
 * @param {Uint8Array} [aad] associated data of any length, authenticated but not part of the result
 * @returns {Bytes} the ciphertext, as long as the message, and then the tag, 16 bytes
 */
export function xSeal(key, nonce, message, aad = NO_BYTES) {
    return sealAny(EXTENDED_NONCE_BYTES, key, nonce, aad, "message", message);
}

/**
 * Returns the message that was sealed by {@link xSeal}. Throws an `Error` if it is not authentic.
 *
 * @param {Uint8Array} key 32 bytes
 * @param {Uint8Array} nonce 24 bytes
 * @param {Uint8Array} sealed ciphertext and tag
 * @param {Uint8Array} [aad] associated data, as they were when the message was sealed
 * @returns {Bytes}
 */
export function xOpen(key, nonce, sealed, aad = NO_BYTES) {
    return openAny(EXTENDED_NONCE_BYTES, key, nonce, aad, "sealed", sealed);
}

/**
 * The result of {@link chacha20poly1305}, with the interface of `@noble/ciphers`. `encrypt` takes the message and returns
 * ciphertext and tag. It can be called only once, because a nonce is for one message. `decrypt` takes ciphertext and tag and
 * returns the message; it throws an `Error` if they are not authentic. If `output` is given, which must have exactly the
 * length of the result, the result is written there. It may be the input or overlap it. A call that throws leaves it
 * unchanged.
 *
 * @typedef {object} Cipher
 * @property {{(plaintext: Uint8Array, output?: Bytes): Bytes; (plaintext: Uint8Array, output?: Uint8Array): Uint8Array}} encrypt
 * @property {{(ciphertext: Uint8Array, output?: Bytes): Bytes; (ciphertext: Uint8Array, output?: Uint8Array): Uint8Array}} decrypt
 */

/**
 * @typedef {((key: Uint8Array, nonce: Uint8Array, aad?: Uint8Array) => Cipher) & {
 *     readonly blockSize: number, readonly nonceLength: number, readonly tagLength: number}} CipherFunction
 */

/**
 * @param {number} nonceBytes
 * @returns {CipherFunction}
 */
function cipherFunction(nonceBytes) {
    /** @type {(key: Uint8Array, nonce: Uint8Array, aad?: Uint8Array) => Cipher} */
    const cipher = (key, nonce, aad = NO_BYTES) => {
        checkKeyAndNonce(nonceBytes, key, nonce);
        checkBytes("aad", aad);
        let used = false;
        return {
            encrypt(/** @type {Uint8Array} */ plaintext, /** @type {any} */ output) {
                if (used) {
                    throw new Error("encrypt: this nonce has encrypted a message; take another nonce");
                }
                const sealed = sealAny(nonceBytes, key, nonce, aad, "plaintext", plaintext, output);
                used = true;
                return /** @type {any} */ (sealed);
            },
            decrypt(/** @type {Uint8Array} */ ciphertext, /** @type {any} */ output) {
                return /** @type {any} */ (openAny(nonceBytes, key, nonce, aad, "ciphertext", ciphertext, output));
            },
        };
    };
    return Object.assign(cipher, { blockSize: 64, nonceLength: nonceBytes, tagLength: TAG_BYTES });
}

/**
 * ChaCha20-Poly1305 with the interface of `@noble/ciphers`: `chacha20poly1305(key, nonce, aad?).encrypt(plaintext)`.
 *
 * Key (32 bytes), nonce (12 bytes) and associated data are not copied; `encrypt` and `decrypt` read them. So no copy remains
 * when the caller wipes them.
 */
export const chacha20poly1305 = /* @__PURE__ */ cipherFunction(NONCE_BYTES);

/** Like {@link chacha20poly1305}, but XChaCha20-Poly1305, with a nonce of 24 bytes, which may be random. */
export const xchacha20poly1305 = /* @__PURE__ */ cipherFunction(EXTENDED_NONCE_BYTES);

/**
 * A message of ChaCha20-Poly1305 in pieces: first the associated data, with {@link aad}, and then the message, either with
 * {@link encrypt} or with {@link decrypt}. End it with {@link digest} if it was encrypted, with {@link verify} if it was
 * decrypted, or with {@link wipe}. Each of these wipes the state; after that, every method except `wipe` throws an `Error`.
 *
 * Any number of messages may be in progress at once. Each holds its key until it ends: call `wipe` to abandon one.
 */
export class ChaCha20Poly1305 {
    /**
     * The state, as in src/module.c; null when the message has ended. It is kept outside the WebAssembly's memory, where a
     * message that never ends would take space forever.
     *
     * @type {Uint8Array | null}
     */
    #state;

    /** What has been done so far, which the state records too. @type {"associated data" | "encrypted" | "decrypted"} */
    #so = "associated data";

    /**
     * Starts a message. **One nonce, one message.**
     *
     * @param {Uint8Array} key 32 bytes
     * @param {Uint8Array} nonce 12 bytes
     */
    constructor(key, nonce) {
        checkKeyAndNonce(NONCE_BYTES, key, nonce);
        this.#state = staged(0, () => {
            init(NONCE_BYTES, key, nonce);
            return stagedAead.slice();
        });
    }

    /**
     * Starts a message of XChaCha20-Poly1305. **One nonce, one message.**
     *
     * @param {Uint8Array} key 32 bytes
     * @param {Uint8Array} nonce 24 bytes, which may be random
     * @returns {ChaCha20Poly1305}
     */
    static xchacha20(key, nonce) {
        checkKeyAndNonce(EXTENDED_NONCE_BYTES, key, nonce);
        const message = new ChaCha20Poly1305(new Uint8Array(KEY_BYTES), new Uint8Array(NONCE_BYTES));
        const state = message.#live();
        staged(0, () => {
            init(EXTENDED_NONCE_BYTES, key, nonce);
            state.set(stagedAead);
        });
        return message;
    }

    /**
     * Appends associated data. All of it comes before the message.
     *
     * @param {Uint8Array} data of any length
     * @returns {this}
     */
    aad(data) {
        const state = this.#live();
        const length = checkBytes("data", data);
        if (this.#so !== "associated data") {
            throw new Error("ChaCha20Poly1305: associated data comes before the message");
        }
        staged(windowBytes(length), () => {
            stagedAead.set(state);
            eachWindow(data, length, wasm.aead_aad);
            state.set(stagedAead);
        });
        return this;
    }

    /**
     * Encrypts the next piece. The ciphertext depends only on the bytes, not on how they are cut into pieces.
     *
     * @param {Uint8Array} data of any length
     * @returns {Bytes} ciphertext of the same length
     */
    encrypt(data) {
        return this.#crypt("encrypted", wasm.aead_encrypt, data);
    }

    /**
     * Decrypts the next piece. **The result is not authentic** until {@link verify} returns true: use none of it before, and
     * discard all of it if `verify` returns false. If the message fits in memory, use {@link open} instead.
     *
     * @param {Uint8Array} data of any length
     * @returns {Bytes} unverified plaintext of the same length
     */
    decrypt(data) {
        return this.#crypt("decrypted", wasm.aead_decrypt, data);
    }

    /**
     * Ends an encrypted message and returns its tag.
     *
     * @returns {Bytes} 16 bytes
     */
    digest() {
        const state = this.#live();
        this.#refuseIf("decrypted");
        const tag = finalTag(stagedAead, state, wasm.aead_final);
        this.wipe();
        return tag;
    }

    /**
     * Ends a decrypted message and returns whether `tag` is its tag. The time does not depend on the tags.
     *
     * @param {Uint8Array} tag 16 bytes
     * @returns {boolean}
     */
    verify(tag) {
        const state = this.#live();
        checkLength("tag", tag, TAG_BYTES);
        this.#refuseIf("encrypted");
        const valid = finalVerify(stagedAead, state, tag, wasm.aead_final_verify);
        this.wipe();
        return valid;
    }

    /** Ends the message without a tag. Does nothing if it has ended already. */
    wipe() {
        this.#state?.fill(0);
        this.#state = null;
    }

    #live() {
        return live("ChaCha20Poly1305", this.#state);
    }

    /** @param {"encrypted" | "decrypted"} so */
    #refuseIf(so) {
        if (this.#so === so) {
            const [can, ends] = so === "encrypted" ? ["encrypt", "digest"] : ["decrypt", "verify"];
            throw new Error(`ChaCha20Poly1305: this message is being ${so}: call ${can}, and at the end ${ends}`);
        }
    }

    /**
     * @param {"encrypted" | "decrypted"} so
     * @param {(lenBytes: number) => number} step
     * @param {Uint8Array} data
     */
    #crypt(so, step, data) {
        const state = this.#live();
        const length = checkBytes("data", data);
        this.#refuseIf(so === "encrypted" ? "decrypted" : "encrypted");
        const output = new Uint8Array(length);
        staged(windowBytes(length), () => {
            stagedAead.set(state);
            crypt(step, "data", data, length, output);
            state.set(stagedAead);
        });
        this.#so = so;
        return output;
    }
}
