// SPDX-License-Identifier: Apache-2.0 OR MIT
// Many messages under one key, without a counter: XChaCha20-Poly1305, whose nonces are long enough to be drawn at random.

import { randomBytes } from "node:crypto"; // elsewhere: crypto.getRandomValues(new Uint8Array(24))
import { xOpen, xSeal } from "hornet-poly1305";

const NONCE_BYTES = 24;
const key = randomBytes(32);

/** Returns nonce, ciphertext and tag. */
function sealMessage(text) {
    const nonce = randomBytes(NONCE_BYTES);
    return Buffer.concat([nonce, xSeal(key, nonce, text)]);
}

/** Returns the text; throws if it is not authentic. */
function openMessage(packet) {
    return xOpen(key, packet.subarray(0, NONCE_BYTES), packet.subarray(NONCE_BYTES));
}

const text = Buffer.from("a message");
const packets = [sealMessage(text), sealMessage(text)];
for (const packet of packets) {
    if (!text.equals(openMessage(packet))) {
        throw new Error("another message was opened");
    }
}
const differ = packets[0].equals(packets[1]) ? "are the same" : "differ";
console.log(`the same text twice: two packets of ${packets[0].length} bytes, which ${differ}`);
