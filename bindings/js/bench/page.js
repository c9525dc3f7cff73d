// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Measures in the page, and sends the results to run.js. */
let results;
try {
    const { measure } = await import("./measure.js");
    results = {
        engine: /Chrome\/[0-9.]+/.exec(navigator.userAgent)?.[0] ?? navigator.userAgent,
        ...(await measure([])),
    };
} catch (error) {
    results = { error: `${error?.stack ?? error}` };
}
fetch("/results", { method: "POST", body: JSON.stringify(results) });
