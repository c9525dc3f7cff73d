// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Measures ChaCha20-Poly1305 of this package beside that of others, in this Node and in a headless Chromium, and prints tables:
 *
 *     node run.js [CHROMIUM]
 */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";

import { inChromium } from "../tests/browser/chromium.js";
import { measure } from "./measure.js";

const TIMEOUT_MS = 300_000;
const JS = "/bindings/js";

const page = {
    script: `${JS}/bench/page.js`,
    imports: {
        "@noble/ciphers/chacha.js": `${JS}/node_modules/@noble/ciphers/chacha.js`,
        libsodium: `${JS}/bench/node_modules/libsodium/dist/modules-esm/libsodium.mjs`,
        "libsodium-wrappers": `${JS}/bench/node_modules/libsodium-wrappers/dist/modules-esm/libsodium-wrappers.mjs`,
    },
    served: [
        /^\/bindings\/js\/(dist|bench)\/[a-z]+\.js$/,
        /^\/bindings\/js\/node_modules\/@noble\/ciphers\/[a-z0-9_]+\.js$/,
        /^\/bindings\/js\/bench\/node_modules\/libsodium(-wrappers)?\/dist\/modules-esm\/[a-z-]+\.mjs$/,
    ],
};

/** OpenSSL's machine code, which no browser offers. */
const nodeCrypto = {
    name: "node:crypto",
    seal(key, nonce, message) {
        const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 });
        return Buffer.concat([cipher.update(message), cipher.final(), cipher.getAuthTag()]);
    },
    open(key, nonce, sealed) {
        const length = sealed.length - 16;
        const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 });
        decipher.setAuthTag(sealed.subarray(length));
        return Buffer.concat([decipher.update(sealed.subarray(0, length)), decipher.final()]);
    },
};

/** @param {number} number */
function threeDigits(number) {
    return Number(number.toPrecision(3)).toString();
}

function print({ engine, names, rows }) {
    console.log(`\n${engine}; microseconds, and in parentheses the time of ${names[0]} divided by it\n`);
    console.log(`| call | bytes | ${names.join(" | ")} |\n|---|---|${"---|".repeat(names.length)}`);
    for (const { call, length, us } of rows) {
        const cells = us.map((each, i) => threeDigits(each) + (i === 0 ? "" : ` (${(us[0] / each).toFixed(2)})`));
        console.log(`| \`${call}\` | ${length} | ${cells.join(" | ")} |`);
    }
}

/** @param {string} path @returns {Promise<any>} */
async function json(path) {
    return JSON.parse(await readFile(new URL(path, import.meta.url), "utf8"));
}

const pinned = { ...(await json("../package.json")).devDependencies, ...(await json("package.json")).dependencies };
const versions = ["@noble/ciphers", "libsodium-wrappers"].map((name) => `${name} ${pinned[name]}`);
console.log([cpus()[0].model, ...versions].join(", "));
print({ engine: `Node ${process.versions.node}`, ...(await measure([nodeCrypto])) });

const chromium = process.argv[2];
if (chromium === undefined) {
    console.log("\nChromium is missing");
} else {
    const results = await inChromium(chromium, page, TIMEOUT_MS);
    if (results.error !== undefined) {
        throw new Error(results.error);
    }
    print(results);
}
