// SPDX-License-Identifier: Apache-2.0 OR MIT
// Tags that were received with messages are checked by verify functions, which take the same time for every guess of a forger.
// The keys are examples, of RFC 8439 and of Bernstein's paper.

import { aesVerify, verify } from "hornet-poly1305";

const bytes = (hex) => Buffer.from(hex, "hex");
const verdict = (accepted) => (accepted ? "accepted" : "refused");

// RFC 8439, section 2.5.2: a one-time key, for this message only.
const oneTimeKey = bytes("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
const tag = bytes("a8061dc1305136c6c22b8baf0c0127a9");
const [right, forged] = ["Group", "Croup"].map((word) => {
    const message = Buffer.from(`Cryptographic Forum Research ${word}`);
    return verdict(verify(oneTimeKey, message, tag));
});

// Bernstein 2005, appendix B: k and r, a key for many messages, each with a nonce of its own.
const key = bytes("ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700");
const nonce = bytes("fb447350c4e868c52ac3275cf9d4327e");
const aesTag = bytes("f4c633c3044fc145f84f335cb81953de");
const [aesRight, aesForged] = ["f3f6", "f3f7"].map((hex) => verdict(aesVerify(key, nonce, bytes(hex), aesTag)));
console.log(`one-time key: ${right}, a forgery ${forged}; Poly1305-AES: ${aesRight}, a forgery ${aesForged}`);
