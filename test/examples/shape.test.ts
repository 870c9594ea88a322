import { expect, it } from "@jest/globals";
import { haveSameShape } from "./shape.ts";

it.each([
  [
    { a: 1, b: "x" },
    { a: 2, b: "y" },
  ],
  [{ a: null }, { a: { b: 1 } }],
  [{ a: [] }, { a: [1, 2] }],
  [
    [{ a: 1 }, { b: 1 }],
    [{ b: 2 }, { a: 2 }, { a: 3 }],
  ],
])("%j and %j have the same shape", (one, other) => {
  expect([haveSameShape(one, other), haveSameShape(other, one)]).toEqual([true, true]);
});

it.each([
  [{ a: 1 }, { a: "1" }],
  [{ a: 1 }, {}],
  [{ a: 1 }, { a: 1, b: null }],
  [{ a: [1] }, { a: {} }],
  [[{ a: 1 }], [{ a: 1 }, { b: 1 }]],
  [[], "x"],
])("%j and %j have different shapes", (one, other) => {
  expect([haveSameShape(one, other), haveSameShape(other, one)]).toEqual([false, false]);
});
