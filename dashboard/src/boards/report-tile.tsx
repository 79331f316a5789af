// A tile of a board: the report of a pin as it was pinned, with what the board adds for all of its tiles.
//   TI1. Each tile says how fresh its numbers are: the head of the board says up to when those of all of them are exact.
//   TI2. A tile leads to its report with the question that it shows: the page has the same numbers.
import type {ComponentChildren, FunctionComponent} from 'preact';
import {isShared, pageAddress} from '../address/base';
import {type ForTiles, narrowingOf} from '../address/board-address';
import type {Problem} from '../address/codec';
import {narrowed} from '../address/narrowed';
import type {Range} from '../address/range';
import {homeZone} from '../address/zone';
import {datesText, rangeName} from '../charts/format';
import type {ReportEntry} from '../reports/all';
import {type AnyReport, type Asked, askedOf} from '../reports/report';
import {useFirstDay} from '../service/first-day';
import type {Freshness} from '../service/freshness';
import {Card} from '../shell/card';
import {Icon} from '../shell/icon';
import {Empty} from '../shell/states';
import {todayIn} from '../shell/zone-day';

/** What a board decides for all its tiles. */
export interface OfTiles {
  readonly all: ForTiles;
  /** Asks for these days, which were drawn on a chart. */
  readonly onRange?: (range: Range) => void;
}

export interface TileProps extends OfTiles {
  /** Query of the pin. */
  readonly search: string;
  /** Title that somebody gave it; undefined: what it asks, in words. */
  readonly name?: string | undefined;
  /** Buttons of the pin, for the head of its card. */
  readonly tools: (title: string) => ComponentChildren;
  /** The tile's numbers have this freshness. TI1 */
  readonly onFresh: (freshness: Freshness | undefined) => void;
}

/** The question of a pin, with what the board adds. Other days have the interval that is usual for them, as on the report's page. */
function shownOf(report: AnyReport, search: string, {range, ...conditions}: ForTiles) {
  const {question: pinned, problems} = report.codec.read(search);
  const hasInterval = report.interval !== undefined;
  const overDays = range === null ? pinned : report.over(pinned, {range, ...(hasInterval && {every: null})});
  return {question: narrowed(overDays, narrowingOf({range, ...conditions})), problems};
}

export const tileOf = ({path, name}: ReportEntry, report: AnyReport): FunctionComponent<TileProps> =>
  function ReportTile({search, name: called, all, tools, onRange, onFresh}) {
    const {codec, isCompared, isAsked, title: titleOf, Result} = report;
    const {question, problems} = shownOf(report, search, all);
    const {range, zone, segment} = report.times(question);
    const since = useFirstDay(zone, isCompared);
    if (!isAsked(question))
      return (
        <Card span={12} title={called ?? name} tools={tools(called ?? name)}>
          <Lost problems={problems} />
          <Empty title="It names no event">Choose one on the page of the report, and pin it again.</Empty>
        </Card>
      );
    const title = called ?? titleOf(question) + (segment === null ? '' : ', of a segment');
    const asked = askedOf(report, question, todayIn(zone), since);
    const before = (
      <>
        <Lost problems={problems} />
        <p class="tile-days">{daysText(range, asked)}</p>
      </>
    );
    return (
      <Result
        {...asked}
        tile={{title, address: isShared ? undefined : pageAddress(path) + codec.write(question), before}}
        tools={tools(title)}
        {...(onRange && {onRange})}
        onFresh={onFresh}
      />
    );
  };

/** `Last 30 days, Europe/Berlin`. */
const daysText = (range: Range, {days, today}: Asked<unknown>): string =>
  [rangeName(range) ?? datesText(days, today), ...(days.zone === homeZone() ? [] : [days.zone])].join(', ');

/** Parts of a pin that another version of the pages wrote. */
function Lost({problems}: {readonly problems: readonly Problem[]}) {
  if (problems.length === 0) return null;
  return (
    <p class="not-renewed" role="status">
      <Icon name="warning" />
      Not part of this any more: {problems.map(({name, text}) => `${name}=${text}`).join(', ')}. Pin the report again.
    </p>
  );
}
