import { afterEach, beforeEach, jest } from "@jest/globals";

/** Keeps the log lines of what is tested out of the tests' own output. To be called where tests are declared. */
export const quietLog = (): void => {
  beforeEach(() => {
    jest.spyOn(process.stdout, "write").mockImplementation(() => true);
  });
  afterEach(() => void jest.restoreAllMocks());
};
