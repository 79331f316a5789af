import {expect, test} from 'vitest';
import {checkDataDir} from '../src/data-dir.js';
import {StartFault} from '../src/start-fault.js';

// Also for root: /proc allows no folders.
test('a DATA_DIR that cannot be written is named', () => {
  expect(() => checkDataDir('/proc/millrace-data')).toThrow(StartFault);
  expect(() => checkDataDir('/proc/millrace-data')).toThrow(/^DATA_DIR \/proc\/millrace-data is not writable: [^\n]+$/);
});
