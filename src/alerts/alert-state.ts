// The state of an alert, and the readings that its endpoints are notified of.
//   AS1. A change of state is notified once. While the alert fires, it is repeated every `repeatMinutes`, if those are set.
//   AS2. An alert fires after `for` readings in a row that hold, and is over with the first one that does not.
//   AS3. A reading that is not judged changes nothing. A new alert is `ok`, without a notification.
//   AS4. Time is that of the readings (`toMs`), so the same readings give the same changes whenever they are read.
//   AS5. Readings count towards `for` once per refresh. Partitions publish one after the other, and with each of them the set is newer;
//        a process that starts judges the newest set again.
import type {Reading} from './rule-questions.js';

const minuteMs = 60_000;

export interface AlertState {
  readonly state: 'ok' | 'firing';
  /** End of the window with which the state began, epoch ms. */
  readonly sinceMs: number;
  /** Value in that window; null where it had none. */
  readonly value: number | null;
  /** `Report-Log-Position` of the snapshots then; empty for a lag. */
  readonly positions: string;
  /** End of the window that was notified last, epoch ms. */
  readonly toldMs: number;
  /** Readings in a row that held while it was `ok`. */
  readonly held: number;
  /** End of the window of the newest of them, epoch ms. Absent: none. */
  readonly heldMs?: number;
  /** Whether the event has come before; only for the kind `absence`. */
  readonly wasSeen?: true;
  /** It had not come when rows of all time before this were read, epoch ms; only for the kind `absence`. */
  readonly lookedMs?: number;
}

/** A reading that is notified. `isAgain`: the state is the same, and `repeatMinutes` have passed. */
export interface Change {
  readonly state: 'ok' | 'firing';
  readonly isAgain: boolean;
  readonly reading: Reading;
  readonly positions: string;
}

export interface NotifyRule {
  readonly for: number;
  readonly repeatMinutes?: number;
  /** Period in which each partition publishes; 0 or absent: every reading counts towards `for`. AS5 */
  readonly refreshMs?: number;
}

/** Readings that count are as far apart as this part of a refresh. A partition publishes after 0.8 of it, a little sooner or later. */
const countedShare = 0.75;

export interface Step {
  readonly state: AlertState;
  readonly change: Change | undefined;
}

export function step(known: AlertState | undefined, reading: Reading, positions: string, pace: NotifyRule): Step {
  const {toMs, value, holds} = reading;
  const state = withSeen(known ?? {state: 'ok', sinceMs: toMs, value, positions, toldMs: toMs, held: 0}, reading);
  if (holds === undefined) return {state, change: undefined}; // AS3
  const isCounted = isApart(state, toMs, pace); // AS5
  const held = holds ? state.held + (isCounted ? 1 : 0) : 0;
  const next = held >= pace.for || (state.state === 'firing' && holds) ? 'firing' : 'ok'; // AS2
  const isAgain = state.state === 'firing' && next === 'firing' && isRepeatDue(state, toMs, pace);
  if (next === state.state && !isAgain)
    return {
      state: withHeld(state, next === 'firing' ? 0 : held, isCounted ? toMs : state.heldMs),
      change: undefined,
    };
  const told = {...withHeld(state, 0, undefined), toldMs: toMs};
  return {
    state: isAgain ? told : {...told, state: next, sinceMs: toMs, value, positions},
    change: {state: next, isAgain, reading, positions},
  };
}

const isApart = ({heldMs}: AlertState, toMs: number, {refreshMs = 0}: NotifyRule): boolean =>
  heldMs === undefined || refreshMs === 0 || toMs - heldMs >= countedShare * refreshMs;

const withHeld = ({heldMs: _, ...state}: AlertState, held: number, heldMs: number | undefined): AlertState => ({
  ...state,
  held,
  ...(held > 0 && heldMs !== undefined && {heldMs}),
});

function withSeen(state: AlertState, {isSeen, lookedMs}: Reading): AlertState {
  if (state.wasSeen || !isSeen) return lookedMs === undefined ? state : {...state, lookedMs};
  const {lookedMs: _, ...rest} = state;
  return {...rest, wasSeen: true};
}

/** AS1 */
const isRepeatDue = ({toldMs}: AlertState, nowMs: number, {repeatMinutes}: NotifyRule): boolean =>
  repeatMinutes !== undefined && nowMs - toldMs >= repeatMinutes * minuteMs;
