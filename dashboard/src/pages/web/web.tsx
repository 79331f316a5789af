// Web: visitors, page views and sessions of a site, where they come from, and with what.
//   WP1. A click on a value narrows the whole page to it, in its address.
//   WP2. The lists are asked after the figures, which tell whether sessions are counted.
import {useMemo} from 'preact/hooks';
import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import {conditionsOf, membersOf, stateOf} from '../../address/page-question';
import {daysOf} from '../../address/range';
import {namesMax, namesQuestion} from '../../address/report-address';
import {wallMs} from '../../address/zone';
import {chartOf} from '../../charts/charted';
import {useFirstDay} from '../../service/first-day';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {everyDay} from '../../service/stored-days';
import {today} from '../../service/today';
import {type Address, useCodec} from '../../service/use-address';
import {later} from '../../shell/later';
import {QuestionForm} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {todayIn} from '../../shell/zone-day';
import {WebChart} from './web-chart';
import {type AskedWeb, linesOf, sessionsIn} from './web-drawn';
import type {WebFieldsProps} from './web-fields';
import {WebFigures} from './web-figures';
import {type AskedLists, ListCard} from './web-list';
import {
  listQuestion,
  narrowedBy,
  narrowText,
  viewNameIn,
  type WebDraft,
  webAsked,
  webLists,
  webUntilQuestions,
} from './web-question';
import './web.css';

const WebFields = later<WebFieldsProps>(
  () => import('./web-fields').then(({WebFields: Part}) => Part),
  <section class="card web-fields" />,
);
/** The form, with its question in one line. */
function WebForm(props: WebFieldsProps) {
  const {event, narrowed, question} = props;
  const bots = question.view?.bots === undefined ? 'bots left out' : 'bots counted';
  const words = [event === undefined ? 'Choose what a page view is' : `Page views are ${event}`, bots, ...narrowed];
  return (
    <QuestionForm words={words.join(', ')}>
      <WebFields {...props} />
    </QuestionForm>
  );
}

const NoViews = later(() => import('./no-views').then(({NoViews: Part}) => Part));

const title = 'Web';
const {codec, over, times} = stateOf<'active'>('/web');
/** Widths of the lists, in their order: two, three and two in a row. */
const spans = [6, 6, 4, 4, 4, 6, 6] as const;

export function Web() {
  const address = useCodec(codec);
  const {question, problems, ask} = address;
  const {range, zone, not_segment: notSegment} = times(question);
  const names = useReports(undefined, [namesQuestion(everyDay(today.value), namesMax)]);
  const listed = names.shown?.reports[0]?.value as NamesAnswer | undefined;
  const event = question.events?.[0]?.event ?? (listed && viewNameIn(listed.data.map(({name}) => name)));
  if (event !== undefined) return <WebOf event={event} address={address} />;
  const place = {zone, today: todayIn(zone)};
  return (
    <>
      <ReportHead
        title={title}
        isQuestion={false}
        freshness={names.shown?.freshness}
        problems={problems}
        range={range}
        place={place}
        notSegment={notSegment}
        ask={({every: _, ...chosen}) => ask(over(question, chosen))}
      />
      <WebForm
        question={question}
        narrowed={conditionsOf(question.where).map(narrowText)}
        event={event}
        days={daysOf(range, place.today)}
        onChange={ask}
      />
      <ReportBody asking={names} reports={names.shown?.reports ?? []}>
        {() => <NoViews />}
      </ReportBody>
    </>
  );
}

/** `event`: name of the page views. */
function WebOf({
  event,
  address: {question, problems, ask},
}: {
  readonly event: string;
  readonly address: Address<WebDraft>;
}) {
  const {range, zone, compare, not_segment: notSegment} = times(question);
  const askOver = (changed: Parameters<typeof over>[1]): void => ask(over(question, changed));
  const place = {zone, today: todayIn(zone)};
  const since = useFirstDay(zone);
  const asked: AskedWeb = {...webAsked(question, event, place.today, since), question, event};
  const main = useReports(asked, [...asked.asks, ...asked.pastAsks, asked.asksSessions]);
  const {shown} = main;
  const until = useReports(undefined, webUntilQuestions(asked, place.today, shown?.freshness?.asOfMs)).shown;

  const sessions = main.isOther ? undefined : sessionsIn(shown); // WP2
  const hasSessions = sessions === undefined || sessions > 0;
  const lists = useReports<AskedLists>(
    {...asked, hasSessions},
    sessions === undefined ? undefined : webLists.map((list) => listQuestion(asked, list, hasSessions)),
  );

  const lines = useMemo(() => (shown === undefined ? [] : linesOf(shown)), [shown]);
  const shownIn = shown?.question ?? asked;
  const chart = useMemo(() => chartOf(lines, shownIn.interval, (ms) => wallMs(shownIn.days.zone, ms)), [lines]);
  return (
    <>
      <ReportHead
        title={title}
        isQuestion={false}
        freshness={oldest([shown?.freshness, until?.freshness, lists.shown?.freshness])}
        problems={problems}
        range={range}
        interval={asked.interval}
        compare={compare}
        since={since}
        place={place}
        notSegment={notSegment}
        ask={askOver}
      />
      <WebForm
        question={question}
        narrowed={conditionsOf(question.where).map(narrowText)}
        event={event}
        days={asked.days}
        onChange={ask}
      />
      <WebFigures main={main} until={until} isOpen={chart.openFrom !== undefined} />
      <div class="row web-cards">
        <WebChart
          main={main}
          lines={lines}
          chart={chart}
          today={place.today}
          onRange={(drawn) => askOver({range: drawn, every: null})}
        />
        {webLists.map((list, at) => (
          <ListCard
            key={list.by}
            list={list}
            span={spans[at]!}
            asking={lists}
            onNarrow={(to) => ask({where: membersOf(narrowedBy(conditionsOf(question.where), to))})} // WP1
          />
        ))}
      </div>
      <p class="page-note">
        Visitors are users with a page view. Sessions are events of any name that say that one starts: a narrowed page
        counts those that match. A referrer and a campaign belong to the first page of a visit: narrowed to one, the
        page counts these page views alone.
        {!hasSessions && ' No event of these days says that a session starts: referrers and campaigns count visitors.'}
      </p>
    </>
  );
}
