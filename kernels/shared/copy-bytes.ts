// Copies of bytes, 16 at a time.

export const vectorBytes: usize = 16;

/** Returns the end of the copy. Reads up to 15 bytes after the source, and overwrites as many after the target. */
@inline
export function copyBytes(from: usize, length: usize, to: usize): usize {
  const end = to + length;
  for (; to < end; to += vectorBytes, from += vectorBytes) v128.store(to, v128.load(from));
  return end;
}
