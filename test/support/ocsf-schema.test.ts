import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileOcsf } from "./ocsf-schema.ts";

/** A schema of our own in OCSF's form: one class that inherits, an object with a constraint, and a profile. */
const files = {
  "version.json": { version: "9.9.9" },
  "categories.json": { attributes: { greetings: { uid: 7 } } },
  "dictionary.json": {
    attributes: {
      activity_id: { type: "integer_t", enum: { 0: {}, 99: {} } },
      time: { type: "timestamp_t" },
      guests: { type: "guest", is_array: true },
      name: { type: "short_t" },
      uid: { type: "string_t" },
      cloud: { type: "string_t" },
      anything: { type: "object" },
      class_uid: { type: "integer_t" },
    },
    types: {
      attributes: {
        string_t: {},
        integer_t: {},
        long_t: {},
        timestamp_t: { type: "long_t" },
        short_t: { type: "string_t", max_len: 3, regex: "^[a-z]+$" },
      },
    },
  },
  "events/base.json": {
    name: "base",
    attributes: {
      $include: ["profiles/cloud.json"],
      time: { requirement: "required" },
      activity_id: {},
      class_uid: {},
    },
  },
  "events/party.json": {
    name: "party",
    extends: "base",
    category: "greetings",
    uid: 2,
    attributes: { activity_id: { enum: { 1: {} } }, guests: {}, cloud: { profile: "cloud" }, anything: {} },
  },
  "objects/object.json": { name: "object", attributes: {} },
  "objects/guest.json": {
    name: "guest",
    extends: "object",
    attributes: { name: {}, uid: {} },
    constraints: { at_least_one: ["name", "uid"] },
  },
};

test("compiles inheritance, types, enumerations, constraints and closed objects", () => {
  const directory = mkdtempSync(join(tmpdir(), "ocsf-schema-"));
  for (const folder of ["events", "objects"]) mkdirSync(join(directory, folder));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), JSON.stringify(content));
  const { version, schemaOfClass } = compileOcsf(directory);
  expect(version).toBe("9.9.9");
  const isValid = new Ajv2020({ strict: false }).compile(schemaOfClass(7002));
  const party = { class_uid: 7002, activity_id: 1, time: 5, guests: [{ name: "ada" }], anything: { at: "all" } };
  expect(isValid(party)).toBe(true);
  for (const wrong of [
    { time: undefined },
    { time: 1.5 },
    { activity_id: 2 },
    { class_uid: 7001 },
    { cloud: "aws" },
    { other: 1 },
    { guests: [{}] },
    { guests: [{ name: "adam" }] },
    { guests: [{ name: "A" }] },
    { guests: { name: "ada" } },
    { guests: [{ name: "ada", age: 5 }] },
  ]) {
    expect([wrong, isValid(JSON.parse(JSON.stringify({ ...party, ...wrong })))]).toEqual([wrong, false]);
  }
  expect(() => schemaOfClass(1)).toThrow("no class 1");
});
