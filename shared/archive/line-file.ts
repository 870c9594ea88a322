/** Compressed lines: each object of feed and archive is made here, so the same lines give the same bytes. */
import { once } from "node:events";
import { finished, pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGunzip, createGzip, gunzip } from "node:zlib";

/** Without a Content-Encoding, no client decompresses the object behind Athena's back. */
export const COMPRESSED = { contentType: "application/gzip" } as const;

/** Holds the compressed lines in memory; 50,000 events are 3.1 MB (`npm run measure:feed`). */
export const createLineFile = () => {
  // Node.js writes no time into the header of gzip (RFC 1952, MTIME).
  const gzip = createGzip();
  const compressed: Uint8Array[] = [];
  let count = 0;
  gzip.on("data", (chunk: Uint8Array) => compressed.push(chunk));
  return {
    async add(line: string): Promise<void> {
      count++;
      if (!gzip.write(`${line}\n`)) await once(gzip, "drain");
    },

    /** @returns undefined without lines. */
    async end(): Promise<Uint8Array | undefined> {
      gzip.end();
      await finished(gzip);
      return count === 0 ? undefined : Buffer.concat(compressed);
    },
  };
};

const decompress = promisify(gunzip);

/** @throws Error if the bytes are not compressed. */
export const readLines = async (body: AsyncIterable<Uint8Array>): Promise<string[]> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return (await decompress(Buffer.concat(chunks))).toString().split("\n").slice(0, -1);
};

const LINE_END = 10;

/** The number of lines, without holding them in memory. @throws Error if the bytes are not compressed. */
export const countLines = (body: AsyncIterable<Uint8Array>): Promise<number> =>
  pipeline(body, createGunzip(), async (lines: AsyncIterable<Uint8Array>) => {
    let count = 0;
    for await (const chunk of lines)
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) count++;
    return count;
  });
