// SPDX-License-Identifier: Apache-2.0 OR MIT
/** What the tests use of node:test; they run in turn. */

const tests = [];

export default function test(name, run) {
    tests.push({ name, run });
}

/** The names of the tests that passed, and what others say. */
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
