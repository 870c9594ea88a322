import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { changedFiles, readSourceFiles, type SourceFiles } from "./source-files.ts";

/** A save of several files, or a checkout of a branch, counts as one change if no file changes for this long. */
const QUIET_MS = 100;
/** How often files are compared if the system cannot watch folders. */
const POLL_MS = 1_000;

export type SourceWatch = { stop(): void };

/**
 * Calls back with the paths of changed files, once per change.
 *
 * Each folder is watched, not each file: the watch of a file ends when an editor saves by rename, and Node's recursive
 * watch on Linux is built of such watches (https://github.com/nodejs/node/issues/58868). An event only says that
 * something happened; comparing the files says what. If a folder cannot be watched (Linux limits the number of watches:
 * https://man7.org/linux/man-pages/man7/inotify.7.html), files are compared every second.
 * @param since the files that the running code was made from; a change since then is reported at once
 */
export const watchSources = (
  root: string,
  since: SourceFiles,
  onChange: (paths: readonly string[]) => void,
): SourceWatch => {
  const watchers = new Map<string, FSWatcher>();
  let known = since;
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;

  const compare = () => {
    let files: SourceFiles;
    try {
      files = readSourceFiles(root);
    } catch {
      // A folder disappeared while it was read, such as in a checkout: the next event compares again.
      schedule();
      return;
    }
    const changed = changedFiles(known, files);
    known = files;
    watchFolders();
    if (changed.length > 0) onChange(changed);
  };
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(compare, QUIET_MS).unref();
  };
  const unwatch = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const watchFolders = () => {
    const folders = new Set(known.folders);
    for (const folder of watchers.keys()) if (!folders.has(folder)) unwatch(folder);
    for (const folder of folders) {
      if (watchers.has(folder) || poll !== undefined) continue;
      try {
        const watcher = watch(join(root, folder), { persistent: false }, schedule);
        // A removed folder: the next comparison finds whether it exists again.
        watcher.on("error", () => unwatch(folder));
        watchers.set(folder, watcher);
      } catch {
        poll = setInterval(compare, POLL_MS).unref();
      }
    }
  };

  watchFolders();
  schedule();
  return {
    stop() {
      clearTimeout(timer);
      clearInterval(poll);
      for (const folder of [...watchers.keys()]) unwatch(folder);
    },
  };
};
