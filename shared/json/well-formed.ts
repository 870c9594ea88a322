/** A value whose texts are well-formed Unicode: a lone surrogate becomes U+FFFD. Pure. */
export const wellFormed = <Value>(value: Value): Value => {
  if (typeof value === "string") return value.toWellFormed() as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  ) as Value;
};
