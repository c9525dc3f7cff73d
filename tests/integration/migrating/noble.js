// SPDX-License-Identifier: Apache-2.0 OR MIT
// The calls of docs/migrating.md, "@noble/ciphers". check.py runs this where both packages are installed.

import { poly1305 } from "@noble/ciphers/_poly1305.js";
import * as noble from "@noble/ciphers/chacha.js";
import { equalBytes } from "@noble/ciphers/utils.js";
import * as hornet from "hornet-poly1305";

const bytes = (length, first) => Uint8Array.from({ length }, (_, i) => first + 7 * i);
const [key, nonce, xNonce] = [bytes(32, 1), bytes(12, 50), bytes(24, 60)];
const [aad, message] = [bytes(13, 90), bytes(100, 120)];

function equal(a, b) {
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function same(line, ok) {
    if (!ok) {
        throw new Error(`${line}: another result`);
    }
    console.log(line);
}

function throws(call) {
    try {
        call();
    } catch {
        return true;
    }
    return false;
}

const sealed = noble.chacha20poly1305(key, nonce, aad).encrypt(message);
const unread = hornet.chacha20poly1305(key, new Uint8Array(12).fill(9), aad);
const changing = nonce.slice();
const late = hornet.chacha20poly1305(key, changing, aad);
changing.fill(9);
same(
    "noble.chacha20poly1305(key, nonce, aad).encrypt(message)",
    equal(sealed, hornet.chacha20poly1305(key, nonce, aad).encrypt(message)) &&
        equal(late.encrypt(message), unread.encrypt(message)),
);
const forged = sealed.slice();
forged[115] ^= 1;
same(
    "noble.chacha20poly1305(key, nonce, aad).decrypt(sealed)",
    equal(noble.chacha20poly1305(key, nonce, aad).decrypt(sealed), message) &&
        equal(hornet.chacha20poly1305(key, nonce, aad).decrypt(sealed), message) &&
        throws(() => noble.chacha20poly1305(key, nonce, aad).decrypt(forged)) &&
        throws(() => hornet.chacha20poly1305(key, nonce, aad).decrypt(forged)),
);

const xSealed = noble.xchacha20poly1305(key, xNonce, aad).encrypt(message);
same(
    "noble.xchacha20poly1305(key, xNonce, aad).encrypt(message)",
    equal(xSealed, hornet.xchacha20poly1305(key, xNonce, aad).encrypt(message)) &&
        equal(xSealed, hornet.xSeal(key, xNonce, message, aad)),
);
same(
    "noble.xchacha20poly1305(key, xNonce, aad).decrypt(xSealed)",
    equal(noble.xchacha20poly1305(key, xNonce, aad).decrypt(xSealed), message) &&
        equal(hornet.xchacha20poly1305(key, xNonce, aad).decrypt(xSealed), message) &&
        equal(hornet.xOpen(key, xNonce, xSealed, aad), message),
);

const stream = noble.chacha20(key, nonce, message, undefined, 1);
same(
    "noble.chacha20(key, nonce, message, undefined, 1)",
    equal(stream, hornet.chacha20(key, nonce, message, undefined, 1)) &&
        throws(() => hornet.chacha20(key, nonce.subarray(0, 8), message)),
);
const xStream = noble.xchacha20(key, xNonce, message);
same("noble.xchacha20(key, xNonce, message)", equal(xStream, hornet.xchacha20(key, xNonce, message)));

const tag = poly1305(message, key);
same("poly1305(message, key)", equal(tag, hornet.mac(key, message)));
const wrong = new Uint8Array(16);
same(
    "equalBytes(tag, poly1305(message, key))",
    equalBytes(tag, poly1305(message, key)) &&
        hornet.verify(key, message, tag) &&
        !equalBytes(wrong, tag) &&
        !hornet.verify(key, message, wrong),
);
const pieces = new hornet.Poly1305(key).update(message).digest();
const ended = new hornet.Poly1305(key);
ended.digest();
same(
    "poly1305.create(key).update(message).digest()",
    equal(poly1305.create(key).update(message).digest(), pieces) && throws(() => ended.digest()),
);
