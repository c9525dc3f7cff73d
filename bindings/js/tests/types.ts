// SPDX-License-Identifier: Apache-2.0 OR MIT
// Uses of the package that TypeScript must accept, and uses that it must refuse. This file is compiled, not run.
import {
    ChaCha20Poly1305,
    Poly1305,
    aesKey,
    aesMac,
    aesVerify,
    chacha20,
    chacha20poly1305,
    mac,
    open,
    seal,
    verify,
    version,
    xOpen,
    xSeal,
    xchacha20,
    xchacha20poly1305,
    type Bytes,
    type Cipher,
} from "hornet-poly1305";

const key = new Uint8Array(32);
const message = new Uint8Array(5);
const nonce = new Uint8Array(16);

const tag: Uint8Array = mac(key, message);
const valid: boolean = verify(key, message, tag);
const pieces: Poly1305 = new Poly1305(key).update(message).update(message);
const end: Uint8Array = pieces.digest();
const verified: boolean = Poly1305.aes(key, nonce).update(message).verify(end);
const aes: Uint8Array = aesMac(aesKey(key), nonce, message);
const aesValid: boolean = aesVerify(key, nonce, message, aes);
const nothing: void = pieces.wipe();
const number: string = version;

const shortNonce = new Uint8Array(12);
const longNonce = new Uint8Array(24);
const sealed: Uint8Array = seal(key, shortNonce, message, message);
const opened: Uint8Array = open(key, shortNonce, sealed);
const xSealed: Bytes = xSeal(key, longNonce, message);
const xOpened: Bytes = xOpen(key, longNonce, xSealed, message);
const cipher: Cipher = chacha20poly1305(key, shortNonce, message);
const encrypted: Bytes = cipher.encrypt(message, new Uint8Array(21));
const streamed: Bytes = chacha20(key, nonce, message);
const streamedTo: Uint8Array = xchacha20(key, nonce, message, new Uint8Array(5), 1);
const decrypted: Bytes = xchacha20poly1305(key, longNonce).decrypt(encrypted);
const nonceBytes: number = chacha20poly1305.nonceLength;
const sealing: ChaCha20Poly1305 = ChaCha20Poly1305.xchacha20(key, longNonce).aad(message);
const part: Bytes = sealing.encrypt(message);
const maybe: Bytes = new ChaCha20Poly1305(key, shortNonce).aad(message).decrypt(part);
const authentic: boolean = sealing.verify(sealing.digest());
export const used = [
    valid,
    verified,
    aesValid,
    nothing,
    number,
    opened,
    xOpened,
    decrypted,
    nonceBytes,
    maybe,
    authentic,
];

// With an output of a wider type, encrypt returns that type. The second type is how a program declares a @noble/ciphers cipher.
export function into(output: Uint8Array | undefined): Uint8Array {
    return cipher.encrypt(message, output);
}
export const like: { encrypt(plaintext: Uint8Array, output?: Uint8Array): Uint8Array } = cipher;

// DOM functions take no array that may be a view of shared memory.
export function dom(): unknown[] {
    return [
        new Blob([mac(key, message), pieces.digest(), aesKey(key), aesMac(key, nonce, message)]),
        new Blob([seal(key, shortNonce, message), open(key, shortNonce, sealed), xSealed, xOpened]),
        new Blob([encrypted, decrypted, part, maybe, sealing.digest()]),
        crypto.subtle.importKey("raw", aesKey(key), "AES-GCM", false, ["encrypt"]),
        crypto.subtle.importKey("raw", mac(key, message), "HKDF", false, ["deriveBits"]),
        new Response(sealing.digest()),
    ];
}

// @ts-expect-error: a string is not a message
mac(key, "message");
// @ts-expect-error: the tag is missing
verify(key, message);
// @ts-expect-error: the result is not a promise
mac(key, message).then();
// @ts-expect-error: a nonce is not a number
Poly1305.aes(key, 1);
// @ts-expect-error: the state is private
pieces.state;
// @ts-expect-error: the nonce is missing
seal(key, message);
// @ts-expect-error: associated data must not be text
seal(key, shortNonce, message, "text");
// @ts-expect-error: a tag is not a separate argument
open(key, shortNonce, sealed, message, tag);
// @ts-expect-error: a cipher has no state to update
cipher.update(message);
