import type { IncomingMessage } from "node:http";

const MAX_FORM_BYTES = 1_048_576;

/** The form that a request carries, empty where it has none; undefined where the client went away, or sent too much. */
export const readForm = async (message: IncomingMessage): Promise<URLSearchParams | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message) {
      size += chunk.length;
      if (size > MAX_FORM_BYTES) {
        message.socket.destroy();
        return undefined;
      }
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
};
