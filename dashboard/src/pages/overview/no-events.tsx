// Overview of days without events: where the events are, or how to send the first one.

import {useEffect} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import {pageAddress} from '../../address/base';
import {type Days, dayOfMs, type Range} from '../../address/range';
import {namesMax, namesPath} from '../../address/report-address';
import {datesText} from '../../charts/format';
import {useReports} from '../../service/reports';
import {may} from '../../service/session';
import {Card} from '../../shell/card';
import {ReportBody} from '../../shell/report-body';
import {Empty, Loading} from '../../shell/states';
import {today} from '../../shell/today';

/** 1970-01-01 to 2199: whatever there is. */
const always: Days = {from: 0, to: 84_000};
const shownDays = 30;

export function NoEvents({days, onShow}: {readonly days: Days; readonly onShow: (range: Range) => void}) {
  const names = useReports(undefined, [namesPath(always, namesMax)]);
  return (
    <div class="row">
      <Card span={12} title="Events">
        <ReportBody asking={names} reports={names.shown?.reports ?? []}>
          {() => {
            const {data} = names.shown!.reports[0]!.value as NamesAnswer;
            if (data.length === 0) return <FirstEvent />;
            const last = Math.max(...data.map(({last_seen}) => dayOfMs(Date.parse(last_seen))));
            const first = Math.min(...data.map(({first_seen}) => dayOfMs(Date.parse(first_seen))));
            const newest = {from: Math.max(first, last - shownDays + 1), to: last};
            return (
              <>
                <Empty title="No event in these days">
                  Nothing happened in {datesText(days, today.value)}. There are events of{' '}
                  {datesText({from: first, to: last}, today.value)}.
                </Empty>
                <div class="state-ways">
                  <button type="button" class="button primary" onClick={() => onShow({kind: 'days', ...newest})}>
                    Show the newest, {datesText(newest, today.value)}
                  </button>
                  <button type="button" class="button" onClick={() => onShow({kind: 'days', from: first, to: last})}>
                    Show all of them
                  </button>
                </div>
              </>
            );
          }}
        </ReportBody>
      </Card>
    </div>
  );
}

/** The service has no event. A person who may see events is shown how to send one. */
function FirstEvent() {
  const {route} = useLocation();
  const maySee = may('analyst');
  useEffect(() => {
    if (maySee) route(pageAddress('/first-event'), true);
  }, [maySee]);
  if (maySee) return <Loading />;
  return (
    <Empty title="No event has come yet">
      The first one is counted in the next publication, which this page shows by itself; the freshness at the top will
      say when the next one is due.
    </Empty>
  );
}
