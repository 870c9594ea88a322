import * as z from "zod/mini";

/** A time in what a cursor holds, epoch ms: a cursor's integers come back as bigints (revive-exactly.ts). */
export const cursorTime = z.pipe(
  z.union([z.bigint(), z.number()]),
  z.transform((time: bigint | number) => Number(time)),
);
