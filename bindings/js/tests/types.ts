// SPDX-License-Identifier: Apache-2.0 OR MIT
// What TypeScript must accept of the package, and what it must refuse. Compiled, not run.
import { Poly1305, aesKey, aesMac, aesVerify, mac, verify, version } from "hornet-poly1305";

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
export const used = [valid, verified, aesValid, nothing, number];

// @ts-expect-error: a string is no message
mac(key, "message");
// @ts-expect-error: the tag is missing
verify(key, message);
// @ts-expect-error: a promise it is not
mac(key, message).then();
// @ts-expect-error: a nonce is not a number
Poly1305.aes(key, 1);
// @ts-expect-error: the state is private
pieces.state;
