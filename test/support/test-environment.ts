/** The environment variables that set how the tests run. */
import { readWholeNumber } from "../../infra/local/start/variables.ts";

const NUMBERS = ["PROPERTY_SEED", "SYNC_RUNS", "SYNC_SEED", "FAULT_CELLS", "EXPORTED_EVENTS"] as const;

/** The number in a variable, or the default if the variable is missing. @throws Error that names the variable. */
export const readTestNumber = (name: (typeof NUMBERS)[number], fallback: number): number =>
  readWholeNumber(process.env, name, { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? fallback;

/** Checks all of them, so that a mistake ends the tests before the first. @throws Error that names the variable. */
export const checkTestEnvironment = (): void => {
  for (const name of NUMBERS) readTestNumber(name, 0);
};
