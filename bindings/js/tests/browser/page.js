// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Runs the tests in the page, and sends what came of them to run.js. */

async function run() {
    try {
        await import("../poly1305.test.js");
        const { results } = await import("./test.js");
        return await results();
    } catch (error) {
        return { passed: [], failed: [`${error?.stack ?? error}`] };
    }
}

fetch("/results", { method: "POST", body: JSON.stringify(await run()) });
