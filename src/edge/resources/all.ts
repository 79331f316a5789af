// Every resource.
import {alerts} from './alerts.js';
import {annotations} from './annotations.js';
import {boards} from './boards.js';
import {describedNames} from './described-names.js';
import {digests} from './digests.js';
import {savedFunnels} from './funnels.js';
import type {Resource} from './resource.js';
import {savedReports} from './saved-reports.js';
import {segments} from './segments.js';
import {shares} from './shares.js';
import {webhooks} from './webhooks.js';

export const resources: readonly Resource[] = [
  savedReports,
  boards,
  annotations,
  shares,
  segments,
  describedNames,
  savedFunnels,
  alerts,
  digests,
  webhooks,
];
