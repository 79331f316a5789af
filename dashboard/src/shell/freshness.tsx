// Freshness of a page: the time up to which its numbers are exact, and when newer ones are due. Late is amber, later red.
import {agoText, clockText, dateOf, momentText} from '../charts/format';
import {Popover} from '../controls/popover';
import type {Freshness} from '../service/freshness';
import {now} from '../service/now';
import {pauseMs as askAgainMs} from '../service/publication';
import {later} from './later';
import './freshness.css';

const FreshnessPanel = later(() => import('./freshness-panel').then(({FreshnessPanel: Panel}) => Panel));

/** Times the promise. */
const lateFrom = 1.2;
const answerMs = 2_000;
const veryLateFrom = 2;

export function FreshnessPill({freshness}: {readonly freshness: Freshness | undefined}) {
  if (freshness === undefined) return null;
  const {asOfMs, nextByMs} = freshness;
  const promiseMs = Math.max(1_000, nextByMs - asOfMs);
  // A promise of a few seconds is not broken by the way of an answer, or by a page that asks less often.
  const pauseMs = promiseMs < askAgainMs ? askAgainMs : 0;
  const lateness = Math.max(0, now.value - asOfMs - answerMs - pauseMs) / promiseMs;
  const dot = lateness > veryLateFrom ? 'dot bad' : lateness > lateFrom ? 'dot warn' : 'dot';
  const isToday = dateOf(asOfMs) === dateOf(now.value);
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
        <FreshnessPanel
          freshness={freshness}
          promiseMs={promiseMs}
          isLate={lateness > lateFrom}
          isVeryLate={lateness > veryLateFrom}
        />
      )}
    </Popover>
  );
}
