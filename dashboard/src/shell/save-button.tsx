// Names the question of a page, so that everybody finds it under Saved reports.
import {useLocation} from 'preact-iso';
import type {ReportPage} from '../../../src/asks/address.js';
import {dashboardPath} from '../address/base';
import {Popover} from '../controls/popover';
import {may} from '../service/session';
import {later} from './later';
import {Loading} from './states';

const SavePanel = later(() => import('./save-panel').then(({SavePanel: Panel}) => Panel), <Loading />);

export function SaveButton() {
  const {url} = useLocation();
  if (!may('analyst')) return null;
  const [page, search = ''] = url
    .slice(dashboardPath.length)
    .split('#')[0]!
    .split(/(?=\?)/) as [ReportPage, string?];
  return (
    <Popover label="Save this report" button="Save">
      {(close) => <SavePanel address={{page, search}} onClose={close} />}
    </Popover>
  );
}
