/** Changed files that wait until a build contains them. */
export type BuildQueue = {
  /** Adds files, and builds all that wait. Resolves after the build, even if it failed. */
  add(files: readonly string[]): Promise<void>;
};

/**
 * One build runs at a time. A file that changes during a build waits for the next one, because the build may have read
 * the file before. The files of a failed build wait again.
 */
export const createBuildQueue = (
  build: (files: readonly string[]) => Promise<void>,
  onError: (error: unknown) => void,
): BuildQueue => {
  const waiting = new Set<string>();
  let last = Promise.resolve();
  const next = async (): Promise<void> => {
    const files = [...waiting];
    waiting.clear();
    if (files.length === 0) return;
    try {
      await build(files);
    } catch (error) {
      for (const file of files) waiting.add(file);
      onError(error);
    }
  };
  return {
    add(files) {
      for (const file of files) waiting.add(file);
      last = last.then(next);
      return last;
    },
  };
};
