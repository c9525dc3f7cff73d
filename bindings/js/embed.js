// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * Writes a WebAssembly module without its custom sections to FOLDER/hornet.wasm; and to FOLDER/wasm.js in base64, with where
 * the functions that use vectors are, so that src/compile.js can remove them:
 *
 *     node embed.js MODULE.wasm FOLDER
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const CUSTOM_SECTION = 0;
const IMPORT_SECTION = 2;
const CODE_SECTION = 10;
const FUNCTION_NAMES = 1;
const WITH_VECTORS = /_simd128$/;

const [path, folder] = process.argv.slice(2);
const binary = await readFile(path);

/** Reads bytes one after another (WebAssembly Core Specification, chapter 5). */
class Reader {
    /** @param {number} at @param {number} end */
    constructor(at, end) {
        this.at = at;
        this.end = end;
    }

    /** Reads an unsigned number in LEB128. */
    number() {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
            const byte = binary[this.at++];
            value += (byte & 127) * 2 ** shift;
            if (byte < 128) {
                return value;
            }
        }
    }

    /** Reads a length, and returns a reader of as many bytes, which this one skips. */
    part() {
        const length = this.number();
        this.at += length;
        return new Reader(this.at - length, this.at);
    }

    text() {
        const { at, end } = this.part();
        return binary.toString("utf8", at, end);
    }
}

const kept = [binary.subarray(0, 8)];
const bodies = [];
const names = new Map();
for (const sections = new Reader(8, binary.length); sections.at < sections.end;) {
    const begin = sections.at;
    const id = sections.number();
    const section = sections.part();
    if (id === IMPORT_SECTION) {
        throw new Error("imports, which would be numbered before functions");
    } else if (id === CODE_SECTION) {
        for (let count = section.number(); count > 0; count--) {
            bodies.push(section.part());
        }
    } else if (id === CUSTOM_SECTION && section.text() === "name") {
        while (section.at < section.end) {
            const kind = section.number();
            const list = section.part();
            for (let count = kind === FUNCTION_NAMES ? list.number() : 0; count > 0; count--) {
                names.set(list.number(), list.text());
            }
        }
    }
    if (id !== CUSTOM_SECTION) {
        kept.push(binary.subarray(begin, sections.at));
        // Custom sections come last, so that addresses do not change.
        if (Buffer.concat(kept).length !== sections.at) {
            throw new Error("a custom section before others");
        }
    }
}

const withVectors = bodies.filter((_, i) => WITH_VECTORS.test(names.get(i) ?? ""));
if (withVectors.length === 0) {
    throw new Error("no function with vectors");
}

const stripped = Buffer.concat(kept);
await writeFile(join(folder, "hornet.wasm"), stripped);
await writeFile(
    join(folder, "wasm.js"),
    `// SPDX-License-Identifier: Apache-2.0 OR MIT
// Made by build.sh: src/module.c and the library, compiled; and the first byte, and the one after the last, of each
// function body that has vectors.
export const base64 = "${stripped.toString("base64")}";
export const vectorBodies = ${JSON.stringify(withVectors.map(({ at, end }) => [at, end]))};
`,
);
