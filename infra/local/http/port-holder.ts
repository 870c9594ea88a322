import { execFileSync } from "node:child_process";
import { globSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { commandLineOf } from "../core/processes.ts";

const LISTENING = "0A";

/** The inode of the socket that listens on a port. Format: https://docs.kernel.org/networking/proc_net_tcp.html */
const listeningSocket = (port: number): string | undefined => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === LISTENING && local.endsWith(suffix)) return inode;
    }
  }
  return undefined;
};

const isLinkTo = (target: string) => (link: string) => {
  try {
    return readlinkSync(link) === target;
  } catch {
    return false;
  }
};

const onLinux = (port: number): number | undefined => {
  const socket = listeningSocket(port);
  if (socket === undefined) return undefined;
  const link = globSync("/proc/[0-9]*/fd/*").find(isLinkTo(`socket:[${socket}]`));
  return link === undefined ? undefined : Number(link.split("/")[2]);
};

const byLsof = (port: number): number | undefined => {
  const output = execFileSync("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return Number(output.split("\n")[0]) || undefined;
};

/** The process that listens on a TCP port, such as `process 4711 (node)`; undefined if this user may not see it. */
export const portHolder = (port: number): string | undefined => {
  try {
    const pid = process.platform === "linux" ? onLinux(port) : byLsof(port);
    if (pid === undefined) return undefined;
    // The program only: arguments may contain secrets.
    const program = basename(commandLineOf(pid).split(" ")[0] ?? "");
    return program === "" ? `process ${pid}` : `process ${pid} (${program})`;
  } catch {
    return undefined;
  }
};
