// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * The WebAssembly that Cloudflare's tools compile when a Worker is deployed.
 *
 * @module
 */
import module from "./hornet.wasm";

export function compile() {
    return { module, hasVectors: true };
}
