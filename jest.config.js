import { isEngineInstalled } from "./infra/local/dynamodb/engine-package.ts";

/** Tests of the embedded engine itself run wherever its package is installed: docs/platforms.md. */
const notRunnable = isEngineInstalled() ? [] : ["\\.engine(\\.deep)?\\.test\\.ts$"];

/**
 * `npm test`: everything but `*.deep.test.ts`; a sample of `*.sampled.test.ts` (test/support/depth.ts).
 * There is no transformer: Node strips the types itself.
 */
export default {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "\\.deep\\.test\\.ts$", ...notRunnable],
  extensionsToTreatAsEsm: [".ts"],
  transform: {},
  globalSetup: "<rootDir>/test/global-setup.ts",
  globalTeardown: "<rootDir>/test/global-teardown.ts",
  cacheDirectory: "<rootDir>/.cache/jest",
  // For runs of the suites whose inputs changed: pages and styles are inputs, too.
  dependencyExtractor: "<rootDir>/test/support/file-inputs.ts",
  moduleFileExtensions: ["js", "mjs", "cjs", "ts", "tsx", "json", "node", "md", "css"],
  modulePathIgnorePatterns: ["<rootDir>/.build", "<rootDir>/.local", "<rootDir>/.cache", "<rootDir>/cdk.out"],
  testSequencer: "<rootDir>/test/support/sequencer.mjs",
  reporters: ["default", "<rootDir>/test/support/slowest-suites.ts"],
  coverageProvider: "v8",
  collectCoverageFrom: ["functions/**/*.ts", "shared/**/*.ts", "infra/**/*.ts"],
  // Tests wait for their functions half of the time, so three workers keep two cores busy.
  maxWorkers: 3,
  // A worker has no open handles at its end, but frees some hundred megabytes. After half a second jest would report a leak.
  workerGracefulExitTimeout: 30_000,
  // Loaded modules stay in a worker's memory. Starting a new worker is faster than garbage collection.
  workerIdleMemoryLimit: "512MB",
  // No test asserts elapsed time. This limit only ends a test that hangs.
  testTimeout: 600_000,
};
