// The reports, in the order of the side: a line for each. The rest of a report is loaded with the page, the tile or the link that shows it.
import type {ReportPage} from '../../../src/asks/address.js';
import type {IconName} from '../../icons';
import type {AnyReport} from './report';

export interface ReportEntry {
  /** Path of its page, which pins and saved reports name it by. */
  readonly path: ReportPage;
  /** Goes to its page after `g`. */
  readonly letter: string;
  readonly name: string;
  readonly icon: IconName;
  readonly script: () => Promise<{readonly report: AnyReport}>;
}

export const reports: readonly ReportEntry[] = [
  {path: '/trends', letter: 't', name: 'Trends', icon: 'trends', script: () => import('./trends/report')},
  {path: '/funnels', letter: 'f', name: 'Funnels', icon: 'funnel', script: () => import('./funnels/report')},
  {path: '/retention', letter: 'r', name: 'Retention', icon: 'retention', script: () => import('./retention/report')},
  {path: '/lifecycle', letter: 'c', name: 'Lifecycle', icon: 'lifecycle', script: () => import('./lifecycle/report')},
  {path: '/paths', letter: 'w', name: 'Paths', icon: 'paths', script: () => import('./paths/report')},
  {path: '/active', letter: 'a', name: 'Active users', icon: 'userGroup', script: () => import('./active/report')},
];
