// A tile of a board: the report of a pin over the days of the board.
//   TI1. Each tile says how fresh its numbers are: the head of the board says up to when those of all of them are exact.
import type {ComponentChildren, FunctionComponent} from 'preact';
import {pageAddress} from '../address/base';
import type {Problem} from '../address/codec';
import type {Compare, Interval, Range} from '../address/range';
import {utc} from '../address/zone';
import type {ReportEntry} from '../reports/all';
import {type AnyReport, askedOf} from '../reports/report';
import type {Freshness} from '../service/freshness';
import {today} from '../service/today';
import {Card} from '../shell/card';
import {Icon} from '../shell/icon';
import {Empty} from '../shell/states';

/** What a board decides for all its tiles. */
export interface TileDays {
  readonly range: Range;
  readonly every: Interval;
  readonly compare: Compare;
  /** The first day with data, where it is known. */
  readonly since: number | undefined;
  readonly onRange: (range: Range) => void;
}

export interface TileProps extends TileDays {
  /** Query of the pin. */
  readonly search: string;
  /** Buttons of the pin, for the head of its card. */
  readonly tools: (title: string) => ComponentChildren;
  /** The tile's numbers have this freshness. TI1 */
  readonly onFresh: (freshness: Freshness | undefined) => void;
}

export const tileOf = ({path, name}: ReportEntry, report: AnyReport): FunctionComponent<TileProps> =>
  function ReportTile({search, range, every, compare, since, tools, onRange, onFresh}) {
    const {codec, isAsked, isCompared, over, title: titleOf, Result} = report;
    const {question: pinned, problems} = codec.read(search);
    const question = over(pinned, {range, zone: utc, ...(isCompared && {every, compare})});
    const lost = <Lost problems={problems} />;
    if (!isAsked(question))
      return (
        <Card span={12} title={name} tools={tools(name)}>
          {lost}
          <Empty title="It names no event">Choose one on the page of the report, and pin it again.</Empty>
        </Card>
      );
    const title = titleOf(question) + (report.times(question).segment === null ? '' : ', of a segment');
    const address = pageAddress(path) + codec.write(over(pinned, {range}));
    return (
      <Result
        {...askedOf(report, question, today.value, since)}
        tile={{title, address, before: lost}}
        tools={tools(title)}
        onRange={onRange}
        onFresh={onFresh}
      />
    );
  };

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
