// Compares and copies byte ranges at any alignment, four bytes at a time. Names, ids and values are short: a view for set() or
// Buffer.compare costs more than they do, and byte by byte takes two to three times as long.

let viewedBytes = new Uint8Array(0);
let viewed = new DataView(viewedBytes.buffer);

/** A view of these bytes. The last one is cached: entries of one message are read one after the other. */
export function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== viewedBytes) {
    viewedBytes = bytes as Uint8Array<ArrayBuffer>;
    viewed = new DataView(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  }
  return viewed;
}

export function equalRanges(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  if (length < 4) return equalShort(a, aStart, b, bStart, length);
  const last = length - 4;
  for (let i = 0; i < last; i += 4) if (a.getInt32(aStart + i, true) !== b.getInt32(bStart + i, true)) return false;
  // The last word overlaps the one before if the length is not a multiple of four.
  return a.getInt32(aStart + last, true) === b.getInt32(bStart + last, true);
}

function equalShort(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a.getUint8(aStart + i) !== b.getUint8(bStart + i)) return false;
  return true;
}

/** Copies from[start .. end) to `to` at `at`; the ranges must not overlap. */
export function copyRange(from: DataView, start: number, end: number, to: DataView, at: number): void {
  const last = end - 4;
  if (last < start) {
    for (let i = start; i < end; i++) to.setUint8(at + i - start, from.getUint8(i));
    return;
  }
  for (let i = start; i < last; i += 4) to.setInt32(at + i - start, from.getInt32(i, true), true);
  to.setInt32(at + last - start, from.getInt32(last, true), true);
}
