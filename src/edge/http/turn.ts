// Turns of the event loop. uWebSockets.js parses everything that one read of a connection brought before it returns to the loop,
// and calls the edge for every request in it.
//   T1. Calls at the end of a turn run when everything read in it is parsed, and every connection that broke in it has been
//       reported.
//   T2. An error there reaches the owner of that call alone: later calls still run.

/** `failed` is called when a call of this owner throws. */
export interface Owner {
  failed(doing: string, error: unknown): void;
}

const due: {readonly run: () => void; readonly owner: Owner}[] = [];
let turn = 0;
/** Incremented when times read once a turn are out of date. */
let looks = 0;
let isEndAwaited = false;

/** The number of this turn, for `isSameTurn`. */
export function noteTurn(): number {
  awaitEnd();
  return turn;
}

/** `noted` comes from `noteTurn`. */
export const isSameTurn = (noted: number): boolean => noted === turn;

/**
 * A clock that is read once a turn, and again after slow work (`passTime`): requests read in between arrived then, or a moment
 * later.
 */
export function onceATurn(clock: () => number): () => number {
  let seen = -1;
  let ms = 0;
  return () => {
    awaitEnd();
    if (looks !== seen) {
      seen = looks;
      ms = clock();
    }
    return ms;
  };
}

/** Slow work ran in this turn: what is read after it may have been sent in the meantime. */
export function passTime(): void {
  looks += 1;
}

/** Runs `run` at the end of this turn. T1, T2 */
export function atTurnEnd(run: () => void, owner: Owner): void {
  awaitEnd();
  due.push({run, owner});
}

/** One immediate serves all calls of a turn: it runs right after the phase of the loop that reads sockets. */
function awaitEnd(): void {
  if (isEndAwaited) return;
  isEndAwaited = true;
  setImmediate(end);
}

function end(): void {
  turn += 1;
  looks += 1;
  isEndAwaited = false;
  if (due.length === 0) return;
  for (const {run, owner} of due.splice(0)) {
    try {
      run();
    } catch (error) {
      owner.failed('what was left for the end of a turn', error); // T2
    }
  }
}
