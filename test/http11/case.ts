// What a table of this folder says about some bytes.

export interface Case {
  readonly name: string;
  /** `body`: an event that is named like the case. */
  readonly bytes: (body: string) => string;
  /** Statuses in their order; none: the connection ends without an answer. */
  readonly answers: readonly number[];
  /**
   * `kept`: the next request on the same connection is answered, so both sides agree where the last one ended.
   * `closed`: by the service, at once. `waits`: for more bytes, until a deadline of the service.
   */
  readonly ending: 'kept' | 'closed' | 'waits';
  /** A body that is late, and is told so at its deadline. */
  readonly isLateBody?: true;
  /** How often the event is there afterwards. */
  readonly stored: number;
}

type Bytes = Case['bytes'];

/** Read as any other request. */
export const taken = (name: string, bytes: Bytes): Case => ({name, bytes, answers: [200], ending: 'kept', stored: 1});

/** Answered 200, and then the connection ends. */
export const takenLast = (name: string, bytes: Bytes): Case => ({...taken(name, bytes), ending: 'closed'});

/** A request that is understood and refused. */
export const refused = (name: string, status: number, bytes: Bytes): Case => ({
  name,
  bytes,
  answers: [status],
  ending: 'kept',
  stored: 0,
});

/** Refused, and nothing behind it is read. */
export const broken = (name: string, status: number, bytes: Bytes): Case => ({
  ...refused(name, status, bytes),
  ending: 'closed',
});

/** Answered as what has no side effect, by 200. */
export const shown = (name: string, bytes: Bytes): Case => ({...refused(name, 200, bytes)});

/** No answer can be right: where the request ends is open. */
export const cut = (name: string, bytes: Bytes): Case => ({name, bytes, answers: [], ending: 'closed', stored: 0});

/** Might still become a request. */
export const waits = (name: string, bytes: Bytes): Case => ({name, bytes, answers: [], ending: 'waits', stored: 0});
/** Its head was read. */
export const waitsForBody = (name: string, bytes: Bytes): Case => ({...waits(name, bytes), isLateBody: true});
