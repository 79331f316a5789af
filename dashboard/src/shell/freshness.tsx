// Up to when the numbers of a page are exact, and when newer ones are due. Late is amber, and later red with the reasons.
import {agoText, clockText, duration, momentText} from '../charts/format';
import {Popover} from '../controls/popover';
import type {Freshness} from '../service/freshness';
import {serviceState} from '../service/service-state';
import {now} from './now';
import './freshness.css';

/** Times the promise. */
const lateFrom = 1.2;
const veryLateFrom = 2;

export function FreshnessPill({freshness}: {readonly freshness: Freshness | undefined}) {
  if (freshness === undefined) return null;
  const {asOfMs, nextByMs, position} = freshness;
  const promiseMs = Math.max(1_000, nextByMs - asOfMs);
  const lateness = (now.value - asOfMs) / promiseMs;
  const dot = lateness > veryLateFrom ? 'dot bad' : lateness > lateFrom ? 'dot warn' : 'dot';
  const isToday = momentText(asOfMs).slice(0, 10) === momentText(now.value).slice(0, 10);
  const {reasons} = serviceState.value;
  return (
    <Popover
      label="How fresh these numbers are"
      look="pill"
      align="start"
      button={
        <>
          <span class={dot} />
          <span>
            Exact as of {isToday ? clockText(asOfMs / 1_000) : momentText(asOfMs)} UTC,{' '}
            <span class="ago">{agoText(asOfMs, now.value)}</span>
            {lateness > lateFrom && ', late'}
          </span>
        </>
      }
    >
      {() => (
        <div class="freshness-panel">
          <h3>{lateness > lateFrom ? 'These numbers are late' : 'These numbers are as new as promised'}</h3>
          <p>Every event that was answered 200 before {momentText(asOfMs)} UTC is in them, counted once.</p>
          {lateness > veryLateFrom && reasons.length > 0 && <p class="late-reason">{reasons.join('; ')}</p>}
          <dl>
            <dt>Newer ones are due</dt>
            <dd>
              {nextByMs > now.value
                ? `in ${duration(Math.ceil((nextByMs - now.value) / 1_000))}, by ${clockText(nextByMs / 1_000)}`
                : `since ${clockText(nextByMs / 1_000)}`}
            </dd>
            <dt>Promised at least every</dt>
            <dd>{duration(Math.round(promiseMs / 1_000))}</dd>
            <dt>Positions in the log</dt>
            <dd class="positions">
              {position.split(',').map((one) => (
                <code key={one}>{one}</code>
              ))}
            </dd>
          </dl>
          <p class="help">This page asks again by itself when newer ones are due.</p>
        </div>
      )}
    </Popover>
  );
}
