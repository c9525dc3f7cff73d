// SPDX-License-Identifier: Apache-2.0 OR MIT
// Seals a file in chunks of 64 KiB, or opens it. Sealing creates the key, which serves one text. Nothing is written that was not
// verified, and a file gets its name when it is complete.

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { open, seal } from "hornet-poly1305";

const CHUNK_BYTES = 65536;
const TAG_BYTES = 16;

function readChunk(file, length) {
    const chunk = Buffer.alloc(length);
    let filled = 0;
    for (let n = -1; n !== 0; filled += n) {
        n = fs.readSync(file, chunk, filled, length - filled, null);
    }
    return chunk.subarray(0, filled);
}

/** Yields each chunk with its nonce: its number and whether it is the last (c2sp.org/age, "Payload"). */
function* chunks(file, length) {
    let chunk = readChunk(file, length);
    for (let number = 0n, last = 0; !last; number++) {
        const following = readChunk(file, length);
        last = Number(following.length === 0);
        const nonce = Buffer.alloc(12, last);
        nonce.fill(0, 0, 11).writeBigUInt64BE(number, 3);
        yield [nonce, chunk];
        chunk = following;
    }
}

const [command, keyName, fromName, toName] = process.argv.slice(2);
const incomplete = `${toName}.${randomBytes(8).toString("hex")}`;
try {
    if (process.argv.length !== 6 || (command !== "seal" && command !== "open")) {
        throw new Error("usage: files seal|open KEY FROM TO");
    }
    const from = fs.openSync(fromName);
    const key = command === "seal" ? randomBytes(32) : fs.readFileSync(keyName);
    if (command === "seal") {
        fs.writeFileSync(keyName, key, { flag: "wx", mode: 0o600 }); // no key is used again
    }
    const to = fs.openSync(incomplete, "wx", 0o600);
    const convert = command === "seal" ? seal : open; // which throws if a chunk is not authentic
    let count = 0;
    for (const [nonce, chunk] of chunks(from, command === "seal" ? CHUNK_BYTES : CHUNK_BYTES + TAG_BYTES)) {
        const converted = convert(key, nonce, chunk);
        fs.writeFileSync(to, converted);
        count += Math.min(chunk.length, converted.length);
    }
    fs.fsyncSync(to);
    fs.renameSync(incomplete, toName);
    console.log(`${command}: ${count} bytes`);
} catch (error) {
    fs.rmSync(incomplete, { force: true });
    console.error(`${fromName}: ${error.message}`);
    process.exitCode = 1;
}
