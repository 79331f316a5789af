// A vitest reporter that writes counts and skip reasons to TEST_COUNTS_FILE.

import {writeFileSync} from 'node:fs';

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = {passed: 0, failed: unhandledErrors.length, skipped: []};
    for (const module of modules) {
      // A file that cannot be loaded, or a failing hook, has no failing test.
      if (module.errors().length > 0) counts.failed += 1;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) count(test, counts);
    }
    writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
  }
}

function count(test, counts) {
  const {state, note} = test.result();
  if (state === 'passed') counts.passed += 1;
  else if (state === 'failed') counts.failed += 1;
  else if (state === 'skipped') counts.skipped.push({name: test.fullName, reason: note ?? 'no reason given'});
}
