// Events as they arrive, for a page: the newest ones, their rate, and those that wait while the list is paused.
//   LA1. A list does not move under the pointer or the focus: newer events wait, and are counted.
import {useSignal} from '@preact/signals';
import {useState} from 'preact/hooks';
import type {ArrivedEvent, ArrivedSample} from '../../../src/edge/dashboard/answers/stream.js';
import {type ArrivalFilter, filterText, isWanted} from './arrivals';
import {streamState, useTopic} from './stream';

const meanOfSeconds = 5;

/** `number`: of the event in this page. */
type ListedArrival = ArrivedEvent & {readonly number: number};

interface LiveArrivals {
  readonly shown: readonly ListedArrival[];
  readonly isHeld: boolean;
  /** A button holds the list, and lets it go on. */
  readonly hold: () => void;
  /** Props of the element that pauses the list while the pointer or the focus is in it. */
  readonly still: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocusCapture: () => void;
    readonly onBlurCapture: () => void;
  };
  readonly clear: () => void;
  /** `lists 9 of 42,391 events a second`, or why there is none. */
  readonly note: string;
}

let numbers = 0;
const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});

export function useLiveArrivals(keptMax: number, filter: ArrivalFilter = {}): LiveArrivals {
  const [isHeld, setHeld] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const shown = useSignal<readonly ListedArrival[]>([]);
  const waiting = useSignal<readonly ListedArrival[]>([]);
  const missed = useSignal(0);
  const rates = useSignal<readonly {readonly count: number; readonly shown: number; readonly ms: number}[]>([]);
  const isStill = isHeld || isPointed;

  const show = (): void => {
    shown.value = [...waiting.value, ...shown.value].slice(0, keptMax);
    waiting.value = [];
    missed.value = 0;
  };
  useTopic<ArrivedSample>(
    'arrivals',
    ({events, count: all}) => {
      // A tab beside this one may have another filter: then the stream has all.
      const ours = events.filter((one) => isWanted(one, filter));
      const number = ours.length === events.length ? all : ours.length;
      const newest = ours.map((one) => ({...one, number: (numbers += 1)})).reverse();
      waiting.value = [...newest, ...waiting.value].slice(0, keptMax);
      missed.value += number;
      rates.value = [...rates.value, {count: number, shown: ours.length, ms: Date.now()}].slice(-meanOfSeconds);
      if (!isStill) show();
    },
    filterText(filter),
  );
  const point = (is: boolean): void => {
    setPointed(is);
    if (!is && !isHeld) show(); // LA1
  };
  return {
    shown: shown.value,
    isHeld,
    hold: () => {
      if (isHeld) show();
      setHeld(!isHeld);
    },
    still: {
      onPointerEnter: () => point(true),
      onPointerLeave: () => point(false),
      onFocusCapture: () => point(true),
      onBlurCapture: () => point(false),
    },
    clear: () => {
      shown.value = [];
      waiting.value = [];
    },
    note: noteOf(),
  };

  function noteOf(): string {
    if (streamState.value === 'none') return 'this browser cannot listen: see History';
    if (streamState.value === 'opening') return 'connecting';
    if (streamState.value !== 'open') return 'stream lost, trying again';
    if (isStill) return `paused, ${whole.format(missed.value)} more`;
    const recent = rates.value.filter(({ms}) => Date.now() - ms < (meanOfSeconds + 1) * 1_000);
    const a = (read: (one: (typeof recent)[number]) => number): number =>
      recent.reduce((sum, one) => sum + read(one), 0) / meanOfSeconds;
    const [came, listed] = [a(({count}) => count), a((one) => one.shown)];
    return came > listed
      ? `lists ${whole.format(Math.max(1, listed))} of ${whole.format(came)} events a second`
      : 'every event';
  }
}
