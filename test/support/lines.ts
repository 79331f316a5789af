// Lines of JSON as bytes, each with a byte after it.

/** The texts. */
export const linesOf = (bytes: Uint8Array): string[] => Buffer.from(bytes).toString().split('\n').slice(0, -1);

/** The values between commas. */
export const valuesOf = <Value>(bytes: Uint8Array): Value[] =>
  JSON.parse(`[${Buffer.from(bytes).toString().slice(0, -1)}]`) as Value[];
