// Panel of freshness: the time up to which numbers are exact, what came since, when the next are due, the slowest partition.
import {useEffect} from 'preact/hooks';
import type {LoadAnswer} from '../../../src/edge/dashboard/answers/load.js';
import {clockText, count, duration, momentText} from '../charts/format';
import {useAsked} from '../service/asked';
import type {Freshness} from '../service/freshness';
import {now} from '../service/now';
import {serviceState} from '../service/service-state';
import {sinceThen} from '../service/since-then';
import './freshness-panel.css';

/** The ring of the service. */
const minutes = 15;
const againMs = 5_000;

export function FreshnessPanel({
  freshness: {asOfMs, nextByMs, position},
  promiseMs,
  isLate,
  isVeryLate,
}: {
  readonly freshness: Freshness;
  readonly promiseMs: number;
  readonly isLate: boolean;
  readonly isVeryLate: boolean;
}) {
  const [asked, ask] = useAsked<LoadAnswer>(`load?minutes=${minutes}`);
  const turn = Math.floor(now.value / againMs);
  useEffect(() => ask(), [turn]);
  const {value} = asked.value;
  const since = value && sinceThen(value, asOfMs);
  const {reasons} = serviceState.value;
  return (
    <div class="freshness-panel">
      <h3>{isLate ? 'These numbers are late' : 'These numbers are as new as promised'}</h3>
      <p>Every event that was answered 200 before {momentText(asOfMs)} UTC is in them, counted once.</p>
      {isVeryLate && reasons.length > 0 && <p class="late-reason">{reasons.join('; ')}</p>}
      <dl>
        <dt>Accepted since then</dt>
        <dd>
          {since === undefined
            ? '…'
            : `${since.isAtLeast ? 'at least ' : ''}${count(since.accepted)} events${since.isOfThisEdge ? ' by this edge' : ''}`}
        </dd>
        <dt>They are in reports</dt>
        <dd>
          {nextByMs > now.value
            ? `in ${duration(Math.ceil((nextByMs - now.value) / 1_000))}, by ${clockText(nextByMs / 1_000)}`
            : `due since ${clockText(nextByMs / 1_000)}`}
        </dd>
        <dt>Promised at least every</dt>
        <dd>{duration(Math.round(promiseMs / 1_000))}</dd>
        {since?.slowest !== undefined && (
          <>
            <dt>Slowest partition</dt>
            <dd>
              {since.slowest.partition}, snapshot {duration(Math.max(1, Math.round(since.slowest.snapshotMs / 1_000)))}{' '}
              old
            </dd>
          </>
        )}
        <dt>Positions in the log</dt>
        <dd class="positions">
          {position.split(',').map((one) => (
            <code key={one}>{one}</code>
          ))}
        </dd>
      </dl>
      <p class="help">The page asks again by itself when newer numbers are published.</p>
    </div>
  );
}
