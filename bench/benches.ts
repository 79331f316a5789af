// Every bench, in the order in which they run if none is named. A new bench is a file in benches/ and a line here.

import type {Bench} from './bench.js';
import {beyondBench} from './benches/beyond.js';
import {browserBench} from './benches/browser.js';
import {dashboardsBench} from './benches/dashboards.js';
import {effectsBench} from './benches/effects.js';
import {exportBench} from './benches/export.js';
import {foldBench} from './benches/fold.js';
import {growthBench} from './benches/growth.js';
import {historyBench} from './benches/history.js';
import {identityBench} from './benches/identity.js';
import {importBench} from './benches/import.js';
import {ingestBench} from './benches/ingest.js';
import {latencyBench} from './benches/latency.js';
import {memoryBench} from './benches/memory.js';
import {mixedBench} from './benches/mixed.js';
import {overloadBench} from './benches/overload.js';
import {parsersBench} from './benches/parsers.js';
import {piecesBench} from './benches/pieces.js';
import {recoveryBench} from './benches/recovery.js';
import {reportsBench} from './benches/reports.js';
import {stallsBench} from './benches/stalls.js';
import {twinsBench} from './benches/twins.js';
import {webhooksBench} from './benches/webhooks.js';
import {withoutBench} from './benches/without.js';

export const benches: readonly Bench[] = [
  ingestBench,
  latencyBench,
  overloadBench,
  mixedBench,
  dashboardsBench,
  stallsBench,
  withoutBench,
  parsersBench,
  identityBench,
  importBench,
  reportsBench,
  beyondBench,
  twinsBench,
  historyBench,
  exportBench,
  foldBench,
  piecesBench,
  recoveryBench,
  memoryBench,
  growthBench,
  webhooksBench,
  effectsBench,
  browserBench,
];
