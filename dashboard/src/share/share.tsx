// The page of a link: one report with its numbers and how they are counted, for whoever has the link. It leads nowhere else.
import {agoText, momentText} from '../charts/format';
import type {Fault} from '../service/client';
import {now} from '../service/now';
import {readShare, shareFault} from '../service/share-link';
import {shared} from '../service/shared';
import {Card} from '../shell/card';
import {Head} from '../shell/head';
import {later} from '../shell/later';
import {places} from '../shell/places';
import {FaultBox, Loading} from '../shell/states';
import {questionWords} from './question-words';
import './share.css';

const waiting = <Loading lines={8} />;
/** The page of a report, as the frame loads it. Made once: another component would mount it again. */
const pages = new Map(
  places.flatMap(({path, script}) => (script === undefined ? [] : [[path, later(script, waiting)] as const])),
);

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
  const {name, page, search} = report;
  const Page = pages.get(page);
  return (
    <main class="page shared">
      <Head title={name} freshness={<AsOf />} />
      {Page === undefined ? <p>This link is of a newer version: reload the page.</p> : <Page key={search} />}
      <div class="row">
        <Card span={12} title="How it is counted">
          <dl class="shared-question">
            {questionWords(page, search).map(([what, text]) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </Card>
      </div>
    </main>
  );
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
