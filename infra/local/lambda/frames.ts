/** One message to or from an instance: 4 bytes of length (big-endian), then JSON in UTF-8. */
export const encodeFrame = (message: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(message), "utf8");
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(text.length, 0);
  return Buffer.concat([length, text]);
};

/** Takes bytes as they come and calls back with each whole message, parsed. */
export const createFrameReader = (onMessage: (message: unknown) => void): ((chunk: Buffer) => void) => {
  let chunks: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (size < 4) return;
      const [first] = chunks;
      const head = first !== undefined && first.length >= 4 ? first : Buffer.concat(chunks);
      const end = 4 + head.readUInt32BE(0);
      if (size < end) return;
      const bytes = Buffer.concat(chunks);
      chunks = [bytes.subarray(end)];
      size -= end;
      onMessage(JSON.parse(bytes.toString("utf8", 4, end)));
    }
  };
};
