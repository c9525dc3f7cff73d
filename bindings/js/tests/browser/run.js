// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Runs the tests in a headless Chromium:
 *
 *     node run.js CHROMIUM
 */
import { inChromium } from "./chromium.js";

const TIMEOUT_MS = 120_000;
const HERE = "/bindings/js/tests/browser";

const page = {
    script: `${HERE}/page.js`,
    imports: {
        "hornet-poly1305": "/bindings/js/dist/index.js",
        "node:assert/strict": `${HERE}/assert.js`,
        "node:fs/promises": `${HERE}/fs.js`,
        "node:test": `${HERE}/test.js`,
    },
    served: [
        /^\/bindings\/js\/(dist|tests)\/([a-z]+\/)?[a-z0-9.]+\.js$/,
        /^\/bindings\/js\/package\.json$/,
        /^\/bindings\/go\/internal\/vectors\/wycheproof_[a-z0-9_]+\.txt$/,
        /^\/tests\/vectors\/[a-z0-9_]+\.h$/,
    ],
};

const { passed, failed } = await inChromium(process.argv[2], page, TIMEOUT_MS);
failed.forEach((failure) => console.error(`FAILED ${failure}`));
console.log(`in Chromium, ${passed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 && passed.length !== 0 ? 0 : 1;
