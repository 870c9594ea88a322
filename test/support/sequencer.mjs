import JestSequencer from "@jest/test-sequencer";

/** Suites that wait for the bundles and the assembly. The first run after a change builds them, for half a minute. */
const NEEDS_ASSEMBLY = /\/test\/(?:http|console|infra)\/[^/]+\.test\.ts$/;

/**
 * The order of jest (failed ones first, then the slowest), but suites without an assembly run while it is built: one short
 * suite asks for it at once, and the others that need it come last. JavaScript, because jest's types do not fit its module.
 */
class Sequencer extends JestSequencer {
  sort(tests) {
    const ordered = super.sort(tests);
    const waiting = ordered.filter(({ path }) => NEEDS_ASSEMBLY.test(path));
    const others = ordered.filter(({ path }) => !NEEDS_ASSEMBLY.test(path));
    return [...waiting.slice(-1), ...others, ...waiting.slice(0, -1)];
  }
}

// biome-ignore lint/style/noDefaultExport: jest requires it.
export default Sequencer;
