import { it } from "@jest/globals";
import { isDeep } from "./depth.ts";

const leftOut = Object.assign(() => undefined, { each: () => () => undefined });

/** `it` for a test of a `*.sampled.test.ts` that only `npm run test:deep` runs. */
export const deepIt = isDeep ? it : (leftOut as unknown as typeof it);
