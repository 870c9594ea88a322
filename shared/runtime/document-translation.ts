/** Integers beyond the safe range of a double become bigints, all other numbers numbers. */
const unmarshallNumber = (text: string): number | bigint => {
  const number = Number(text);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text);
};

/** The translation between values and items, for every document client. */
export const documentTranslation = {
  marshallOptions: { removeUndefinedValues: true },
  unmarshallOptions: { wrapNumbers: unmarshallNumber },
};
