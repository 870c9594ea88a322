import manifest from "./package.json" with { type: "json" };

/** The programs that package.json starts through infra/run.cjs. */
const programs = Object.values(manifest.scripts).flatMap((script) =>
  [...script.matchAll(/infra\/run\.cjs [^&]*?(\S+\.ts)\b/g)].map(([, program]) => program),
);

export default {
  entry: [
    ...programs,
    "functions/*/*.ts",
    "functions/console/app/{early.ts,main.tsx}",
    "infra/app.ts",
    "infra/bundling/shims/*.ts",
    "infra/local/lambda/{clock-shift,runtime}.mjs",
    "infra/local/reload/print-template.ts",
    "test/bench/**/*.{ts,mjs}",
    "test/mutation/{test-globals,warm-engine,worker}.ts",
    "test/scale/run-case.ts",
    "test/support/{file-inputs,guarded-function/*}.ts",
    "test/support/synthesise-stack.ts",
    "test/**/{kms,shop}-stack.ts",
  ],
  project: ["{functions,infra,shared,test}/**/*.{ts,tsx,mjs}"],
  ignoreExportsUsedInFile: { interface: true, type: true },
  ignoreDependencies: ["jest", "@sparticuz/chromium", "aws-cdk", "swagger-ui-dist"],
};
