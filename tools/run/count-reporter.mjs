// A vitest reporter that writes to TEST_COUNTS_FILE how many tests passed, which ones failed, and why others were skipped.

import {writeFileSync} from 'node:fs';

/** The message and the first places of the stack. */
const linesOfReasonMax = 12;

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = {passed: 0, failed: [], skipped: []};
    const fail = (name, [error]) => {
      const lines = String(error?.stack ?? error).split('\n');
      counts.failed.push({name, reason: lines.slice(0, linesOfReasonMax).join('\n  ')});
    };
    if (unhandledErrors.length > 0) fail('outside of every test', unhandledErrors);
    for (const module of modules) {
      const file = module.relativeModuleId;
      // A file that cannot be loaded, or a failing hook, has no failing test.
      if (module.errors().length > 0) fail(file, module.errors());
      for (const suite of module.children.allSuites())
        if (suite.errors().length > 0) fail(`${file} > ${suite.fullName}`, suite.errors());
      for (const test of module.children.allTests()) {
        const {state, errors, note} = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') fail(`${file} > ${test.fullName}`, errors);
        else if (state === 'skipped') counts.skipped.push({name: test.fullName, reason: note ?? 'no reason given'});
      }
    }
    writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
  }
}
