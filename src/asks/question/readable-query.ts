// The query of an address, for those who read addresses.

const plain: Readonly<Record<string, string>> = {
  '%3A': ':',
  '%2C': ',',
  '%2F': '/',
  '%3D': '=',
  '%24': '$',
  '%40': '@',
};
/** With characters that a query may have as they are. */
export const readable = (query: string): string => query.replaceAll(/%(?:3A|2C|2F|3D|24|40)/g, (code) => plain[code]!);
