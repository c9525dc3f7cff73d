// SPDX-License-Identifier: Apache-2.0 OR MIT
/** The part of node:test that the tests use. Tests run one after another. */

const tests = [];

export default function test(name, run) {
    tests.push({ name, run });
}

/** Returns the names of the tests that passed, and the messages of those that failed. */
export async function results() {
    const passed = [];
    const failed = [];
    for (const { name, run } of tests) {
        try {
            await run();
            passed.push(name);
        } catch (error) {
            failed.push(`${name}: ${error?.stack ?? error}`);
        }
    }
    return { passed, failed };
}
