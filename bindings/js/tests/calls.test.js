// SPDX-License-Identifier: Apache-2.0 OR MIT
/** The rules for every function of the package: which arguments it refuses, what it leaves unchanged, and what it wipes. */
import assert from "node:assert/strict";
import test from "node:test";

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
    xOpen,
    xSeal,
    xchacha20,
    xchacha20poly1305,
} from "hornet-poly1305";

import { memory, wasm } from "../dist/module.js";
import { chacha20Poly1305, concat, hex, poly1305, pseudorandom, unhex } from "./reference.js";

const WINDOW = wasm.window_bytes();
const STACK_END = wasm.__stack_pointer.value;
const EMPTY = new Uint8Array(0);
const ONES = new Uint8Array(16).fill(0xff);
const ZEROS = new Uint8Array(16);

/** Every function, and the lengths of its arguments; null means any length. */
const calls = [
    [mac, { key: 32, message: null }],
    [verify, { key: 32, message: null, tag: 16 }],
    [aesMac, { key: 32, nonce: 16, message: null }],
    [aesVerify, { key: 32, nonce: 16, message: null, tag: 16 }],
    [aesKey, { random: 32 }],
    [(key) => new Poly1305(key), { key: 32 }],
    [Poly1305.aes, { key: 32, nonce: 16 }],
    [(data) => new Poly1305(new Uint8Array(32)).update(data), { data: null }],
    [(tag) => new Poly1305(new Uint8Array(32)).verify(tag), { tag: 16 }],
    [seal, { key: 32, nonce: 12, message: null, aad: null }],
    [open, { key: 32, nonce: 12, sealed: null, aad: null }],
    [xSeal, { key: 32, nonce: 24, message: null, aad: null }],
    [xOpen, { key: 32, nonce: 24, sealed: null, aad: null }],
    [chacha20, { key: 32, nonce: 12, data: null }],
    [xchacha20, { key: 32, nonce: 24, data: null }],
    [(output) => chacha20(new Uint8Array(32), new Uint8Array(12), ONES, output), { output: 16 }],
    [chacha20poly1305, { key: 32, nonce: 12, aad: null }],
    [xchacha20poly1305, { key: 32, nonce: 24, aad: null }],
    [(plaintext) => anyCipher().encrypt(plaintext), { plaintext: null }],
    [(ciphertext) => anyCipher().decrypt(ciphertext), { ciphertext: null }],
    [(output) => anyCipher().encrypt(ONES, output), { output: 32 }],
    [(output) => anyCipher().decrypt(concat(ONES, ONES), output), { output: 16 }],
    [(key, nonce) => new ChaCha20Poly1305(key, nonce), { key: 32, nonce: 12 }],
    [ChaCha20Poly1305.xchacha20, { key: 32, nonce: 24 }],
    [(data) => anyPieces().aad(data), { data: null }],
    [(data) => anyPieces().encrypt(data), { data: null }],
    [(data) => anyPieces().decrypt(data), { data: null }],
    [(tag) => anyPieces().verify(tag), { tag: 16 }],
];

function anyCipher() {
    return chacha20poly1305(new Uint8Array(32), new Uint8Array(12));
}

function anyPieces() {
    return new ChaCha20Poly1305(new Uint8Array(32), new Uint8Array(12));
}

/** Calls `use(call, name, length)` for each argument of each function; `call(value)` passes `value` as this argument. */
function eachArgument(use) {
    for (const [call, lengths] of calls) {
        Object.keys(lengths).forEach((name, i) => {
            const values = Object.values(lengths).map((length) => new Uint8Array(length ?? 5));
            const callWith = (value) => {
                values[i] = value;
                call(...values);
            };
            use(callWith, name, lengths[name]);
        });
    }
}

test("what is no Uint8Array is refused, and named", () => {
    const fake = { length: 32, byteLength: 32, buffer: new ArrayBuffer(32), [Symbol.toStringTag]: "Uint8Array" };
    const kinds = [
        [undefined, "undefined"],
        [null, "null"],
        [7, "number"],
        ["0".repeat(32), "string"],
        [Array(32).fill(0), "Array"],
        [new ArrayBuffer(32), "ArrayBuffer"],
        [new DataView(new ArrayBuffer(32)), "DataView"],
        [new Uint8ClampedArray(32), "Uint8ClampedArray"],
        [new Uint16Array(16), "Uint16Array"],
        [fake, "Uint8Array"],
        [new Proxy(new Uint8Array(32), {}), "Object"],
        [Object.setPrototypeOf({ length: 32 }, Uint8Array.prototype), "Object"],
        [() => 0, "function"],
    ];
    eachArgument((call, name) => {
        // These arguments are optional, and may be undefined.
        const refused = name === "aad" || name === "output" ? kinds.slice(1) : kinds;
        for (const [value, kind] of refused) {
            assert.throws(() => call(value), {
                name: "TypeError",
                message: new RegExp(`^${name}: expected a Uint8Array, got ${kind}$`),
            });
        }
    });
});

test("a wrong length is refused, and named", () => {
    eachArgument((call, name, length) => {
        if (length !== null) {
            for (const wrong of [0, 1, length - 1, length + 1, 2 * length]) {
                assert.throws(() => call(new Uint8Array(wrong)), {
                    name: "RangeError",
                    message: new RegExp(`^${name}: expected ${length} bytes, got ${wrong}$`),
                });
            }
        }
    });
});

test("a detached buffer is refused, and not taken for no bytes", () => {
    eachArgument((call, name, length) => {
        const bytes = new Uint8Array(length ?? 32);
        structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
        const error = { name: "TypeError", message: new RegExp(`^${name}: its buffer is detached`) };
        assert.throws(() => call(bytes), error);
        const resizable = new ArrayBuffer(40, { maxByteLength: 64 });
        if (resizable.resizable) {
            const outside = new Uint8Array(resizable, 8, length ?? 32);
            resizable.resize(10);
            assert.throws(() => call(outside), error);
        }
    });
});

test("subclasses, other realms, views and shared memory; what a subclass says of itself is not asked", async () => {
    class Lying extends Uint8Array {
        get length() {
            return 1;
        }
        get byteLength() {
            return 2;
        }
        get byteOffset() {
            return 3;
        }
        get buffer() {
            throw new Error("asked");
        }
        set() {
            throw new Error("asked");
        }
        subarray() {
            throw new Error("asked");
        }
        get [Symbol.toStringTag]() {
            return "Lying";
        }
        static get [Symbol.species]() {
            throw new Error("asked");
        }
    }
    const key = pseudorandom(32, 11);
    const nonce = pseudorandom(12, 11);
    for (const length of [0, 50, WINDOW + 7]) {
        const message = pseudorandom(length, 12);
        const tag = hex(poly1305(key, message));
        const outer = new Uint8Array(length + 9);
        outer.set(message, 5);
        const shared = new Uint8Array(
            new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer,
            3,
            length,
        );
        shared.set(message);
        const same = [Lying.from(message), outer.subarray(5, length + 5), shared];
        if (typeof process !== "undefined") {
            const { runInNewContext } = await import("node:vm");
            same.push(Buffer.from(message), runInNewContext("Uint8Array").from(message));
        }
        for (const other of same) {
            assert.equal(hex(mac(key, other)), tag);
            assert.equal(hex(new Poly1305(Lying.from(key)).update(other).digest()), tag);
            assert.equal(verify(Lying.from(key), other, Lying.from(unhex(tag))), true);

            const sealed = Lying.from(chacha20Poly1305(key, nonce, message, message));
            assert.equal(hex(seal(Lying.from(key), Lying.from(nonce), other, other)), hex(sealed));
            assert.equal(hex(open(Lying.from(key), Lying.from(nonce), sealed, other)), hex(message));
            const cipher = chacha20poly1305(key, nonce, other);
            const into = new Lying(length + 16);
            assert.equal(cipher.encrypt(other, into), into);
            assert.equal(hex(into), hex(sealed));
            assert.equal(hex(cipher.decrypt(into, new Lying(length))), hex(message));
            const streamed = new Lying(length);
            assert.equal(chacha20(Lying.from(key), Lying.from(nonce), other, streamed, 1), streamed);
            assert.equal(hex(streamed), hex(sealed).slice(0, 2 * length));
            const pieces = new ChaCha20Poly1305(key, nonce).aad(other);
            assert.equal(hex(concat(pieces.encrypt(other), pieces.digest())), hex(sealed));
        }
    }
});

test("arguments stay as they are, and each tag is an array of its own", () => {
    const key = pseudorandom(32, 13);
    const message = pseudorandom(WINDOW + 100, 14);
    const before = hex(key) + hex(message);
    const tag = mac(key, message);
    const copy = hex(tag);
    mac(pseudorandom(32, 15), message);
    assert.equal(hex(tag), copy);
    assert.equal(tag.constructor, Uint8Array);
    assert.equal(tag.buffer.byteLength, 16);
    assert.equal(hex(key) + hex(message), before);

    const nonce = pseudorandom(12, 14);
    const sealed = seal(key, nonce, message);
    const cipher = chacha20poly1305(key, nonce);
    const pieces = new ChaCha20Poly1305(key, nonce);
    for (const [result, length] of [
        [sealed, message.length + 16],
        [open(key, nonce, sealed), message.length],
        [cipher.encrypt(message), message.length + 16],
        [cipher.decrypt(sealed), message.length],
        [pieces.encrypt(message), message.length],
        [pieces.digest(), 16],
        [open(key, nonce, seal(key, nonce, EMPTY)), 0],
    ]) {
        assert.equal(result.constructor, Uint8Array);
        assert.equal(result.length, length);
        assert.equal(result.buffer.byteLength, length);
    }
    assert.equal(hex(sealed), hex(seal(key, nonce, message)));
    assert.equal(hex(key) + hex(message), before);
});

test("an error leaves a message as it was", () => {
    const key = pseudorandom(32, 16);
    const message = pseudorandom(70, 17);
    const pieces = new Poly1305(key).update(message.subarray(0, 33));
    assert.throws(() => pieces.update("more"), { name: "TypeError", message: /^data/ });
    assert.throws(() => pieces.verify(new Uint8Array(15)), { name: "RangeError", message: /^tag/ });
    assert.equal(hex(pieces.update(message.subarray(33)).digest()), hex(poly1305(key, message)));
});

test("a message that has ended is refused", () => {
    const key = pseudorandom(32, 18);
    const ends = [
        (pieces) => pieces.digest(),
        (pieces) => pieces.verify(ZEROS),
        (pieces) => pieces.verify(mac(key, EMPTY)),
        (pieces) => pieces.wipe(),
    ];
    for (const end of ends) {
        const pieces = new Poly1305(key);
        end(pieces);
        for (const call of [() => pieces.update(EMPTY), () => pieces.digest(), () => pieces.verify(ZEROS)]) {
            assert.throws(call, { name: "Error", message: /^Poly1305: the message has ended$/ });
        }
        pieces.wipe();
    }
    for (const end of ends) {
        const pieces = anyPieces();
        end(pieces);
        const calls = ["aad", "encrypt", "decrypt", "digest", "verify"].map((name) => () => pieces[name](ZEROS));
        for (const call of calls) {
            assert.throws(call, { name: "Error", message: /^ChaCha20Poly1305: the message has ended$/ });
        }
        pieces.wipe();
    }
});

/** Returns calls of every function, with bytes from this seed. */
function everything(seed, length) {
    const key = pseudorandom(32, seed);
    const both = aesKey(pseudorandom(32, seed + 1));
    const message = pseudorandom(length, seed + 2);
    const some = pseudorandom(16, seed + 3);
    const nonce = pseudorandom(12, seed + 4);
    const extended = pseudorandom(24, seed + 5);
    const sealed = seal(key, nonce, message, message);
    const notAuthentic = { name: "Error", message: /not authentic/ };
    return [
        () => aesKey(key),
        () => mac(key, message),
        () => verify(key, message, some),
        () => verify(key, message, mac(key, message)),
        () => aesMac(both, some, message),
        () => aesVerify(both, some, message, some),
        () => new Poly1305(key),
        () => Poly1305.aes(both, some),
        () => new Poly1305(key).update(message).update(message),
        () => new Poly1305(key).update(message).digest(),
        () => new Poly1305(key).update(message).verify(some),
        () => seal(key, nonce, message, message),
        () => open(key, nonce, sealed, message),
        () => xSeal(key, extended, message),
        () => assert.throws(() => open(key, nonce, sealed, some), notAuthentic),
        () => assert.throws(() => xOpen(key, extended, sealed, message), notAuthentic),
        () => chacha20(key, nonce, message),
        () => xchacha20(key, extended, message, new Uint8Array(length), 3),
        () => chacha20poly1305(key, nonce, message).encrypt(message, new Uint8Array(length + 16)),
        () => chacha20poly1305(key, nonce, message).decrypt(sealed, new Uint8Array(length)),
        () => new ChaCha20Poly1305(key, nonce),
        () => ChaCha20Poly1305.xchacha20(key, extended).aad(message),
        () => new ChaCha20Poly1305(key, nonce).encrypt(message),
        () => new ChaCha20Poly1305(key, nonce).decrypt(message),
        () => new ChaCha20Poly1305(key, nonce).digest(),
        () => new ChaCha20Poly1305(key, nonce).verify(some),
        () =>
            assert.throws(() => aesMac(concat(key.subarray(0, 16), ONES), some, message), {
                name: "RangeError",
                message: /clamped/,
            }),
    ];
}

test("the memory holds nothing of keys, messages and tags after any call", () => {
    everything(1, 100).forEach((call) => call()); // the choice of a kernel remains in the memory from the first call on
    const before = memory.slice();
    const changed = () => memory.findIndex((byte, at) => byte !== before[at]);
    for (const length of [0, 5, 16, 100, 1000, WINDOW / 2 - 16, WINDOW, WINDOW + 1, 2 * WINDOW + 100]) {
        everything(20 + length, length).forEach((call, i) => {
            call();
            assert.equal(changed(), -1, `call ${i}, ${length} bytes`);
        });
    }
    // Secrets that are not wiped must be noticed.
    memory.set(pseudorandom(32, 19), wasm.key());
    wasm.aes_init();
    memory.fill(0, wasm.state(), wasm.window() + WINDOW);
    assert.ok(changed() !== -1 && changed() < STACK_END, "AES has left nothing on the stack");
    mac(new Uint8Array(32), EMPTY);
    assert.equal(changed(), -1);
});

test("the state of a message is wiped when it ends", () => {
    const { slice } = Uint8Array.prototype;
    const key = aesKey(pseudorandom(32, 20));
    const data = pseudorandom(1000, 21);
    const macs = [() => new Poly1305(key), () => Poly1305.aes(key, ZEROS)];
    const aeads = [() => anyPieces().aad(data), () => ChaCha20Poly1305.xchacha20(key, new Uint8Array(24))];
    const wipes = (pieces) => pieces.wipe();
    const digests = (pieces) => pieces.digest();
    const verifies = (pieces) => pieces.verify(ZEROS);
    const all = [
        ...[digests, verifies, wipes].map((end) => [macs, (pieces) => pieces.update(data), end, wasm.state_bytes()]),
        ...[digests, wipes].map((end) => [aeads, (pieces) => pieces.encrypt(data), end, wasm.aead_state_bytes()]),
        ...[verifies, wipes].map((end) => [aeads, (pieces) => pieces.decrypt(data), end, wasm.aead_state_bytes()]),
    ];
    for (const [makes, go, end, bytes] of all) {
        for (const make of makes) {
            // States are created by slice; the last one of this length is the state of this message.
            let state = EMPTY;
            Uint8Array.prototype.slice = function (...range) {
                const copy = slice.apply(this, range);
                state = copy.length === bytes ? copy : state;
                return copy;
            };
            const pieces = make();
            delete Uint8Array.prototype.slice;
            go(pieces);
            assert.equal(state.length, bytes);
            assert.ok(state.some((byte) => byte !== 0));
            end(pieces);
            assert.ok(state.every((byte) => byte === 0));
        }
    }
});

// A shorter message is opened in the memory of the WebAssembly, which an earlier test compares.
test("a message that exceeds the window, is opened and not returned is wiped", () => {
    const { fill } = Uint8Array.prototype;
    const key = pseudorandom(32, 24);
    const nonce = pseudorandom(12, 24);
    for (const length of [WINDOW - 15, WINDOW + 1, 2 * WINDOW]) {
        const message = pseudorandom(length, 25);
        const sealed = seal(key, nonce, message);
        const forged = sealed.slice();
        forged[length] ^= 1;
        const opens = [
            () => assert.throws(() => open(key, nonce, forged), { name: "Error", message: /^sealed: not authentic/ }),
            () => chacha20poly1305(key, nonce).decrypt(sealed, new Uint8Array(length)),
        ];
        for (const opened of opens) {
            const wiped = [];
            Uint8Array.prototype.fill = function (...values) {
                wiped.push([this, hex(this)]);
                return fill.apply(this, values);
            };
            opened();
            delete Uint8Array.prototype.fill;
            const [copy] = wiped.find(([, before]) => before === hex(message)) ?? [];
            assert.ok(copy !== undefined, `${length} bytes are not wiped`);
            assert.ok(copy.every((byte) => byte === 0));
        }
    }
});

test("JavaScript's stack may end within any call", () => {
    const key = aesKey(pseudorandom(32, 22));
    const message = pseudorandom(300, 23);
    const good = hex(mac(key, message));
    const goodAes = hex(aesMac(key, ZEROS, message));
    const nonce = pseudorandom(24, 22);
    const sealed = xSeal(key, nonce, message);
    const before = memory.slice();
    const pieces = new Poly1305(key);
    let taken = 0;
    for (let words = 0; words < 40; words++) {
        let refused = 0;
        const last = taken + 5;
        // Try at the deepest call first, where the stack has no room, and then further up, until there is room. The first
        // call needs most stack: it may fail after it has begun to use the module's own stack. The calls in between differ in
        // their stack usage.
        const descend = (...padding) => {
            try {
                descend(...padding);
            } catch (error) {
                assert.equal(error.name, "RangeError");
            }
            if (taken < last) {
                try {
                    const aes = aesMac(key, ZEROS, message);
                    assert.equal(hex(mac(key, message)) + hex(aes), good + goodAes);
                    assert.equal(hex(xSeal(key, nonce, xOpen(key, nonce, sealed))), hex(sealed));
                    pieces.update(message);
                    taken++;
                } catch (error) {
                    assert.equal(error.name, "RangeError");
                    refused++;
                }
            }
        };
        descend(...Array(words).fill(0));
        assert.ok(refused > 0);
        assert.equal(taken, last);
        mac(key, EMPTY);
        assert.equal(wasm.__stack_pointer.value, STACK_END);
        assert.equal(
            memory.findIndex((byte, at) => byte !== before[at]),
            -1,
        );
    }
    assert.equal(hex(pieces.digest()), hex(poly1305(key, concat(...Array(taken).fill(message)))));
});
