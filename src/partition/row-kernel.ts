// The kernel that appends rows of ordinary events (kernels/event-rows.ts): its memory, and its interface for the core
// (actors/chunk/event-rows.ts). Each partition has one.
//   M1. The memory is laid out once and never grows, so views of it stay valid. Its bound is 14.5 MiB. The machine provides
//       only pages that were written: 2 MiB for chunks of plain events, and 2 for known users.
//   M2. No input outgrows its area: areas are as large as the bounds of a chunk (actors/limits.ts) allow.

import {receivedBaseStepMs, receivedDeltaMax} from '../../actors/chunk/bodies.js';
import {
  codesReserved,
  distinctSampleMin,
  distinctShare,
  predictedShapes,
  type RowKernel,
} from '../../actors/chunk/event-rows.js';
import {
  bodyBlockRows,
  chunkBodyBytesMax,
  chunkCodesMax,
  chunkColumnsMax,
  chunkRowsMax,
  dictionaryBytesMax,
  dictionaryValueBytesMax,
  entryBytesMax,
  entryPairsMax,
  objectKeyCharsMax,
} from '../../actors/limits.js';
import {tableSeed} from '../../actors/table/interned.js';
import {fixedMemory, instantiate, layOut, loadKernel} from '../web-assembly.js';

/** Bytes of the log in the kernel's memory: few enough for the CPU's cache. */
const windowBytes = 256 * 1024;
/** Rows of one call: few enough for the lists of their users to stay in the nearest cache. */
const runRowsMax = 1_024;
/** UTF-8 bytes of a property's name. */
const keyBytesMax = 4 * objectKeyCharsMax;
/** Sets of eight users that the kernel knows; a power of two. A user takes 64 bytes: up to 56 for its key, and 8. */
const knownUserSets = 4_096;
const waysOfSet = 8;
const knownUserBytesMax = 56;
/** Event names that the kernel knows; a power of two. */
const knownNamesMax = 1_024;
const knownNameBytesMax = 64;
/** Slots of the hash tables of codes and of shapes. */
const codeSlots = 16_384;
const shapeSlots = 1_024;
/** Room for a key, its length before it, and the bytes that a vector comparison reads beyond it. */
const keyStride = keyBytesMax + 32;
const shapeFieldBytes = 16;
const blockBytes = 16;
const blocksMax = chunkRowsMax / bodyBlockRows;
/** The last body may exceed the bound of a chunk; a length takes at most three bytes. */
const bodiesBytesMax = chunkBodyBytesMax + entryBytesMax + 3 * chunkRowsMax;

const bounds = {
  chunkRowsMax,
  chunkBodyBytesMax,
  bodyBlockRows,
  chunkColumnsMax,
  chunkCodesMax,
  dictionaryValueBytesMax,
  dictionaryBytesMax,
  entryPairsMax,
  distinctSampleMin,
  codesReserved,
  receivedBaseStepMs,
  receivedDeltaMax,
  predictedShapes,
  runRowsMax,
  keyBytesMax,
  keyStride,
  knownUserSets,
  knownNamesMax,
  knownNameBytesMax,
  codeSlots,
  shapeSlots,
  tableSeed,
};

/** Sizes of the areas in bytes. The kernel uses the same names, except `windowAt`, which only the host has. */
const areas = {
  windowAt: windowBytes,
  timesAt: 8 * chunkRowsMax,
  usersAt: 4 * chunkRowsMax,
  namesAt: 4 * chunkRowsMax,
  codesAt: 2 * chunkRowsMax * chunkColumnsMax,
  keysAt: keyStride * chunkColumnsMax,
  keyLengthsAt: 4 * chunkColumnsMax,
  valueCountsAt: 4 * chunkColumnsMax,
  codeCountsAt: 4 * chunkColumnsMax,
  distinctAt: chunkColumnsMax,
  dictionaryAt: dictionaryBytesMax,
  offsetsAt: 4 * (chunkCodesMax + 2),
  codeColumnsAt: chunkCodesMax + 1,
  hashesAt: 4 * (chunkCodesMax + 1),
  nextCodesAt: 2 * (chunkCodesMax + 1),
  codeSlotsAt: 2 * codeSlots,
  shapeColumnsAt: chunkRowsMax * entryPairsMax,
  shapeOffsetsAt: 4 * (chunkRowsMax + 1),
  shapeFieldsAt: shapeFieldBytes * chunkRowsMax,
  shapeSlotsAt: 4 * shapeSlots,
  shapeOfNameAt: 4 * predictedShapes,
  bodiesAt: bodiesBytesMax,
  blocksAt: blockBytes * blocksMax,
  blockShapesAt: 2 * chunkRowsMax,
  rowColumnsAt: entryPairsMax,
  spansAt: 8 * entryPairsMax,
  missedRowsAt: 4 * runRowsMax,
  userStartsAt: 4 * runRowsMax,
  userLengthsAt: 4 * runRowsMax,
  userHashesAt: 4 * runRowsMax,
  userTagsAt: 2 * waysOfSet * knownUserSets,
  nextWaysAt: knownUserSets,
  knownUsersAt: (8 + knownUserBytesMax) * waysOfSet * knownUserSets,
  nameBytesAt: knownNameBytesMax * knownNamesMax,
  nameLengthsAt: 4 * knownNamesMax,
  nameIndexesAt: 4 * knownNamesMax,
  nameSlotsAt: 2 * 2 * knownNamesMax,
};

const module = loadKernel('event-rows');

/** Bounds that a bench changes. */
interface Tuning {
  /** Share of new values in a column from which D1 (actors/chunk/event-rows.ts) applies; above 1 it never does. */
  readonly distinctShare?: number;
  /** Key bytes of a user up to which the kernel knows it; 0: it knows none. */
  readonly knownUserBytesMax?: number;
}

/** Loads the kernel of one partition. @throws RangeError when there is no room for its memory. */
export function loadRowKernel(tuning: Tuning = {}): RowKernel {
  const {places, length} = layOut(areas);
  const memory = fixedMemory(length); // M1
  const {windowAt, ...kernelPlaces} = places;
  const calls = instantiate(module, {
    env: {memory},
    'event-rows': {...bounds, knownUserBytesMax, distinctShare, ...tuning, ...kernelPlaces},
  }) as RowKernel['calls'];
  const {buffer} = memory;
  const words = (at: number, count: number) => new Uint32Array(buffer, at, count);
  return {
    memory: new Uint8Array(buffer),
    windowAt,
    windowBytes,
    times: new Float64Array(buffer, places.timesAt, chunkRowsMax),
    users: words(places.usersAt, chunkRowsMax),
    names: words(places.namesAt, chunkRowsMax),
    codes: Array.from(
      {length: chunkColumnsMax},
      (_, column) => new Uint16Array(buffer, places.codesAt + 2 * chunkRowsMax * column, chunkRowsMax),
    ),
    keysAt: places.keysAt,
    keyStride,
    keyLengths: words(places.keyLengthsAt, chunkColumnsMax),
    dictionaryAt: places.dictionaryAt,
    offsets: words(places.offsetsAt, chunkCodesMax + 2),
    shapeColumns: new Uint8Array(buffer, places.shapeColumnsAt, areas.shapeColumnsAt),
    shapeOffsets: words(places.shapeOffsetsAt, chunkRowsMax + 1),
    blocks: words(places.blocksAt, (blockBytes / 4) * blocksMax),
    receivedBases: new Float64Array(buffer, places.blocksAt, (blockBytes / 8) * blocksMax),
    blockShapes: new Uint16Array(buffer, places.blockShapesAt, chunkRowsMax),
    missedRows: words(places.missedRowsAt, runRowsMax),
    userStarts: words(places.userStartsAt, runRowsMax),
    userLengths: words(places.userLengthsAt, runRowsMax),
    userHashes: words(places.userHashesAt, runRowsMax),
    calls,
  };
}
