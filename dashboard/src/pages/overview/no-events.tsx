// Overview of days without events: where there are none at all, how to send the first one. The head says where others are.

import {useEffect} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import type {NamesAnswer} from '../../../../src/edge/answers/lists.js';
import {pageAddress} from '../../address/base';
import type {Days} from '../../address/range';
import {namesQuestion} from '../../address/report-address';
import {datesText} from '../../charts/format';
import {useReports} from '../../service/reports';
import {may} from '../../service/session';
import {everyDay} from '../../service/stored-days';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {ReportBody} from '../../shell/report-body';
import {Empty, Loading} from '../../shell/states';

export function NoEvents({days}: {readonly days: Days}) {
  const names = useReports(undefined, [namesQuestion(everyDay(today.value), 1)]);
  return (
    <div class="row">
      <Card span={12} title="Events">
        <ReportBody asking={names} reports={names.shown?.reports ?? []}>
          {() => {
            const {data} = names.shown!.reports[0]!.value as NamesAnswer;
            if (data.length === 0) return <FirstEvent />;
            return <Empty title="No event in these days">Nothing happened in {datesText(days, today.value)}.</Empty>;
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
