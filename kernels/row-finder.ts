// AssemblyScript: finds the rows of one chunk that have a name.
//   Owns: the search, 16 rows at a time, with the same results as its plain twin (test/twins/row-finder.ts).
//   The host copies the column into this memory: parts are in other memory.

/** Column of names by row, of 8, 16 or 32 bits as in the chunk; rows found (u16). */
declare const namesAt: usize;
declare const foundAt: usize;

const rowsAtOnce: u32 = 16;

/** Finds rows among [0, count); returns their number. In `find16` names have 16 bits. */
export function find8(count: u32, name: u32): u32 {
  return find<u8>(count, name);
}

export function find16(count: u32, name: u32): u32 {
  return find<u16>(count, name);
}

export function find32(count: u32, name: u32): u32 {
  return find<u32>(count, name);
}

@inline
function find<Name>(count: u32, name: u32): u32 {
  let found: u32 = 0;
  for (let row: u32 = 0; row < count; row += rowsAtOnce) {
    let bits = i8x16.bitmask(equal<Name>(namesAt, row, name));
    if (count - row < rowsAtOnce) bits &= (1 << (count - row)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      store<u16>(foundAt + (<usize>found << 1), <u16>(row + ctz(bits)));
      found += 1;
    }
  }
  return found;
}

/** A byte for each of 16 rows from `row` on: all bits set where the column has `value`. */
@inline
function equal<T>(column: usize, row: u32, value: u32): v128 {
  if (sizeof<T>() == 1) return i8x16.eq(v128.load(column + row), i8x16.splat(<i8>value));
  if (sizeof<T>() == 2) {
    const at = column + (<usize>row << 1);
    const wanted = i16x8.splat(<i16>value);
    return i8x16.narrow_i16x8_s(i16x8.eq(v128.load(at), wanted), i16x8.eq(v128.load(at + 16), wanted));
  }
  const at = column + (<usize>row << 2);
  return i8x16.narrow_i16x8_s(equal32(at, value), equal32(at + 32, value));
}

/** Two bytes for each of the 8 numbers at `at`: all bits set where the number is `value`. */
@inline
function equal32(at: usize, value: u32): v128 {
  const wanted = i32x4.splat(<i32>value);
  return i16x8.narrow_i32x4_s(i32x4.eq(v128.load(at), wanted), i32x4.eq(v128.load(at + 16), wanted));
}
