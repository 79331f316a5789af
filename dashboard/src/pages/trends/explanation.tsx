// A number of Trends, explained: how it is counted, and the events or people behind it.
import {dateText} from '../../../../actors/calendar.js';
import {pageAddress} from '../../address/base';
import {conditionText} from '../../address/conditions';
import type {Span} from '../../address/report-address';
import {type NamedRow, trendPeoplePath} from '../../address/trend-people';
import {type AskedSeries, type Common, type Measure, measureWords} from '../../address/trends-address';
import {utc} from '../../address/zone';
import {count, momentText} from '../../charts/format';
import {Dialog} from '../../controls/dialog';
import {may} from '../../service/session';
import {PeopleBehind} from '../../shell/people-behind';

export interface ExplanationProps {
  readonly value: number;
  readonly series: AskedSeries;
  /** What the number shows: of the column of users always `users`. */
  readonly measure: Measure;
  readonly common: Common;
  readonly row: NamedRow | undefined;
  /** The row in words. */
  readonly rowName: string;
  readonly rows: readonly NamedRow[];
  readonly span: Span;
  /** The days or the bucket, in words. */
  readonly when: string;
  readonly skipped: number | undefined;
  readonly asOfMs: number | undefined;
  readonly onClose: () => void;
}

export function Explanation(props: ExplanationProps) {
  const {value, series, measure, common, row, rows, span, when, onClose} = props;
  const {event, property, where} = series;
  const people = trendPeoplePath(series, common, row, rows, span);
  const isPlain = where.length === 0 && common.user_where.length === 0 && row === undefined;
  const of =
    measure === 'users'
      ? ' users of'
      : measure === 'total'
        ? ' events'
        : `: ${measureWords[measure]} of ${property} of`;
  return (
    <Dialog title={`${count(value)}${of} ${event}`} onClose={onClose}>
      <div class="behind">
        <p>{sentences(props).join(' ')}</p>
        {isPlain && span.fromMs === undefined && (span.zone ?? utc) === utc && may('analyst') && (
          <p>
            <a class="link" href={eventsAddress(event, span)}>
              Show these events
            </a>
          </p>
        )}
        <h3>Who it was, {when}</h3>
        {people === undefined ? (
          <p class="help">No list says who: these rows have values of several kinds.</p>
        ) : (
          <PeopleBehind path={people} when="First time" />
        )}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function sentences({series, measure, common, row, rowName, span, when, skipped, asOfMs}: ExplanationProps): string[] {
  const {event, property, where} = series;
  const conditions = [...where.map(conditionText), ...rowWords(common.by, row, rowName)];
  const of = `events ${event}${conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`}`;
  const users =
    common.user_where.length === 0
      ? ''
      : `, of users whose trait ${common.user_where.map(conditionText).join(' and ')}`;
  const days = `, ${when} (${span.zone ?? utc})`;
  const each = 'Each event counts once, however often it was sent with its messageId.';
  const first: Readonly<Record<Measure, string>> = {
    total: `All ${of}${users}${days}. ${each}`,
    users: `The different users with ${of}${users}${days}. A device that is known to be a user counts as that user.`,
    sum: `The exact sum of ${property} over ${of}${users}${days}. ${each}`,
    avg: `The exact sum of ${property} over ${of}${users}${days}, divided by the number of values. ${each}`,
    min: `The smallest ${property} of ${of}${users}${days}.`,
    max: `The largest ${property} of ${of}${users}${days}.`,
    p50: `Half of the ${of}${users}${days} have at most this ${property}.`,
    p90: `Nine in ten of the ${of}${users}${days} have at most this ${property}.`,
  };
  return [
    first[measure],
    ...(property !== '' && measure !== 'users' ? [`Events without a number there are left out.`] : []),
    ...(skipped ? [`${count(skipped)} events have a value there that is no number.`] : []),
    ...(asOfMs === undefined ? [] : [`Exact as of ${momentText(asOfMs)} UTC.`]),
  ];
}

function rowWords(by: string | null, row: NamedRow | undefined, rowName: string): string[] {
  if (by === null || row === undefined) return [];
  const name = by.startsWith('trait:') ? `the user's trait ${by.slice('trait:'.length)}` : by;
  return [row.kind === 'missing' ? `${name} is missing` : `${name} is ${rowName}`];
}

/** Events, History: it counts in UTC. */
const eventsAddress = (event: string, {from, to}: Span): string =>
  `${pageAddress('/events')}?${new URLSearchParams({show: 'history', event, from: dateText(from), to: dateText(to)})}`;
