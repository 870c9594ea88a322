/**
 * The files of a page for people, such as /docs: the function `get-<page>` has the page itself, and `get-<page>-asset` its
 * assets. They are compressed here, once, and not by a function.
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** The files of a function's folder, by file name. */
export type FunctionFolder = ReadonlyMap<string, Uint8Array | string>;

export type Page = {
  /** index.html; placeholders that are left are filled by the function (shared/http/). */
  html: string;
  /** The contents by name. A name contains a hash of its content, so browsers keep the asset for good. */
  assets: ReadonlyMap<string, Uint8Array>;
  /** The licences of the packages in the assets, which must accompany them. */
  licences: string;
};

/**
 * The folders of a page's two functions, by function name.
 * @param withBrotli also compresses by Brotli, which is about 15 % smaller than gzip and takes much longer to make
 */
export const pageFolders = (
  name: string,
  { html, assets, licences }: Page,
  { withBrotli }: { withBrotli: boolean },
): ReadonlyMap<string, FunctionFolder> => {
  const files = new Map<string, Uint8Array | string>([["LICENSE.txt", licences]]);
  for (const [asset, contents] of assets) {
    files.set(`${asset}.gz`, gzipSync(contents, { level: 9 }));
    if (withBrotli) {
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
      files.set(`${asset}.br`, brotliCompressSync(contents, { params }));
    }
  }
  return new Map([
    [`get-${name}`, new Map([["index.html", html]])],
    [`get-${name}-asset`, files],
  ]);
};
