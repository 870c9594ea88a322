/**
 * Prepares the checkout: installs the dependencies of the lock file if they are missing or have other versions, and
 * checks that the pinned Node is installed. If the lock file has no Node build for the platform, the Node that started
 * npm takes its place. Plain JavaScript without dependencies, because it runs before the installation, on the Node that
 * started npm (20 or newer). Prints nothing if nothing has to be installed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const toolchainNode = join(root, "node_modules", ".bin", "node");

/** The packages that a lock file names, without those that this platform leaves out. */
const packagesOf = (file) => {
  try {
    const { packages } = JSON.parse(readFileSync(join(root, file), "utf8"));
    return Object.entries(packages)
      .filter(([path]) => path !== "")
      .map(([path, { version, optional }]) => ({ path, version, optional }));
  } catch {
    return [];
  }
};

const isInstalled = () => {
  const installed = new Map(packagesOf("node_modules/.package-lock.json").map(({ path, version }) => [path, version]));
  return (
    installed.size > 0 &&
    packagesOf("package-lock.json").every(({ path, version, optional }) =>
      installed.has(path) ? installed.get(path) === version : optional === true,
    )
  );
};

const majorOf = (node) => {
  const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return status === 0 ? Number(stdout.slice(1).split(".")[0]) : 0;
};

const stop = (message) => {
  console.error(message);
  process.exit(1);
};

if (!isInstalled()) {
  console.error("Installing the dependencies (npm ci), which takes about half a minute …");
  const npm = process.env.npm_execpath;
  // Runs on the Node that started npm: npm ci replaces node_modules, which contains the pinned Node.
  const node = process.env.npm_node_execpath ?? process.execPath;
  const { status } =
    npm !== undefined && /\.c?js$/.test(npm)
      ? spawnSync(node, [npm, "ci"], { cwd: root, stdio: ["ignore", 2, 2] })
      : spawnSync("npm", ["ci"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) stop("npm ci failed: its message stands above. Nothing was started.");
}

// The link keeps one path to Node for all scripts. npm ci removes it together with node_modules.
if (!existsSync(toolchainNode) && majorOf(process.execPath) >= 24) symlinkSync(process.execPath, toolchainNode);

if (!existsSync(toolchainNode) || majorOf(toolchainNode) < 24) {
  const platform = `${process.platform}-${process.arch}`;
  const isLocked = packagesOf("package-lock.json").some(({ path }) => path === `node_modules/node-${platform}`);
  stop(
    isLocked
      ? `The package node-${platform} is not installed: ${toolchainNode} is missing. Delete node_modules and try again, ` +
          "without npm's option to omit optional packages."
      : `The lock file has no Node build for ${platform}. Start npm with Node 24 or newer.`,
  );
}
