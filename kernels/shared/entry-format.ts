// AssemblyScript: numbers of the layout of entries (actors/log/entries.ts), rows (actors/chunk/rows.ts) and bodies
// (actors/chunk/bodies.ts), which a kernel cannot import. test/kernels.test.ts compares them with those.

export const kindEvent: u32 = 1;

export const flagMessageId: u32 = 1;
export const flagAnonymousId: u32 = 2;
export const flagProperties: u32 = 4;
/** Flag of a body: the whole payload follows. */
export const flagWhole: u32 = 8;
export const flagTimed: u32 = 16;
export const flagCorrected: u32 = 32;
export const flagSecret: u32 = 64;
export const flagApart: u32 = 128;

export const tagNull: u32 = 0;
export const tagFalse: u32 = 1;
export const tagTrue: u32 = 2;
export const tagInt: u32 = 3;
export const tagDouble: u32 = 4;
export const tagText: u32 = 5;
export const tagJson: u32 = 6;

/** A row's code, and a shape's column, whose value or key the body has. */
export const codeInBody: u32 = 0xffff;
export const keyInBody: u32 = 0xff;

/** Kind and length of an entry. */
export const headBytes: usize = 5;
/** Flags, time and receipt time, which begin the payload of an event. */
export const payloadHeadBytes: usize = 17;
