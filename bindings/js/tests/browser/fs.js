// SPDX-License-Identifier: Apache-2.0 OR MIT
/** What the tests use of node:fs/promises. */

export async function readFile(url) {
    const response = await fetch(url);
    if (!response.ok) {
        throw new Error(`${url}: ${response.status}`);
    }
    return response.text();
}
