// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Runs the tests in the page, and sends the results to run.js. */

async function run() {
    try {
        for (const name of ["poly1305", "aead", "calls"]) {
            await import(`../${name}.test.js`);
        }
        const { results } = await import("./test.js");
        return await results();
    } catch (error) {
        return { passed: [], failed: [`${error?.stack ?? error}`] };
    }
}

fetch("/results", { method: "POST", body: JSON.stringify(await run()) });
