// Runs of the benches: their history, one of them, and two of them beside each other.
import type {RunList} from '../../../../src/bench-run';
import {pageAddress} from '../../address/base';
import {agoText} from '../../charts/format';
import {useAsked} from '../../service/asked';
import {now} from '../../service/now';
import {useAddress} from '../../service/use-address';
import {AddressProblems} from '../../shell/address-problems';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {later} from '../../shell/later';
import {FaultBox, Loading} from '../../shell/states';
import '../../design/reports.css';
import './benchmarks.css';
import {benchmarksForm, queryOf} from './benchmarks-form';
import {CompareView} from './compare-view';
import {HistoryView} from './history-view';
import {RunView} from './run-view';

const NoRuns = later(() => import('./no-runs').then(({NoRuns: Part}) => Part));

const path = '/benchmarks';
const oldMs = 7 * 86_400_000;

export function Benchmarks() {
  const {question, problems, ask} = useAddress(benchmarksForm);
  const [asked, again] = useAsked<RunList>('bench/runs');
  const {value, fault} = asked.value;
  const {show} = question;
  return (
    <>
      <Head title="Benchmarks" freshness={value && <NewestRun list={value} />}>
        <nav class="choice" aria-label="What of the benchmarks">
          <a
            href={pageAddress(path) + queryOf({bench: question.bench})}
            aria-current={show === 'history' ? 'page' : undefined}
          >
            History
          </a>
          <a
            href={pageAddress(path) + queryOf({show: 'compare', bench: question.bench})}
            aria-current={show === 'compare' ? 'page' : undefined}
          >
            Compare
          </a>
        </nav>
      </Head>
      <AddressProblems problems={problems} onDrop={() => ask({}, true)} />
      {fault !== undefined && <FaultBox fault={fault} onAgain={again} />}
      {value === undefined && fault === undefined && <Loading lines={6} />}
      {value !== undefined && <Problems list={value} />}
      {value?.runs.length === 0 && <NoRuns />}
      {value !== undefined && value.runs.length > 0 && (
        <>
          {show === 'history' && <HistoryView list={value} question={question} ask={ask} />}
          {show === 'run' && <RunView runs={value.runs} id={question.run} />}
          {show === 'compare' && <CompareView runs={value.runs} question={question} ask={ask} />}
        </>
      )}
    </>
  );
}

function NewestRun({list: {runs}}: {readonly list: RunList}) {
  const newest = runs.at(-1);
  if (newest === undefined) return null;
  const ms = Date.parse(newest.time);
  const isOld = now.value - ms > oldMs;
  return (
    <span class={`freshness${isOld ? ' old-runs' : ''}`} title={newest.time}>
      <span class={isOld ? 'dot warn' : 'dot'} />
      {isOld
        ? `Newest run ${Math.floor((now.value - ms) / 86_400_000)} days old`
        : `Newest run ${agoText(ms, now.value)}`}
    </span>
  );
}

/** Files that could not be read, shown beside those that could. */
function Problems({list: {problems}}: {readonly list: RunList}) {
  if (problems.length === 0) return null;
  return (
    <div class="run-problems" role="status">
      <Icon name="warning" />
      <div>
        <strong>
          {problems.length === 1 ? 'One run was not read' : `${problems.length} runs were not read`}; the others are
          here.
        </strong>
        <ul>
          {problems.map(({place, why}) => (
            <li key={`${place} ${why}`}>
              <code>{place}</code> {why}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
