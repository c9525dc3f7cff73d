// SPDX-License-Identifier: Apache-2.0 OR MIT
// A message that is encrypted in pieces, as they arrive, and decrypted in others. Nothing of it is used before the tag has been
// verified, which comes last. If that is too long to wait, see files.js.

import { randomBytes } from "node:crypto"; // elsewhere: crypto.getRandomValues(new Uint8Array(32))
import { ChaCha20Poly1305 } from "hornet-poly1305";

const key = randomBytes(32);
const nonce = randomBytes(24); // sent with the message
const header = new TextEncoder().encode("version 1");

function* piecesOf(data, length) {
    for (let at = 0; at < data.length; at += length) {
        yield data.subarray(at, at + length);
    }
}

/** Returns the message, or undefined if it is not authentic. */
function decrypt(ciphertext, tag) {
    const opening = ChaCha20Poly1305.xchacha20(key, nonce).aad(header);
    const plain = Array.from(piecesOf(ciphertext, 500), (piece) => opening.decrypt(piece));
    return opening.verify(tag) ? Buffer.concat(plain) : undefined;
}

const message = Buffer.alloc(5000, "x");
const sealing = ChaCha20Poly1305.xchacha20(key, nonce).aad(header);
const pieces = Array.from(piecesOf(message, 1000), (piece) => sealing.encrypt(piece));
const tag = sealing.digest();

const sent = Buffer.concat(pieces);
const accepted = decrypt(sent, tag)?.equals(message) ? "accepted" : "refused";
sent[4999] ^= 1; // changed in transit
const changed = decrypt(sent, tag) === undefined ? "refused" : "accepted";
key.fill(0);
console.log(`${message.length} bytes in ${pieces.length} pieces: ${accepted}; changed: ${changed}`);
