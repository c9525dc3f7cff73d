// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Opens a page in a headless Chromium. Its content security policy allows no `eval` and only scripts of this repository. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("../../../../", import.meta.url);
const headers = {
    "content-type": "text/html",
    "content-security-policy":
        "default-src 'none'; connect-src 'self'; script-src 'self' 'nonce-map' 'wasm-unsafe-eval'",
    // An isolated page has a finer clock, of 5 microseconds.
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
};

/**
 * @typedef {object} Page
 * @property {string} script the path of its module, which sends results to /results
 * @property {Record<string, string>} imports the import map
 * @property {RegExp[]} served the paths of files that it may load, from the root of the repository on
 */

/**
 * @param {Page} page
 * @param {(results: any) => void} done
 */
function serve({ script, imports, served }, done) {
    const html = `<!doctype html>
<meta charset="utf-8">
<script type="importmap" nonce="map">${JSON.stringify({ imports })}</script>
<script type="module" src="${script}"></script>
`;
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
            response.writeHead(200, headers);
            response.end(html);
        } else if (served.some((pattern) => pattern.test(path))) {
            const type = /\.m?js$/.test(path) ? "text/javascript" : "text/plain";
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

/**
 * Returns what the page sends.
 *
 * @param {string} command
 * @param {Page} page
 * @param {number} timeoutMs
 */
export async function inChromium(command, page, timeoutMs) {
    const profile = await mkdtemp(join(tmpdir(), "chromium-"));
    let server;
    let chromium;
    let timer;
    try {
        return await new Promise((resolve, reject) => {
            timer = setTimeout(() => reject(new Error("no results in time")), timeoutMs);
            server = serve(page, resolve);
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
