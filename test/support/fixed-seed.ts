/**
 * Fixes the seed of the properties in a test file that imports it, so that every run tries the same inputs.
 * `PROPERTY_SEED=7 npm test` tries others.
 */
import fc from "fast-check";
import { readTestNumber } from "./test-environment.ts";

const DEFAULT_SEED = 20_261_122;

export const fixedSeed = readTestNumber("PROPERTY_SEED", DEFAULT_SEED);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fixedSeed });
