import { afterEach, beforeEach, jest } from "@jest/globals";

/** Hides the log lines of the tested code. Call it at the top level of a test file. */
export const quietLog = (): void => {
  beforeEach(() => {
    jest.spyOn(process.stdout, "write").mockImplementation(() => true);
  });
  afterEach(() => void jest.restoreAllMocks());
};
