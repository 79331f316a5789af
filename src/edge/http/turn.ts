// Turns of the event loop, as the edge sees them. uWebSockets.js parses all that one read of a connection brought before
// it gives the loop back, and calls us for every request in it.
//   T1. What runs at the end of a turn runs when everything read in it is parsed, and every connection that broke in it
//       has said so.
//   T2. An error there reaches the owner of that call alone: the calls after it still run.

/** Is told when a call that ran for it throws. */
export interface Owner {
  failed(doing: string, error: unknown): void;
}

const due: {readonly run: () => void; readonly owner: Owner}[] = [];
let turn = 0;
/** Goes up when clocks that were looked at are out of date. */
let looks = 0;
let isEndAwaited = false;

/** The number of this turn. Whoever notes it may ask later whether the same one still goes on. */
export function noteTurn(): number {
  awaitEnd();
  return turn;
}

/** `noted` comes from `noteTurn`. */
export const isSameTurn = (noted: number): boolean => noted === turn;

/**
 * A clock that is looked at once a turn, and again behind what takes long (`passTime`): all that is read in between was there
 * then, or came a moment later.
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

/** Something took long in this turn: what is read behind it may have been sent meanwhile. */
export function passTime(): void {
  looks += 1;
}

/** T1, T2 */
export function atTurnEnd(run: () => void, owner: Owner): void {
  awaitEnd();
  due.push({run, owner});
}

/** One immediate serves all that a turn brings: they run right after the phase of the loop that reads sockets. */
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
