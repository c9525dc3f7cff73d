// SPDX-License-Identifier: Apache-2.0 OR MIT
// A message that is encrypted and authenticated, then opened by its receiver; and a forgery, which is refused.

import { randomBytes } from "node:crypto"; // elsewhere: crypto.getRandomValues(new Uint8Array(32))
import { open, seal } from "hornet-poly1305";

const key = randomBytes(32);

// The number of the message. No two messages under a key have the same.
const nonce = new Uint8Array(12);
// Everybody can read the address, but nobody can alter it.
const address = new TextEncoder().encode("to: the general");
const sealed = seal(key, nonce, new TextEncoder().encode("Attack at dawn."), address);

// The receiver has the key. Nonce, address and the sealed message are sent. If it is not authentic, open throws.
const opened = new TextDecoder().decode(open(key, nonce, sealed, address));

sealed[10] ^= "d".charCodeAt(0) ^ "m".charCodeAt(0); // without the tag, this would change the time of day
let forgery = "opened";
try {
    open(key, nonce, sealed, address);
} catch {
    forgery = "refused";
}
key.fill(0);
console.log(`opened ${JSON.stringify(opened)}; a forgery is ${forgery}`);
