// SPDX-License-Identifier: Apache-2.0 OR MIT
/** The part of node:assert/strict that the tests use. */

function fail(message) {
    throw new Error(message);
}

function ok(value, message) {
    if (!value) {
        fail(message ?? `${value} is not true`);
    }
}

function equal(actual, expected, message) {
    ok(Object.is(actual, expected), `${message ?? "equal"}: ${String(actual)} is not ${String(expected)}`);
}

function throws(call, { name, message }) {
    let thrown;
    try {
        call();
    } catch (error) {
        thrown = error;
    }
    ok(thrown !== undefined, `nothing thrown, expected ${name}: ${message}`);
    equal(thrown.name, name, thrown.message);
    ok(message.test(thrown.message), `${thrown.message} is not ${message}`);
}

export default { equal, ok, throws };
