/** The context keys on what a deployment is called, and whether it is protected: docs/deployment.md. */
import * as z from "zod";
import { orList } from "./context-problems.ts";

const STAGE_EXPECTED = "expected 1 to 20 letters, digits and hyphens";

/** https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html#id_tags_naming_best_practices */
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;
const MAX_TAGS = 40;
/** The tags that every deployment has. */
const OWN_TAGS = ["product", "stage"];

const TAGS_EXPECTED = 'expected a JSON object of tags, such as {"cost-center":"4711"}';

const isTagName = (name: string): boolean =>
  name.length <= 128 && name.trim() !== "" && TAG_TEXT.test(name) && !name.toLowerCase().startsWith("aws:");

/** The CDK's command line passes text; cdk.json can hold the object itself. */
const tags = z.preprocess(
  (value, context) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.issues.push({ code: "custom", message: TAGS_EXPECTED, input: value });
      return z.NEVER;
    }
  },
  z
    .record(z.string(), z.string(TAGS_EXPECTED), TAGS_EXPECTED)
    .refine((given) => Object.keys(given).length <= MAX_TAGS, `expected at most ${MAX_TAGS} tags`)
    .refine(
      (given) =>
        Object.entries(given).every(([name, value]) => isTagName(name) && value.length <= 256 && TAG_TEXT.test(value)),
      "expected names of at most 128 and values of at most 256 characters that AWS accepts in tags, no name with aws: at its beginning",
    )
    .refine(
      (given) => Object.keys(given).every((name) => !OWN_TAGS.includes(name.toLowerCase())),
      `${orList(OWN_TAGS)} are tags of every deployment: choose another name`,
    ),
);

export const stageKeys = {
  /** Names the stack and everything with a name of its own, so that an account and a region have room for many. */
  stage: z
    .string(STAGE_EXPECTED)
    .regex(/^[A-Za-z0-9-]{1,20}$/, { error: STAGE_EXPECTED, abort: true })
    .default("dev"),
  /** Whether the stack and its data are protected from deletion; default: every stage but `dev`. */
  protected: z.union([z.boolean(), z.stringbool()], { error: "expected true or false" }).optional(),
  /** Tags of all resources in addition to `product` and `stage`, such as those of a cost report. */
  tags: tags.default({}),
};

type Stage = { stage: string; protected?: boolean | undefined };

/** Whether the stack and its data are protected from deletion. */
export const isProtected = ({ stage, protected: given }: Stage): boolean => given ?? stage !== "dev";
