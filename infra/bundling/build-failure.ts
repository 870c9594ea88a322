import type { BuildFailure, PartialMessage } from "esbuild";

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && "errors" in error;

/** One sentence that begins with the place: `shared/plants/plant.ts:12:5: Expected ";" but found "name"`. */
export const describeMessage = ({ text = "", location }: PartialMessage): string =>
  location === null || location === undefined
    ? text
    : `${location.file}:${location.line}:${(location.column ?? 0) + 1}: ${text}`;

/** An esbuild failure as an error with one sentence per problem; any other error as it is. */
export const toBuildError = (error: unknown, describe = describeMessage): unknown =>
  isBuildFailure(error) ? new Error(error.errors.map(describe).join("\n")) : error;
