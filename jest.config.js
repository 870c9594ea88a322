/** Node strips the types itself, so there is no transformer. An HTTP test file starts a local cloud of its own. */
export default {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Minutes of waiting for real time-outs and retries: `npm run test:provider`.
  testPathIgnorePatterns: ["/node_modules/", "/test/http/other-provider"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {},
  globalSetup: "<rootDir>/test/global-setup.ts",
  globalTeardown: "<rootDir>/test/global-teardown.ts",
  cacheDirectory: "<rootDir>/.cache/jest",
  modulePathIgnorePatterns: ["<rootDir>/.build", "<rootDir>/.local", "<rootDir>/.cache", "<rootDir>/cdk.out"],
  coverageProvider: "v8",
  collectCoverageFrom: ["functions/**/*.ts", "shared/**/*.ts", "infra/**/*.ts"],
  // Each waits for its functions half of the time: three keep two cores busy.
  maxWorkers: 3,
  // Modules that a file loaded stay in their process: a fresh one takes over before collecting them takes longer than tests.
  workerIdleMemoryLimit: "512MB",
  // Nothing is asserted on elapsed time; this only ends what hangs, on a machine that may be busy.
  testTimeout: 120_000,
};
