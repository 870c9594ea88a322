/** Runs one case in this process and prints its outcome as JSON: `node run-case.ts <case> <organizations>`. */
import { type ScaleCaseName, scaleCases } from "./cases.ts";

const [name = "", count = ""] = process.argv.slice(2);
let peak = 0;
const look = () => {
  peak = Math.max(peak, process.memoryUsage().heapUsed);
};
const looking = setInterval(look, 50);
const outcome = await scaleCases[name as ScaleCaseName].run(Number(count)).catch((error: Error) => error.message);
look();
clearInterval(looking);
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ outcome, peakBytes: peak, cpuMs: (user + system) / 1_000 }));
