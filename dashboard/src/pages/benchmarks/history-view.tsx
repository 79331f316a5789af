// The history: what is short of its reach, then the figures of each bench over its runs.
import {useState} from 'preact/hooks';
import type {RunList} from '../../../../src/bench-run';
import {pageAddress} from '../../address/base';
import {agoText} from '../../charts/format';
import {RunChart} from '../../charts/run-chart';
import {TableFrame} from '../../controls/table-frame';
import {now} from '../../service/now';
import {Card} from '../../shell/card';
import {Icon} from '../../shell/icon';
import {ReportTools} from '../../shell/page-tools';
import {type BenchmarksQuestion, queryOf} from './benchmarks-form';
import {newestPair} from './comparability';
import {chosenText, commitOf, figureText, numberText, offText, runMoment, runName, spreadText} from './figure-text';
import {
  type BenchHistory,
  type FigureHistory,
  type HistoryPoint,
  historiesOf,
  type Shortfall,
  shortOfReach,
  timesOff,
} from './run-history';
import {RunLink} from './run-link';

const path = pageAddress('/benchmarks');
/** Points in a chart: a finger needs 24 px for each. The table has all runs. */
const pointsShown = 12;

export function HistoryView({
  list: {runs, left_off},
  question,
  ask,
}: {
  readonly list: RunList;
  readonly question: BenchmarksQuestion;
  readonly ask: (changed: Partial<BenchmarksQuestion>) => void;
}) {
  const histories = historiesOf(runs);
  const shown = question.bench === null ? histories : histories.filter(({bench}) => bench === question.bench);
  return (
    <>
      <fieldset class="choice bench-choice">
        <legend class="visually-hidden">Bench</legend>
        {[null, ...histories.map(({bench}) => bench)].map((bench) => (
          <button key={bench} type="button" aria-pressed={bench === question.bench} onClick={() => ask({bench})}>
            {bench ?? 'All'}
          </button>
        ))}
      </fieldset>
      {shown.length === 0 && (
        <div class="state-box">
          <strong>No run of "{question.bench}" is kept</strong>
          <p>
            <code>npm run bench -- {question.bench} --keep</code> makes one, if there is such a bench and it has
            figures.
          </p>
        </div>
      )}
      {shown.length > 0 && <Shortfalls histories={shown} />}
      {shown.map((history) => (
        <Bench key={history.bench} history={history} />
      ))}
      {left_off > 0 && <p class="page-note">{left_off} older runs are not shown.</p>}
    </>
  );
}

function Shortfalls({histories}: {readonly histories: readonly BenchHistory[]}) {
  const short = shortOfReach(histories);
  const withReach = histories.flatMap(({figures}) => figures).filter(({figure}) => figure.reach !== undefined).length;
  if (withReach === 0) return null;
  return (
    <div class="row">
      <Card
        span={12}
        title="Short of the target"
        note={`by the newest run of each figure, worst first: ${short.length} of ${withReach}`}
      >
        {short.length === 0 ? (
          <p class="all-met">
            <Icon name="Check" />
            Every figure that has a target meets it.
          </p>
        ) : (
          <TableFrame label="Figures that are short of their target">
            <table class="grid-table shortfalls">
              <thead>
                <tr>
                  <th>Figure</th>
                  <th class="number">Off by</th>
                  <th class="number">Median</th>
                  <th class="number">Target</th>
                  <th class="number">Best possible</th>
                  <th class="number">Smallest – largest</th>
                  <th>Bench</th>
                  <th>Run</th>
                </tr>
              </thead>
              <tbody>
                {short.map((one) => (
                  <ShortRow key={`${one.bench} ${one.figure.id}`} shortfall={one} />
                ))}
              </tbody>
            </table>
          </TableFrame>
        )}
      </Card>
    </div>
  );
}

function ShortRow({shortfall: {bench, figure, run, spread, times}}: {readonly shortfall: Shortfall}) {
  return (
    <tr>
      <td class="figure-name">{figure.name}</td>
      <td class="number">
        <span class="pill bad">{offText(figure, times)}</span>
      </td>
      <td class="number strong">{figureText(spread.median, figure.unit)}</td>
      <td class="number">{chosenText(figure.reach!)}</td>
      <td class="number">{figure.limit === undefined ? '' : chosenText(figure.limit)}</td>
      <td class="number">{spreadText(spread)}</td>
      <td>{bench}</td>
      <td>
        <RunLink run={run} />
      </td>
    </tr>
  );
}

function Bench({history: {bench, runs, figures}}: {readonly history: BenchHistory}) {
  const [isTable, setTable] = useState(false);
  const newest = runs.at(-1)!;
  const pair = newestPair(runs);
  const words = `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}, the newest ${agoText(Date.parse(newest.time), now.value)}`;
  const isCut = runs.length > pointsShown && !isTable;
  return (
    <div class="row">
      <Card
        span={12}
        title={bench}
        note={isCut ? `${words}; charts show the last ${pointsShown}` : words}
        tools={
          <>
            {pair !== undefined && (
              <a class="link compare-link" href={path + queryOf({show: 'compare', bench, a: pair.a.id, b: pair.b.id})}>
                Compare the last two<span class="visually-hidden"> of {bench}</span>
              </a>
            )}
            <ReportTools table={{isTable, onChange: setTable}} />
          </>
        }
      >
        {isTable ? (
          <RunsTable bench={bench} figures={figures} runs={runs} />
        ) : (
          <div class="figure-grid">
            {figures.map((history) => (
              <FigureChart key={history.figure.id} history={history} />
            ))}
          </div>
        )}
      </Card>
    </div>
  );
}

const pointWords = ({run, spread, breakBefore}: HistoryPoint): string => {
  const range = spread.low === spread.high ? '' : `, ${spreadText(spread)}`;
  return `${runName(run)}: ${numberText(spread.median)}${range}${breakBefore === undefined ? '' : `, ${breakBefore}`}`;
};

function FigureChart({history: {figure, points}}: {readonly history: FigureHistory}) {
  const [pointed, setPointed] = useState<string>();
  const shown = points.slice(-pointsShown);
  const newest = points.at(-1)!;
  const at = points.find(({run}) => run.id === pointed);
  return (
    <figure class="figure-chart">
      <figcaption>
        <span class="figure-name">{figure.name}</span>
        <span class="figure-now">
          <b>{numberText(newest.spread.median)}</b>
          {figure.unit !== 'ratio' && ` ${figure.unit}`}
        </span>
      </figcaption>
      <RunChart
        label={`${figure.name}, ${figure.better} is better: the last ${shown.length} runs`}
        points={shown.map((point, index) => ({
          key: point.run.id,
          label: pointWords(point),
          address: path + queryOf({show: 'run', run: point.run.id}),
          ...point.spread,
          breakWord: index === 0 ? undefined : point.breakBefore,
        }))}
        reach={figure.reach}
        limit={figure.limit}
        say={chosenText}
        onPoint={setPointed}
      />
      <p class="figure-foot">
        {at === undefined ? <Standing history={{figure, points}} /> : <span class="pointed">{pointWords(at)}</span>}
      </p>
    </figure>
  );
}

function Standing({history: {figure, points}}: {readonly history: FigureHistory}) {
  const {spread} = points.at(-1)!;
  const times = timesOff(figure, spread.median);
  const range = spread.low === spread.high ? 'measured once' : spreadText(spread);
  return (
    <>
      <span>{range}</span>
      {times !== undefined && (
        <span class={times > 1 ? 'down' : 'up'}>{times > 1 ? offText(figure, times) : 'target met'}</span>
      )}
      <span class="better">{figure.better} is better</span>
    </>
  );
}

function RunsTable({
  bench,
  figures,
  runs,
}: {
  readonly bench: string;
  readonly figures: readonly FigureHistory[];
  readonly runs: BenchHistory['runs'];
}) {
  return (
    <TableFrame label={`Runs of ${bench} in numbers`} look="runs-table">
      <table class="grid-table">
        <thead>
          <tr>
            <th>Run (UTC)</th>
            <th>Commit</th>
            {figures.map(({figure}) => (
              <th key={figure.id} class="number">
                {figure.name}
                {figure.unit !== 'ratio' && `, ${figure.unit}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...runs].reverse().map((run) => (
            <tr key={run.id}>
              <td>
                <a class="link" href={path + queryOf({show: 'run', run: run.id})}>
                  {runMoment(run)}
                </a>
              </td>
              <td>
                <code>{commitOf(run)}</code>
              </td>
              {figures.map(({figure, points}) => {
                const point = points.find((one) => one.run.id === run.id);
                return (
                  <td key={figure.id} class="number">
                    {point === undefined ? '' : numberText(point.spread.median)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
