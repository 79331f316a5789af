// Copies of bytes, 16 at a time.

export const vectorBytes: usize = 16;

/** Behind the copy. Up to 15 bytes behind what it reads are read, and as many behind what it writes are lost. */
@inline
export function copyBytes(from: usize, length: usize, to: usize): usize {
  const end = to + length;
  for (; to < end; to += vectorBytes, from += vectorBytes) v128.store(to, v128.load(from));
  return end;
}
