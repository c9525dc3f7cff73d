// SPDX-License-Identifier: Apache-2.0 OR MIT
// Packets of a connection. The nonce is the packet's number xor the connection's IV, as in TLS 1.3 and QUIC.

import { randomBytes } from "node:crypto"; // elsewhere: crypto.getRandomValues(new Uint8Array(32))
import { open, seal } from "hornet-poly1305";

// One direction of the connection has a key; the other has another.
const key = randomBytes(32);
const iv = randomBytes(12);
const header = Buffer.from("version 1"); // authenticated, not encrypted

/** Returns the nonce of a packet (RFC 8446, section 5.3). No number is used twice. */
function nonceOf(number) {
    const nonce = Buffer.from(iv);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ BigInt(number), 4);
    return nonce;
}

const text = Buffer.alloc(1200, "a");
const packets = Array.from({ length: 48 }, (_, number) => seal(key, nonceOf(number), text, header));

packets[7][0] ^= 1; // changed in transit

let opened = 0;
const refused = [];
for (const [number, packet] of packets.entries()) {
    try {
        opened += text.equals(open(key, nonceOf(number), packet, header));
    } catch {
        refused.push(number);
    }
}
key.fill(0);
console.log(`${packets.length} packets: ${opened} opened, packet ${refused} refused`);
