// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Runs the tests in a headless Chromium, in a page whose content security policy allows no `eval` and only its own scripts:
 *
 *     node run.js CHROMIUM
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TIMEOUT_MS = 120_000;
const HERE = "/bindings/js/tests/browser";
const SERVED = [
    /^\/bindings\/js\/(dist|tests)\/([a-z]+\/)?[a-z0-9.]+\.js$/,
    /^\/bindings\/js\/package\.json$/,
    /^\/bindings\/go\/internal\/vectors\/wycheproof_[a-z0-9_]+\.txt$/,
    /^\/tests\/vectors\/[a-z0-9_]+\.h$/,
];
const root = new URL("../../../../", import.meta.url);

const imports = {
    "hornet-poly1305": "/bindings/js/dist/index.js",
    "node:assert/strict": `${HERE}/assert.js`,
    "node:fs/promises": `${HERE}/fs.js`,
    "node:test": `${HERE}/test.js`,
};
const page = `<!doctype html>
<meta charset="utf-8">
<script type="importmap" nonce="map">${JSON.stringify({ imports })}</script>
<script type="module" src="${HERE}/page.js"></script>
`;
const policy = "default-src 'none'; connect-src 'self'; script-src 'self' 'nonce-map' 'wasm-unsafe-eval'";

/** @param {(results: {passed: string[], failed: string[]}) => void} done */
function serve(done) {
    return createServer(async (request, response) => {
        const path = request.url ?? "";
        if (request.method === "POST" && path === "/results") {
            let body = "";
            for await (const chunk of request.setEncoding("utf8")) {
                body += chunk;
            }
            response.end();
            done(JSON.parse(body));
        } else if (path === "/") {
            response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy });
            response.end(page);
        } else if (SERVED.some((served) => served.test(path))) {
            const type = path.endsWith(".js") ? "text/javascript" : "text/plain";
            response.writeHead(200, { "content-type": type });
            response.end(await readFile(new URL(`.${path}`, root)));
        } else {
            response.writeHead(404).end();
        }
    });
}

/** Ends all processes of Chromium, and waits until they have ended. */
async function end(chromium) {
    if (chromium.exitCode === null && chromium.signalCode === null) {
        const ended = new Promise((resolve) => chromium.once("exit", resolve));
        process.kill(-chromium.pid, "SIGKILL");
        await ended;
    }
}

async function main(command) {
    const profile = await mkdtemp(join(tmpdir(), "chromium-"));
    let server;
    let chromium;
    let timer;
    try {
        return await new Promise((resolve, reject) => {
            timer = setTimeout(() => reject(new Error("no results in time")), TIMEOUT_MS);
            server = serve(resolve);
            server.listen(0, "127.0.0.1", () => {
                const options = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run"];
                options.push("--disable-background-networking", "--disable-component-update", "--disable-sync");
                if (process.getuid?.() === 0) {
                    options.push("--no-sandbox"); // Chromium's sandbox does not work for root
                }
                options.push(`--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`);
                chromium = spawn(command, options, { detached: true, stdio: ["ignore", "ignore", "inherit"] });
                chromium.once("error", reject);
                chromium.once("exit", (code, signal) => reject(new Error(`${command} has ended: ${code ?? signal}`)));
            });
        });
    } finally {
        clearTimeout(timer);
        if (chromium?.pid !== undefined) {
            await end(chromium);
        }
        server.close();
        server.closeAllConnections();
        await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
}

const { passed, failed } = await main(process.argv[2]);
failed.forEach((failure) => console.error(`FAILED ${failure}`));
console.log(`in Chromium, ${passed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 && passed.length !== 0 ? 0 : 1;
