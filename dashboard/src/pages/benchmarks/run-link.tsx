// A run where it is named: its moment leads to it, its commit stands beside, marked where files were changed.
import type {ListedRun} from '../../../../src/bench-run';
import {pageAddress} from '../../address/base';
import {queryOf} from './benchmarks-form';
import {changedFiles, commitOf, runMoment} from './figure-text';

export function RunLink({run}: {readonly run: ListedRun}) {
  return (
    <span class="run-link">
      <a class="link" href={pageAddress('/benchmarks') + queryOf({show: 'run', run: run.id})}>
        {runMoment(run)}
      </a>
      <Commit run={run} />
    </span>
  );
}

export function Commit({run}: {readonly run: ListedRun}) {
  const changed = changedFiles(run);
  return (
    <span class="commit">
      <code>{commitOf(run)}</code>
      {changed.length > 0 && (
        <span class="pill warn" title={changed.join('\n')}>
          changed files
        </span>
      )}
    </span>
  );
}
