// The page that a link opens. It shows one report, with its numbers and how they are counted, or one board. Nobody needs to sign in.
// No other page can be reached from it.
import type {FunctionComponent} from 'preact';
import {asSaved} from '../address/board-address';
import {tiles} from '../boards/pinned';
import {TextCard} from '../boards/text-card';
import {agoText, datesText, momentText, rangeName} from '../charts/format';
import {type ReportEntry, reports} from '../reports/all';
import {type AnyReport, askedOf, type WordRow} from '../reports/report';
import {spanOf} from '../service/board-tiles';
import type {Fault} from '../service/client';
import {now} from '../service/now';
import {readShare, shareFault} from '../service/share-link';
import {type SharedReport as SharedReportPlace, type SharedTile, shared} from '../service/shared';
import {Card} from '../shell/card';
import {Head} from '../shell/head';
import {later} from '../shell/later';
import {FaultBox, Loading} from '../shell/states';
import {todayIn} from '../shell/zone-day';
import './share.css';
import '../boards/board-row.css';

const waiting = <Loading lines={8} />;
export const shownLater = ({script}: ReportEntry): FunctionComponent<{readonly search: string}> =>
  later(async () => shownOf((await script()).report), waiting);

/** By the path of the report's page. Made once: another component would mount it again. */
const shownReports: ReadonlyMap<string, FunctionComponent<{readonly search: string}>> = new Map(
  reports.map((entry) => [entry.path, shownLater(entry)]),
);

const shownOf = (report: AnyReport): FunctionComponent<{readonly search: string}> =>
  function Shown({search}) {
    const {question} = report.codec.read(search);
    const {range, zone} = report.times(question);
    const asked = askedOf(report, question, todayIn(zone), undefined);
    const dates = datesText(asked.days, asked.today);
    const name = rangeName(range);
    const days = `${name === undefined || name === dates ? dates : `${name}, ${dates}`} (${zone})`;
    const words: readonly WordRow[] = [...report.words(question), ['Days', days]];
    return (
      <>
        <div class="row builder-result">
          <report.Result {...asked} onFresh={() => {}} />
        </div>
        <div class="row">
          <Card span={12} title="How it is counted">
            <dl class="shared-question">
              {words
                .filter(([, text]) => text !== '')
                .map(([what, text]) => (
                  <div key={what}>
                    <dt>{what}</dt>
                    <dd>{text}</dd>
                  </div>
                ))}
            </dl>
          </Card>
        </div>
      </>
    );
  };

export function SharedReport() {
  const report = shared.value;
  const fault = shareFault.value;
  if (report === undefined)
    return (
      <main class="page shared">
        {fault === undefined ? (
          waiting
        ) : fault.code === 'not_found' ? (
          <Over why={fault.message} />
        ) : (
          <Unread fault={fault} />
        )}
      </main>
    );
  const {name, shown} = report;
  return (
    <main class="page shared">
      <Head title={name} freshness={<AsOf />} />
      {'tiles' in shown ? <SharedBoard tiles={shown.tiles} /> : <OneReport {...shown} />}
    </main>
  );
}

const newer = <p>This link is of a newer version: reload the page.</p>;

function OneReport({page, search}: SharedReportPlace) {
  const Report = shownReports.get(page);
  return Report === undefined ? newer : <Report key={search} search={search} />;
}

function SharedBoard({tiles: all}: {readonly tiles: readonly SharedTile[]}) {
  if (all.length === 0) return <p>There is nothing on this board yet.</p>;
  return (
    <div class="row">
      {all.map((tile, at) => (
        <div key={at} class={`board-tile span-${spanOf(tile.width, all.length === 1)}`}>
          {tile.text === undefined ? <OneTile {...tile} /> : <TextCard tile={tile} tools={nothing} />}
        </div>
      ))}
    </div>
  );
}

const nothing = (): null => null;

function OneTile({page, search, name}: Exclude<SharedTile, {readonly text: string}>) {
  const Tile = tiles.get(page);
  if (Tile === undefined) return newer;
  return <Tile key={search} all={asSaved} search={search} name={name} tools={nothing} onFresh={nothing} />;
}

function Over({why}: {readonly why: string}) {
  return (
    <>
      <Head title="This link shows nothing" />
      <p>{`${why.charAt(0).toUpperCase()}${why.slice(1)}.`}</p>
    </>
  );
}

function Unread({fault}: {readonly fault: Fault}) {
  return (
    <>
      <Head title="A shared report" />
      <FaultBox fault={fault} onAgain={readShare} />
    </>
  );
}

/** Time up to which the numbers are exact. */
function AsOf() {
  const {atMs, asOfMs} = shared.value!;
  if (asOfMs === undefined) return null;
  return (
    <span class="freshness" title={`Answered ${momentText(atMs)} UTC`}>
      Exact as of {momentText(asOfMs)} UTC, {agoText(asOfMs, now.value)}
    </span>
  );
}
