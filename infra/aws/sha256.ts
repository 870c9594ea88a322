import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";

/** SHA-256, keyed if a key is given, in the form that `@smithy/signature-v4` takes. */
export class Sha256 {
  readonly #key: Parameters<typeof createHmac>[1] | undefined;
  #hash: Hash | Hmac;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#key = key as Parameters<typeof createHmac>[1] | undefined;
    this.#hash = this.#start();
  }

  #start = () => (this.#key === undefined ? createHash("sha256") : createHmac("sha256", this.#key));

  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }
}
