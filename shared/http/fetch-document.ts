import http from "node:http";
import https from "node:https";

const MAX_BYTES = 256 * 1024;

const fetchOnce = (url: URL, timeoutMs: number): Promise<ArrayBuffer> =>
  new Promise((resolve, reject) => {
    const { get } = url.protocol === "http:" ? http : https;
    const request = get(url, { signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      const { statusCode } = response;
      if (statusCode !== 200) return void request.destroy(new Error(`${url.host} answered with status ${statusCode}`));
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_BYTES) request.destroy(new Error(`${url.host} answered with more than ${MAX_BYTES} bytes`));
      });
      response.once("end", () => resolve(new Uint8Array(Buffer.concat(chunks)).buffer));
      response.once("error", reject);
    });
    request.once("error", reject);
  });

/**
 * Fetches a small document, such as a key set; once more at once if that fails (a kept connection may have gone stale).
 * @param timeoutMs for each of the two attempts as a whole.
 * @throws Error that says what was in the way; anything but a 200 is.
 */
export const fetchDocument = (url: URL, timeoutMs: number): Promise<ArrayBuffer> =>
  fetchOnce(url, timeoutMs).catch(() => fetchOnce(url, timeoutMs));
