import base from "./jest.config.js";

// Read by test/support/depth.ts, also in jest's workers.
process.env.TEST_DEPTH = "deep";

/** `npm run test:deep`: the suites that `npm test` samples, in full, and the slow ones that it leaves out. */
export default {
  ...base,
  testMatch: ["<rootDir>/test/**/*.{sampled,deep}.test.ts"],
  testPathIgnorePatterns: base.testPathIgnorePatterns.filter((pattern) => !pattern.includes("\\.deep\\.test")),
};
