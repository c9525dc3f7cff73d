// SPDX-License-Identifier: Apache-2.0 OR MIT
/** The part of node:fs/promises that the tests use. */

export async function readFile(url) {
    const response = await fetch(url);
    if (!response.ok) {
        throw new Error(`${url}: ${response.status}`);
    }
    return response.text();
}
