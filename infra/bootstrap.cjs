/**
 * Prepares the checkout: installs the dependencies of the lock file if they are missing or have other versions, and
 * checks that the pinned Node is installed. If the lock file has no Node build for the platform, the Node that started
 * npm takes its place. Plain JavaScript without dependencies, because it runs before the installation, on the Node that
 * started npm (20 or newer). Prints nothing if nothing has to be installed.
 */
const { spawnSync } = require("node:child_process");
const { existsSync, readFileSync, realpathSync, symlinkSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..");
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
  if (realpathSync(node) === process.execPath) return Number(process.versions.node.split(".")[0]);
  const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return status === 0 ? Number(stdout.slice(1).split(".")[0]) : 0;
};

const stop = (message) => {
  console.error(message);
  process.exit(1);
};

/** Codes of npm's errors, and what to do about them. */
const NETWORK = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|E?TIMEDOUT|ENOTCACHED)\b/;
const FILES = /\b(EACCES|EPERM|EROFS|ENOSPC)\b/;

const explain = (output) => {
  const network = NETWORK.exec(output)?.[1];
  if (network !== undefined)
    return `npm cannot reach the package registry (${network}): connect to the network, and run the command again`;
  const files = FILES.exec(output)?.[1];
  if (files !== undefined)
    return `npm cannot write ${join(root, "node_modules")} or its cache (${files}): allow it for this user, or free some space`;
  return `${output.trim()}\nnpm ci failed: its message stands above, and nothing was started`;
};

const install = () => {
  const count = packagesOf("package-lock.json").filter(({ optional }) => optional !== true).length;
  console.error(`Installing ${count} packages (npm ci), which takes about half a minute …`);
  const start = Date.now();
  // The lock file has the hash of each package, so a cached one needs no question to the registry.
  const args = ["ci", "--prefer-offline", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];
  const npm = process.env.npm_execpath;
  // Runs on the Node that started npm: npm ci replaces node_modules, which contains the pinned Node.
  const node = process.env.npm_node_execpath ?? process.execPath;
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] };
  const { status, stderr, error } =
    npm !== undefined && /\.c?js$/.test(npm)
      ? spawnSync(node, [npm, ...args], options)
      : spawnSync("npm", args, options);
  if (status !== 0) stop(explain(`${stderr ?? ""}${error?.message ?? ""}`));
  console.error(`Installed the packages in ${Math.round((Date.now() - start) / 1_000)} s.`);
};

if (!isInstalled()) install();

// The link keeps one path to Node for all scripts. npm ci removes it together with node_modules.
if (!existsSync(toolchainNode) && majorOf(process.execPath) >= 24) symlinkSync(process.execPath, toolchainNode);

if (!existsSync(toolchainNode) || majorOf(toolchainNode) < 24) {
  const platform = `${process.platform}-${process.arch}`;
  const isLocked = packagesOf("package-lock.json").some(({ path }) => path === `node_modules/node-${platform}`);
  stop(
    isLocked
      ? `the package node-${platform} is not installed: delete ${join(root, "node_modules")}, and run the command again ` +
          "without npm's option to omit optional packages"
      : `no package has Node 24 for ${platform}, and Node ${process.versions.node} cannot take its place: ` +
          "install Node 24 or newer, and run the command again",
  );
}
