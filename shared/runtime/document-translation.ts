/** Integers that a double cannot hold come out of the store as bigints, all other numbers as numbers. */
const unmarshallNumber = (text: string): number | bigint => {
  const number = Number(text);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text);
};

/** How values become items and items values, for every document client of the service. */
export const documentTranslation = {
  marshallOptions: { removeUndefinedValues: true },
  unmarshallOptions: { wrapNumbers: unmarshallNumber },
};
