import http from "node:http";
import https from "node:https";

const MAX_BYTES = 256 * 1024;

type Answer = { status: number | undefined; bytes: Buffer };

const get = (url: URL, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === "http:" ? http : https;
    const sent = request(url, { signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_BYTES) sent.destroy(new Error(`${url.host} answered with more than ${MAX_BYTES} bytes`));
      });
      response.once("end", () => resolve({ status: response.statusCode, bytes: Buffer.concat(chunks) }));
      response.once("error", reject);
    });
    sent.once("error", reject).end();
  });

/**
 * Fetches a small document, such as a key set; once more where no answer came (a connection that was kept may have
 * gone stale).
 * @param timeoutMs for each of the two attempts as a whole.
 * @throws Error that says what was in the way; an answer that is not 200 is.
 */
export const fetchDocument = async (url: URL, timeoutMs: number): Promise<ArrayBuffer> => {
  const { status, bytes } = await get(url, timeoutMs).catch(() => get(url, timeoutMs));
  if (status !== 200) throw new Error(`${url.host} answered with status ${status}`);
  return new Uint8Array(bytes).buffer;
};
